"""The page: what each section says, put into the template with everything from users escaped.

The public page is made from the public part of the manifest and from the released table; of the original it
sees nothing but the types of its columns.

The cross tabulation of a randomized release in its report: as released, estimated, and for the custodian as it was.

What is released and what is estimated from it are public; the original counts, and how far the others are from them,
are for the internal report only.
"""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING, Any

from sudare.anonymize.protocol import traits_of
from sudare.describe.kinds import UNRELEASED_ROLES
from sudare.describe.text import as_text, day_of, has_no_text
from sudare.display import UNKNOWN, figure, rounded_down, share
from sudare.errors import DescriptionError, ParameterError, did_you_mean
from sudare.measure.catalogue import known_measure
from sudare.measure.crosstab.build import count_like, crosstab_of
from sudare.measure.crosstab.heat_map import heat_map
from sudare.measure.crosstab.input.round_bins import round_edges
from sudare.measure.distributions import figures_by_column
from sudare.measure.losses import error_figure
from sudare.measure.pair import Pair
from sudare.mechanism.catalogue import MECHANISMS
from sudare.mechanism.protocol import NumberMechanism
from sudare.release.manifest import public_manifest
from sudare.release.report import charts
from sudare.release.report.charts import Binned, block_sizes, distribution
from sudare.release.report.common import Texts, common_values, render
from sudare.release.table.evaluate import public_figure
from sudare.release.table.summary import suitability_sentence
from sudare.release.table.warnings import is_of_uncovered
from sudare.words.sentence import enumerated, in_language

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from sudare.assess.bounds import Bound
    from sudare.assess.risk import GuessRisk, Linking, Risk
    from sudare.describe.table import Table
    from sudare.measure.catalogue import Measure
    from sudare.measure.crosstab.result import CrossTab
    from sudare.release.recipe.parts import ReportKind
    from sudare.release.table.release import Release
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language


def report_html(
    release: Release,
    findings: Sequence[Finding],
    manifest: Mapping[str, Any],
    *,
    kind: ReportKind,
    language: Language,
    crosstab: Sequence[str] | None = None,
) -> str:
    """The report of a release as one HTML page that needs nothing else: no network, no scripts.

    `manifest` is the internal one for both kinds; the public page takes from it what may be known. `crosstab` names the
    columns of the cross tabulation of a randomized release, chosen when left out.
    """
    texts = Texts(language)
    internal = kind == "internal"
    facts = manifest if internal else public_manifest(release.kind, dict(manifest))
    table = release.table
    return render(
        "table/page.html.j2",
        **common_values(release, findings, facts, texts, internal=internal),
        uncovered=[
            in_language(one, language) for one in release.warnings if is_of_uncovered(one) and not internal
        ],
        size=texts("verdict.size", rows=figure(table.rows), columns=figure(len(table.frame.columns))),
        tiles=tiles(release, texts, public=not internal),
        roles=roles(release, facts, texts, internal=internal),
        risk=risks(release.risk_before if internal else None, release.risk_after, texts),
        randomization=randomization(release, texts),
        tabulation=tabulation(release, texts, crosstab, with_original=internal),
        loss=losses(release, texts, public=not internal),
        changes=changes(release, texts) if internal else None,
        cards=cards(release, texts, with_original=internal),
        rows=first_rows(release),
        row_count=figure(table.rows),
        general=texts(
            "promise.general",
            columns=texts("page.separator").join(table.names("quasi")) or texts("page.none"),
        ),
        check="sudare check DIR",
        words=_words(release),
    )


_FIRST_ROWS = 1_000
_MOST_LEFT_OUT = 5
"""Columns of one role that were not released and have a row each; more share one."""


def roles(
    release: Release, facts: Mapping[str, Any], texts: Texts, *, internal: bool
) -> list[dict[str, str]]:
    """Each column with its role, its kind and what was done to it; of columns left out only the custodian is told."""
    released = release.table
    shown = [
        {
            "name": name,
            "role": texts(f"roles.role.{told['role']}"),
            "kind": texts.or_else(f"roles.kind.{told['kind']}", str(told["kind"])),
            "done": _done(release, name, texts),
        }
        for name, told in facts["columns"].items()
        if name in released.frame.columns
    ]
    if internal:
        for role in UNRELEASED_ROLES:
            names = [name for name in release.original.names(role) if name not in released.frame.columns]
            shown += [_left_out(release, role, some, texts) for some in _folded(names)]
    return shown


