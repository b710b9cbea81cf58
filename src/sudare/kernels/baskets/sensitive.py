"""Which items are sensitive for which user, in a form that kernels can query quickly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sudare.arrays import read_only
from sudare.kernels.core.jit import inlined, lean

_MOST_BYTES = 2**29


class Asking(NamedTuple):
    """Sensitive items: common to all users, or for each user as bits, or as sorted lists if bits take too much room."""

    common: np.ndarray
    """A Boolean for each item; empty if users have their own sets."""
    bits: np.ndarray
    """One row of words for each user; empty if unused."""
    starts: np.ndarray
    codes: np.ndarray


def asking_for_all(items: int, codes: Any) -> Asking:
    """One set for all users."""
    common = np.zeros(items + 1, dtype=np.bool_)
    common[codes] = True
    none = np.zeros(0, dtype=np.int64)
    return Asking(
        read_only(common),
        read_only(np.zeros((0, 1), np.uint64)),
        read_only(none),
        read_only(none.astype(np.int32)),
    )


def asking_for_each(items: int, starts: Any, codes: Any) -> Asking:
    """A set for each user: ascending codes from starts[u] to starts[u + 1]."""
    words = items // 64 + 1
    users = len(starts) - 1
    bits = np.zeros((users if users * words * 8 <= _MOST_BYTES else 0, words), dtype=np.uint64)
    if len(bits):
        _set_bits(read_only(starts), read_only(codes), bits)
    # Views of one type, whatever the caller's arrays are, so that kernels are compiled only once.
    return Asking(
        read_only(np.zeros(0, dtype=np.bool_)), read_only(bits), read_only(starts), read_only(codes)
    )


@lean
def _set_bits(starts, codes, bits):
    for user in range(len(starts) - 1):
        for place in range(starts[user], starts[user + 1]):
            bits[user, codes[place] >> 6] |= np.uint64(1) << np.uint64(codes[place] & 63)


@inlined
def first_from(codes, start, end, code):
    """First position in an ascending stretch whose code is not smaller, or the end of the stretch."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def find(codes, start, end, code):
    """Position of a code in an ascending stretch, or -1."""
    place = first_from(codes, start, end, code)
    return place if place < end and codes[place] == code else -1


@inlined
def is_sensitive(asking, user, code):
    """Whether an item is sensitive for a user."""
    if len(asking.common) > 0:
        return asking.common[code]
    if len(asking.bits) > 0:
        return (asking.bits[user, code >> 6] >> np.uint64(code & 63)) & np.uint64(1) != 0
    return find(asking.codes, asking.starts[user], asking.starts[user + 1], code) >= 0
