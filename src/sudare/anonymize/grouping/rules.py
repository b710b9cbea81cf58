"""What every method that forms groups asks of the requirements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from sudare.assess.bounds.diversity import values_needed
from sudare.assess.requirement import BlockRequirement, Requirement
from sudare.describe.kinds import MEASURED_KINDS
from sudare.errors import ParameterError
from sudare.kernels.core import rules as kernel_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.assess.requirement import Rule
    from sudare.describe.table import Table

COUNTING = frozenset({kernel_rules.DISTINCT, kernel_rules.ENTROPY, kernel_rules.RECURSIVE})
"""Rules that a group complies with only if it has so many sensitive values."""


def block_rules(table: Table, requirements: Sequence[Requirement]) -> list[Rule]:
    """The rules a grouping method has to keep; at least one requirement must be on blocks.

    Nothing may be generalized before: texts of ranges are neither numbers nor values of a hierarchy.
    """
    for name in table.names("quasi"):
        column = table.column(name)
        is_text = column.kind in MEASURED_KINDS and table.frame[name].dtype == pl.String
        if is_text and column.mechanism is None:
            raise ParameterError("anonymize.grouping.already_generalized", column=name)
    rules = [
        rule
        for requirement in requirements
        if isinstance(requirement, BlockRequirement)
        for rule in requirement.rules(table)
    ]
    if not rules:
        raise ParameterError("anonymize.grouping.no_requirement")
    return rules


def column_weights(given: Mapping[str, float], names: Sequence[str]) -> list[float]:
    """The weight of each quasi-identifier that is grouped by, 1 where none is given; others have none."""
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        raise ParameterError("anonymize.grouping.unknown_weight", name=unknown)
    return [float(given.get(name, 1.0)) for name in names]


def allowed_rows(share: float, rows: int, *, kept: int = 0) -> int:
    """How many rows may be left out where some must be kept: the share rounded down.

    A product that is whole counts as such, whatever the last bit of a float says.
    """
    return max(0, min(math.floor(share * rows + 1e-9), rows - kept))


def smallest_group(rules: Sequence[Rule]) -> int:
    """Fewest rows any compliant group can have: k, or l values, whichever is more."""
    sizes = [int(rule.bound) for rule in rules if rule.kind == kernel_rules.SIZE]
    values = [values_needed(rule.bound) for rule in rules if rule.kind in COUNTING]
    return max([1, *sizes, *values])


def by_size(rules: Sequence[Rule]) -> bool:
    """Whether nothing but the sizes of groups is asked for."""
    return all(rule.kind == kernel_rules.SIZE for rule in rules)
