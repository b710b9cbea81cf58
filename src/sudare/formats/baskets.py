"""Write baskets in the layouts they are read from: lines, JSON lists, long tables, list columns, columns of sets.

A file read with the same layout (and delimiter) gives the same baskets again, including empty ones. Users' ids are
left out unless requested: they identify people. A long table then numbers the baskets from 1.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.errors import OutputError, did_you_mean
from sudare.formats.data import escaped, unescaped, writing
from sudare.read import source as endings
from sudare.read.baskets.lines import plain_delimiter
from sudare.read.baskets.load import BasketFacts
from sudare.read.baskets.options import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudare.describe.baskets.baskets import Baskets
    from sudare.read.baskets.codes import Item

_TABLES = {ending: kind for ending, kind in endings.FORMATS.items() if kind in {"parquet", "arrow"}}
ENDINGS = {"lines": ".txt", "json": ".json", "long": ".csv", "sets": ".csv", "lists": ".parquet"}
"""The extension of a data file of each layout."""
_IN_TEXT = {"lists": "sets"}
_IN_TABLES = {"lines": "lists", "json": "lists"}


def write_baskets(
    baskets: Baskets,
    path: str | Path,
    layout: str | None = None,
    *,
    delimiter: str | None = None,
    ids: bool = False,
    escape_formulas: bool = False,
) -> BasketFacts:
    """Write baskets and return how: reading with this layout and delimiter gives them back.

    Args:
        baskets: The baskets to write.
        path: A file; its extension selects text (.txt, .csv), JSON (.json: an array of arrays, .jsonl: one array per
            line), Parquet (.parquet) or Arrow (.arrow).
        layout: "lines", "json", "long", "lists" or "sets"; by default that of the source, if the extension allows it.
        delimiter: Separates items in lines and sets; by default that of the source, else a space, or a comma if items
            contain spaces.
        ids: Whether to write the users' ids.
        escape_formulas: Whether items and column names that a spreadsheet would run get an apostrophe in CSV, as in the
            data of tables (see `sudare.formats.data`); `unescaped_baskets` takes it away.
    """
    place = Path(path)
    chosen = _layout(baskets, place, layout)
    if ids and baskets.ids is None:
        raise OutputError("formats.baskets.no_ids")
    if ids and chosen == "lines":
        raise OutputError("formats.baskets.ids_in_lines")
    between = _delimiter(baskets, delimiter, chosen) if chosen in {"lines", "sets"} else None
    source = baskets.source
    id_name = (source.id if source else None) or "id"
    items_name = (source.items if source else None) or ("item" if chosen == "long" else "items")
    content: str | pl.DataFrame
    if chosen == "lines":
        content = "".join(f"{line}\n" for line in _lines(baskets, between or " "))
    elif chosen == "json":
        content = _json_text(baskets, place, id_name, items_name, ids=ids)
    else:
        escape = escape_formulas and place.suffix.lower() not in _TABLES
        content = _frame(baskets, chosen, id_name, items_name, between, ids=ids, escape=escape)
    with writing(place):
        if isinstance(content, str):
            place.write_text(content, "utf-8", newline="\n")
        else:
            _write_table(content, place)
    named = chosen == "long" or ids
    is_text = chosen in {"lines", "json"}
    return BasketFacts(
        place.name,
        chosen,
        "json" if chosen == "json" else "text" if is_text else _TABLES.get(place.suffix.lower(), "csv"),
        None if place.suffix.lower() in _TABLES else "utf-8",
        between,
        id=id_name if named else None,
        items=None if is_text and not ids else items_name,
    )


def unescaped_baskets(baskets: Baskets) -> Baskets:
    """The baskets that were written with `escape_formulas`."""
    names = [str(item) for item in baskets.items]
    plain = unescaped(pl.Series(names, dtype=pl.String)).to_list()
    if names == plain:
        return baskets
    items = dict(zip(baskets.items, plain, strict=True))
    return type(baskets).from_lists([[items[item] for item in basket] for basket in baskets.lists()])


def _layout(baskets: Baskets, place: Path, layout: str | None) -> str:
    ending = place.suffix.lower()
    if layout is not None:
        if layout not in LAYOUTS:
            hint = did_you_mean(layout, LAYOUTS)
            raise OutputError("formats.baskets.unknown_layout", layout=layout, hint=hint)
        if (layout in {"lines", "json"} and ending in _TABLES) or (
            layout == "lists" and ending not in _TABLES
        ):
            other = _IN_TABLES.get(layout) or _IN_TEXT[layout]
            raise OutputError("formats.baskets.layout", name=place.name, layout=layout, other=other)
        return layout
    if ending in endings.JSON:
        return "json"
    known = baskets.source.layout if baskets.source else "lines"
    if ending in _TABLES:
        return _IN_TABLES.get(known, known)
    return "lines" if known == "json" else _IN_TEXT.get(known, known)


def _delimiter(baskets: Baskets, given: str | None, layout: str) -> str:
    if given is not None:
        return plain_delimiter(given)
    source = baskets.source
    if source is not None and source.delimiter is not None and source.layout == layout:
        return source.delimiter
    return "," if any(" " in str(item) for item in baskets.items) else " "


def _texts(items: Sequence[Item]) -> list[str]:
    """The items as texts, which must still be distinct."""
    texts = [str(item) for item in items]
    if len(set(texts)) < len(texts):
        twice = next(text for text, count in Counter(texts).items() if count > 1)
        raise OutputError("formats.baskets.same_text", item=twice)
    return texts


def _escaped(texts: list[str]) -> list[str]:
    return escaped(pl.Series(texts, dtype=pl.String)).to_list()


def _lines(baskets: Baskets, delimiter: str, *, escape: bool = False) -> Iterable[str]:
    texts = _escaped(_texts(baskets.items)) if escape else _texts(baskets.items)
    names = np.array([_quoted(text, delimiter) for text in texts], dtype=object)
    bounds = baskets.starts.tolist()
    cells = names[baskets.codes].tolist() if len(baskets.codes) else []
    return (delimiter.join(cells[start:end]) for start, end in pairwise(bounds))


def _quoted(text: str, delimiter: str) -> str:
    plain = (
        text == text.strip()
        and text[0] not in "[{\ufeff"  # at the beginning of a file this would be its byte order mark
        and not any(sign in text for sign in (delimiter, '"', "\r", "\n"))
    )
    return text if plain else '"' + text.replace('"', '""') + '"'


def _json_text(baskets: Baskets, place: Path, id_name: str, items_name: str, *, ids: bool) -> str:
    entries: Sequence[object] = baskets.lists()
    if ids and baskets.ids is not None:
        names = baskets.ids.to_list()
        entries = [{id_name: name, items_name: items} for name, items in zip(names, entries, strict=True)]
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    if place.suffix.lower() in endings.JSON_LINES:
        return "".join(f"{line}\n" for line in lines)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _frame(
    baskets: Baskets,
    layout: str,
    id_name: str,
    items_name: str,
    delimiter: str | None,
    *,
    ids: bool,
    escape: bool = False,
) -> pl.DataFrame:
    if escape:
        id_name, items_name = _escaped([id_name, items_name])
    names = baskets.ids if ids and baskets.ids is not None else pl.Series(np.arange(1, len(baskets) + 1))
    if layout == "sets":
        cells = pl.Series(items_name, list(_lines(baskets, delimiter or " ", escape=escape)), dtype=pl.String)
        return pl.DataFrame([names.alias(id_name), cells] if ids else [cells])
    owners, entries = _entries(baskets, escape=escape)
    if layout == "long":
        return pl.DataFrame([names.gather(owners).alias(id_name), entries.alias(items_name)])
    grouped = pl.DataFrame([owners.alias("owner"), entries.alias("entries")]).group_by(
        "owner", maintain_order=True
    )
    lists = grouped.agg(pl.col("entries").drop_nulls())["entries"].alias(items_name)
    return pl.DataFrame([names.alias(id_name), lists] if ids else [lists])


def _entries(baskets: Baskets, *, escape: bool = False) -> tuple[pl.Series, pl.Series]:
    """Basket and item of each entry; an empty basket has one entry without an item."""
    numbers = all(isinstance(item, int) for item in baskets.items)
    items: Sequence[Item] = baskets.items if numbers else _texts(baskets.items)
    if escape and not numbers:
        items = _escaped(_texts(baskets.items))
    values = pl.Series(items, dtype=pl.Int64 if numbers and items else pl.String)
    lengths = np.maximum(baskets.lengths, 1)
    owners = np.repeat(np.arange(len(baskets)), lengths)
    filled = np.repeat(baskets.lengths > 0, lengths)
    codes = np.zeros(len(owners), dtype=np.int64)
    codes[filled] = baskets.codes
    places = pl.Series(codes).set(pl.Series(~filled), None)
    return pl.Series(owners), values.gather(places)


def _write_table(frame: pl.DataFrame, place: Path) -> None:
    kind = _TABLES.get(place.suffix.lower())
    if kind == "parquet":
        frame.write_parquet(place)
    elif kind == "arrow":
        frame.write_ipc(place)
    else:
        frame.write_csv(place)
