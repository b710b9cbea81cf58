"""Read baskets (line files, JSON lists, long tables, list columns, columns of sets) and record what was detected."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from sudare.errors import InputError, did_you_mean
from sudare.read import source as endings
from sudare.read.baskets.codes import id_column
from sudare.read.baskets.headers import (
    check_nameless,
    lifted_names,
    named_columns,
    refuse_data_as_names,
)
from sudare.read.baskets.lines import (
    cut_cells,
    cut_lines,
    plain_delimiter,
    read_json,
    read_lines,
    sniff_delimiter,
)
from sudare.read.baskets.options import LAYOUTS, BasketOptions
from sudare.read.baskets.tables import choose_columns, looks_long, may_be_long, may_be_records, read_table
from sudare.read.source import bytes_of, load
from sudare.read.text import decode_text, narrow_column

if TYPE_CHECKING:
    from sudare.read.baskets.codes import BasketCodes


@dataclass(frozen=True)
class BasketFacts:
    """What was detected about a source of baskets: enough to write baskets in the same format."""

    name: str
    """File name, `stdin`, an address without its password, or `memory`."""
    layout: str
    """lines, json, long, lists or sets."""
    format: str = "text"
    """text, json, csv, parquet and so on, or memory."""
    encoding: str | None = None
    delimiter: str | None = None
    """The delimiter between the items of a line or cell."""
    sha256: str | None = None
    """SHA-256 of the bytes read."""
    id: str | None = None
    """The user column."""
    items: str | None = None
    """The item column."""
    header: bool = True
    """Whether the first line of a text table contains the column names."""


_GUESSED = BasketOptions()


class BasketData(NamedTuple):
    """Baskets as arrays, the users if they are known, what was read about sensitive items, and the source."""

    coded: BasketCodes
    ids: pl.Series | None
    sensitive: BasketCodes | None
    facts: BasketFacts


def load_baskets(
    source: str | Path, options: BasketOptions = _GUESSED, *, surely: bool = False
) -> BasketData:
    """Baskets from a path, `-` (standard input) or the address of a database; see `sudare.read_baskets`.

    `surely`: lines are known to be sets, even if they look like the records of a table.
    """
    check_layout(options.layout)
    layout, columns = options.layout, (options.id, options.items, options.sensitive)
    delimiter = None if options.delimiter is None else plain_delimiter(options.delimiter)
    address = str(source)
    ending = Path(address).suffix.lower()
    if options.header is False:
        if ending in endings.JSON:
            layout = "json"
        check_nameless(layout, columns)
        layout = "long"
    is_table = layout in {"long", "lists", "sets"} or options.names_a_column
    is_table |= ending in endings.TABLES or "://" in address or options.format not in {None, "csv", "tsv"}
    if layout != "json" and ending not in endings.JSON and is_table and layout != "lines":
        reading = options.of_tables
        if layout == "long":
            reading["delimiter"], delimiter = delimiter, None
        return _load_table(source, layout, delimiter, columns, reading, options.header)
    data, name = bytes_of(address)
    if not data:
        raise InputError("read.baskets.empty", source=name)
    text, _, used = decode_text(data, name, options.encoding, surely=layout is not None)
    facts = BasketFacts(name, "lines", "text", used, sha256=hashlib.sha256(data).hexdigest())
    if layout == "json" or (
        layout is None and (ending in endings.JSON or text.lstrip()[:2].rstrip() in _JSON_HEADS)
    ):
        return _of_json(
            text,
            replace(facts, layout="json", format="json"),
            options.id or "id",
            options.items or "items",
            by_line=ending in endings.JSON_LINES,
        )
    lines = cut_lines(text)
    found = sniff_delimiter(lines) if delimiter is None else delimiter
    if (
        layout is None
        and lines
        and looks_long([cell.strip(' "') for cell in lines[0].split(found)])
        and address != "-"
    ):
        reading = {"format": options.format, "encoding": options.encoding, "delimiter": found}
        return _load_table(source, None, None, (None, None, None), reading, options.header)
    if layout is None and may_be_long([line.split(found) for line in lines]):
        raise InputError("read.baskets.ambiguous", source=name)
    # Every drafted recipe has the layout, also after its path was changed; the delimiter is given on purpose.
    if not surely and delimiter is None and may_be_records(cut_cells(lines, found)):
        raise InputError("read.baskets.records", source=name)
    return BasketData(read_lines(text, found), None, None, replace(facts, delimiter=found))


_JSON_HEADS = {"[", "[[", '["', "{", '{"', "[]", "[{"}


def frame_baskets(
    frame: pl.DataFrame,
    facts: BasketFacts,
    *,
    layout: str | None = None,
    delimiter: str | None = None,
    id: str | None = None,  # noqa: A002
    items: str | None = None,
    sensitive: str | None = None,
) -> BasketData:
    """Baskets from a frame: a long table, or a table with a column of lists or of texts that contain sets."""
    check_layout(layout)
    if frame.width == 0:
        raise InputError("read.baskets.no_columns", source=facts.name)
    if layout in {"lines", "json"}:
        raise InputError("read.baskets.text_layout", layout=layout, source=facts.name)
    columns = choose_columns(frame, facts.name, layout=layout, id=id, items=items, sensitive=sensitive)
    coded, ids, named, found = read_table(frame, facts.name, columns, delimiter)
    noted = replace(facts, layout=columns.layout, delimiter=found, id=columns.id, items=columns.items)
    return BasketData(coded, ids, named, noted)


def check_layout(layout: str | None) -> None:
    """Raise a one-sentence error if the layout does not exist."""
    if layout is not None and layout not in LAYOUTS:
        raise InputError("read.baskets.unknown_layout", layout=layout, hint=did_you_mean(layout, LAYOUTS))


def _load_table(
    source: str | Path,
    layout: str | None,
    delimiter: str | None,
    columns: tuple[str | None, str | None, str | None],
    options: dict[str, str | None],
    header: bool | None,
) -> BasketData:
    """Baskets from a table; `delimiter` separates the items of a cell, `options` are passed to `load`."""
    user, items, sensitive = columns
    given = {name: value for name, value in options.items() if value is not None}
    # Items in a text file are texts: reading the names as a row keeps every column from being parsed as numbers.
    is_text = Path(source).suffix.lower() in endings.TEXTS or str(source) == "-"
    is_text |= options.get("format") in {"csv", "tsv"}
    frame, found = load(source, header=False if is_text else None, **given)
    if found.format == "csv":
        cells = frame if is_text else load(source, header=False, **given)[0]
        if header is False:
            frame = named_columns(cells, found.name)
        else:
            if header is None and layout == "long" and not any(columns):
                refuse_data_as_names(cells, found.name)
            frame = lifted_names(cells, found.name)
    elif header is False:
        raise InputError("read.baskets.has_names", source=found.name)
    facts = BasketFacts(
        found.name, "long", found.format, found.encoding, sha256=found.sha256, header=header is not False
    )
    data = frame_baskets(
        frame, facts, layout=layout, delimiter=delimiter, id=user, items=items, sensitive=sensitive
    )
    if data.ids is not None and found.format == "csv":
        numbers = narrow_column(data.ids)
        return data._replace(ids=numbers if numbers.dtype == pl.Int64 else data.ids)
    return data


def _of_json(text: str, facts: BasketFacts, id_name: str, items_name: str, *, by_line: bool) -> BasketData:
    coded, ids = read_json(text, facts.name, id_name, items_name, by_line=by_line)
    if ids is None:
        return BasketData(coded, None, None, facts)
    if any(name is None for name in ids) or len(set(map(str, ids))) < len(ids):
        raise InputError("read.baskets.json_ids", source=facts.name)
    return BasketData(coded, id_column(ids, facts.name), None, replace(facts, id=id_name, items=items_name))