def _folded(names: Sequence[str]) -> list[Sequence[str]]:
    """The names that share a row of the table: each has its own unless they are many."""
    return [[name] for name in names] if len(names) <= _MOST_LEFT_OUT else [names]


def _left_out(release: Release, role: str, names: Sequence[str], texts: Texts) -> dict[str, str]:
    """The row of columns that were not released."""
    kinds = dict.fromkeys(str(release.original.column(name).kind) for name in names)
    return {
        "name": texts("page.separator").join(names),
        "role": texts(f"roles.role.{role}"),
        "kind": texts("page.separator").join(texts.or_else(f"roles.kind.{kind}", kind) for kind in kinds),
        "done": texts("roles.done.left_out")
        if len(names) == 1
        else texts("roles.done.many_left_out", count=figure(len(names))),
    }


def _done(release: Release, name: str, texts: Texts) -> str:
    """What was done to a column, as far as the release and its methods show it: no single removed value does."""
    after = release.table.frame[name]
    column = release.table.column(name)
    if column.mechanism is not None:
        return texts("roles.done.randomized")
    if name not in release.original.frame.columns:
        return texts("roles.done.added")
    before = release.original.column(name)
    if before.role == "identifier":
        return texts("roles.done.pseudonyms")
    if column.role != "quasi":
        changing = any(name in (getattr(one, "columns", None) or ()) for one in release.methods)
        return texts("roles.done.processed" if changing else "roles.done.unchanged")
    altering = [
        one for one in map(traits_of, release.methods) if one.replaces is None or name in one.replaces
    ]
    if all(one.generalizes for one in altering):
        # What no method replaces is exact wherever it is not coarser, so that readers see what is unchanged, too.
        return texts("roles.done.unchanged" if _is_unchanged(release, name) else "roles.done.generalized")
    if any(one.minimizes == "sse_ratio" for one in altering):
        return texts("roles.done.averaged")
    return texts(
        "roles.done.generalized"
        if after.dtype != release.original.frame[name].dtype
        else "roles.done.processed"
    )


def _is_unchanged(release: Release, name: str) -> bool:
    """Whether every released cell is what it was."""
    rows = release.rows_of_original
    # Nearly always the first rows tell that something was generalized.
    return rows is not None and all(
        not as_text(release.original.frame[name][rows[:end]])
        .ne_missing(as_text(release.table.frame[name][:end]))
        .any()
        for end in (_FIRST_ROWS, len(rows))
    )


def _words(release: Release) -> tuple[str, ...]:
    """What the glossary explains."""
    last = ("randomization",) if release.risk_after.linking is not None else ("block", "generalization")
    return ("identifier", "quasi", "sensitive", *last)


def risk_row(
    name: str,
    before: Risk | GuessRisk | None,
    after: Risk | GuessRisk,
    texts: Texts,
    *,
    words: str = "risk",
    **values: str,
) -> dict[str, Any]:
    """The figure `name` of both risks, with the texts below `words`; `values` are for its meaning."""
    for figure_name, written in (("threshold", share), ("background", figure)):
        if hasattr(after, figure_name):
            values[figure_name] = written(getattr(after, figure_name))
    old = None if before is None else float(getattr(before, name))
    new = float(getattr(after, name))
    return {
        "name": texts(f"{words}.{name}.name"),
        "meaning": texts(f"{words}.{name}.meaning", **values),
        "before": old,
        "after": new,
        "before_text": None if old is None else share(old),
        "after_text": share(new),
    }


_HIDDEN = ("type", "values", "low", "high", "grid", "distribution", "bounded")
_DATES, _LENGTHS = "date", ("scale", "deviation", "half_width")


