"""Charts as SVG texts: Altair describes them, vl-convert draws them, without network and without scripts.

Fields have fixed names and user data are values only, so no column name or cell can become part of a chart's
grammar; vl-convert escapes every text it draws.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from sudare.display import width_of
from sudare.measure.charts import AFTER, BEFORE, distinct_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from sudare.release.report.distributions import Binned, BlockSizes, Listed

_INK, _GRID, _LINE = "#3c4650", "#e6e9ec", "#c9ced4"
_FONT = "Helvetica Neue, Arial, Hiragino Sans, Noto Sans CJK JP, Yu Gothic, Meiryo, sans-serif"
_WIDTH, _HEIGHT, _BAND = 430, 150, 20
_LONGEST_LABEL, _WIDE = 170, 11
"""Pixels: of a label, and of a Japanese sign."""
_MOST_POINTS = 400
_YEAR = 365.25 * 86_400_000


def histogram(binned: Binned, description: str) -> Markup:
    """Before as gray bars with after as a blue outline; after alone as blue bars."""
    import altair as alt

    lefts, rights = binned.edges[:-1].tolist(), binned.edges[1:].tolist()
    kind: Any = "temporal" if binned.dates else "quantitative"
    scale = alt.Scale(
        type="utc" if binned.dates else "linear",
        domain=[binned.edges[0].item(), binned.edges[-1].item()],
        nice=False,
        zero=False,
    )
    axis = alt.Axis(title=None, grid=False, tickCount=5, labelOverlap="greedy", labelSeparation=8)
    if binned.dates:
        axis.format = _date_format(lefts[0], rights[-1])
    filled = (binned.after if binned.before is None else binned.before).tolist()
    bars = (
        alt.Chart(_data(left=lefts, right=rights, share=filled, zero=[0] * len(filled)))
        .mark_rect(color=AFTER if binned.before is None else BEFORE, stroke="white", strokeWidth=0.5)
        .encode(x=alt.X("left", type=kind, scale=scale, axis=axis), x2="right", y=_share_axis(), y2="zero")
    )
    if binned.before is None:
        return _svg(bars, description)
    outline = binned.after.tolist()
    line = (
        alt.Chart(
            _data(
                left=[lefts[0], *lefts, rights[-1]], share=[0.0, *outline, 0.0], order=range(len(outline) + 2)
            )
        )
        .mark_line(color=AFTER, strokeWidth=2, interpolate="step-after", strokeJoin="miter")
        .encode(x=alt.X("left", type=kind, scale=scale, axis=axis), y=_share_axis(), order="order:Q")
    )
    return _svg(alt.layer(bars, line), description)


def bars(listed: Listed, description: str, *, missing: str, others: str) -> Markup:
    """One band a value: gray before above blue after."""
    import altair as alt

    labels = [missing if label is None else label for label in listed.labels]
    before, after = listed.before, list(listed.after)
    if listed.others:
        labels.append(others)
        after.append(listed.rest[1])
        before = None if before is None else [*before, listed.rest[0]]
    shown = distinct_labels(labels)
    y = alt.Y(
        "label:N",
        sort=None,
        title=None,
        scale=alt.Scale(padding=0.2),
        axis=alt.Axis(labelLimit=_LONGEST_LABEL, ticks=False, domain=False, minExtent=_extent(shown)),
    )
    x = alt.X("share:Q", title=None, axis=alt.Axis(format="~%", tickCount=5), scale=alt.Scale(zero=True))
    height = alt.Step(_BAND, **{"for": "position"})
    chart = alt.Chart(_both(shown, before, after)).mark_bar().encode(x=x, y=y, color=_colors())
    if before is not None:
        chart = chart.encode(yOffset=alt.YOffset("when:N", sort=["before", "after"]))
    return _svg(chart.properties(height=height), description)


def size_bars(sizes: BlockSizes, description: str, title: str) -> Markup:
    """Upright bars: share of rows in blocks of each size."""
    import altair as alt

    x = alt.X("label:N", sort=None, title=title, axis=alt.Axis(labelAngle=0, ticks=False, labelOverlap=True))
    chart = (
        alt.Chart(_both(sizes.labels, sizes.before, sizes.after))
        .mark_bar()
        .encode(x=x, y=_share_axis(), color=_colors())
    )
    if sizes.before is not None:
        chart = chart.encode(xOffset=alt.XOffset("when:N", sort=["before", "after"]))
    return _svg(chart, description)


def ranked(before: Sequence[int] | None, after: Sequence[int], description: str, title: str) -> Markup:
    """Frequencies by rank, both logarithmic: gray points before, blue ones after at the same ranks.

    Of many items some are drawn, at even distances on the logarithmic axis. Zero stands at one half.
    """
    import altair as alt
    import numpy as np

    chosen = np.unique(np.geomspace(1, max(len(after), 1), _MOST_POINTS).round().astype(np.int64))
    chosen = chosen[chosen <= len(after)]
    sides = [("after", after)] if before is None else [("before", before), ("after", after)]
    rows = [(int(rank), max(side[rank - 1], 0.5), when) for when, side in sides for rank in chosen]
    axis = alt.Axis(grid=True, tickCount=4, format="~s")
    y = alt.Y("count:Q", title=None, axis=axis, scale=alt.Scale(type="log", nice=False, padding=8))
    x = alt.X("rank:Q", title=title, axis=axis, scale=alt.Scale(type="log", nice=False, padding=8))
    chart = (
        alt.Chart(
            _data(
                rank=[row[0] for row in rows], count=[row[1] for row in rows], when=[row[2] for row in rows]
            )
        )
        .mark_circle(size=16, opacity=0.8, clip=False)
        .encode(x=x, y=y, color=_colors())
    )
    return _svg(chart, description)


def _both(labels: Sequence[str], before: Sequence[float] | None, after: Sequence[float]) -> alt.Data:
    sides = {"after": after} if before is None else {"before": before, "after": after}
    rows = [
        (label, when, share)
        for when, side in sides.items()
        for label, share in zip(labels, side, strict=True)
    ]
    return _data(
        label=[row[0] for row in rows], when=[row[1] for row in rows], share=[row[2] for row in rows]
    )


def _colors() -> Any:
    import altair as alt

    return alt.Color(
        "when:N", legend=None, scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER])
    )


def _share_axis() -> Any:
    import altair as alt

    return alt.Y("share:Q", title=None, axis=alt.Axis(format="~%", tickCount=4), scale=alt.Scale(zero=True))


def _data(**fields: Any) -> alt.Data:
    import altair as alt

    names = list(fields)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*fields.values(), strict=True)]
    return alt.Data(values=rows)  # type: ignore[no-untyped-call]  # Altair leaves it so


def _date_format(first: float, last: float) -> str:
    """Numbers only, so that both languages can read it."""
    years = (last - first) / _YEAR
    return "%Y" if years > 6 else "%Y-%m" if years > 0.5 else "%m-%d"


def _extent(labels: Sequence[str]) -> int:
    """Room for labels of wide signs: where no font has them, they are drawn, and so measured, by another of no width."""
    wide = [width_of(label) for label in labels if width_of(label) > len(label)]
    return min(_LONGEST_LABEL, max(wide, default=0) * _WIDE // 2)


def heat_maps(chart: Any, description: str) -> Markup:
    """Maps of a cross tabulation, side by side."""
    return _drawn(chart.to_dict(validate=False), description)


def _svg(chart: Any, description: str) -> Markup:
    specification = chart.to_dict(validate=False)  # checking against the schema takes longer than drawing
    if "height" not in specification:
        specification["height"] = _HEIGHT
    specification |= {"width": _WIDTH, "autosize": {"type": "fit-x", "contains": "padding"}}
    return _drawn(specification, description)


def _drawn(specification: dict[str, Any], description: str) -> Markup:
    import vl_convert

    specification |= {
        "background": None,
        "padding": 2,
        "config": {
            "aria": False,
            "font": _FONT,
            "view": {"stroke": None},
            "title": {"color": _INK, "fontSize": 13, "fontWeight": 600},
            "legend": {"labelColor": _INK, "titleColor": _INK, "titleFontWeight": "normal"},
            "axis": {
                "labelColor": _INK,
                "labelFontSize": 11,
                "labelPadding": 5,
                "titleColor": _INK,
                "titleFontSize": 11,
                "titleFontWeight": "normal",
                "gridColor": _GRID,
                "domainColor": _LINE,
                "tickColor": _LINE,
            },
        },
    }
    drawn = vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])
    # Inside HTML the namespaces are implied; without them the page names no address at all.
    drawn = re.sub(r' xmlns(?::xlink)?="[^"]*"', "", drawn, count=2)
    return Markup(drawn.replace("<svg", f'<svg role="img" aria-label="{escape(description)}"', 1))  # noqa: S704  # drawn by vl-convert, which escapes
