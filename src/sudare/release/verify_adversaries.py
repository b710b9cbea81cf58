"""Sampled adversaries of the independent verifier: drawn and counted with plain numpy, apart from the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.randomness import Randomness

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy.typing as npt

    from sudare.describe.baskets import Baskets


def draw_and_count(
    known: Baskets, left: npt.NDArray[np.bool_], longest: int, drawn: int, ratio: Fraction
) -> list[int]:
    """How many of the adversaries drawn for each length are dangerous; lengths that nobody has are left out."""
    random = Randomness()
    codes = known.codes[left]
    starts = np.concatenate([[0], np.cumsum(left)])[known.starts]
    rows = np.repeat(np.arange(len(known)), np.diff(starts))
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(known.items) + 1))
    having = [rows[order[bounds[code] : bounds[code + 1]]] for code in range(len(known.items))]
    tallies: dict[tuple[int, ...], tuple[int, npt.NDArray[np.int64]]] = {}
    dangers = []
    for length in range(1, longest + 1):
        eligible = np.flatnonzero(known.lengths >= length)
        if not len(eligible):
            break
        bad = 0
        for user in eligible[random.integers(len(eligible), drawn)]:
            own = known.codes[known.starts[user] : known.starts[user + 1]]
            chosen = tuple(sorted(own[random.permutation(len(own))[:length]].tolist()))
            if chosen not in tallies:
                tallies[chosen] = _tally(chosen, having, starts, codes, ratio)
            base, certain = tallies[chosen]
            bad += base > 0 and bool(np.isin(certain, known.sensitive_of(int(user))).any())
        dangers.append(bad)
    return dangers


def _tally(
    chosen: tuple[int, ...],
    having: list[npt.NDArray[np.int64]],
    starts: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int32],
    ratio: Fraction,
) -> tuple[int, npt.NDArray[np.int64]]:
    """(baskets with the chosen items, items that are in more than the ratio of them)."""
    rows = having[chosen[0]]
    for code in chosen[1:]:
        rows = np.intersect1d(rows, having[code], assume_unique=True)
    if not len(rows):
        return 0, np.empty(0, dtype=np.int64)
    sizes = starts[rows + 1] - starts[rows]
    places = np.arange(sizes.sum()) + np.repeat(starts[rows] - (np.cumsum(sizes) - sizes), sizes)
    items, counts = np.unique(codes[places], return_counts=True)
    certain = [
        int(item)
        for item, count in zip(items.tolist(), counts.tolist(), strict=True)
        if count * ratio.denominator > len(rows) * ratio.numerator and item not in chosen
    ]
    return len(rows), np.array(certain, dtype=np.int64)
