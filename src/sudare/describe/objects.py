"""Columns of Python objects, told apart by where the objects are in memory before anybody looks at them.

pandas keeps texts as Python objects, and what reads a file makes one object for each different text. So a column of 30,000
cells has few addresses, and what is to be known about its values can be found out from one object of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_CELLS_EACH = 4
"""Cells that there must be for each address; otherwise texts are compared."""
_MOST_COMBINATIONS = 2**62


class Told(NamedTuple):
    """Cells or rows with the number of what they are; those of one number are equal."""

    number: npt.NDArray[np.int64]
    """Of each, from 0 in order of first appearance."""
    first: npt.NDArray[np.int64]
    """The first one with each number."""


def rows_told(frame: Any, names: Sequence[str]) -> Told | None:
    """The rows of a pandas frame by the values of some columns; None unless these are plain numbers and texts, none infinite.

    Missing cells of all kinds are equal.
    """
    rows, combinations = np.zeros(len(frame), dtype=np.int64), 1
    for name in names:
        cells = _values_told(frame[name])
        if cells is None:
            return None
        number, count = cells
        if combinations * count > _MOST_COMBINATIONS:
            rows, first = _told(rows)
            combinations = len(first)
        rows, combinations = rows * count + number, combinations * count
    return _told(rows)


def plain_cell(column: Any, row: int) -> Any:
    """A cell of such a column as Python has it, None where it is missing."""
    cell = column.iloc[row]
    if cell is None or cell != cell:  # noqa: PLR0124  # nan
        return None
    value = cell.item() if isinstance(cell, np.generic) else cell
    return value + 0.0 if isinstance(value, float) else value  # a table has no -0.0


def _values_told(column: Any) -> tuple[npt.NDArray[np.int64], int] | None:
    """The number of each cell's value, and how many numbers there are."""
    if not isinstance(column.dtype, np.dtype):
        # Texts of Arrow; a missing one is nan, as pandas 3 has it.
        if str(column.dtype) != "str":
            return None
        told = _told(column.array)
        return told.number, len(told.first)
    cells = column.to_numpy()
    if cells.dtype.kind != "O":
        if cells.dtype.kind not in "iubf" or (cells.dtype.kind == "f" and np.isinf(cells).any()):
            return None
        told = _told(cells)
        return told.number, len(told.first)
    told = _told(_addresses(cells))
    if len(told.first) * _CELLS_EACH > len(cells):
        if not {*map(type, cells)} <= {str, float, type(None)}:
            return None
        told = _told(cells)
    objects = cells[told.first].tolist()
    values = [None if type(one) is float and one != one else one for one in objects]  # noqa: PLR0124  # nan
    if not all(type(one) is str or one is None for one in values):
        return None
    of_value = {value: number for number, value in enumerate(dict.fromkeys(values))}
    if len(of_value) == len(values):
        return told.number, len(values)
    return np.array([of_value[value] for value in values])[told.number], len(of_value)


def _told(values: Any) -> Told:
    import pandas as pd  # whoever has a frame of it has loaded it

    number, distinct = pd.factorize(values, use_na_sentinel=False)
    first = np.empty(len(distinct), dtype=np.int64)
    first[number[::-1]] = np.arange(len(values) - 1, -1, -1)
    return Told(number.astype(np.int64, copy=False), first)


class _Addresses:
    """Shows numpy the addresses that an array of objects is made of."""

    def __init__(self, cells: npt.NDArray[np.object_]) -> None:
        self.cells = cells  # kept alive as long as the addresses are looked at
        self.__array_interface__ = {**cells.__array_interface__, "typestr": "<i8", "descr": [("", "<i8")]}


def _addresses(cells: npt.NDArray[np.object_]) -> npt.NDArray[np.int64]:
    return np.asarray(_Addresses(cells))
