"""One step of a method on a small table."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import sudare as sd
from sudare.anonymize.protocol import Context
from sudare.randomness import Randomness


def table_of(frame, **roles):
    return sd.read(frame).describe(**roles)


def step(method, table, *requirements, seed=1):
    """One method alone, without what a run adds around it."""
    return method.apply(table, Context(requirements, Randomness(seed)))
