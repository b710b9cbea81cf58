"""Random numbers inside kernels: xorshift64*, for search moves only, never for anything secret."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined


@inlined
def next_uniform(state):
    """The next number in [0, 1); `state` is an array of one nonzero 64-bit word."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    return np.float64((word * np.uint64(2685821657736338717)) >> np.uint64(11)) * 2.0**-53


@inlined
def next_index(state, count):
    """A number in 0 … count - 1."""
    return int(next_uniform(state) * count)
