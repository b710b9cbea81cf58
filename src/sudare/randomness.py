"""Randomness: the only maker of random numbers, but for the keys of pseudonyms, which are bytes of `secrets`.

The random choices of a release are a secret: who can repeat them can undo sampling, swapping or noise.
So the default draws every bit from the operating system's cryptographic generator. A seed makes runs
repeatable, for tests and experiments only; `Randomness.secure` is then False and the release says so.

Where chance only helps to search, to estimate or to make up examples there is nothing to keep secret, and the same input
should give the same answer: that is `repeatable`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from sudare.errors import ParameterError, shown

if TYPE_CHECKING:
    import numpy.typing as npt

_DOUBLE_BITS = 53
_RELEASES = 0x5D_A2E
"""Set before every seed of a release: data that were made up by numpy with the same seed have other random numbers. Noise that
repeats those of its data is no noise."""


def repeatable(*seed: int) -> np.random.Generator:
    """A generator for searches, estimates and made-up data, never for what a release hides behind."""
    return np.random.Generator(np.random.PCG64(seed[0] if len(seed) == 1 else seed))


def words_from(seed: int) -> npt.NDArray[np.uint64]:
    """The state of the random numbers inside the kernels of a search (see `sudare.kernels.core.random_words`)."""
    # Any odd multiplier spreads small seeds over the 64 bits; 0 is the one word the generator cannot leave.
    word = (seed * 0x9E3779B97F4A7C15 + 88172645463325252) % 2**64 or 1
    return np.array([word], dtype=np.uint64)


class Randomness:
    """A source of random arrays: cryptographic by default, repeatable when given a seed."""

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise ParameterError("randomness.seed", seed=shown(seed))
        self.secure = seed is None
        self._seeded = None if seed is None else np.random.PCG64((_RELEASES, seed))

    def bits(self, count: int) -> npt.NDArray[np.uint64]:
        """`count` independent uniform 64-bit words."""
        if self._seeded is None:
            return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
        return np.asarray(self._seeded.random_raw(count), dtype=np.uint64)

    def uniform(self, count: int) -> npt.NDArray[np.float64]:
        """`count` numbers uniform on the grid of 2^-53 in [0, 1)."""
        return (self.bits(count) >> np.uint64(64 - _DOUBLE_BITS)).astype(np.float64) * 2.0**-_DOUBLE_BITS

    def integers(self, high: int, count: int) -> npt.NDArray[np.int64]:
        """`count` integers uniform on 0 … high - 1, without modulo bias (out-of-range words are redrawn)."""
        limit = np.uint64(2**64 - 1 - (2**64 % high))
        words = self.bits(count)
        bad = words > limit
        if bad.any():
            words = words.copy()
        while bad.any():
            words[bad] = self.bits(int(bad.sum()))
            bad = words > limit
        return (words % np.uint64(high)).astype(np.int64)

    def permutation(self, count: int) -> npt.NDArray[np.int64]:
        """A uniform permutation of 0 … count - 1: the order of independent 64-bit keys.

        Two equal keys (probability below count^2 / 2^65) would leave a pair in row order; they are redrawn.
        """
        while True:
            keys = self.bits(count)
            order = np.argsort(keys, kind="stable")
            ranked = keys[order]
            if count < 2 or bool((ranked[1:] != ranked[:-1]).all()):
                return order.astype(np.int64)
