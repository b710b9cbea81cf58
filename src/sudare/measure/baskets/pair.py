"""Baskets before and after, basket by basket: the input of every measure of baskets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.describe.baskets.baskets import Baskets
from sudare.errors import DescriptionError
from sudare.read.baskets.codes import BasketCodes, merged

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class BasketPair:
    """The original and the released baskets, in the same order, with one list of items."""

    before: Baskets
    after: Baskets

    @cached_property
    def kept(self) -> npt.NDArray[np.int64]:
        """Number of items of each original basket that are still in it."""
        still = np.intersect1d(self._keys(self.before), self._keys(self.after), assume_unique=True)
        still //= max(len(self.before.items), 1)
        return np.bincount(still, minlength=len(self.before)).astype(np.int64)

    def _keys(self, baskets: Baskets) -> npt.NDArray[np.int64]:
        """A number for each entry: equal for the same item in the same basket."""
        return baskets.owners * max(len(self.before.items), 1) + baskets.codes


def basket_pair(before: Any, after: Any) -> BasketPair:
    """Pair two lists of baskets, as `Baskets`, lists of sets, or a release.

    Basket b of the release is what is left of basket b of the original; items are identified by name.
    """
    if isinstance(after, BasketPair):
        return after
    original, released = baskets_of(before), baskets_of(after)
    if len(original) != len(released):
        raise DescriptionError("measure.baskets.number", before=len(original), after=len(released))
    if original.items == released.items:
        return BasketPair(original, released)
    names = tuple(dict.fromkeys((*original.items, *released.items)))
    code = {name: place for place, name in enumerate(names)}
    return BasketPair(_renamed(original, names, code), _renamed(released, names, code))


def baskets_of(given: Any) -> Baskets:
    """Baskets, given as such, as a release, or as lists."""
    if isinstance(given, Baskets):
        return given
    held = getattr(given, "released", getattr(given, "baskets", given))
    if isinstance(held, Baskets):
        return held
    if isinstance(held, str) or not isinstance(held, Iterable):
        raise DescriptionError("measure.baskets.not_baskets", kind=type(given).__name__)
    return Baskets.from_lists(held)


def _renamed(baskets: Baskets, names: tuple[Any, ...], code: dict[Any, int]) -> Baskets:
    """The baskets with codes from another list of items; sensitive items are ignored here."""
    new = np.array([code[item] for item in baskets.items], dtype=np.int32)
    codes = new[baskets.codes] if len(baskets.items) else baskets.codes
    coded = BasketCodes(names, *merged(baskets.lengths, codes, len(names)))
    return Baskets(coded, ids=baskets.ids, given_as=baskets.given_as)
