"""What every method that forms groups needs to know about the requirements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from sudare.assess.bounds.distortion import values_needed
from sudare.assess.requirement import BlockRequirement, Requirement
from sudare.describe.kinds import MEASURED_KINDS
from sudare.errors import ParameterError
from sudare.kernels.core import rules as kernel_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.assess.requirement import Rule
    from sudare.describe.table import Table

COUNTING = frozenset({kernel_rules.DISTINCT, kernel_rules.ENTROPY, kernel_rules.RECURSIVE})
"""Rules that a group can meet only if it has enough distinct sensitive values."""


def block_rules(table: Table, requirements: Sequence[Requirement]) -> list[Rule]:
    """The rules that a grouping method must meet; at least one requirement must apply to blocks.

    The table must not be generalized already: texts of ranges are neither numbers nor values of a hierarchy.
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
    """The weight of each quasi-identifier used for grouping, 1 if not given; other columns must not have one."""
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        raise ParameterError("anonymize.grouping.unknown_weight", name=unknown)
    return [float(given.get(name, 1.0)) for name in names]


def allowed_rows(share: float, rows: int, *, kept: int = 0) -> int:
    """Number of rows that may be left out if some must be kept: the share, rounded down.

    A product that is an integer counts as one, even if the last bit of the float differs.
    """
    return max(0, min(math.floor(share * rows + 1e-9), rows - kept))


def smallest_group(rules: Sequence[Rule]) -> int:
    """Minimum number of rows in any compliant group: k, or l values, whichever is larger."""
    sizes = [int(rule.bound) for rule in rules if rule.kind == kernel_rules.SIZE]
    values = [values_needed(rule.bound) for rule in rules if rule.kind in COUNTING]
    return max([1, *sizes, *values])


def by_size(rules: Sequence[Rule]) -> bool:
    """Whether the rules concern only the sizes of groups."""
    return all(rule.kind == kernel_rules.SIZE for rule in rules)
