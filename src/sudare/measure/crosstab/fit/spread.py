"""How far an estimate can be trusted: the release is drawn again from the estimate, and estimated again.

This is a parametric bootstrap. The estimated table is used as the original; its records are randomized as the
description says, and the table is estimated from them with the same rule. The root mean square of (new - old) over the
draws is the standard error of a cell. It applies to the records of this release, not to a population they were drawn
from. What the stopping rule smoothed away cannot reappear in the draws, so the error is too low if EM was stopped
early in a table with strong peaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.contract import to_original
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.estimate import Options, estimate
from sudare.progress import SILENT, Progress
from sudare.randomness import Randomness, repeatable

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.measure.crosstab.fit.contract import Transition

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

USUAL = 12
"""Default number of draws."""
_FEWEST = 8
"""Fewer draws are not informative, so none are made."""
_MOST_WORK = 2e10
"""Maximum number of multiplications spent by default."""


@dataclass(frozen=True, eq=False)
class Spread:
    """The result of the draws."""

    error: Floats
    """Standard error of each cell, in the layout of original cells."""
    total_variation: float
    """Mean total variation between the estimates of the draws and the table they were drawn from."""
    total_variation_released: float
    """The same for the released counts of the draws, used unchanged."""


def usual_draws(transition: Transition, steps: int) -> int:
    """As many draws as take only a moment; 0 for tables with very many cells."""
    cost = 3.0 * transition.work * max(steps, 10)
    draws = int(min(USUAL, _MOST_WORK // cost))
    return draws if draws >= _FEWEST else 0


def spread_of(
    transition: Transition,
    table: Floats,
    options: Options,
    draws: int,
    seed: int | None = None,
    progress: Progress = SILENT,
) -> Spread:
    """Draw, estimate, compare."""
    # A numpy generator is enough: nothing here is secret, and it has multinomial draws.
    random = repeatable(int(Randomness(seed).bits(1)[0]))
    squares = np.zeros_like(table)
    total = max(float(table.sum()), 1.0)
    apart, apart_released = 0.0, 0.0
    progress.start("standard_errors", draws)
    for done in range(draws):
        progress.update(done)
        released = draw(transition, table, random)
        again = estimate(transition, released, options).estimate
        squares += (again - table) ** 2
        apart += float(np.abs(again - table).sum()) / (2 * total * draws)
        apart_released += _apart(to_original(released), table) / (2 * total * draws)
    return Spread(np.sqrt(squares / draws), apart, apart_released)


def _apart(released: Floats, table: Floats) -> float:
    return float(np.abs(released - table).sum()) if released.shape == table.shape else float("nan")
