"""What Pk-anonymity requires of a table before anything is changed: how much noise, and what may stay exact.

The columns that an attacker may know (quasi-identifiers and sensitive columns) share the rate `(k - 1) / (|R| - 1)`,
where |R| is the number of records that agree on everything that stays exact. For numbers, dates and ranks we assume
bounded Laplace noise and give its scale as a fraction of the range, because the range itself must not be taken from
the data. For other values we assume retention-replacement among the values in the table.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from sudare.assess.pk_anonymity import PkAnonymity, asked_k, exact_blocks
from sudare.describe.kinds import COUNTED_ROLES, ORDERED_KINDS
from sudare.errors import ParameterError
from sudare.mechanism.calibrate import calibrate, rate_for, shares
from sudare.mechanism.retention import Retention
from sudare.mechanism.signal import Rebuilt, rebuilt
from sudare.words.sentence import Sentence, counted, enumerated, in_language, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table
    from sudare.mechanism.protocol import Mechanism
    from sudare.words.sentence import Language


@dataclass(frozen=True)
class ColumnNeed:
    """The noise that one column needs."""

    column: str
    mechanism: str
    strength: str
    """In words: the scale as a fraction of the range, or the share of cells that are kept."""
    rate: float
    epsilon: float
    """Local differential privacy of the column."""
    noise: Mechanism | None = None
    """The mechanism itself, on a range from 0 to 1; None if there is nothing to randomize."""


@dataclass(frozen=True)
class NoiseWay:
    """One choice of columns that stay exact, and the noise that the others then need."""

    exact: tuple[str, ...]
    records: int
    """Number of records in the smallest group that agrees on the exact columns: no larger k can be reached."""
    feasible: bool
    rate: float | None
    """Product of the rates that the randomized columns must reach; None if no noise is enough."""
    epsilon: float | None
    """Local differential privacy of a whole record."""
    columns: tuple[ColumnNeed, ...]

    def in_language(self, language: Language) -> Self:
        """The same, with its strengths in the given language."""
        said = (replace(one, strength=in_language(one.strength, language)) for one in self.columns)
        return replace(self, columns=tuple(said))


@dataclass(frozen=True)
class NoiseStudy:
    """What a given k costs on this table."""

    k: float
    rows: int
    asked: NoiseWay
    """The result with the named columns exact: none, unless the method names some."""
    if_exact: tuple[NoiseWay, ...]
    """For each randomized column: the result if it stayed exact as well."""
    unranged: tuple[str, ...] = ()
    """Columns for which the method still needs a range."""
    unlisted: tuple[str, ...] = ()
    """Columns whose list of values will be read off the data and published."""
    gaps: tuple[str, ...] = ()
    """Columns with missing cells, which the method refuses unless told what to do about them."""

    def in_language(self, language: Language) -> Self:
        """The same, with its strengths in the given language."""
        ways = tuple(way.in_language(language) for way in self.if_exact)
        return replace(self, asked=self.asked.in_language(language), if_exact=ways)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        found = asdict(self)
        for way in (found["asked"], *found["if_exact"]):
            for one in way["columns"]:
                del one["noise"]
        return found

    @property
    def tables(self) -> Rebuilt | None:
        """How exactly tables of the release can be rebuilt, at best; None if fewer than two columns are randomized."""
        return rebuilt({one.column: one.noise for one in self.asked.columns if one.noise}, self.rows)

    def warnings(self) -> list[Sentence]:
        """That the noise leaves no table of two columns, and what the method still needs."""
        tables = self.tables
        told = [self._told("noise.useless", tables)] if tables is not None and tables.useless else []
        if self.unranged:
            told.append(Sentence("noise.unranged", columns=enumerated(self.unranged)))
        if self.unlisted:
            told.append(Sentence("noise.unlisted", columns=enumerated(self.unlisted)))
        if self.gaps:
            told.append(Sentence("noise.gaps", columns=enumerated(self.gaps)))
        return told

    def _told(self, key: str, tables: Rebuilt) -> Sentence:
        first, other = tables.column, tables.other
        return Sentence(key, rows=self.rows, first=first, other=other, one=tables.one, two=tables.two)

    def sentences(self) -> Iterator[Sentence]:
        """The same in words."""
        if not self.asked.feasible:
            yield Sentence("ended", what=obstacle(self.k, self.asked))
            return
        if self.asked.rate is not None and self.asked.columns:
            yield Sentence(
                "noise.needs",
                k=self.k,
                records=self.asked.records,
                rate=self.asked.rate,
                needs=_needs(self.asked),
            )
        tables = self.tables
        if tables is not None and not tables.useless:
            yield self._told("noise.tables", tables)
        left = [way.exact[-1] for way in self.if_exact if way.feasible]
        gone = [
            Sentence("noise.must_go_column", column=way.exact[-1], records=way.records)
            for way in self.if_exact
            if not way.feasible
        ]
        if left:
            yield Sentence("noise.may_stay", columns=enumerated(left))
        if gone:
            yield Sentence("noise.must_go", columns=enumerated(gone), k=self.k)


def noise_study(
    table: Table,
    requirements: Sequence[Requirement],
    *,
    exact: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    unranged: Sequence[str] = (),
    unlisted: Sequence[str] = (),
    gaps: Sequence[str] = (),
) -> NoiseStudy | None:
    """The noise that Pk-anonymity needs on this table; None if it is not required or there is nothing to hide.

    `unranged` and `gaps` name columns that the method would refuse, `unlisted` those whose values it would read off the
    data (see `Randomize.noise_options`).
    """
    k = asked_k(requirements)
    public = table.names(*COUNTED_ROLES)
    if k is None or table.rows == 0 or not public:
        return None
    for name in exact:
        if name not in public:
            raise ParameterError("assess.unknown_exact", name=name)
    kept = [name for name in public if name in exact]
    return NoiseStudy(
        k,
        table.rows,
        _way(table, k, kept, weights),
        tuple(_way(table, k, [*kept, name], weights) for name in public if name not in kept),
        tuple(unranged),
        tuple(unlisted),
        tuple(name for name in gaps if table.frame[name].null_count()),
    )


def obstacle(k: float, way: NoiseWay) -> Sentence:
    """Why no noise is enough (without the final period)."""
    if not way.exact:
        return Sentence("obstacle.too_few_rows", asked=f"pk-anonymity k={k:g}", rows=way.records)
    return Sentence(
        "obstacle.exact", exact=enumerated(way.exact), records=counted("records", way.records), k=k
    )


def way_out(requirement: Requirement, table: Table) -> Sentence:
    """What to do about a release that does not meet a requirement (without the final period)."""
    if not isinstance(requirement, PkAnonymity):
        return Sentence("way_out.group")
    found = noise_study(table, [requirement])
    if found is None or not found.asked.feasible:
        return Sentence("way_out.fewer")
    return Sentence("way_out.randomize", needs=_needs(found.asked))


def _way(table: Table, k: float, exact: list[str], weights: Mapping[str, float] | None) -> NoiseWay:
    records = int(exact_blocks(table, exact, []).sizes.min())
    names = [name for name in table.names(*COUNTED_ROLES) if name not in exact]
    if records < k:
        return NoiseWay(tuple(exact), records, False, None, None, ())
    if not names:
        return NoiseWay(tuple(exact), records, True, 1.0, 0.0, ())
    rate = rate_for(k, records)
    columns = tuple(_need(table, name, share) for name, share in shares(rate, names, weights).items())
    return NoiseWay(tuple(exact), records, True, rate, sum(one.epsilon for one in columns), columns)


def _need(table: Table, name: str, rate: float) -> ColumnNeed:
    column = table.column(name)
    values = table.codes(name).count
    missing = table.frame[name].null_count() > 0
    if column.kind in ORDERED_KINDS:
        if rate >= 1:
            return ColumnNeed(name, "uniform", Sentence("noise.strength.everything"), 1.0, 0.0)
        noise = calibrate("laplace", rate, low=0, high=1, missing=missing)
        figures = {"scale": noise.scale} | ({"flip": noise.flip} if missing else {})  # type: ignore[attr-defined]  # a Laplace
        said = Sentence(f"noise.strength.{'scale_missing' if missing else 'scale'}", **figures)
        return ColumnNeed(name, "laplace", said, noise.rate(), noise.epsilon(), noise)
    if values < 2:
        return ColumnNeed(name, "retention", Sentence("noise.strength.single"), 1.0, 0.0)
    kept = calibrate("retention", rate, values=tuple(range(values)))
    share = kept.keep if isinstance(kept, Retention) else 0.0
    said = Sentence("noise.strength.kept", share=share, values=values)
    return ColumnNeed(name, "retention", said, kept.rate(), kept.epsilon(), kept)


def _needs(way: NoiseWay) -> Sentence:
    return joined(
        "between.phrases",
        (
            Sentence(
                "noise.need",
                column=one.column,
                mechanism=Sentence(f"noise.mechanism.{one.mechanism}"),
                strength=one.strength,
            )
            for one in way.columns
        ),
    )
