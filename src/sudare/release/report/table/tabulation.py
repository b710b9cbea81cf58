"""The cross tabulation of a randomized release in its report: as released, estimated, and for the custodian as it was.

What is released and what is estimated from it are public; the original counts, and how far the others are from them,
are for the internal report only.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from sudare.display import figure
from sudare.errors import DescriptionError, ParameterError, did_you_mean
from sudare.measure.crosstab.build import count_like, crosstab_of
from sudare.measure.crosstab.heat_map import heat_map
from sudare.measure.crosstab.input.round_bins import round_edges
from sudare.measure.crosstab.options import CrosstabOptions
from sudare.mechanism.protocol import NumberMechanism
from sudare.release.report import charts
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.describe.table import Table
    from sudare.measure.crosstab.result import CrossTab
    from sudare.release.report.texts import Texts
    from sudare.release.table.release import Release

_MOST_VALUES = 30
"""Values of a column up to which it is chosen without being named."""
_FEW_VALUES = 12
"""The same for a column that is not randomized, which is drawn only beside one that is."""
_MOST_CELLS = 2_000


def tabulation(
    release: Release, texts: Texts, named: Sequence[str] | None, *, with_original: bool
) -> dict[str, Any] | None:
    """Heat maps with what they say; None where nothing is randomized, or nothing fits on a page."""
    table = release.table
    if not any(column.mechanism is not None for column in table.columns):
        return None
    by = _named(table, named) if named else chosen(table)
    if not by:
        return None
    bins = {name: edges for name in by if (edges := _edges(table, name)) is not None}
    options = CrosstabOptions(draws=0 if with_original else None, seed=0)
    found = crosstab_of(table, by, bins, options=options)
    if found.fit.cells > _MOST_CELLS:
        if named:
            raise ParameterError(
                "release.recipe.crosstab.cells",
                columns=enumerated(by),
                cells=found.fit.cells,
                most=_MOST_CELLS,
            )
        return None
    truth = _original(release, found) if with_original else None
    words = {
        "original": texts("tabulation.original"),
        "released": texts("tabulation.released"),
        "estimate": texts("tabulation.estimate"),
        "records": texts("tabulation.records"),
        "missing": texts("distributions.missing"),
    }
    columns = texts("page.separator").join(by)
    return {
        "title": texts("tabulation.title", columns=columns),
        "svg": charts.heat_maps(
            heat_map(found, truth, words), texts("tabulation.description", columns=columns)
        ),
        "notes": _notes(found, truth, texts, _command(by, bins)),
    }


def chosen(table: Table) -> list[str]:
    """Two columns that make a readable table: numbers or dates along, and the column of fewest values across.

    Randomized columns come first: a table of exact ones needs no estimate.
    """
    columns = [column for column in table.columns if column.role in {"quasi", "sensitive"}]
    noisy = [column.name for column in columns if column.mechanism is not None]
    sizes = {name: _values(table, name) for name in noisy}
    along = [name for name in noisy if sizes[name] is None]
    across = sorted(
        (size, noisy.index(name)) for name, size in sizes.items() if size is not None and size <= _MOST_VALUES
    )
    listed = [noisy[place] for size, place in across if size > 1] or [noisy[place] for _, place in across]
    if along and listed:
        return [along[0], listed[0]]
    if len(along) > 1 or len(listed) > 1:
        first, second, *_ = along or [listed[-1], listed[0]]
        return [first, second]
    exact = [
        column.name
        for column in columns
        if column.mechanism is None
        and column.kind in {"nominal", "ordinal"}
        and table.frame[column.name].n_unique() <= _FEW_VALUES
    ]
    return [*along, *listed, *exact][:2] if along or listed else []


def _command(by: Sequence[str], bins: Mapping[str, Sequence[Any]]) -> str:
    """What to type in the folder of the release, to have the same table."""
    given = [f"--by {shlex.quote(','.join(by))}"]
    given += [f"--bins {shlex.quote(f'{name}=' + ','.join(map(str, edges)))}" for name, edges in bins.items()]
    return " ".join(["sudare crosstab .", *given])


def _named(table: Table, named: Sequence[str]) -> list[str]:
    for name in named:
        if name not in table.frame.columns:
            hint = did_you_mean(name, table.frame.columns)
            raise ParameterError("release.recipe.crosstab.not_released", column=name, hint=hint)
    return list(named)


def _values(table: Table, name: str) -> int | None:
    """How many values a randomized column has; None for numbers and dates, which are cut into bins."""
    values = getattr(table.column(name).mechanism, "values", None)
    return None if values is None else len(values)


def _edges(table: Table, name: str) -> list[Any] | None:
    mechanism, dtype = table.column(name).mechanism, table.frame[name].dtype
    if not isinstance(mechanism, NumberMechanism) or mechanism.values is not None:
        return None
    return round_edges(mechanism.low, mechanism.high, dates=dtype.is_temporal(), whole=dtype.is_integer())


def _original(release: Release, found: CrossTab) -> Any:
    """Original counts of the records that were released; None where a column was also recoded."""
    if release.rows_of_original is None:
        return None
    try:
        return count_like(found, release.original.take(release.rows_of_original))
    except DescriptionError:
        return None


def _notes(found: CrossTab, truth: Any, texts: Texts, command: str) -> list[str]:
    fit = found.fit
    notes = [
        *(warning.into(texts.language) for warning in fit.warnings()),
        texts("tabulation.how", command=command),
    ]
    if fit.kept is not None:
        notes.append(texts("tabulation.kept" if fit.kept == 0 else "tabulation.early"))
    if truth is not None:
        estimate, released = found.total_variation(truth), found.total_variation(truth, figure="released")
        notes.append(texts("tabulation.apart", estimate=f"{estimate:.3f}", released=f"{released:.3f}"))
    elif fit.total_variation is not None and fit.total_variation_released is not None:
        notes.append(
            texts(
                "tabulation.expected",
                estimate=f"{fit.total_variation:.3f}",
                released=f"{fit.total_variation_released:.3f}",
            )
        )
    if fit.half_width is not None:
        notes.append(texts("tabulation.interval", records=figure(round(fit.half_width))))
    return notes
