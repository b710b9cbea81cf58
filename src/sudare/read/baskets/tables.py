"""Baskets in tables: users and items row by row, or a column of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from sudare.errors import InputError, did_you_mean
from sudare.read.baskets.codes import BasketCodes, code_cells, code_column, plain_items, texts_of
from sudare.read.baskets.lines import read_cells, sniff_delimiter
from sudare.read.text import pattern_among
from sudare.words.sentence import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

TableLayout = Literal["long", "lists", "sets"]
_FEWEST = 4
"""The number of lines from which two cells in every line are not a coincidence."""
_NARROWEST = 3
"""The number of columns from which a table cannot be one of users and items."""
_ID_NAMES = (
    "id",
    "user",
    "customer",
    "basket",
    "transaction",
    "session",
    "tid",
    "uid",
    "order",
    "patient",
    "person",
)
_ITEM_NAMES = ("items", "item", "basket", "product", "article", "page", "code", "name", "diagnosis")


class TableColumns(NamedTuple):
    """The role of each column."""

    layout: TableLayout
    items: str
    id: str | None = None
    sensitive: str | None = None


class TableBaskets(NamedTuple):
    """The baskets read from a table."""

    coded: BasketCodes
    ids: pl.Series | None
    sensitive: BasketCodes | None
    delimiter: str | None


def read_table(frame: pl.DataFrame, name: str, columns: TableColumns, delimiter: str | None) -> TableBaskets:
    """Baskets of a table, in row order (in a long table: in the order in which the users first appear)."""
    if columns.layout == "long":
        return TableBaskets(*_long(frame, name, columns), None, None)
    ids = None if columns.id is None else _unique_ids(frame[columns.id], name)
    coded, found = _coded(frame[columns.items], delimiter)
    sensitive = None if columns.sensitive is None else _coded(frame[columns.sensitive], delimiter or found)[0]
    return TableBaskets(coded, ids, sensitive, found)


def choose_columns(
    frame: pl.DataFrame,
    name: str,
    *,
    layout: str | None,
    id: str | None,  # noqa: A002  # the word of the field
    items: str | None,
    sensitive: str | None,
) -> TableColumns:
    """The columns as given, the rest chosen by their types and names.

    A list column contains baskets. Otherwise, a table in which users repeat is a long table, and one in which
    they do not has a column of sets (unless its name is singular and no cell has a delimiter other than a space).
    """
    pattern = pattern_among(frame.columns)
    if pattern is not None:
        raise InputError("read.baskets.pattern", column=pattern, source=name)
    for given in (id, items, sensitive):
        if given is not None and given not in frame.columns:
            hint = did_you_mean(given, frame.columns)
            raise InputError("read.baskets.no_column", source=name, column=given, hint=hint)
    free = [column for column in frame.columns if column not in {id, items, sensitive}]
    guessed = items is None
    if items is None:
        lists = [column for column in free if isinstance(frame.schema[column], pl.List | pl.Array)]
        items = lists[0] if len(lists) == 1 else _items_column(free, name, alone=id is not None)
        free.remove(items)
    if id is None:
        id = next((column for column in free if _is_named(column, _ID_NAMES)), None)  # noqa: A001
    nested = isinstance(frame.schema[items], pl.List | pl.Array)
    if id is None and len(free) == 1 and frame.width == 2 and layout != "sets":  # the other of two columns
        repeated = bool(frame[free[0]].is_duplicated().any())
        id = None if repeated and (nested or not _is_atomic(frame[items])) else free[0]  # noqa: A001
    if layout is None:
        layout = "lists" if nested else "long" if id is not None and frame[id].is_duplicated().any() else None
    if layout is None:
        single = not items.endswith("s") and _is_atomic(frame[items])
        if single and guessed and frame.width >= _NARROWEST and frame.height >= _FEWEST:
            raise InputError("read.baskets.records", source=name)
        layout = "long" if id is not None and single else "sets"
    if nested != (layout == "lists"):
        raise InputError(
            "read.baskets.column_type",
            column=items,
            source=name,
            type=str(frame.schema[items]),
            layout=layout,
        )
    if layout == "long" and id is None:
        if len(free) != 1:
            number = "one" if frame.width == 1 else "many"
            raise InputError(f"read.baskets.which_user.{number}", source=name, columns=frame.width)
        id = free[0]  # noqa: A001
    if layout == "long" and sensitive is not None:
        raise InputError("read.baskets.long_sensitive", column=sensitive)
    return TableColumns(layout, items, id, sensitive)  # type: ignore[arg-type]  # checked by the caller


def looks_long(names: Sequence[str]) -> bool:
    """Whether the cells of a first line are the names of a table of users and items.

    >>> looks_long(["user_id", "item"]), looks_long(["milk", "beer"]), looks_long(["12", "7"])
    (True, False, False)
    """
    return len(names) == 2 and any(
        _is_named(user, _ID_NAMES) and _is_named(item, _ITEM_NAMES) for user, item in (names, names[::-1])
    )


def may_be_long(rows: Sequence[Sequence[str]]) -> bool:
    """Whether lines of two cells could be users and items as well as baskets of two items.

    This is the case if users repeat and no cell of the first column occurs in the second.

    >>> may_be_long([["1", "tea"], ["1", "rum"], ["2", "tea"], ["2", "ale"]])
    True
    >>> may_be_long([["ale", "rum"], ["ale", "tea"], ["rum", "tea"], ["tea", "ale"]])
    False
    """
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if len(filled) < _FEWEST or any(len(row) != 2 for row in filled):
        return False
    users, items = ({row[column].strip() for row in filled} for column in (0, 1))
    return len(users) < len(filled) and users.isdisjoint(items)


def may_be_records(rows: Sequence[Sequence[str]]) -> bool:
    """Whether lines are rather the records of a table than baskets.

    This is the case if all have the same number of cells, three or more, and the first has names: filled cells that
    differ and never occur below, none of them a number.

    >>> may_be_records([["age", "sex", "zip"], ["30", "F", "60601"], ["41", "M", "60602"], ["35", "F", "60601"]])
    True
    >>> may_be_records([["ale", "rum", "tea"], ["ale", "tea", "gin"], ["rum", "tea", "gin"], ["tea", "ale", "gin"]])
    False
    """
    filled = [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]
    if len(filled) < _FEWEST or len(filled[0]) < _NARROWEST or len(set(map(len, filled))) > 1:
        return False
    names, below = set(filled[0]), {cell for row in filled[1:] for cell in row}
    return len(names) == len(filled[0]) and names.isdisjoint(below) and not any(map(_starts_no_name, names))


def _starts_no_name(cell: str) -> bool:
    return not cell or cell[0].isdigit()


def _is_named(column: str, words: Sequence[str]) -> bool:
    parts = column.strip().lower().replace("-", "_").replace(" ", "_").split("_")
    return any(word in parts or f"{word}s" in parts or f"{word}id" in parts for word in words)


def _is_atomic(column: pl.Series) -> bool:
    """Whether no cell of a column could be split into several items."""
    texts = texts_of(column)
    return not bool(texts.str.contains(r"[\t;|,]").any())


def _items_column(free: Sequence[str], name: str, *, alone: bool) -> str:
    if len(free) == 1:
        return free[0]
    named = [column for column in free if _is_named(column, _ITEM_NAMES)]
    if len(named) > 1:  # 'basket_id, item': a column whose name also suggests an id is not the item column
        named = [column for column in named if not _is_named(column, _ID_NAMES)]
    if len(named) == 1:
        return named[0]
    if len(free) == 2 and not alone:
        return free[1]  # a table of users and items, in this order
    number = "many" if free else "none"
    raise InputError(f"read.baskets.which_items.{number}", columns=len(free), source=name)


def _coded(column: pl.Series, delimiter: str | None) -> tuple[BasketCodes, str | None]:
    """The sets in a column of lists, or of texts with a delimiter, and that delimiter."""
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    if isinstance(column.dtype, pl.List):
        return code_column(column), None
    cells = texts_of(column).fill_null("").to_list()
    found = sniff_delimiter(cells) if delimiter is None else delimiter
    return read_cells(cells, found), found


def _unique_ids(ids: pl.Series, name: str) -> pl.Series:
    if ids.null_count():
        rows = counted("rows", ids.null_count())
        raise InputError("read.baskets.no_id", column=ids.name, source=name, rows=rows)
    if ids.n_unique() < len(ids):
        repeated = ids.filter(ids.is_duplicated())[0]
        raise InputError("read.baskets.same_id", id=repeated, source=name)
    return ids


def _long(frame: pl.DataFrame, name: str, columns: TableColumns) -> tuple[BasketCodes, pl.Series]:
    """Baskets from a table with one row per user and item; a user whose item is missing has an empty basket."""
    ids = frame[columns.id or ""].alias("id")
    if ids.null_count():
        rows = counted("rows", ids.null_count())
        raise InputError("read.baskets.no_user", source=name, rows=rows, column=columns.id)
    users = ids.unique(maintain_order=True)
    places = pl.DataFrame({"id": users, "place": np.arange(len(users), dtype=np.int64)})
    owners = ids.to_frame().join(places, on="id", how="left", maintain_order="left")["place"].to_numpy()
    order = np.argsort(owners, kind="stable")
    lengths = np.bincount(owners, minlength=len(users)).astype(np.int64)
    return code_cells(lengths, plain_items(frame[columns.items].alias("cells"))[order]), users