def randomization(release: Release, texts: Texts) -> dict[str, Any] | None:
    """How each column was randomized, all of it public; None where nothing is."""
    found = release.risk_after.linking
    if found is None:
        return None
    notes = [
        texts(
            "randomization.formula",
            records=figure(found.records),
            rate=f"{found.rate:.4g}",
            k=figure(found.k),
        )
    ]
    if found.exact:
        exact = [in_language(name, texts.language) for name in found.exact]
        notes.append(texts("randomization.exact", columns=texts("page.separator").join(exact)))
    notes.append(texts("randomization.epsilon", epsilon=figure(found.epsilon), odds=_odds(found.epsilon)))
    told = [
        name
        for method in release.methods
        if hasattr(method, "read_from_data")
        for name in method.read_from_data(release.table)
    ]
    if told:
        notes.append(texts("randomization.from_data", columns=texts("page.separator").join(told)))
    rows = [
        {
            "name": one.column,
            "mechanism": texts.or_else(f"randomization.mechanism.{one.mechanism}", one.mechanism),
            "fields": _fields(release, one.column, texts),
            "rate": f"{one.rate:.4g}",
            "epsilon": figure(one.epsilon),
            "odds": _odds(one.epsilon),
        }
        for one in found.columns
    ]
    return {"rows": rows, "notes": notes}


def linking_tiles(release: Release, found: Linking, texts: Texts) -> list[dict[str, str]]:
    """The few figures everybody asks for, of a release without blocks."""
    shown = [
        (share(found.largest), "linking"),
        (figure(found.k), "k"),
        (figure(found.epsilon), "epsilon"),
        *((figure(release.losses[name]), name) for name in ("suppressed",) if name in release.losses),
    ]
    return [{"value": value, "label": texts(f"tile.{name}")} for value, name in shown]


def linking_rows(before: Risk | None, after: Risk, found: Linking, texts: Texts) -> list[dict[str, Any]]:
    """The bound at worst; where exact columns split the records, also on average and how many are at high risk."""
    names = ["prosecutor_largest"]
    if found.exact:
        names += ["prosecutor_mean", "rows_above_threshold"]
    values = {"records": figure(found.records), "k": figure(found.k)}
    rows = [risk_row(name, before, after, texts, words="risk.linking", **values) for name in names]
    if before is not None:
        rows[0]["meaning"] += texts("page.blank") + texts("risk.linking.prosecutor_largest.meaning_before")
    return rows


def _fields(release: Release, name: str, texts: Texts) -> str:
    """The strength of a mechanism and what it draws from, in a few words."""
    column = release.table.column(name)
    mechanism: Any = column.mechanism
    if not MECHANISMS.knows(mechanism):
        return ""
    given = MECHANISMS.dump(mechanism)
    days = column.kind == _DATES
    parts = []
    for key, value in given.items():
        if key not in _HIDDEN and value is not None:
            shown = _shown(value)
            if days and key in _LENGTHS:
                shown = texts("randomization.days", value=shown)
            parts.append(
                texts("page.pair", name=texts.or_else(f"randomization.field.{key}", key), value=shown)
            )
    values = given.get("values")
    if values is not None:
        parts.append(texts("randomization.values", count=figure(len(values))))
    else:
        ends = [_end(given[key], dates=days) for key in ("low", "high")]
        parts.append(texts("randomization.range", low=ends[0], high=ends[1]))
    return texts("page.separator").join(parts)


def _end(number: float, *, dates: bool) -> str:
    return str(day_of(number)) if dates else figure(number)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(str(one) for one in value.values())
    return figure(value) if isinstance(value, int | float) else str(value)


def _odds(epsilon: float) -> str:
    return figure(float(f"{math.exp(epsilon):.3g}")) if epsilon < 30 else UNKNOWN


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


