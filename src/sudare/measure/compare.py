"""Several releases side by side: risk versus loss, and which releases no other beats on both."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from unicodedata import east_asian_width

import polars as pl

from sudare.describe.table import to_native
from sudare.display import UNKNOWN, WIDTH, html_block, html_table, html_warnings, listed, said, shown_words
from sudare.errors import ParameterError, did_you_mean
from sudare.measure.baskets.catalogue import BASKET_MEASURES
from sudare.measure.catalogue import MEASURES, base_name, known_measure
from sudare.words.sentence import enumerated, texts

if TYPE_CHECKING:
    from sudare.describe.table import NativeKind
    from sudare.words.sentence import Language, Texts


class ChartWords(NamedTuple):
    """The texts of a plot."""

    risk: str
    loss: str
    best: str
    yes: str
    no: str


class Pick(NamedTuple):
    """The release that a comparison recommends, and why."""

    release: str
    reason: Literal["only", "balanced", "safer"]
    """only: no other is unbeaten; balanced: smallest sum of scaled risk and loss; safer: of equal sums the smallest risk."""
    among: int
    """How many releases it was chosen from."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Risk and loss of each release; `frame` has the columns release, risk, loss, best.

    The loss is null if the measure does not apply to the release.
    """

    releases: pl.DataFrame
    """What `frame` contains, as a polars frame."""
    risk: str
    """The risk figure on the vertical axis."""
    loss: str
    """The measure on the horizontal axis."""
    not_applicable: tuple[str, ...] = ()
    """Releases that the measure does not apply to: they are not on the plot, and beat no other release."""
    differing_quasi: tuple[str, ...] = ()
    """Columns that are quasi-identifiers in only some releases: risk and loss are then not strictly comparable."""
    several_tables: bool = False
    """Whether the releases are made from different tables, and so are not comparable."""
    differing_risks: tuple[str, ...] = ()
    """Risks that the requirements of only some releases limit: these releases promise different things."""
    given_as: NativeKind = "polars"
    """The kind of frame in which the tables of all releases were given; polars where they differ."""

    @property
    def frame(self) -> Any:
        """Risk and loss of each release, in the kind of frame that the tables of the releases were given as."""
        return to_native(self.releases, self.given_as)

    @property
    def pick(self) -> Pick | None:
        """The release to take: of those that no other beats, the one of best balance.

        None if they are not comparable (of different tables, or where the measure does not apply to all of them), and
        None for one release, or two that do not beat each other: scaled, the one is as good as the other.

        Risk and loss are each scaled from 0 (the best of these releases) to 1 (the worst), and the smallest sum wins; of
        equal sums the one of smaller risk.
        """
        front = self.releases.filter(pl.col("best"))
        if self.several_tables or self.not_applicable or not front.height or self.releases.height == 1:
            return None
        if self.opposites:
            return None
        if front.height == 1:
            return Pick(front["release"][0], "only", 1)
        sums = [0.0] * front.height
        for name in ("risk", "loss"):
            values = [float(value) for value in front[name]]
            low, high = min(values), max(values)
            extent = math.inf if _is_alike(low, high) else high - low
            sums = [total + (value - low) / extent for total, value in zip(sums, values, strict=True)]
        least = min(sums)
        tied = front.filter(pl.Series([value <= least + 1e-9 for value in sums])).sort(
            "risk", "loss", "release"
        )
        return Pick(
            tied["release"][0],
            "balanced" if tied.height == 1 else "safer",
            tied.height if tied.height > 1 else front.height,
        )

    @property
    def opposites(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The only two releases that no other beats, the safer one first: one has less risk, the other less loss."""
        front = self.releases.filter(pl.col("best")).sort("risk")
        if front.height != 2 or _is_alike(front["risk"][0], front["risk"][1]):
            return None
        return front.row(0, named=True), front.row(1, named=True)

    def chart(self, words: ChartWords | None = None) -> Any:
        """Risk-utility plot (Altair): points, and a line through the Pareto front."""
        import altair as alt

        told = words or self._words()
        placed = self.releases.filter(pl.col("loss").is_not_null())
        across, up = (_axis(placed[name]) for name in ("loss", "risk"))
        shift = _label_shifts(placed, across, up)
        base = alt.Chart(placed.with_columns(shift=pl.Series(shift, dtype=pl.Int64))).encode(
            x=alt.X("loss:Q", title=told.loss, scale=alt.Scale(domain=across, nice=False)),
            y=alt.Y("risk:Q", title=told.risk, scale=alt.Scale(domain=up, nice=False)),
        )
        front = base.transform_filter("datum.best").mark_line(color="#1f6feb", strokeDash=[4, 3])
        points = base.mark_circle(size=80).encode(
            color=alt.Color(
                "best:N",
                title=told.best,
                scale=alt.Scale(domain=[False, True], range=["#9aa0a6", "#1f6feb"]),
                legend=alt.Legend(labelExpr=f"datum.value ? {told.yes!r} : {told.no!r}"),
            ),
            tooltip=["release:N", "risk:Q", "loss:Q"],
        )
        names = [
            base.transform_filter(f"datum.shift === {one}")
            .mark_text(dy=one, fontSize=11)
            .encode(text="release:N")
            for one in sorted(set(shift))
        ]
        return alt.layer(front, points, *names).properties(width=_WIDTH, height=_HEIGHT)

    def _words(self) -> ChartWords:
        words = shown_words()
        return ChartWords(
            texts(words.language, "report").or_else(f"risk.{self.risk}.name", self.risk.replace("_", " ")),
            measure_title(self.loss, words.language),
            words("head.not_beaten"),
            words("yes"),
            words("no"),
        )

    def __repr__(self) -> str:
        words, count = shown_words(), self.releases.height
        key = "comparison.one" if count == 1 else "comparison.many"
        parts = [words(key, count=count, risk=self.risk, loss=self.loss)]
        best = self.releases.filter(pl.col("best"))["release"].to_list()
        if best:
            parts.append(words("comparison.not_beaten", releases=listed(best, WIDTH - 20)))
        return said("Comparison", [*parts, *self._doubts(words)])

    def _doubts(self, words: Texts) -> list[str]:
        """Why some or all of the releases cannot be compared."""
        found = []
        if self.several_tables:
            found.append(words("comparison.several_tables"))
        if self.differing_quasi:
            columns = listed(self.differing_quasi, WIDTH - 45)
            found.append(words("comparison.differing_quasi", columns=columns))
        if self.differing_risks:
            found.append(words("comparison.differing_risks", risks=listed(self.differing_risks, WIDTH - 45)))
        if self.not_applicable:
            releases = listed(self.not_applicable, WIDTH - 40)
            found.append(words("comparison.not_applicable", loss=self.loss, releases=releases))
        return found

    def _repr_html_(self) -> str:
        """The table for a notebook."""
        words = shown_words()
        rows = [
            (
                row["release"],
                row["risk"],
                UNKNOWN if row["loss"] is None else row["loss"],
                words("yes") if row["best"] else "",
            )
            for row in self.releases.to_dicts()
        ]
        return html_block(
            html_table([words("head.release"), self.risk, self.loss, words("head.not_beaten")], rows),
            html_warnings(self._doubts(words)),
        )


