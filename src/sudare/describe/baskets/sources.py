"""One entry point for baskets: a path, a database, a frame, or lists in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.describe.baskets.baskets import Baskets, checked_ids
from sudare.describe.baskets.sensitive import resolve_sensitive
from sudare.describe.table import from_native
from sudare.errors import InputError
from sudare.read.baskets.load import BasketData, BasketFacts, check_layout, frame_baskets, load_baskets
from sudare.read.baskets.options import BasketOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.describe.table import NativeKind


def read_baskets(source: Any, **options: Any) -> Baskets:
    """Baskets from a file, a database, standard input ('-'), a frame, a mapping, or a list of lists.

    An item that occurs twice in a basket counts once; missing items are left out; empty baskets are kept. Items in
    text files are texts (even "17"); JSON, Parquet, databases and lists in memory keep integers.

    Args:
        source: A path, the address of a database, a frame, a mapping from user to items, or a list of lists.
        **options: How to read it (`sudare.read.baskets.options.BasketOptions`):

    Options:
        layout: "lines" (a basket a line), "json" (an array of arrays, or an array a line), "long" (a row for each user
            and item), "lists" (a table with a column of lists), "sets" (a table with a column of texts, each a set);
            guessed where it is left out.
        delimiter: Between the items of a line or a cell (any text; 'tab' and 'space' may be spelled out), or between
            the columns of a long text table; guessed where it is left out.
        encoding: Of a text; guessed where it is left out.
        id: Column of the users.
        items: Column of the items.
        sensitive: Column that holds the sensitive items of each user, as lists or as sets.
        format: Format of a table, where the file's ending does not tell it.
        table: Table of a database.
        query: Query of a database.
        sheet: Sheet of an Excel file.
        header: Whether the first line of a long text table contains the column names; if it does not, the first column
            contains the users and the second the items.

    >>> read_baskets([["milk", "beer"], ["milk"], []])
    Baskets(3 baskets, 3 entries, 2 items)
    """
    if isinstance(source, Baskets):
        return source
    given = BasketOptions.of(**options)
    if isinstance(source, str | Path):
        return _baskets(load_baskets(source, given))
    _refuse({**given.of_tables, "header": given.header})
    if isinstance(source, pl.Series) and isinstance(source.dtype, pl.List | pl.Array):
        source = source.alias(source.name or "items").to_frame()
    if _is_frame(source):
        facts = BasketFacts("the table", "long", "memory")
        frame, native = from_native(source)
        return _baskets(
            frame_baskets(frame, facts, layout=given.layout, delimiter=given.delimiter, **given.columns),
            native,
        )
    check_layout(given.layout)
    _refuse({**given.columns, "layout": given.layout, "delimiter": given.delimiter})
    if isinstance(source, Mapping):
        return Baskets.from_lists(source.values(), ids=list(source))
    if not isinstance(source, Iterable):
        raise InputError("describe.baskets.no_source", kind=type(source).__name__)
    return Baskets.from_lists(source)


def _is_frame(source: Any) -> bool:
    return isinstance(source, pl.DataFrame | pl.LazyFrame) or (
        type(source).__module__.partition(".")[0] in {"pandas", "pyarrow"} and hasattr(source, "columns")
    )


def _refuse(options: Mapping[str, Any]) -> None:
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise InputError("describe.baskets.option", option=given)


def _baskets(data: BasketData, native: NativeKind = "polars") -> Baskets:
    ids = None if data.ids is None else checked_ids(data.ids, len(data.coded.starts) - 1)
    baskets = Baskets(data.coded, ids=ids, source=data.facts, given_as=native)
    if data.sensitive is None:
        return baskets
    named: Sequence[Any] = Baskets(data.sensitive).lists()
    return Baskets(
        data.coded,
        ids=ids,
        sensitive=resolve_sensitive(baskets, named, ignore_unknown=False) if len(named) else None,
        source=data.facts,
        given_as=native,
    )
