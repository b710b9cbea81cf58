"""Bounds for every release: what any algorithm must lose, how many blocks it can form, and how small they can be.

- `k_bound`, `l_bound`, `lower_bound`: least information loss
- `max_blocks`, `min_largest_block`, `feasible`, `largest_feasible_l`: from the sensitive counts alone

Paper: suitability to l-diversity (Muramoto, Kamidoi, Wakabayashi 2011), Lemmas 1 and 2, Theorem 1, Corollary 1.
"""

from sudare.assess.bounds.distortion import (
    Bound,
    feasible,
    k_bound,
    l_bound,
    largest_feasible_l,
    lower_bound,
    max_blocks,
    min_largest_block,
)

__all__ = [
    "Bound",
    "feasible",
    "k_bound",
    "l_bound",
    "largest_feasible_l",
    "lower_bound",
    "max_blocks",
    "min_largest_block",
]
