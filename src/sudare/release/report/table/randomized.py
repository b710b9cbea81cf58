"""What a report says about a randomized release: the noise of each column, where 1/k comes from, the risk it bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sudare.describe.ranges import day_of
from sudare.display import UNKNOWN, figure, share
from sudare.mechanism.catalogue import MECHANISMS
from sudare.release.report.table.risks import risk_row
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from sudare.assess.linking import Linking
    from sudare.assess.risk import Risk
    from sudare.release.report.texts import Texts
    from sudare.release.table.release import Release

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
        *((share(release.losses[name]), name) for name in ("suppressed",) if name in release.losses),
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
