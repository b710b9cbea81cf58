"""The arguments of the item suppression kernels: the remaining entries, the supports, the choice, the work space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Entries(NamedTuple):
    """The entries of all baskets, basket by basket, and which of them remain."""

    alive: npt.NDArray[np.bool_]
    """Whether each entry remains."""
    owner: npt.NDArray[np.int32]
    """Basket of each entry."""
    counts: npt.NDArray[np.int64]
    """Remaining entries of each item."""
    original: npt.NDArray[np.float64]
    """Original number of entries of each item."""
    total: npt.NDArray[np.int64]
    """Two numbers: remaining entries, original entries."""


class Supports(NamedTuple):
    """What is known about each subset while entries are removed."""

    support: npt.NDArray[np.int32]
    """Number of baskets that still contain it."""
    dirty: npt.NDArray[np.bool_]
    """Whether it became rarer since it was last checked."""


class Choice(NamedTuple):
    """How to choose an item, and the baskets from which it is removed."""

    rule: int
    """PAPER or EVEN of `sudare.kernels.baskets.suppress`."""
    evenness: float
    words: npt.NDArray[np.uint64]
    """Random words, one per removal."""
    used: npt.NDArray[np.int64]
    """One number: the words used so far."""


class Scratch(NamedTuple):
    """Work space for the subsets of one basket and for the baskets of one subset."""

    walk: npt.NDArray[np.int64]
    found: npt.NDArray[np.int32]
    """Subsets that contain an entry."""
    rows: npt.NDArray[np.int32]
    """Baskets that contain a subset."""


def scratch_of(baskets: int, longest: int, width: int) -> Scratch:
    """Room for baskets of at most `longest` items and subsets of at most `width`."""
    most, one = 1, 1
    for size in range(1, width):
        one = one * (longest - size) // size
        most += max(one, 0)
    return Scratch(
        np.zeros((5, max(longest, width) + 2), dtype=np.int64),
        np.empty(most + 1, dtype=np.int32),
        np.empty(baskets + 1, dtype=np.int32),
    )
