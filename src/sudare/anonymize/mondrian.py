"""Mondrian: multidimensional top-down partitioning (LeFevre, DeWitt, Ramakrishnan 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudare.anonymize.grouping.recode import (
    Axis,
    TreeAxis,
    axes_of,
    block_rules,
    blocks_formed,
    column_weights,
    recode,
    smallest_group,
)
from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, same_rows
from sudare.assess.requirement import compile_rules, require_feasible
from sudare.kernels.core.rules import scratch_for
from sudare.kernels.recoding.mondrian import Space, initial_state, partition_slice
from sudare.parameters import Annotated, Field, parameters

if TYPE_CHECKING:
    from sudare.describe.table import Table

_SLICE = 2_000_000
"""Row visits between two progress reports: a few hundredths of a second."""


@parameters
class Mondrian:
    """Cut the table in two (or by the children of a hierarchy) again and again as long as every part complies.

    The column whose values spread widest in a part, relative to the whole table, is cut first: ordered columns
    (numbers, dates, ordinals) at the median, hierarchies into the children of the part's lowest common value. Children
    too small to form a group are pooled. A part that cannot be cut any further is a group; each quasi-identifier of a
    group becomes the smallest range or the lowest hierarchy value that covers it.

    Works for any conjunction of requirements on blocks. Time O(n log(n/k) d) for n rows and d columns; memory for
    a few arrays of n. Every group complies by construction; the loss is not minimal.
    """

    relaxed: bool = False
    """False (strict): equal values of an ordered column stay together. True: they may go to both sides of the
    median, which gives smaller groups on columns with heavy ties."""
    weights: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Importance of columns; a column with twice the weight is kept about twice as precise. 1 if left out."""

    generalizes: ClassVar[bool] = True
    keeps_rows: ClassVar[bool] = True

    def apply(self, table: Table, context: Context) -> Outcome:
        """Partition the table and recode each group."""
        rules = block_rules(table, context.requirements)
        require_feasible(table, context.requirements)
        axes = axes_of(table)
        space = _space(axes, table.rows, column_weights(self.weights, [axis.name for axis in axes]))
        compiled = compile_rules(table, rules)
        state, scratch = initial_state(space), scratch_for(compiled)
        least = smallest_group(rules)
        context.progress.start("partition", table.rows)
        while state.counters[0] > 0:
            partition_slice(space, state, compiled, scratch, least, self.relaxed, _SLICE)
            context.progress.update(float(state.counters[2]))
        groups = int(state.counters[1])
        recoded = recode(table, axes, state.labels, groups)
        blocks = blocks_formed(recoded, state.labels, groups)
        return same_rows(
            recoded, Note("partitioned", rows=table.rows, groups=blocks, size=table.rows / blocks)
        )


def _space(axes: list[Axis], rows: int, weights: list[float]) -> Space:
    trees = [axis.tree for axis in axes if isinstance(axis, TreeAxis)]
    nodes = max([tree.nodes for tree in trees], default=1)
    longest = max([len(axis.position) for axis in axes if not isinstance(axis, TreeAxis)], default=1)
    count = len(axes)
    space = Space(
        codes=np.zeros((count, rows), dtype=np.int32),
        is_tree=np.zeros(count, dtype=np.bool_),
        position=np.zeros((count, max(longest, 1))),
        weight=np.array(weights, dtype=np.float64),
        extent=np.ones(count),
        parent=np.zeros((count, nodes), dtype=np.int32),
        first=np.zeros((count, nodes), dtype=np.int32),
        last=np.zeros((count, nodes), dtype=np.int32),
    )
    for index, axis in enumerate(axes):
        if isinstance(axis, TreeAxis):
            tree = axis.tree
            space.codes[index] = axis.leaves
            space.is_tree[index] = True
            space.extent[index] = max(tree.leaves - 1, 1)
            space.parent[index, : tree.nodes] = tree.parent
            space.first[index, : tree.nodes] = tree.first
            space.last[index, : tree.nodes] = tree.last
        else:
            space.codes[index] = axis.codes.ranks
            space.position[index, : len(axis.position)] = axis.position
            # Numbers that floats cannot tell apart are one place on the line: extent 1, not 0.
            if len(axis.position) > 1 and axis.position[-1] > axis.position[0]:
                space.extent[index] = axis.position[-1] - axis.position[0]
    return space
