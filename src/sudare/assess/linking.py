"""Linking: how well a randomized table hides people, in figures.

Blocks of equal rows mean nothing where values are noise. What counts is the probability, given everything public,
that a record belongs to a given person. It is at most 1/k with `k = 1 + (|R| - 1) * product of the rates`, where |R|
is the number of records that agree on everything that was released exactly (Ikarashi et al., after 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudare.assess.pk_anonymity import Exposure, exposure
from sudare.describe.kinds import COUNTED_ROLES
from sudare.mechanism.catalogue import MECHANISMS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.describe.table import Table


@dataclass(frozen=True)
class ColumnNoise:
    """How much one randomized column hides."""

    column: str
    mechanism: str
    """Name of the mechanism in the catalogue, or its class."""
    rate: float
    """1 hides everything, 0 nothing."""
    epsilon: float
    """Local differential privacy: the odds of any two values change by at most a factor of exp(epsilon)."""


@dataclass(frozen=True)
class Linking:
    """The bound on the probability that a released record belongs to a given person, and its components."""

    k: float
    """`1 + (records - 1) * rate`: in the worst case, people are hidden as if among k equals."""
    largest: float
    """1 / k: the largest probability with which anyone can be linked to a record."""
    rate: float
    """Product of the rates of the randomized columns."""
    epsilon: float
    """Sum of their local epsilons: the protection of a whole record."""
    records: int
    """Number of records in the smallest group that agrees on everything exact."""
    exact: tuple[str, ...]
    """Columns released as they are, and `missing NAME` where missing cells are visible."""
    columns: tuple[ColumnNoise, ...]
    quasi_randomized: bool
    """Whether a quasi-identifier is randomized, so that blocks of equal rows are only noise."""


def linking(table: Table) -> tuple[Linking, Exposure] | None:
    """Figures of a table with a randomized quasi-identifier or sensitive column; None if it has neither."""
    noisy = [
        column for column in table.columns if column.mechanism is not None and column.role in COUNTED_ROLES
    ]
    if not noisy or table.rows == 0:
        return None
    exposed = exposure(table)
    records = int(exposed.blocks.sizes.min())
    k = float(exposed.k_of_blocks.min())
    return Linking(
        k=k,
        largest=1 / k,
        rate=exposed.rate,
        epsilon=exposed.epsilon,
        records=records,
        exact=exposed.exact,
        columns=tuple(
            ColumnNoise(column.name, _name(mechanism), mechanism.rate(), mechanism.epsilon())
            for column in noisy
            if (mechanism := column.mechanism) is not None
        ),
        quasi_randomized=any(column.role == "quasi" for column in noisy),
    ), exposed


def linked_by_row(exposed: Exposure) -> npt.NDArray[np.float64]:
    """The bound for each record: 1 / k of the records that agree with it on everything exact."""
    chances: npt.NDArray[np.float64] = 1.0 / exposed.k_of_blocks
    return chances[exposed.blocks.labels]


def _name(mechanism: object) -> str:
    return MECHANISMS.name_of(mechanism) if MECHANISMS.knows(mechanism) else type(mechanism).__name__
