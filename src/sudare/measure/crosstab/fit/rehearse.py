"""How far EM may go below the misfit of chance: rehearsed on releases whose original is known.

A good estimate of a table with many records in each cell fits its release better than the true table does, because it
was fitted to it; by how much depends on the noise, the cells and the records. So it is tried out: the estimate is used
as an original, a release is drawn from it, and EM runs on that release far beyond the usual stopping point. Where its
total variation from the known original is least, its G^2 lies some standard deviations below that of the known
original; the same number is allowed on the real release. The true table's own G^2 is known only to about one
deviation, so a level is adopted only if it is five or more below chance and the rehearsals gain from it; otherwise, as
with few records, the usual rule stays. The estimate that the rehearsal starts from is too smooth if anything, so the
level found is conservative; a second round starts from the better estimate.
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
"""Standard deviations of G^2: anything nearer to chance cannot be distinguished from it."""
_GAIN = 0.97
"""Total variation at the level over that at the usual one, in the rehearsals; a smaller gain is not worth the risk."""
_LITTLE = 0.5
"""A difference in deviations that is not worth another run."""
_NEAR = 1.005
"""The first place with a total variation this close to the least is as good, and smoother."""
_LIMIT = 1_000
_MOST_WORK = 4e9
"""Maximum number of multiplications in a rehearsal; larger tables keep the usual rule."""


def rehearsed(
    transition: Transition,
    released: Floats,
    found: Iterated,
    begin: Callable[[Floats], Floats],
    limit: int,
) -> Iterated:
    """The estimate at the level that was best in rehearsals, or `found` if none is better.

    `begin` gives the start of EM for a release, as for `found`.
    """
    if released.sum() < transition.cells or 600.0 * transition.work > _MOST_WORK:
        return found
    # Any fixed seed will do: nothing here is secret, and the same release must give the same table.
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
    """Where EM is nearest to the known original: its G^2 and its distance.

    G^2 is in deviations from that of the known original, the distance relative to that at the usual level.
    """
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
