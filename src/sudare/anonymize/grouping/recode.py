"""Local recoding: every quasi-identifier of a group is replaced with the most specific text that covers the group.

What every method that forms groups needs to know about the requirements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.assess.bounds.distortion import values_needed
from sudare.assess.requirement import BlockRequirement, Requirement
from sudare.describe.kinds import MEASURED_KINDS, ORDERED_KINDS
from sudare.describe.text import ANYTHING, closed_ranges, places_of, set_text
from sudare.errors import ParameterError
from sudare.kernels.core.kinds import DISTINCT, ENTROPY, RECURSIVE, SIZE
from sudare.kernels.core.rules import group_nodes, group_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.assess.requirement import Rule
    from sudare.describe.column import Codes
    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.describe.table import Table


@dataclass(frozen=True, eq=False)
class TreeAxis:
    """A column that is generalized along a hierarchy."""

    name: str
    codes: Codes
    tree: Hierarchy
    leaves: npt.NDArray[np.int32]
    ordered: bool
    """Whether the column contains numbers, dates or ordinal values. These are never released as sets: measures read
    them along their order or their hierarchy, and a set fits neither."""


@dataclass(frozen=True, eq=False)
class OrderedAxis:
    """A column that is generalized to ranges of its values."""

    name: str
    codes: Codes
    position: npt.NDArray[np.float64]
    """Position of each value: the number, the day, or its rank."""


Axis = TreeAxis | OrderedAxis


def axes_of(table: Table) -> list[Axis]:
    """How each quasi-identifier is generalized: by its hierarchy, else to ranges if it has an order, else to `*`."""
    axes: list[Axis] = []
    for name in table.names("quasi"):
        column, codes, tree = table.column(name), table.codes(name), table.hierarchy(name)
        ordered = column.kind in ORDERED_KINDS
        if tree is None and ordered:
            axes.append(OrderedAxis(name, codes, places_of(codes.values)))
            continue
        if tree is None:
            tree = table.generalization(name)
        axes.append(TreeAxis(name, codes, tree, table.leaves(name, tree), ordered))
    return axes


def recode(
    table: Table, axes: list[Axis], labels: npt.NDArray[np.int32], count: int, *, sets: bool = False
) -> Table:
    """The table with each quasi-identifier generalized to what its group has in common.

    With `sets`, nominal columns become the sets of values in their groups instead of hierarchy values; ordered columns
    keep using their hierarchy.
    """
    labels = _checked(labels, table.rows, count)
    recoded = [
        (
            axis.name,
            _set_texts(axis, labels, count)
            if sets and isinstance(axis, TreeAxis) and not axis.ordered
            else _recoded(axis, labels, count),
        )
        for axis in axes
    ]
    changed = [texts.rename(name) for name, texts in recoded if texts is not None]
    return table.recoded(table.frame.with_columns(changed))


def blocks_formed(table: Table, labels: npt.NDArray[Any], count: int) -> int:
    """How many different combinations were released: groups that got the same values are one block to every reader."""
    names = table.names("quasi")
    if not names:
        return count
    some_row = np.empty(count, dtype=np.int64)
    some_row[labels] = np.arange(len(labels))
    # Not `select`, which takes a column named "*" for all of them.
    return table.frame[names][some_row].n_unique()


def _checked(labels: npt.NDArray[Any], rows: int, count: int) -> npt.NDArray[np.int32]:
    """Labels in the form that kernels take, checked: kernels do not check bounds, and a method may be third-party."""
    given = np.asarray(labels)
    inside = given.dtype.kind in "iu" and given.shape == (rows,)
    if not inside or (rows and not 0 <= int(given.min()) <= int(given.max()) < count):
        raise ParameterError(
            "anonymize.grouping.labels", dtype=given.dtype, shape=given.shape, rows=rows, last=count - 1
        )
    return given.astype(np.int32, copy=False)


def _recoded(axis: Axis, labels: npt.NDArray[np.int32], count: int) -> pl.Series | None:
    """The released texts, or None if no group needs a change and the column keeps its type."""
    if isinstance(axis, TreeAxis):
        tree = axis.tree
        nodes = group_nodes(axis.leaves, labels, count, tree.parent, tree.first, tree.last)
        if (nodes < tree.leaves).all():
            return None
        return tree.labels_of(nodes).gather(labels)
    lowest, highest = group_ranges(axis.codes.ranks, labels, count)
    if (lowest == highest).all():
        return None
    return _range_texts(axis.codes, lowest, highest).gather(labels)


def _set_texts(axis: TreeAxis, labels: npt.NDArray[np.int32], count: int) -> pl.Series | None:
    """The sets of values of each group; a set with both missing and other values becomes the root of the hierarchy."""
    tree = axis.tree
    width = tree.leaves
    groups, leaves = np.divmod(np.unique(labels.astype(np.int64) * width + axis.leaves), width)
    sizes = np.bincount(groups, minlength=count)
    if (sizes <= 1).all():
        return None
    listed = leaves.tolist()
    known: dict[tuple[int, ...], str | None] = {}
    texts = []
    for start, end in pairwise([0, *np.cumsum(sizes).tolist()]):
        own = tuple(listed[start:end])
        if own not in known:
            known[own] = _set_of([tree.labels[leaf] for leaf in own], tree.labels[tree.root])
        texts.append(known[own])
    return pl.Series(texts, dtype=pl.String).gather(labels)


def _set_of(values: list[str | None], anything: str | None) -> str | None:
    """The text of a set of values; `anything` if one of several is missing."""
    if len(values) == 1:
        return values[0]
    present = [value for value in values if value is not None]
    return set_text(present) if len(present) == len(values) else anything


def _range_texts(codes: Codes, lowest: npt.NDArray[np.int32], highest: npt.NDArray[np.int32]) -> pl.Series:
    """One text per group: a range, `*` for missing and present values together, null if all are missing."""
    ranges = closed_ranges(
        codes.values.gather(np.maximum(lowest, 0)), codes.values.gather(np.maximum(highest, 0))
    )
    frame = pl.DataFrame({"text": ranges, "low": lowest, "high": highest})
    return frame.select(
        pl.when(pl.col("high") < 0)
        .then(None)
        .when(pl.col("low") < 0)
        .then(pl.lit(ANYTHING))
        .otherwise(pl.col("text"))
        .alias("text")
    )["text"]


COUNTING = frozenset({DISTINCT, ENTROPY, RECURSIVE})
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


def allowed_rows(given: float, rows: int, *, kept: int = 0) -> int:
    """Number of rows that may be left out if some must be kept: a number of rows, or a share (a float), rounded down.

    A product that is an integer counts as one, even if the last bit of the float differs.
    """
    most = given if isinstance(given, int) else math.floor(given * rows + 1e-9)
    if most > rows > 0:
        raise ParameterError("anonymize.grouping.more_than_rows", given=most, rows=rows)
    return max(0, min(most, rows - kept))


def smallest_group(rules: Sequence[Rule]) -> int:
    """Minimum number of rows in any compliant group: k, or l values, whichever is larger.

    A group in which every value is exempt needs no l values.
    """
    sizes = [int(rule.bound) for rule in rules if rule.kind == SIZE]
    values = [values_needed(rule.bound) for rule in rules if rule.kind in COUNTING and not rule.exempt]
    return max([1, *sizes, *values])


def by_size(rules: Sequence[Rule]) -> bool:
    """Whether the rules concern only the sizes of groups."""
    return all(rule.kind == SIZE for rule in rules)
