"""Losses of generalization: how much of each quasi-identifier is left open, how coarse the blocks are.

Rows that were left out count as fully generalized.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from sudare.assess.blocks import blocks_of
from sudare.measure.cells import cells_of
from sudare.measure.pair import pair_of

if TYPE_CHECKING:
    from sudare.measure.pair import Pair


def dis(before: Any, after: Any) -> float:
    """Distortion: mean over rows and quasi-identifiers of (levels climbed) / (height of the hierarchy).

    DIS = sum CA / (|PT| |QI|), CA = (depth(t.A) - depth(t'.A)) / |DGH_A|. A column without hierarchy counts the
    width of its ranges over the width of the column.
    """
    return _mean_cell(pair_of(before, after), "steps")


def loss(before: Any, after: Any) -> float:
    """Iyengar's loss metric, what ARX reports: mean of (leaves - 1) / (leaves of root - 1), or range widths."""
    return _mean_cell(pair_of(before, after), "leaves")


def gcp(before: Any, after: Any) -> float:
    """Global certainty penalty: mean of NCP, leaves / leaves of root (0 for a leaf), or range widths."""
    return _mean_cell(pair_of(before, after), "penalty")


def dm(before: Any, after: Any) -> float:
    """Discernibility: sum of squared block sizes, plus |table| for each row left out."""
    pair = pair_of(before, after)
    sizes = blocks_of(pair.after, pair.quasi).sizes.astype(float)
    return float((sizes**2).sum() + pair.suppressed * pair.before.rows)


def average_block(before: Any, after: Any) -> float:
    """Rows per block of the release."""
    pair = pair_of(before, after)
    return pair.after.rows / max(blocks_of(pair.after, pair.quasi).count, 1)


def suppressed(before: Any, after: Any) -> float:
    """Share of rows left out."""
    pair = pair_of(before, after)
    return pair.suppressed / max(pair.before.rows, 1)


def column_losses(before: Any, after: Any) -> dict[str, float]:
    """Iyengar's loss of each quasi-identifier by itself, rows left out counted as 1."""
    pair = pair_of(before, after)
    return {name: _column(pair, name, "leaves") for name in pair.quasi}


def _mean_cell(pair: Pair, share: Literal["steps", "leaves", "penalty"]) -> float:
    if not pair.quasi:
        return 0.0
    return sum(_column(pair, name, share) for name in pair.quasi) / len(pair.quasi)


def _column(pair: Pair, name: str, share: Literal["steps", "leaves", "penalty"]) -> float:
    open_shares = getattr(cells_of(pair, name), share)
    return float((open_shares.sum() + pair.suppressed) / max(pair.before.rows, 1))