_WIDTH, _HEIGHT = 480, 320
_LETTER, _LINE = 6.5, 13
"""Width of a letter (of a Japanese one twice that) and height of a line of a label, in points."""


def measure_title(name: str, language: Language) -> str:
    """A measure as the title of an axis: its name, and what it means."""
    known = {**MEASURES, **BASKET_MEASURES}
    if base_name(name) not in known:
        return name
    return f"{name}: {known_measure(name, known).meaning.into(language)}"


def _axis(values: pl.Series) -> list[float]:
    """Ends of an axis with room on both sides, not below 0 unless a value is."""
    low, high = (float(values.min() or 0.0), float(values.max() or 0.0)) if len(values) else (0.0, 0.0)  # type: ignore[arg-type]  # of floats
    room = 0.12 * (high - low) or 0.5 * abs(high) or 1.0
    return [low - room if low < 0 else max(low - room, 0.0), high + room]


def _label_shifts(placed: pl.DataFrame, across: Sequence[float], up: Sequence[float]) -> list[int]:
    """How far below its point (above: negative) each name is written, so that names do not overlap."""
    taken: list[tuple[float, float, float, float]] = []
    chosen = []
    for row in placed.to_dicts():
        x = _WIDTH * (row["loss"] - across[0]) / (across[1] - across[0])
        y = _HEIGHT * (up[1] - row["risk"]) / (up[1] - up[0])
        half = sum(_LETTER * (1 + (east_asian_width(one) in "WF")) for one in row["release"]) / 2
        steps = [sign * (12 + _LINE * step) for step in range(len(placed)) for sign in (-1, 1)]
        boxes = {step: (x - half, y + step - _LINE / 2, x + half, y + step + _LINE / 2) for step in steps}
        free = (step for step in steps if not any(_overlap(boxes[step], other) for other in taken))
        shift = next(free, steps[0])
        taken.append(boxes[shift])
        chosen.append(shift)
    return chosen


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class Figures(NamedTuple):
    """What a release is compared by."""

    risk: Mapping[str, Any]
    losses: Mapping[str, float | None]
    """None where a measure does not apply."""
    kind: str | None = None
    """Table or baskets, if known."""
    original: Any = None
    """What it was made from: a digest, or data that tell whether they equal other data."""
    quasi: Sequence[str] | None = None
    """Names of the quasi-identifiers, if known."""
    randomized: bool = False
    """Whether columns were randomized: squared errors are then the noise, which analysts take out again."""


