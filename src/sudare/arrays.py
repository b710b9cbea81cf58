"""Consecutive runs in one array, and read-only arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def starts_of(sizes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """The start of each of several consecutive runs of these sizes, and the end of the last one.

    >>> starts_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def read_only(array: Any) -> Any:
    """A read-only view; the array itself is unchanged."""
    view = array.view()
    view.setflags(write=False)
    return view
