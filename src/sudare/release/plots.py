"""Charts to files, without a network: SVG, PNG, or a page that holds the SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path


def save_chart(chart: Any, path: Path) -> None:
    """Write an Altair chart; the ending of the name says as what."""
    import vl_convert

    specification = chart.to_dict()
    try:
        if path.suffix == ".png":
            path.write_bytes(vl_convert.vegalite_to_png(specification, scale=2))
            return
        svg = vl_convert.vegalite_to_svg(specification)
        if path.suffix == ".svg":
            path.write_text(svg, encoding="utf-8")
        elif path.suffix == ".html":
            page = f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Sudare</title>\n{svg}\n</html>\n'
            path.write_text(page, encoding="utf-8")
        else:
            raise OutputError(f"'{path}' ends in none of .svg, .png and .html; choose one of them.")
    except OSError as error:
        raise OutputError(f"'{path}' cannot be written ({error.strerror}); choose another place.") from None


TITLES = ("measures", "loss of each column")


def loss_chart(values: dict[str, float], columns: dict[str, float], titles: tuple[str, str] = TITLES) -> Any:
    """Measures that lie between 0 and 1, and the loss of each column, as bars."""
    import altair as alt

    parts = []
    for title, figures in zip(titles, (values, columns), strict=True):
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
