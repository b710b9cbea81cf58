"""The figures of each section about baskets: adversaries, loss, who pays, frequencies, rules, first baskets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.display import UNKNOWN, figure, share
from sudare.errors import ParameterError
from sudare.measure.baskets import BASKET_MEASURES, basket_pair, frequency_change, user_loss
from sudare.measure.baskets.association import mined, mined_pair
from sudare.measure.catalogue import known_measure
from sudare.release.report import charts
from sudare.release.report.charts import BlockSizes, Listed
from sudare.release.report.table.page import loss_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sudare.describe.baskets.baskets import Baskets
    from sudare.release.baskets.release import BasketRelease
    from sudare.release.report.common import Texts

MOST_RULES, MOST_NEW = 30, 10
FIRST_BASKETS = 10
_COMMON = 10
_LONGEST = 160
_LENGTHS = 15


def tiles(
    release: BasketRelease, losses: Mapping[str, float | None], texts: Texts, *, internal: bool
) -> list[dict[str, str]]:
    """The few figures everybody asks for."""
    shown = []
    for one in release.requirements:
        if hasattr(one, "rho"):
            shown.append((str(one.rho), texts("tile.rho-uncertainty")))
        else:
            shown.append((figure(one.k), texts("tile.km-anonymity", m=one.m)))
    for name in ("util1", "rule_distance"):
        value = losses.get(name)
        if value is not None:
            shown.append((figure(value), texts(f"tile.{name}")))
    if internal and release.alike:
        untouched = user_loss(release.original, release.released).untouched
        shown.append((share(untouched), texts("tile.untouched")))
    return [{"value": value, "label": label} for value, label in shown]


def worst(release: BasketRelease, texts: Texts) -> list[dict[str, Any]]:
    """The most dangerous adversaries of each requirement."""
    ids = release.original.ids
    groups = []
    for requirement, verdict in zip(release.requirements, release.verdicts, strict=True):
        rows = [
            {
                "user": one.user + 1 if ids is None else ids[one.user],
                "known": _listed(one.known),
                "inferred": None if one.inferred is None else str(one.inferred),
                "support": figure(one.support),
                "joint": figure(one.joint),
                "confidence": share(one.confidence),
            }
            for one in verdict.worst
        ]
        groups.append(
            {
                "rows": rows,
                "infers": hasattr(requirement, "rho"),
                "lead": texts("worst.lead" if verdict.sampled is None else "worst.lead_sampled"),
                "numbered": ids is None,
            }
        )
    return groups


def losses(found: Mapping[str, float | None], texts: Texts) -> list[dict[str, Any]]:
    """Every measure with its range; what cannot be said in numbers is left open."""
    rows = []
    for name, value in found.items():
        measure = known_measure(name, BASKET_MEASURES)
        row = loss_row(measure, math.inf if value is None else value, None, texts, name)
        if value is not None and 0 < value < 0.001 and measure.largest != 1:
            row["value"] = f"{value:.6f}"  # a small divergence without powers of ten
        rows.append(row)
    return rows


def users(release: BasketRelease, texts: Texts) -> dict[str, Any]:
    """How the loss is spread over users."""
    found = user_loss(release.original, release.released)
    figures = [
        {"name": texts("users.untouched"), "more": None, "value": share(found.untouched)},
        {"name": texts("users.emptied"), "more": None, "value": share(found.emptied)},
        {"name": texts("users.mean"), "more": texts("users.mean_more"), "value": share(found.mean)},
        {"name": texts("users.gini"), "more": texts("users.gini_more"), "value": figure(found.gini)},
    ]
    having = found.users.filter(found.users["items"] > 0)
    losing = having.filter(having["lost"] > 0)["share"].to_numpy()
    # A share of exactly 50 % is in the bin that ends there: 100 % is then no bin of its own.
    counts = np.bincount(np.clip(np.ceil(losing * 10 - 1e-9), 1, 10).astype(np.int64), minlength=11)[1:]
    labels = [f"{high}%" for high in range(10, 101, 10)]
    shares = BlockSizes(labels, None, (counts / max(len(having), 1)).tolist())
    lengths = found.lengths
    many = lengths.height > _LENGTHS
    shown = lengths.head(_LENGTHS - 1) if many else lengths
    names, values = [str(length) for length in shown["items"]], shown["share"].to_list()
    if many:
        rest = lengths.tail(lengths.height - len(names))
        weights = (rest["users"] * rest["items"]).to_numpy()
        names.append(f"{rest['items'][0]}–")
        values.append(float(np.average(rest["share"].to_numpy(), weights=weights)))
    drawn = [
        {
            "title": texts("users.shares"),
            "svg": charts.size_bars(shares, texts("users.shares"), texts("users.shares_axis")),
            "notes": [texts("users.shares_note", untouched=share(found.untouched))],
        },
        {
            "title": texts("users.lengths"),
            "svg": charts.size_bars(
                BlockSizes(names, None, values), texts("users.lengths"), texts("users.lengths_axis")
            ),
            "notes": [texts("users.lengths_note")],
        },
    ]
    return {"figures": figures, "drawn": drawn}


def frequencies(release: BasketRelease, texts: Texts, *, with_original: bool) -> list[dict[str, Any]]:
    """The commonest items, all items by rank, and the lengths of baskets."""
    released = release.released
    before = release.original if with_original else None
    frame = frequency_change(released if before is None else before, released).items
    count = max(len(released), 1)
    common = frame.head(_COMMON)
    labels: list[str | None] = [_short(str(item)) for item in common["item"]]
    old = None if before is None else (common["before"] / count).to_list()
    listed = Listed(labels, old, (common["after"] / count).to_list(), 0, (0.0, 0.0))
    svg = charts.bars(listed, texts("items.common"), missing="", others="")
    more = frame.height - common.height
    note = texts("items.common_note") + (f" {texts('items.others', count=figure(more))}" if more else "")
    drawn = [{"title": texts("items.common"), "svg": svg, "notes": [note]}] if frame.height else []
    if frame.height:
        ranked = None if before is None else frame["before"].to_list()
        svg = charts.ranked(ranked, frame["after"].to_list(), texts("items.ranks"), texts("items.ranks_axis"))
        note = texts("items.ranks_note" if before is None else "items.ranks_note_both")
        drawn.append({"title": texts("items.ranks"), "svg": svg, "notes": [note]})
    sizes = _sizes(released, before)
    svg = charts.size_bars(sizes, texts("items.sizes"), texts("items.sizes_axis"))
    drawn.append({"title": texts("items.sizes"), "svg": svg, "notes": [texts("items.sizes_note")]})
    return drawn


def rules(release: BasketRelease, texts: Texts, *, with_original: bool) -> dict[str, Any]:
    """The strongest rules of the release, beside those of the original where these may be told."""
    try:
        if with_original:
            found = mined_pair(basket_pair(release.original, release.released))
        else:
            found = mined(release.released)
    except ParameterError:  # more sets than can be looked at
        return {"rows": [], "lead": texts("rules.unmined"), "more": 0}
    if with_original:  # those of the original first, and some of those that took their place
        fresh = found.filter(found["status"] == "new").head(MOST_NEW)
        shown = pl.concat([found.filter(found["status"] != "new").head(MOST_RULES - fresh.height), fresh])
    else:
        shown = found.head(MOST_RULES)
    rows = [_rule(row, texts) for row in shown.iter_rows(named=True)]
    more = found.height - len(rows)
    if not rows:
        return {"rows": [], "lead": texts("rules.none"), "more": 0}
    if not with_original:
        return {"rows": rows, "lead": texts("rules.lead", count=figure(found.height)), "more": more}
    counts = {name: figure(found["status"].to_list().count(name)) for name in ("kept", "lost", "new")}
    return {"rows": rows, "lead": texts("rules.lead_both", **counts), "more": more}


def first_baskets(published: Baskets) -> list[dict[str, Any]]:
    """The first baskets as published; their users are not."""
    shown = published.take(np.arange(min(FIRST_BASKETS, len(published)))).lists()
    return [
        {"number": number, "items": _short(", ".join(map(str, items)))}
        for number, items in enumerate(shown, start=1)
    ]


def _rule(row: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    told: dict[str, Any] = {"body": _listed(row["body"]), "head": str(row["head"])}
    if "status" not in row:
        return {**told, "support": share(row["support"]), "confidence": share(row["confidence"])}
    told |= {"status": row["status"], "status_text": texts(f"rules.{row['status']}")}
    for name in ("support_before", "support_after", "confidence_before", "confidence_after"):
        told[name] = UNKNOWN if row[name] is None else share(row[name])
    return told


def _sizes(released: Baskets, before: Baskets | None) -> BlockSizes:
    """Shares of baskets by length; the longest together."""
    sides = [released] if before is None else [released, before]
    longest = max(int(side.lengths.max(initial=0)) for side in sides)
    last = min(longest, _LENGTHS)
    labels = [str(length) for length in range(last + 1)]
    if longest > last:
        labels[-1] += "–"
    shares = [
        (np.bincount(np.minimum(side.lengths, last), minlength=last + 1) / max(len(side), 1)).tolist()
        for side in sides
    ]
    return BlockSizes(labels, shares[1] if before is not None else None, shares[0])


def _listed(items: Iterable[Any] | pl.Series) -> str:
    return _short(", ".join(map(str, items)))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
