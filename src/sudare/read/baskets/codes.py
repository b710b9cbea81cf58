"""Sets of items as arrays: basket b contains `items[codes[starts[b]:starts[b + 1]]]`.

Two rules apply to every source. An item that occurs twice in a basket counts once, because a basket is a set.
A missing item (None, NaN, the empty text) is not an item; a basket without items is kept as an empty basket.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from sudare.arrays import read_only, starts_of
from sudare.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

_BEYOND = 2**63
"""The first integer that does not fit a 64-bit column."""
Item = str | int
"""An item is a text or an integer; 1 and "1" are two different items."""


class BasketCodes(NamedTuple):
    """Baskets as arrays."""

    items: tuple[Item, ...]
    """Numbers before texts, each in ascending order; the code of an item is its position here."""
    starts: npt.NDArray[np.int64]
    """Where each basket begins in `codes`, and where the last one ends."""
    codes: npt.NDArray[np.int32]
    """The items of all baskets, basket by basket, ascending and distinct within a basket."""


def code_lists(lists: Iterable[Iterable[Any]]) -> BasketCodes:
    """Code baskets given as collections of items.

    >>> code_lists([["b", "a", "b"], [], ["c"]])
    BasketCodes(items=('a', 'b', 'c'), starts=array([0, 2, 2, 3]), codes=array([0, 1, 2], dtype=int32))
    """
    found: dict[Item, int] = {}
    lengths: list[int] = []
    places: list[int] = []
    for number, basket in enumerate(lists):
        if isinstance(basket, (str, bytes)) or not hasattr(basket, "__iter__"):
            raise InputError("read.baskets.not_a_collection", number=number + 1, basket=shown(basket))
        before = len(places)
        for given in basket:
            item = plain_item(given)
            if item is not None:
                places.append(found.setdefault(item, len(found)))
        lengths.append(len(places) - before)
    broken = next((item for item in found if isinstance(item, str) and not is_writable(item)), None)
    if broken is not None:
        raise InputError("read.baskets.half_item", item=shown(broken))
    rank, items = _ranked(list(found))
    codes = rank[np.array(places, dtype=np.int64)] if places else np.empty(0, dtype=np.int32)
    return BasketCodes(items, *merged(np.array(lengths, dtype=np.int64), codes, len(items)))


def is_writable(text: str) -> bool:
    """Whether a text can be written: JSON and Python allow lone surrogates, UTF-8 does not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def id_column(ids: Sequence[Any], name: str) -> pl.Series:
    """Integers as integers if one column type can represent all of them, everything else as texts; None stays missing.

    >>> id_column([1, 2**63], "x").dtype, id_column([-1, 2**63], "x").dtype
    (UInt64, String)
    """
    with suppress(OverflowError, TypeError):
        if all(type(each) is int for each in ids):
            return pl.Series("id", ids)
    texts = [None if each is None else str(each) for each in ids]
    broken = next((text for text in texts if text is not None and not is_writable(text)), None)
    if broken is not None:
        raise InputError("read.baskets.half_id", source=name, id=shown(broken))
    return pl.Series("id", texts, dtype=pl.String)


def code_column(column: pl.Series) -> BasketCodes:
    """Code a column of lists; items that are neither integers nor texts are converted to text.

    >>> code_column(pl.Series([["b", "a", "b"], None, [""], ["c", None]])).starts
    array([0, 2, 2, 2, 3])
    """
    column = column.alias("cells")
    lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
    # Remove empty lists first: versions of polars differ in what exploding them returns.
    cells = plain_items(column.filter(column.list.len().fill_null(0) > 0).explode())
    return code_cells(lengths, cells)


def code_cells(lengths: npt.NDArray[np.int64], cells: pl.Series) -> BasketCodes:
    """Code baskets of these lengths whose items follow one another in a column of texts or integers."""
    kept = cells.is_not_null()
    if cells.dtype == pl.String:
        kept &= (cells != "").fill_null(value=False)
    if not kept.all():
        owners = np.repeat(np.arange(len(lengths)), lengths)[kept.to_numpy()]
        lengths = np.bincount(owners, minlength=len(lengths)).astype(np.int64)
        cells = cells.filter(kept)
    values = cells.unique().sort()
    numbers = pl.Series(np.arange(len(values), dtype=np.int32))
    codes = (
        cells.replace_strict(values, numbers, return_dtype=pl.Int32).to_numpy()
        if len(values)
        else np.empty(0)
    )
    return BasketCodes(tuple(values.to_list()), *merged(lengths, codes.astype(np.int32), len(values)))


def plain_items(cells: pl.Series) -> pl.Series:
    """A column of items as integers if it contains 64-bit integers, even if stored as floats; else as texts."""
    if cells.dtype == pl.String:
        return cells
    if cells.dtype.is_integer() or cells.dtype.is_float():
        cells = cells.fill_nan(None) if cells.dtype.is_float() else cells
        whole = cells.cast(pl.Int64, strict=False)
        if bool((whole.cast(cells.dtype) == cells).all()) and whole.null_count() == cells.null_count():
            return whole
    return texts_of(cells)


def texts_of(cells: pl.Series) -> pl.Series:
    """A column as texts; raises a one-sentence error for types that cannot be converted."""
    try:
        if cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object):
            raise pl.exceptions.InvalidOperationError
        return cells.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise InputError("read.baskets.items_type", type=str(cells.dtype)) from None


def plain_item(given: Any) -> Item | None:
    """The item as a Python value, with an integer too large for a column as text; None for a missing item."""
    if isinstance(given, str):
        return given or None
    if isinstance(given, bool | np.bool_):
        raise InputError("read.baskets.truth_value", item=str(given))
    if isinstance(given, int | np.integer):
        return int(given) if -_BEYOND <= given < _BEYOND else str(given)
    if given is None or (isinstance(given, float) and given != given):  # noqa: PLR0124  # NaN
        return None
    item, kind = shown(given), type(given).__name__
    if isinstance(given, Collection) and not isinstance(given, bytes):
        raise InputError("read.baskets.nested_item", item=item, type=kind)
    raise InputError("read.baskets.item_type", item=item, type=kind, text=str(given))


def merged(
    lengths: npt.NDArray[np.int64], codes: npt.NDArray[np.int32], count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Starts and codes, read-only, with the items of each basket ascending and distinct."""
    owners = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    keys = owners * max(count, 1) + codes
    if not (keys[1:] > keys[:-1]).all():  # files that Sudare wrote are already in order
        keys.sort()
        keys = keys[np.append(True, keys[1:] > keys[:-1])] if len(keys) else keys
    owners, kept = np.divmod(keys, max(count, 1))
    starts = starts_of(np.bincount(owners, minlength=len(lengths)))
    return read_only(starts), read_only(kept.astype(np.int32))


def _ranked(found: Sequence[Item]) -> tuple[npt.NDArray[np.int32], tuple[Item, ...]]:
    """The position of each found item among the sorted ones, and the sorted items."""
    order = sorted(range(len(found)), key=lambda place: (isinstance(found[place], str), found[place]))
    rank = np.empty(len(found), dtype=np.int32)
    rank[order] = np.arange(len(found), dtype=np.int32)
    return rank, tuple(found[place] for place in order)
