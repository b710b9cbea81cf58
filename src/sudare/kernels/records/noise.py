"""Bounded Laplace noise by the inverse CDF: the arithmetic around the exponentials.

Exponentials and logarithms themselves are left to numpy, which computes eight at a time if the processor can; numba has
only scalar ones. The caller works in blocks that stay in the cache:

    start_distances -> exp, expm1 -> signed_masses -> log1p, log -> place_released
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel


@kernel
def start_distances(values, scale, low, high, distances):
    """Negative distance of each value to the nearer end of the range, in units of the scale."""
    for row in range(len(values)):
        distances[row] = -min(values[row] - low, high - values[row]) / scale


@kernel
def signed_masses(kept, lost, words, whole, signs, masses, tails):
    """Mass between each value and its released value, doubled and negative; the rest of 1; and, separately, the side.

    With distances a to the nearer and b to the farther end in units of the scale (`kept = exp(-a)`,
    `lost = kept - 1`), the doubled masses on the two sides of the value are `1 - exp(-a)` and `1 - exp(-b)`. Since a +
    b = `whole` for all rows, `exp(-b) = exp(-whole) / exp(-a)` saves an exponential; for a < log 2 it is computed from
    what is lost, so that no digits are lost if the noise is much wider than the range. The rest (`tails`) is counted
    from the end of the range, so that none are lost if it is much narrower. Sign 1: on the side of the farther end.
    """
    whole_exp, whole_lost = np.exp(-whole), np.expm1(-whole)
    least = whole_exp + 1e-300
    for row in range(len(kept)):
        near_tail, near = kept[row], -lost[row]
        far_tail = whole_exp / max(near_tail, least)
        wide = (lost[row] - whole_lost) / max(near_tail, 0.25)
        far = wide if near_tail > 0.5 else 1.0 - far_tail
        uniform = np.float64(words[row] >> np.uint64(11)) * 2.0**-53
        # Compute both sides and choose one: a branch would be mispredicted for every second row.
        from_near, from_far = uniform * (near + far), (1.0 - uniform) * (near + far)
        on_near = from_near < near
        signs[row] = -1.0 if on_near else 1.0
        masses[row] = -abs(from_near - near)
        tails[row] = near_tail + from_near if on_near else far_tail + from_far


@kernel
def place_released(values, wide, narrow, signs, scale, low, high, released):
    """Released numbers, `-s log(1 - mass)` away from each value and never outside the range.

    The logarithm is `log1p(-mass)` (`wide`) up to a mass of a half, beyond that the log of the rest (`narrow`).
    """
    middle = 0.5 * low + 0.5 * high
    for row in range(len(values)):
        value = values[row]
        logarithm = wide[row] if wide[row] > -0.7 else narrow[row]
        inwards = signs[row] if value <= middle else -signs[row]
        released[row] = min(max(value - inwards * scale * logarithm, low), high)
