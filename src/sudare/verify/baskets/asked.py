"""What a requirement of baskets in a manifest asks: every number checked, since manifests may come from others.

Part of the independent verifier. What asks for more work than can be done is refused before it is begun.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sudare.errors import shown
from sudare.rational import exact_share
from sudare.verify.finding import CannotCheckError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    import numpy.typing as npt

_MOST_SETS = 60_000_000
"""Sets of items of single baskets that are looked at one by one, in some gigabytes."""
_FEWEST_DRAWN, _MOST_DRAWN = 2_000, 10_000_000
_MOST_SHUFFLED = 1_000_000_000
"""Items of drawn baskets that are put into random order, in some minutes."""


class KmAsked(NamedTuple):
    """What k^m-anonymity asks."""

    k: int
    m: int


class RhoAsked(NamedTuple):
    """What rho-uncertainty asks."""

    rho: Fraction
    m: int | None


class Sampling(NamedTuple):
    """How adversaries are sampled."""

    eps: float
    delta: float
    drawn: int
    """Adversaries of each length: so many that a share below eps shows."""


def km_asked(requirement: Mapping[str, Any]) -> KmAsked:
    """The k and m of k^m-anonymity."""
    return KmAsked(_whole(requirement, "k"), _whole(requirement, "m"))


def rho_asked(requirement: Mapping[str, Any]) -> RhoAsked:
    """The rho of rho-uncertainty as an exact number, and its m."""
    try:
        rho = exact_share(requirement.get("rho"), "rho")
    except ValueError:
        raise CannotCheckError("share", value=shown(requirement.get("rho"))) from None
    return RhoAsked(rho, None if requirement.get("m") is None else _whole(requirement, "m"))


def sampling_asked(requirement: Mapping[str, Any]) -> Sampling | None:
    """How many adversaries are drawn, by Hoeffding's inequality; nothing where every one is looked at."""
    if requirement.get("eps") is None:
        return None
    eps, delta = _between(requirement, "eps"), _between(requirement, "delta")
    _whole(requirement, "m")
    if -math.log(delta) > 2 * eps * eps * _MOST_DRAWN:
        raise CannotCheckError("too_many_drawn", eps=shown(eps), delta=shown(delta), most=_MOST_DRAWN)
    return Sampling(eps, delta, max(_FEWEST_DRAWN, math.ceil(-math.log(delta) / (2 * eps * eps))))


def refuse_many_sets(lengths: npt.NDArray[np.int64], largest: int | None) -> None:
    """Stop where baskets of these lengths have too many sets of at most `largest` items (of any number: None)."""
    total = 0
    for length, times in zip(
        *(part.tolist() for part in np.unique(lengths, return_counts=True)), strict=True
    ):
        sets = 1
        for size in range(1, (length if largest is None else min(length, largest)) + 1):
            sets = sets * (length - size + 1) // size
            total += times * sets
            if total > _MOST_SETS:
                raise CannotCheckError("too_many_sets", longest=int(lengths.max()), most=_MOST_SETS)


def refuse_many_drawn(lengths: npt.NDArray[np.int64], longest: int, drawn: int) -> None:
    """Stop where drawing so many adversaries of each length up to `longest` is too much."""
    total = 0.0
    for length in range(1, min(longest, int(lengths.max(initial=0))) + 1):
        total += drawn * float(lengths[lengths >= length].mean())
        if total > _MOST_SHUFFLED:
            raise CannotCheckError("drawing_too_long", drawn=drawn, longest=int(lengths.max()))


def _whole(requirement: Mapping[str, Any], key: str) -> int:
    value = requirement.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CannotCheckError("not_whole", key=key, value=shown(value))
    return value


def _between(requirement: Mapping[str, Any], key: str) -> float:
    value = requirement.get(key)
    if not isinstance(value, float) or not 0 < value < 1:
        raise CannotCheckError("not_between", key=key, value=shown(value))
    return value
