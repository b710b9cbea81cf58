"""How far EM may go below the misfit of chance: rehearsed on releases whose original is known.

A good estimate of a table with many records in each cell fits its release better than the true table does, because it
was fitted to it; by how much depends on the noise, the cells and the records. So it is tried out: the estimate is taken
for an original, a release is drawn from it, and EM is run on that release far beyond the usual place to stop. Where its
total variation from the known original is least, its G^2 lies some standard deviations below that of the known
original: so many are allowed on the real release. The true table's own G^2 is known to about one deviation only, so a
level is taken up only when it is five or more below chance and the rehearsals gain by it; elsewhere, as with few
records, the usual rule stays. The
estimate that the rehearsal starts from is too smooth if anything, so the level found is on the cautious side; a second
round starts from the better estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.iterate import deviations_of, iterate
from sudare.randomness import repeatable

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from sudare.measure.crosstab.fit.contract import Transition
    from sudare.measure.crosstab.fit.iterate import Iterated, Place

    Floats = npt.NDArray[np.float64]

_ROUNDS, _DRAWS = 2, 2
_BELOW = -5.0
"""Standard deviations of G^2: what is nearer to chance cannot be told from it."""
_GAIN = 0.97
"""Less than that is not worth the risk: the total variation at the level over that at the usual one, in the rehearsals."""
_LITTLE = 0.5
"""Deviations that are not worth another run."""
_NEAR = 1.005
"""The first place whose total variation is that near to the least is as good, and smoother."""
_LIMIT = 1_000
_MOST_WORK = 4e9
"""Multiplications of a rehearsal; larger tables keep the usual rule."""


def rehearsed(
    transition: Transition,
    released: Floats,
    found: Iterated,
    begin: Callable[[Floats], Floats],
    limit: int,
) -> Iterated:
    """The estimate at the level that was best in rehearsals, or `found` where none is better.

    `begin` gives the start of EM for a release, as it was for `found`.
    """
    if released.sum() < transition.cells or 600.0 * transition.work > _MOST_WORK:
        return found
    # Any fixed seed: nothing here is secret, and the same release must give the same table.
    random = repeatable(0)
    for _ in range(_ROUNDS):
        tries = [
            _best_level(transition, found.estimate, begin, random, found.deviations) for _ in range(_DRAWS)
        ]
        level, gain = (float(mean) for mean in np.mean(tries, axis=0))
        if level > _BELOW or level > found.deviations - _LITTLE or gain > _GAIN:
            break
        found = iterate(transition, released, found.estimate, deviations=level, limit=limit, before=found)
    return found


def _best_level(
    transition: Transition,
    original: Floats,
    begin: Callable[[Floats], Floats],
    random: np.random.Generator,
    usual: float,
) -> tuple[float, float]:
    """Deviations of G^2 from that of the known original where EM is nearest to it, and its distance there over that at the usual level."""
    released = draw(transition, original, random)
    own = deviations_of(released, transition.forward(original))
    levels, apart = [], []

    def visit(at: Place) -> None:
        levels.append(deviations_of(released, at.u) - own)
        apart.append(float(np.abs(at.x - original).sum()))

    iterate(transition, released, begin(released), deviations=-np.inf, limit=_LIMIT, visit=visit)
    near = int(np.flatnonzero(np.array(apart) <= _NEAR * min(apart))[0])
    stop = next((place for place, level in enumerate(levels) if level <= usual), len(levels) - 1)
    return levels[near], apart[near] / max(apart[stop], 1e-300)
