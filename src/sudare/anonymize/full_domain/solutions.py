"""The choices a custodian has: the minimal nodes that comply, and each column's levels in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pydantic import TypeAdapter, ValidationError

from sudare.anonymize.full_domain.classify import minimal_nodes
from sudare.anonymize.full_domain.count import Counter
from sudare.anonymize.full_domain.lattice import OBJECTIVES, all_levels, lattice_of
from sudare.anonymize.grouping.recode import allowed_rows, block_rules
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.requirement import requirements_of
from sudare.errors import ParameterError, shown
from sudare.parameters import ShareOrRows
from sudare.progress import SILENT

if TYPE_CHECKING:
    from sudare.anonymize.full_domain.count import Node
    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table
    from sudare.progress import Progress

_LISTED = 1_000_000
"""Maximum number of nodes in a lattice that is classified as a whole."""


def minimal_solutions(
    table: Table,
    *requirements: Requirement | str,
    suppression: float = 0.0,
    progress: Progress = SILENT,
) -> pl.DataFrame:
    """All nodes of the lattice that comply and have no complying node below them, in ascending order of loss.

    One row per node: `levels` (a struct, the level of each quasi-identifier), `groups`, `smallest` (rows in the
    smallest block), `suppressed` (rows left out), and `loss`, `dis`, `ncp` (a mean in [0, 1]), with these rows as 1.
    Levels that merge nothing more than a lower one are skipped. Empty if no node complies.

    If compliance is monotone, a path of undecided nodes is bisected, and each answer decides all nodes above or below
    (Flash, Kohlmayer et al. 2012); otherwise every node that could comply is counted.
    """
    try:
        allowed_share: float = TypeAdapter(ShareOrRows).validate_python(suppression)
    except ValidationError:
        raise ParameterError("anonymize.full_domain.suppression", given=shown(suppression)) from None
    rules, lattice = block_rules(table, requirements_of(requirements, REQUIREMENTS)), lattice_of(table)
    if lattice.size > _LISTED:
        raise ParameterError("anonymize.full_domain.too_many_nodes", nodes=lattice.size, most=_LISTED)
    allowed = allowed_rows(allowed_share, table.rows, kept=1)
    counter = Counter(table, lattice, rules, allowed, "loss", lattice.weights({}))
    nodes = minimal_nodes(counter, progress) if table.rows else []
    return _frame(counter, nodes)


def level_statistics(table: Table) -> pl.DataFrame:
    """Every level of every quasi-identifier: the number of values left, the rows of the rarest, and the cost.

    `loss`, `dis` and `ncp` are means over the rows of this column alone, as defined in `sudare.measure`.
    """
    rows = []
    for column in all_levels(table):
        means = [column.means(objective) for objective in OBJECTIVES]
        for level, nodes in zip(column.numbers, column.nodes, strict=True):
            counts = np.bincount(nodes, weights=column.counts)
            counts = counts[counts > 0]
            rarest = int(counts.min()) if len(counts) else 0
            rows.append((column.name, level, len(counts), rarest, *(float(mean[level]) for mean in means)))
    schema = dict.fromkeys(("column", "level", "values", "rarest"), pl.Int64) | {"column": pl.String}
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(OBJECTIVES, pl.Float64), orient="row")


def _frame(counter: Counter, nodes: list[Node]) -> pl.DataFrame:
    lattice = counter.lattice
    equal = lattice.weights({})
    tables = [(lattice.costs(objective, equal), lattice.shares(objective, equal)) for objective in OBJECTIVES]
    rows = []
    for node in nodes:
        blocks = counter.blocks(node)
        kept = blocks.sizes[blocks.kept]
        figures = []
        for costs, shares in tables:
            suppressed, extra = counter.left_out(node, blocks, shares)
            figures.append(sum(float(costs[place]) for place in enumerate(node)) + extra)
        levels = {
            column.name: column.numbers[level] for column, level in zip(lattice.columns, node, strict=True)
        }
        rows.append((levels, len(kept), int(kept.min()), suppressed, *figures))
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "levels": pl.Struct({column.name: pl.Int64 for column in lattice.columns}),
        "groups": pl.Int64,
        "smallest": pl.Int64,
        "suppressed": pl.Int64,
        "loss": pl.Float64,
        "dis": pl.Float64,
        "ncp": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("loss", maintain_order=True)
