"""Charts to files, without a network: SVG, PNG, or a page that holds the SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import OutputError
from sudare.formats.data import writing
from sudare.words.sentence import shown_language, texts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sudare.words.sentence import Language

_PAGE = '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Sudare</title>\n{svg}\n</html>\n'


def save_chart(chart: Any, path: Path) -> None:
    """Write an Altair chart; the ending of the name says as what."""
    import vl_convert

    specification = chart.to_dict()
    if path.suffix == ".png":
        drawn = vl_convert.vegalite_to_png(specification, scale=2)
    elif path.suffix in {".svg", ".html"}:
        svg = vl_convert.vegalite_to_svg(specification)
        drawn = (svg if path.suffix == ".svg" else _PAGE.format(svg=svg)).encode()
    else:
        raise OutputError("release.plot.ending", path=path)
    with writing(path):
        path.write_bytes(drawn)


def loss_chart(
    values: Mapping[str, float],
    columns: Mapping[str, float],
    language: Language | None = None,
    *,
    errors: Mapping[str, float] | None = None,
) -> Any:
    """Measures that lie between 0 and 1, and the loss of each column, as bars; `errors` are of replaced values."""
    import altair as alt

    words = texts(language or shown_language(), "cli")
    heads = (words("loss.measures"), words("loss.columns"), words("loss.errors"))
    parts = []
    for title, figures in zip(heads, (values, columns, errors or {}), strict=True):
        rows = [{"name": name, "value": value} for name, value in figures.items() if 0 <= value <= 1]
        if rows:
            parts.append(
                alt.Chart(pl.DataFrame(rows), title=title)
                .mark_bar(color="#1f6feb")
                .encode(
                    x=alt.X("value:Q", title=None, scale=alt.Scale(domain=[0, 1])),
                    y=alt.Y("name:N", title=None, sort=None),
                )
                .properties(width=420)
            )
    return alt.vconcat(*parts)
