"""Heat maps of a table: released counts, the estimate, and the original where it is at hand, on one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.measure.crosstab.result import CrossTab

    Floats = npt.NDArray[np.float64]

MOST_DRAWN = 20_000


def heat_map(table: CrossTab, original: Floats | None = None) -> Any:
    """An Altair chart: original (if given), released, estimate; the first two attributes are drawn.

    Further attributes are summed over. `original` has the shape of `table.array()`.
    """
    import altair as alt

    parts = {"original": original, "released": table.array(figure="released"), "estimate": table.array()}
    drawn = {name: _two_way(figure) for name, figure in parts.items() if figure is not None}
    if next(iter(drawn.values())).size > MOST_DRAWN:
        raise ParameterError(
            f"The heat map would have {next(iter(drawn.values())).size:,} cells, but at most {MOST_DRAWN:,} can be "
            "seen; choose wider bins."
        )
    frame = pl.concat([_long(table, name, figure) for name, figure in drawn.items()])
    along, across = table.by[0], table.by[1] if len(table.by) > 1 else ""
    charts = [
        alt.Chart(frame.filter(pl.col("table") == name), title=name)
        .mark_rect()
        .encode(
            x=alt.X("x:N", title=along, sort=None),
            y=alt.Y("y:N", title=across or None, sort=None),
            color=alt.Color("count:Q", title="records", scale=alt.Scale(scheme="blues", domainMin=0)),
            tooltip=["x", "y", "count"],
        )
        .properties(width=260, height=260 if across else 40)
        for name in drawn
    ]
    return alt.hconcat(*charts)


def _two_way(figure: Floats) -> Floats:
    """The first two axes, as a matrix."""
    if figure.ndim == 1:
        return figure[:, None]
    summed: Floats = figure.sum(axis=tuple(range(2, figure.ndim)))
    return summed


def _long(table: CrossTab, name: str, figure: Floats) -> pl.DataFrame:
    labels = [
        ["missing" if label is None else str(label) for label in table.labels[column]]
        for column in table.by[:2]
    ]
    columns = labels[1] if len(labels) > 1 else [""]
    return pl.DataFrame(
        {
            "table": [name] * figure.size,
            "x": [one for one in labels[0] for _ in columns],
            "y": [other for _ in labels[0] for other in columns],
            "count": figure.ravel(),
        }
    )
