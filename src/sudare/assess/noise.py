"""What Pk-anonymity asks of a table before anything is changed: how much noise, and what may stay exact.

The columns that somebody may know (quasi-identifiers and sensitive ones) share the rate `(k - 1) / (|R| - 1)`, |R| the
records that agree on everything that stays exact. Numbers, dates and ranks are reckoned with bounded Laplace noise, whose
scale is given as a part of the range: the range itself is not to be taken from the data. Other values are reckoned
with retention-replacement among the values in the table.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sudare.assess.pk_anonymity import PkAnonymity, exact_blocks
from sudare.describe.mechanism.calibrate import calibrate, shares
from sudare.describe.mechanism.retention import Retention
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table


@dataclass(frozen=True)
class ColumnNeed:
    """The noise that one column needs."""

    column: str
    mechanism: str
    strength: str
    """In words: the scale as a part of the range, or the share of cells that is kept."""
    rate: float
    epsilon: float
    """Local differential privacy of the column."""


@dataclass(frozen=True)
class NoiseWay:
    """One choice of columns that stay exact, and what it leaves for the others."""

    exact: tuple[str, ...]
    records: int
    """Records in the smallest group that agrees on the exact columns: no k above it can be reached."""
    feasible: bool
    rate: float | None
    """Product of the rates that the randomized columns must reach; None where no noise is enough."""
    epsilon: float | None
    """Local differential privacy of a whole record."""
    columns: tuple[ColumnNeed, ...]


@dataclass(frozen=True)
class NoiseStudy:
    """What a k costs on this table."""

    k: float
    rows: int
    asked: NoiseWay
    """With the columns exact that were named: none, unless the method names some."""
    if_exact: tuple[NoiseWay, ...]
    """For each column that is randomized: what would be left if it stayed exact as well."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def sentences(self) -> Iterator[str]:
        """The same in words."""
        if not self.asked.feasible:
            yield f"{obstacle(self.k, self.asked)}."
            return
        if self.asked.rate is not None and self.asked.columns:
            yield (
                f"Pk-anonymity with k = {self.k:g} among {self.asked.records:,} records needs rates whose product is "
                f"{self.asked.rate:.4g}: {_needs(self.asked)}."
            )
        left = [way.exact[-1] for way in self.if_exact if way.feasible]
        gone = [f"{way.exact[-1]} ({way.records:,})" for way in self.if_exact if not way.feasible]
        if left:
            yield f"Could stay exact, if one must, for more noise on the others: {', '.join(left)}."
        if gone:
            yield (
                f"Must be randomized (or generalized first): {', '.join(gone)}; the number of records in the smallest "
                f"group is below k = {self.k:g}."
            )


def noise_study(
    table: Table,
    requirements: Sequence[Requirement],
    *,
    exact: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
) -> NoiseStudy | None:
    """The noise that Pk-anonymity needs on this table; None where it is not asked for or there is nothing to hide."""
    k = max((one.k for one in requirements if isinstance(one, PkAnonymity)), default=None)
    public = table.names("quasi", "sensitive")
    if k is None or table.rows == 0 or not public:
        return None
    for name in exact:
        if name not in public:
            raise ParameterError(
                f"'exact' names '{name}', which is no quasi-identifier or sensitive column; leave it out."
            )
    kept = [name for name in public if name in exact]
    return NoiseStudy(
        k,
        table.rows,
        _way(table, k, kept, weights),
        tuple(_way(table, k, [*kept, name], weights) for name in public if name not in kept),
    )


def obstacle(k: float, way: NoiseWay) -> str:
    """Why no noise is enough (without its full stop)."""
    if not way.exact:
        return (
            f"No release can comply: pk-anonymity k={k:g} is asked of a table of {way.records:,} rows; ask for "
            f"{way.records:,} at most, or collect more rows"
        )
    return (
        f"No noise can comply: {', '.join(way.exact)} released exactly leave {way.records:,} "
        f"record{'' if way.records == 1 else 's'} in the smallest group, and k = {k:g} is asked; randomize them too, "
        "generalize them first, or lower k"
    )


def way_out(requirement: Requirement, table: Table) -> str:
    """What to do about a release on which a requirement does not hold (without its full stop)."""
    if not isinstance(requirement, PkAnonymity):
        return "add a method that groups rows (mondrian) or leaves out the few that do not comply (record-suppression)"
    found = noise_study(table, [requirement])
    if found is None or not found.asked.feasible:
        return "lower k or collect more records"
    return (
        "randomize every quasi-identifier and sensitive column with the method 'randomization', which finds the noise "
        f"by itself ({_needs(found.asked)})"
    )


def _way(table: Table, k: float, exact: list[str], weights: Mapping[str, float] | None) -> NoiseWay:
    records = int(exact_blocks(table, exact, []).sizes.min())
    names = [name for name in table.names("quasi", "sensitive") if name not in exact]
    if records < k:
        return NoiseWay(tuple(exact), records, False, None, None, ())
    if not names:
        return NoiseWay(tuple(exact), records, True, 1.0, 0.0, ())
    rate = (k - 1) / (records - 1)
    columns = tuple(_need(table, name, share) for name, share in shares(rate, names, weights).items())
    return NoiseWay(tuple(exact), records, True, rate, sum(one.epsilon for one in columns), columns)


def _need(table: Table, name: str, rate: float) -> ColumnNeed:
    column = table.column(name)
    values = table.codes(name).count
    missing = table.frame[name].null_count() > 0
    if column.kind in {"numeric", "date", "ordinal"}:
        if rate >= 1:
            return ColumnNeed(name, "uniform", "as wide as the range: nothing is left", 1.0, 0.0)
        noise = calibrate("laplace", rate, low=0, high=1, missing=missing)
        scale = f"scale {noise.scale:.3g} of its range"  # type: ignore[attr-defined]  # a Laplace
        flip = f", missing exchanged with {noise.flip:.1%}" if missing else ""  # type: ignore[attr-defined]  # as above
        return ColumnNeed(name, "laplace", scale + flip, noise.rate(), noise.epsilon())
    if values < 2:
        return ColumnNeed(name, "retention", "a single value: nothing to hide", 1.0, 0.0)
    kept = calibrate("retention", rate, values=tuple(range(values)))
    share = kept.keep if isinstance(kept, Retention) else 0.0
    return ColumnNeed(
        name, "retention", f"{share:.1%} kept, else any of {values:,} values", kept.rate(), kept.epsilon()
    )


def _needs(way: NoiseWay) -> str:
    return "; ".join(f"{one.column} {one.mechanism}, {one.strength}" for one in way.columns)
