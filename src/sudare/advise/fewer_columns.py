"""Quasi-identifiers to coarsen or drop: the column whose removal lowers the bound most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.advise.trial import compromise, sampled
from sudare.anonymize.simple.coarsen import raised
from sudare.assess.bounds import Bound
from sudare.assess.compromise import Changes
from sudare.assess.risk import risk
from sudare.errors import DescriptionError
from sudare.measure.catalogue import MEASURE_OF_OBJECTIVE
from sudare.measure.pair import Pair
from sudare.words.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.advise.trial import Trial
    from sudare.assess.compromise import Compromise
    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table

_SAMPLE = 1000
"""Number of rows on which the columns are compared."""
_CANDIDATES = 12
"""Number of columns compared: those in which two rows differ most often."""


def fewer_columns(trial: Trial, asked: Sequence[Requirement]) -> Iterator[Compromise]:
    """One column made coarser, if its hierarchy has an intermediate level, and the same column dropped.

    The bound includes what is given up: every cell of the column costs at least its cost at that level (1 if it is
    dropped), and the other columns cost at least their own bound.
    """
    quasi = trial.table.names("quasi")
    if len(quasi) < 2:
        return
    name = _chosen(trial, asked)
    others = trial.bound(asked, weights={name: 0.0})
    coarser = _coarser(trial.table, name)
    if coarser is not None:
        yield _tried(
            trial,
            asked,
            coarser.table,
            _with(others, _own_loss(trial, name, coarser.table), len(quasi)),
            Sentence("compromise.coarsen", column=name, level=coarser.level, height=coarser.height),
            {"column": name, "level": coarser.level},
            Changes(first=({"type": "coarsening", "levels": {name: coarser.level}},)),
        )
    yield _tried(
        trial,
        asked,
        _without(trial.table, name),
        _with(others, 1.0, len(quasi)),
        Sentence("compromise.drop", column=name),
        {"column": name},
        Changes(drop=name),
    )


@dataclass(frozen=True, eq=False)
class _Coarser:
    """A table in which one column is published at a level of its hierarchy, with the rest of the tree above it."""

    table: Table
    level: int
    height: int


def _chosen(trial: Trial, asked: Sequence[Requirement]) -> str:
    """The column without which the bound is lowest, determined on few rows and few columns."""
    few = replace(trial, table=sampled(trial.table, _SAMPLE))
    quasi = few.table.names("quasi")
    telling = sorted(quasi, key=lambda name: _same_share(few.table, name))[:_CANDIDATES]
    bounds = {name: few.bound(asked, weights={name: 0.0}).value for name in telling}
    return min(bounds, key=bounds.__getitem__)


def _same_share(table: Table, name: str) -> float:
    """How often two rows have the same value."""
    codes = table.codes(name)
    shares = np.bincount(codes.codes, minlength=codes.count) / max(table.rows, 1)
    return float((shares**2).sum())


def _coarser(table: Table, name: str) -> _Coarser | None:
    """The column halfway up its hierarchy; None if there is nothing between its values and the root."""
    tree = table.hierarchy(name)
    if tree is None or tree.height < 2:
        return None
    level = tree.height // 2
    try:
        return _Coarser(raised(table, name, level), level, tree.height)
    except DescriptionError:  # labels that differ only in their position
        return None


def _without(table: Table, name: str) -> Table:
    return table.changed(
        table.frame.drop(pl.selectors.by_name(name)),
        [column for column in table.columns if column.name != name],
    )


def _own_loss(trial: Trial, name: str, coarser: Table) -> float:
    """The loss of the coarser column by itself."""
    alone = [
        replace(column, role="insensitive") if column.role == "quasi" and column.name != name else column
        for column in trial.table.columns
    ]
    before = trial.table.changed(columns=alone)
    return MEASURE_OF_OBJECTIVE[trial.objective].compute(
        before, Pair(before, coarser, np.arange(coarser.rows, dtype=np.int64))
    )


def _with(others: Bound, own: float, columns: int) -> Bound:
    value = (others.value * (columns - 1) + own) / columns
    return Bound(value, others.exact, others.explanation)


def _tried(
    trial: Trial,
    asked: Sequence[Requirement],
    table: Table,
    bound: Bound,
    what: Sentence,
    parameters: dict[str, Any],
    changes: Changes,
) -> Compromise:
    made = trial.released(asked, table=table)
    return compromise(
        "drop" if len(table.names("quasi")) < len(trial.table.names("quasi")) else "coarsen",
        asked,
        what,
        bound,
        trial.loss(made),
        risk(made.table),
        parameters,
        changes,
    )