RISKS = ("prosecutor_mean", "largest_confidence", "singling_out", "dangerous_share")
"""Risks to compare by where none is named: the first that all releases have."""

_ROUNDING = 1e-9
"""Figures that differ by less, relative to their size, are equal: the risks of noise for the same k end in other digits."""
LOSSES = ("loss", "sse_ratio", "marginal_tv", "util1")
"""Measures to compare by where none is named: the first that applies to all releases.

`loss` does not apply to values that were replaced, of which `sse_ratio` is the loss where they are numbers, unless they
were randomized: it is then the size of the noise.
"""


def compare(
    releases: Mapping[str, Any] | Sequence[Any], *, risk: str | None = None, loss: str | None = None
) -> Comparison:
    """Compare releases by one risk figure and one measure: of a table `prosecutor_mean` and `loss` unless others are named.

    For baskets, the risk is what their requirements limit (`largest_confidence`, `singling_out` or `dangerous_share`),
    and the measure `util1`. `releases` maps a name to a release, or to a mapping with `risk` and `losses` (as in a
    manifest; a loss that does not apply is None) and, if known, the names of its quasi-identifiers, `quasi`. Releases in a
    list are named by their place, from "1" on.

    A release is best if no other release has at most its risk and at most its loss, and less of one of them (Pareto
    front). A release that the measure does not apply to (as generalization measures do not apply to noise) is neither best
    nor better than another.
    """
    if not releases:
        raise ParameterError("measure.compare.nothing")
    if not isinstance(releases, Mapping):
        releases = releases if isinstance(releases, Sequence) else [releases]
        releases = {f"{place}": one for place, one in enumerate(releases, start=1)}
    figures = {name: _figures(one) for name, one in releases.items()}
    kinds = {one.kind: name for name, one in figures.items() if one.kind is not None}
    if len(kinds) > 1:
        raise ParameterError("measure.compare.kinds", **kinds)
    risk = risk or _shared_risk(figures)
    loss = loss or _shared_loss(figures.values())
    rows: list[dict[str, Any]] = [
        {"release": name, "risk": _risk(one, risk), "loss": _loss(one, loss)} for name, one in figures.items()
    ]
    placed = [row for row in rows if row["loss"] is not None]
    for row in rows:
        row["best"] = row["loss"] is not None and not any(_beats(other, row) for other in placed)
    # If all losses were null, the column would have no type.
    schema = {"release": pl.String, "risk": pl.Float64, "loss": pl.Float64, "best": pl.Boolean}
    frame = pl.DataFrame(rows, schema=schema).sort(["loss", "risk", "release"], nulls_last=True)
    not_applicable = tuple(row["release"] for row in rows if row["loss"] is None)
    return Comparison(
        frame,
        risk,
        loss,
        not_applicable,
        _differing(figures.values()),
        _has_several_inputs(figures.values()),
        _differing_risks(figures.values()),
        _given_as(releases.values()),
    )


