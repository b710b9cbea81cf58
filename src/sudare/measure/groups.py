"""Measures of blocks: how coarse they are, and how well they separate classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.assess.blocks import blocks_of
from sudare.kernels.figures.attacks import best_guesses
from sudare.measure.pair import Pair, pair_of


def dm(before: Any, after: Any, k: int = 1) -> float:
    """Discernibility: sum of |E|^2 over blocks of at least k rows, |D| |E| over smaller ones.

    A row that was left out counts |D|.
    """
    pair = pair_of(before, after)
    sizes = blocks_of(pair.after, pair.quasi).sizes.astype(float)
    whole = pair.before.rows
    return float(np.where(sizes >= k, sizes**2, whole * sizes).sum() + pair.suppressed * whole)


def average_block(before: Any, after: Any) -> float:
    """Rows per block of the release."""
    pair = pair_of(before, after)
    return pair.after.rows / max(blocks_of(pair.after, pair.quasi).count, 1)


def cm(before: Any, after: Any, target: str | None = None) -> float:
    """Classification metric (Iyengar): share of rows left out or not in the majority class of their block.

    `target` is the class column; by default the first sensitive column.
    """
    pair = pair_of(before, after)
    name = pair.target(target, "class")
    codes = pair.after.codes(name)
    blocks = blocks_of(pair.after, pair.quasi)
    majority = best_guesses(codes.codes, codes.count, *blocks.grouped, 0) * blocks.sizes
    outvoted = pair.after.rows - float(majority.sum())
    return (outvoted + pair.suppressed) / max(pair.before.rows, 1)


def entropy_loss(before: Any, after: Any) -> float:
    """(H(X) - H(X')) / H(X) of the combinations of quasi-identifiers; 0 if H(X) = 0."""
    pair = pair_of(before, after)
    whole = _entropy(blocks_of(pair.before).sizes)
    return (whole - _entropy(blocks_of(pair.after, pair.quasi).sizes)) / whole if whole > 0 else 0.0


def suppressed(before: Any, after: Any) -> float:
    """Share of rows left out."""
    pair: Pair = pair_of(before, after)
    return pair.suppressed / max(pair.before.rows, 1)


def _entropy(sizes: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    shares = sizes / max(sizes.sum(), 1)
    return float(-(shares * np.log(shares)).sum())