def tiles(release: Release, texts: Texts, *, public: bool) -> list[dict[str, str]]:
    """The few figures everybody asks for."""
    after = release.risk_after
    shown_losses = _told(release, public=public)
    if after.linking is not None and after.blocks_are_noise:
        return linking_tiles(release, after.linking, texts)
    shown = [
        (figure(after.smallest_block), "smallest_block"),
        (share(after.prosecutor_largest), "largest_risk"),
        *(
            (figure(shown_losses[name]), name)
            for name in (_headline(shown_losses), "suppressed")
            if name in shown_losses
        ),
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
    shown = _told(release, public=public)
    notes = []
    if noisy:
        notes.append(texts("loss.randomized", columns=texts("page.separator").join(noisy)))
    if public and noisy:
        notes.append(texts("loss.public_randomized"))
    elif public and shown.keys() < release.losses.keys():
        notes.append(texts("loss.public_withheld"))
    columns = [
        {"name": name, "value": figure(value), "place": value}
        for name, value in release.column_losses.items()
        if name not in noisy and name not in release.column_errors and "loss" in shown
    ]
    # Errors of replaced values would tell of values that were removed.
    errors = [
        {"name": name, "place": min(value, 1.0), **_error_cells(release, name, value, texts)}
        for name, value in ({} if public else release.column_errors).items()
    ]
    if not public and release.suitability is not None:
        notes.append(suitability_sentence(release.suitability, texts.language, release.original.rows))
    return {
        "rows": [
            loss_row(known_measure(name), value, bounds.get(name), texts, name)
            for name, value in shown.items()
        ],
        "notes": notes,
        "columns": columns,
        "columns_note": None if columns or errors else _no_column_losses(release, noisy, texts),
        "errors": errors,
        "bounds": [
            *(
                _bound_sentence(name, shown[name], bound, texts)
                for name, bound in bounds.items()
                if name in shown
            ),
            *((texts("loss.no_bound", rows=release.original.rows),) if release.bound_is_missing else ()),
        ],
    }


def _error_cells(release: Release, name: str, value: float, texts: Texts) -> dict[str, str]:
    """What the error of a column is, and its value."""
    kind = error_figure(Pair(release.original, release.table, release.rows_of_original), name)
    return {"kind": texts(f"loss.{kind}"), "value": share(value) if kind == "changed" else figure(value)}


def _no_column_losses(release: Release, noisy: Sequence[str], texts: Texts) -> str | None:
    """Why no column has a loss of its own, where a note of the whole section does not say it."""
    if not release.table.names("quasi"):
        return texts("loss.no_quasi")
    if "loss" in release.not_applicable and not noisy:
        return texts("loss.replaced")
    return None


def _headline(losses: Mapping[str, float]) -> str:
    """The measure that sums up what was lost: of values that were replaced, their squared error."""
    return "loss" if "loss" in losses else "sse_ratio"


def _told(release: Release, *, public: bool) -> dict[str, float]:
    """The losses that a report shows."""
    if not public:
        return release.losses
    told = {name: public_figure(name, release.losses[name]) for name in release.publishable}
    return {name: math.inf if value is None else value for name, value in told.items()}


_MOST_PAIRS = 15
"""Correlations that the report lists, those that changed most."""


def changes(release: Release, texts: Texts) -> dict[str, Any] | None:
    """Means, spread, quantiles and correlations before and after; for the custodian only: they tell of removed values."""
    if release.rows_of_original is None:
        return None
    found = _figures(release)
    if not found.height:
        return None
    single = found.filter(found["figure"] != "correlation")
    names = list(dict.fromkeys(single["figure"]))
    rows = []
    for (name,), part in single.group_by("column", maintain_order=True):
        dates = release.original.frame[str(name)].dtype.is_temporal()
        for side in ("before", "after"):
            cells = [
                _summary_cell(key, value, texts, dates=dates)
                for key, value in zip(part["figure"], part[side], strict=True)
            ]
            rows.append(
                {"name": name, "first": side == "before", "side": texts(f"page.{side}"), "cells": cells}
            )
    pairs = found.filter((found["figure"] == "correlation") & found["before"].is_not_null())
    apart = (pairs["before"] - pairs["after"].fill_null(0.0)).abs()
    shown = pairs.with_columns(apart.alias("apart")).sort("apart", descending=True).head(_MOST_PAIRS)
    return {
        "heads": [texts(f"changes.{name}") for name in names],
        "rows": rows,
        "pairs": [
            {
                "name": texts("changes.pair", one=row["column"], other=row["other"]),
                "before": _placed_figure(row["before"]),
                "after": _placed_figure(row["after"]),
            }
            for row in shown.iter_rows(named=True)
        ],
        "left_out": pairs.height - shown.height,
    }


def _figures(release: Release) -> pl.DataFrame:
    """The figures of each column and of pairs, before and after (computed once)."""
    key = ("figures",)
    if key not in release.counted:
        pair = Pair(release.original, release.table, release.rows_of_original)
        release.counted[key] = figures_by_column(pair)
    found: pl.DataFrame = release.counted[key]
    return found


def _summary_cell(key: str, value: float | None, texts: Texts, *, dates: bool) -> str:
    """A share in percent, a date as a date, and the spread of dates in days."""
    if value is not None and key == "unknown":
        return share(value)
    if value is not None and dates:
        spread = key == "std"
        return texts("randomization.days", value=figure(value)) if spread else day_of(value).isoformat()
    return _placed_figure(value)


def _placed_figure(value: float | None) -> str:
    return UNKNOWN if value is None else figure(value)


def cards(release: Release, texts: Texts, *, with_original: bool) -> dict[str, Any]:
    """A chart for each quasi-identifier and sensitive column, and one of the block sizes."""
    chosen = _charted(release.table)
    drawn = [_card(release, name, texts, with_original=with_original) for name in chosen]
    if _has_blocks(release):
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
    return {"drawn": drawn, "left_out": len(release.table.names("quasi", "sensitive")) - len(chosen)}


def _charted(table: Table) -> list[str]:
    """The columns that are drawn: of many, some of both roles."""
    quasi, sensitive = table.names("quasi"), table.names("sensitive")
    chosen = quasi[: MOST_CHARTS - min(len(sensitive), MOST_CHARTS // 3)]
    return chosen + sensitive[: MOST_CHARTS - len(chosen)]


def _has_blocks(release: Release) -> bool:
    return bool(release.table.names("quasi")) and not release.risk_after.blocks_are_noise


def count_rows(release: Release, *, internal: bool) -> None:
    """Compute what a report shows of all rows; the release keeps it, so that no report needs their codes and blocks."""
    charts.count_rows(release, _charted(release.table), blocks=_has_blocks(release), with_original=internal)
    if internal and release.rows_of_original is not None:
        _figures(release)


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


_MOSTLY = 0.8
"""Share of a loss that no release avoids, from which another try gains little."""


def _bound_sentence(name: str, value: float, bound: Bound, texts: Texts) -> str:
    """Loss and bound side by side; the bound rounded down, so that it still holds."""
    least = rounded_down(bound.value, 4)
    said = texts("loss.lower_bound", measure=name, value=figure(value), bound=f"{least:g}")
    parts = [said] if bound.exact else [said, texts("loss.lower_bound_weak")]
    if value > 0 and math.isfinite(value):
        due = least / value
        parts.append(texts("loss.of_data" if due >= _MOSTLY else "loss.of_method", due=due, rest=1 - due))
    return texts("page.between_sentences").join(parts)


def loss_row(
    measure: Measure, value: float, bound: Bound | None, texts: Texts, label: str = ""
) -> dict[str, Any]:
    """A measure with its value and its place between best and worst; `label` is its name with its parameters."""
    extent = measure.largest - measure.smallest
    place = (value - measure.smallest) / extent if math.isfinite(extent) and math.isfinite(value) else None
    if place is not None and measure.direction == "higher is better":
        place = 1 - place
    return {
        "name": label or measure.name,
        "meaning": measure.meaning.into(texts.language),
        "value": figure(value),  # as at the terminal and in the manifest
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
        if found.raised:
            notes.append(texts("distributions.raised"))
        if found.rest_dwarfs:
            rest = [share(side) for side in found.rest]
            key = "not_drawn" if found.before is None else "not_drawn_both"
            notes.append(
                texts(f"distributions.{key}", count=figure(found.others), before=rest[0], after=rest[1])
            )
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
    # Both pages rehearse, with the same random numbers as `sudare crosstab`, so that all leave out the same cells.
    found = crosstab_of(table, by, bins)
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