def _given_as(releases: Iterable[Any]) -> NativeKind:
    """The kind of frame that all releases have in common."""
    kinds: set[NativeKind] = {
        getattr(getattr(one, "original", None), "given_as", "polars") for one in releases
    }
    return kinds.pop() if len(kinds) == 1 else "polars"


def _figures(release: Any) -> Figures:
    if isinstance(release, Figures):
        return release
    if isinstance(release, Mapping):
        given = (release.get("risk", {}), release.get("losses", {}), release.get("kind"))
        return Figures(*given, release.get("input"), release.get("quasi"))
    if not hasattr(release, "figures"):
        raise ParameterError("measure.compare.not_a_release", kind=type(release).__name__)
    figures: Figures = release.figures()
    return figures


def _shared_risk(figures: Mapping[str, Figures]) -> str:
    """The first risk that all releases have; of baskets it is what their requirements limit."""
    known = {name: [risk for risk in RISKS if risk in one.risk] for name, one in figures.items()}
    common = next((risk for risk in RISKS if all(risk in each for each in known.values())), None)
    if common is not None:
        return common
    if not all(known.values()):
        return RISKS[0]  # refused where it is looked up
    each = enumerated(f"{name} ({', '.join(risks)})" for name, risks in known.items())
    raise ParameterError("measure.compare.no_common_risk", each=each)


def _shared_loss(releases: Collection[Figures]) -> str:
    """The first measure that applies to all releases; where none does, the first that applies to some."""
    noise = any(one.randomized for one in releases)
    names = [name for name in LOSSES if not (noise and name == "sse_ratio")]
    for enough in (all, any):
        for name in names:
            if enough(one.losses.get(name) is not None for one in releases):
                return name
    return names[0]


def _differing_risks(figures: Collection[Figures]) -> tuple[str, ...]:
    """Risks that only some releases have a figure of."""
    return tuple(name for name in RISKS if 0 < sum(name in one.risk for one in figures) < len(figures))


def _beats(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    pairs = [(one[name], other[name]) for name in ("risk", "loss")]
    alike = [_is_alike(*pair) for pair in pairs]
    return not all(alike) and all(same or mine < its for same, (mine, its) in zip(alike, pairs, strict=True))


def _is_alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING**2)


def _risk(release: Figures, name: str) -> float:
    numbers = {key: value for key, value in release.risk.items() if isinstance(value, (int, float))}
    return _chosen(numbers, name, "risk")


def _loss(release: Figures, name: str) -> float | None:
    """The loss, or None if the measure does not apply."""
    applies = release.losses.get(name, 0.0) is not None
    return _chosen(release.losses, name, "loss") if applies else None


def _differing(releases: Collection[Figures]) -> tuple[str, ...]:
    """Quasi-identifiers that only some releases have, among the releases that list theirs."""
    known = [one.quasi for one in releases if one.quasi is not None]
    each = dict.fromkeys(name for names in known for name in names)
    return tuple(name for name in each if any(name not in names for names in known))


def _has_several_inputs(releases: Collection[Figures]) -> bool:
    """Whether the releases were made from different data, as far as they say."""
    known = [one.original for one in releases if one.original is not None]
    return any(
        type(one) is type(other) and not (one == other if isinstance(one, str) else one.equals(other))
        for one, other in pairwise(known)
    )


def _chosen(figures: Mapping[str, Any], name: str, what: Literal["risk", "loss"]) -> float:
    if name not in figures:
        raise ParameterError(f"measure.compare.no_{what}", name=name, hint=did_you_mean(name, figures))
    return float(figures[name])
