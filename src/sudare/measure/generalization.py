"""Losses from generalization: how much of each quasi-identifier is left open.

Rows that were left out count as fully generalized, and so do quasi-identifiers that were removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.assess.bounds.columns import weights_of
from sudare.measure.cells import cells_of
from sudare.measure.pair import pair_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudare.describe.hierarchy.shares import Objective
    from sudare.measure.pair import Pair


def dis(before: Any, after: Any) -> float:
    """Distortion: mean over rows and quasi-identifiers of (levels climbed) / (height of the hierarchy).

    DIS = sum CA / (|PT| |QI|), CA = (depth(t.A) - depth(t'.A)) / |DGH_A|. For a column without a hierarchy, the
    width of its ranges over the width of the column is used.
    """
    return _mean_cell(pair_of(before, after), "dis")


def loss(before: Any, after: Any) -> float:
    """Iyengar's loss metric, as reported by ARX: mean of (leaves - 1) / (leaves of root - 1), or range widths."""
    return _mean_cell(pair_of(before, after), "loss")


def ncp(before: Any, after: Any, weights: Mapping[str, float] | None = None) -> float:
    """Normalized certainty penalty (Xu et al.): weighted sum over rows and quasi-identifiers.

    A numeric range costs (z - y) / |A|, a hierarchy value size(u) / |A|, where size is the number of leaves below it,
    0 for a leaf. Weights default to 1; a weight of 0 leaves a column out.
    """
    pair = pair_of(before, after)
    chosen = weights_of(pair.before.names("quasi"), weights)
    return pair.before.rows * sum(weight * _column(pair, name, "ncp") for name, weight in chosen.items())


def gcp(before: Any, after: Any, weights: Mapping[str, float] | None = None) -> float:
    """Global certainty penalty: NCP over rows and total weight, in [0, 1]."""
    pair = pair_of(before, after)
    total = sum(weights_of(pair.before.names("quasi"), weights).values())
    return ncp(before, pair, weights) / (max(pair.before.rows, 1) * total) if total > 0 else 0.0


def column_losses(before: Any, after: Any) -> dict[str, float]:
    """Iyengar's loss of each quasi-identifier separately; rows left out and columns removed count as 1."""
    pair = pair_of(before, after)
    return {name: _column(pair, name, "loss") for name in pair.before.names("quasi")}


def _mean_cell(pair: Pair, objective: Objective) -> float:
    names = pair.before.names("quasi")
    return sum(_column(pair, name, objective) for name in names) / max(len(names), 1)


def _column(pair: Pair, name: str, objective: Objective) -> float:
    if name not in pair.after.frame.columns:
        return 1.0 if pair.before.rows else 0.0
    return float((cells_of(pair, name)[objective].sum() + pair.suppressed) / max(pair.before.rows, 1))
