"""Arrays of runs that lie one after the other, and arrays that nobody may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def starts_of(sizes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Where each of several runs of these sizes starts, and where the last one ends.

    >>> starts_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def read_only(array: Any) -> Any:
    """A view that cannot be written; the array itself stays as it is."""
    view = array.view()
    view.setflags(write=False)
    return view
