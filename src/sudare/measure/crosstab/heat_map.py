"""Heat maps of a table: released counts, the estimate, and the original if available, on one scale."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.display import distinct_labels, shown_words, visible
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from sudare.measure.crosstab.result import CrossTab

    Floats = npt.NDArray[np.float64]

MOST_DRAWN = 20_000
_MOST_WRITTEN = 130
"""Up to this many cells, their counts are written into the map, if the largest fits."""
_DIGIT = 6
"""Width of one digit of such a count."""
_MOST_ALONG = 12
_WIDTH, _TALLEST, _ROW = 250, 420, 34
_YEARS = re.compile(r"\[(\d{4})-01-01, (\d{4})-(01-01\)|12-31\])")


def heat_map(table: CrossTab, original: Floats | None = None, words: Mapping[str, str] | None = None) -> Any:
    """An Altair chart of the original (if given), the released counts and the estimate, over the first two attributes.

    Further attributes are summed over. A cell that cannot be estimated has no color and a dash. `original` has the shape of `table.array()`. `words` translates original,
    released, estimate, records and missing.
    """
    import altair as alt

    own = shown_words()
    parts_named = ("original", "released", "estimate", "records", "missing")
    said = {name: own(f"heat_map.{name}") for name in parts_named} | dict(words or {})
    parts = {"original": original, "released": table.array(figure="released"), "estimate": table.array()}
    along, across = _axes(table)
    drawn = {
        name: _two_way(figure, turned=along != table.by[0])
        for name, figure in parts.items()
        if figure is not None
    }
    size = next(iter(drawn.values())).size
    if size > MOST_DRAWN:
        raise ParameterError("measure.crosstab.heat_map", cells=size, most=MOST_DRAWN)
    most = max(float(figure[~np.isnan(figure)].max(initial=0.0)) for figure in drawn.values())
    rows = len(table.labels[across]) if across is not None else 1
    height = min(max(rows * _ROW, 60), max(_TALLEST, 9 * rows))
    columns = len(table.labels[along])
    is_written = size <= _MOST_WRITTEN and len(f"{most:,.0f}") * _DIGIT * columns <= _WIDTH
    charts: list[Any] = []
    for name, figure in drawn.items():
        frame = _long(
            [_labels(table.labels[name], said["missing"]) for name in (along, across) if name is not None],
            figure,
            most,
        )
        base = alt.Chart(frame).encode(
            x=alt.X(
                "x:N",
                title=visible(along),
                sort=None,
                axis=alt.Axis(labelAngle=-40, labelLimit=130, ticks=False),
            ),
            y=alt.Y("y:N", title=None, sort=None, axis=_rows(None if charts else across)),
        )
        layer = base.mark_rect().encode(
            color=alt.Color(
                "count:Q",
                title=said["records"],
                scale=alt.Scale(scheme="blues", domain=[0, max(most, 1.0)]),
                legend=alt.Legend(format=",.0f", tickCount=5),
            ),
            tooltip=["x", "y", "count"],
        )
        if is_written:
            shown = base.mark_text(fontSize=10, clip=True).encode(
                text="shown:N",
                color=alt.condition("datum.dark", alt.value("white"), alt.value("#1d252d")),
            )
            layer = alt.layer(layer, shown)
        charts.append(layer.properties(title=said[name], width=_WIDTH, height=height))
    return alt.hconcat(*charts, spacing=14)


def _axes(table: CrossTab) -> tuple[str, str | None]:
    """(along, across): the first two attributes, swapped if the first has more labels than can be read in a row."""
    if len(table.by) == 1:
        return table.by[0], None
    first, second = table.by[:2]
    turned = len(table.labels[first]) > max(_MOST_ALONG, len(table.labels[second]))
    return (second, first) if turned else (first, second)


def _rows(name: str | None) -> Any:
    """The axis of the attribute across: written once, next to the first map."""
    import altair as alt

    return None if name is None else alt.Axis(title=visible(name), labelLimit=170, ticks=False)


def _two_way(figure: Floats, *, turned: bool) -> Floats:
    """The first two axes, as a matrix."""
    if figure.ndim == 1:
        return figure[:, None]
    summed: Floats = figure.sum(axis=tuple(range(2, figure.ndim)))
    return summed.T if turned else summed


def _long(labels: list[list[str]], figure: Floats, most: float) -> pl.DataFrame:
    columns = labels[1] if len(labels) > 1 else [""]
    counts = figure.ravel()
    return pl.DataFrame(
        {
            "x": [one for one in labels[0] for _ in columns],
            "y": [other for _ in labels[0] for other in columns],
            "count": pl.Series(counts).fill_nan(None),
            "shown": ["–" if np.isnan(count) else f"{count:,.0f}" for count in counts],
            "dark": counts > 0.55 * most,
        }
    )


def _labels(labels: list[Any], missing: str) -> list[str]:
    """Texts of an axis: whole years are shortened, and all texts are distinct."""
    return distinct_labels([missing if label is None else _short(str(label)) for label in labels])


def _short(label: str) -> str:
    years = _YEARS.fullmatch(label)
    if years is None:
        return label
    first, last = int(years[1]), int(years[2]) - years[3].endswith(")")
    return f"{first}–{last}" if last > first else str(first)
