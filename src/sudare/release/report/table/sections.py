"""The figures of each section: risk, loss, distributions, first rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sudare.describe.text import as_text, has_no_text
from sudare.display import figure, rounded_down, share
from sudare.measure.catalogue import MEASURES
from sudare.release.report import charts
from sudare.release.report.distributions import Binned, block_sizes, distribution
from sudare.release.report.table.randomized import linking_rows, linking_tiles
from sudare.release.report.table.risks import risk_row
from sudare.release.table.manifest import public_losses

if TYPE_CHECKING:
    import polars as pl

    from sudare.assess.bounds import Bound
    from sudare.assess.risk import Risk
    from sudare.measure.catalogue import Measure
    from sudare.release.report.texts import Texts
    from sudare.release.table.release import Release

MOST_CHARTS = 12
MOST_GUESSED = 6
FIRST_ROWS = 10
_COLUMNS_A_TABLE, _MOST_COLUMNS = 8, 40
_LONGEST_CELL = 60
_RISKS = (
    "prosecutor_largest",
    "prosecutor_mean",
    "rows_above_threshold",
    "unique_share",
    "journalist_largest",
    "marketer",
)
_GUESSES = ("homogeneous_share", "guess_mean", "guess_largest", "background_mean", "background_largest")


def tiles(release: Release, texts: Texts) -> list[dict[str, str]]:
    """The few figures everybody asks for."""
    after = release.risk_after
    if after.linking is not None and after.blocks_are_noise:
        return linking_tiles(release, after.linking, texts)
    shown = [
        (figure(after.smallest_block), "smallest_block"),
        (share(after.prosecutor_largest), "largest_risk"),
        *((share(release.losses[name]), name) for name in ("loss", "suppressed") if name in release.losses),
    ]
    return [{"value": value, "label": texts(f"tile.{name}")} for value, name in shown]


def risks(before: Risk | None, after: Risk, texts: Texts) -> dict[str, Any]:
    """Re-identification first, then guessing each sensitive column; `before` None for the public."""
    population = texts(f"risk.population.{after.population}")
    bounds = after.blocks_are_noise
    first = (
        linking_rows(before, after, after.linking, texts)
        if after.linking is not None and bounds
        else [risk_row(name, before, after, texts, population=population) for name in _RISKS]
    )
    groups: list[dict[str, Any]] = [{"title": None, "rows": first}]
    earlier = {} if before is None else {guess.column: guess for guess in before.guesses}
    for guess in after.guesses[:MOST_GUESSED]:
        old = earlier.get(guess.column)
        groups.append(
            {
                "title": texts(
                    "risk.guess_title_bound" if bounds else "risk.guess_title", column=guess.column
                ),
                "rows": [risk_row(name, old, guess, texts) for name in _GUESSES],
            }
        )
    listed = {"rows": "rows", "blocks": "blocks", "smallest_block": "smallest_block"}
    if bounds:
        listed = {"rows": "rows", "blocks": "exact_groups", "smallest_block": "exact_smallest"}
    counts = [
        {
            "name": texts(f"risk.{word}"),
            "before": None if before is None or word.startswith("exact") else figure(getattr(before, name)),
            "after": figure(getattr(after, name)),
        }
        for name, word in listed.items()
        if name == "rows" or not bounds or (after.linking is not None and after.linking.exact)
    ]
    left_out = max(0, len(after.guesses) - MOST_GUESSED)
    return {"groups": groups, "counts": counts, "left_out": left_out, "bounds": bounds}


def losses(release: Release, texts: Texts, *, public: bool) -> dict[str, Any]:
    """Every measure with its range, and the loss of every column; of a randomized release what says something."""
    bounds = release.lower_bounds
    noisy = [column.name for column in release.table.columns if column.mechanism is not None]
    shown = public_losses(release.losses) if noisy and public else release.telling_losses
    notes = []
    if noisy:
        notes.append(texts("loss.randomized", columns=texts("page.separator").join(noisy)))
        if public:
            notes.append(texts("loss.public_randomized"))
    columns = [
        {"name": name, "value": share(value), "place": value}
        for name, value in release.column_losses.items()
        if name not in noisy and not (noisy and public)
    ]
    return {
        "rows": [loss_row(MEASURES[name], value, bounds.get(name), texts) for name, value in shown.items()],
        "notes": notes,
        "columns": columns,
        "bounds": [
            _bound_sentence(name, release.losses[name], bound, texts)
            for name, bound in bounds.items()
            if name in release.losses
        ],
    }


def cards(release: Release, texts: Texts, *, with_original: bool) -> dict[str, Any]:
    """A chart for each quasi-identifier and sensitive column, and one of the block sizes."""
    table = release.table
    quasi, sensitive = table.names("quasi"), table.names("sensitive")
    # Of many columns some of both roles are drawn.
    chosen = quasi[: MOST_CHARTS - min(len(sensitive), MOST_CHARTS // 3)]
    chosen += sensitive[: MOST_CHARTS - len(chosen)]
    drawn = [_card(release, name, texts, with_original=with_original) for name in chosen]
    if table.names("quasi") and not release.risk_after.blocks_are_noise:
        sizes = block_sizes(release, with_original=with_original)
        drawn.append(
            {
                "title": texts("distributions.blocks"),
                "role": None,
                "svg": charts.size_bars(
                    sizes, texts("distributions.blocks_chart"), texts("distributions.blocks_axis")
                ),
                "notes": [texts("distributions.blocks_note")],
            }
        )
    return {"drawn": drawn, "left_out": len(quasi) + len(sensitive) - len(chosen)}


def first_rows(release: Release) -> dict[str, Any]:
    """The first rows in tables narrow enough for paper."""
    head = release.table.frame.head(FIRST_ROWS)
    names = head.columns[:_MOST_COLUMNS]
    cells = {name: [_cell(text) for text in _texts(head[name])] for name in names}
    parts = []
    # Tables of about the same width: nine columns are five and four, not eight and one.
    tables = -(-len(names) // _COLUMNS_A_TABLE)
    width = -(-len(names) // max(tables, 1))
    for at in range(0, len(names), max(width, 1)):
        chosen = names[at : at + width]
        parts.append(
            {
                "first": at + 1,
                "last": at + len(chosen),
                "names": chosen,
                "rows": [list(row) for row in zip(*(cells[name] for name in chosen), strict=True)],
            }
        )
    return {"parts": parts, "count": head.height, "left_out": len(head.columns) - len(names)}


def _bound_sentence(name: str, value: float, bound: Bound, texts: Texts) -> str:
    """Loss and bound side by side; the bound rounded down, so that it still holds."""
    least = rounded_down(bound.value, 3)
    said = texts("loss.lower_bound", measure=name, value=f"{value:.3f}", bound=f"{least:.3f}")
    return said if bound.exact else f"{said} {texts('loss.lower_bound_weak')}"


def loss_row(measure: Measure, value: float, bound: Bound | None, texts: Texts) -> dict[str, Any]:
    """A measure with its value and its place between best and worst."""
    extent = measure.largest - measure.smallest
    place = (value - measure.smallest) / extent if math.isfinite(extent) and math.isfinite(value) else None
    if place is not None and measure.direction == "higher is better":
        place = 1 - place
    return {
        "name": measure.name,
        "meaning": measure.meaning.into(texts.language),
        "value": share(value) if measure.largest == 1 else figure(value),
        "place": place,
        "mark": None if bound is None else bound.value,
    }


def _card(release: Release, name: str, texts: Texts, *, with_original: bool) -> dict[str, Any]:
    found = distribution(release, name, with_original=with_original)
    description = texts("distributions.chart_both" if with_original else "distributions.chart", column=name)
    notes = []
    if isinstance(found, Binned):
        svg = charts.histogram(found, description)
        for key, value in (
            ("unstated", found.unstated),
            ("empty", found.missing),
            ("undrawn", found.undrawn),
        ):
            if value > 1e-6:
                notes.append(texts(f"distributions.{key}", share=share(value)))
    else:
        others = texts("distributions.others", count=figure(found.others))
        svg = charts.bars(found, description, missing=texts("distributions.missing"), others=others)
    role = texts(f"distributions.{release.table.column(name).role}")
    return {"title": name, "role": role, "svg": svg, "notes": notes}


def _texts(column: pl.Series) -> list[str | None]:
    """Cells for people, also of sets and other values that have no text of their own."""
    if not has_no_text(column.dtype):
        return as_text(column).to_list()
    return [
        None if cell is None else ", ".join(map(str, cell)) if isinstance(cell, list) else str(cell)
        for cell in column.to_list()
    ]


def _cell(text: str | None) -> str | None:
    if text is None or len(text) <= _LONGEST_CELL:
        return text
    return text[: _LONGEST_CELL - 1] + "…"
