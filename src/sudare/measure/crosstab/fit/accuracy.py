"""How far the original may be from the estimate: one rehearsal gives the limit, the intervals and the standard errors.

A release is drawn again from a known table and estimated again, with the same rule; the error is then known. Drawing
only from the estimate (a parametric bootstrap) claims too much: the estimate is smooth, so its own releases are easy to
rebuild, and what smoothing removed cannot reappear. The original is not the estimate, but some table that explains the
release. So tables that explain it are looked for from starts that lie far away in all directions:

    rough          the estimate with heavy-tailed random factors in every cell
    tilted         the estimate with large random factors for every value of every attribute
    sparse         most cells nearly empty, wherever they are
    single cells   all records in one of the cells that would explain the release best alone, or in two cells

EM moves each only until chance alone would produce a G^2 as large once in twenty times. For a column of wide bins this
is asked of its pieces. They are many, and the noise hides most of what they could be, so G^2 alone would let pass nearly
everything; they must also be nearly as likely as the most likely ones: as near as originals are in releases drawn from
the estimate. Releases are then drawn from some of these tables too. The figures cover everything that was seen:

    limit          largest total variation of these tables from the estimate, and of a drawn release's estimate from the
                   table it was drawn from, times `_ROOM`
    low, high      per cell, the same: values of these tables, and the estimate minus the errors of the draws

The estimate explains the release like the other tables, so it is inside its intervals. `benchmarks/crosstab_coverage.py`
measures how often they, and the limit, include the original. The standard error is the root mean square of the errors
of releases that were drawn from the estimate.

The extremes of a handful of random tables vary from one rehearsal to the next. Looking at more tables at once would
widen the intervals without end, so the rehearsal is repeated in rounds of the same size and the figures are the means
over the rounds. The random numbers are derived from the released counts unless a seed chooses others: nothing here is
secret, and the same release gives the same intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.contract import Transition, to_original
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.estimate import NO_PIECES, Options, estimate_again
from sudare.measure.crosstab.fit.guard import whole
from sudare.measure.crosstab.fit.iterate import Iterated, iterate
from sudare.measure.crosstab.fit.misfit import misfit
from sudare.progress import SILENT, Progress
from sudare.randomness import Randomness, repeatable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from sudare.measure.crosstab.fit.pieces import Pieces

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

ROUND = 12
"""Draws from the estimate in one round, and as many from the other tables."""
USUAL = 3 * ROUND
"""Default number of draws: three rounds."""
_FEWEST = 8
"""Fewer draws are not informative, so none are made."""
_MOST_WORK = 2e10
"""Maximum number of multiplications spent by default on a single round."""
_CHEAP_WORK = 4e9
"""The same for all rounds, where there are more than one."""
_KINDS = 6
_TABLES = 4 * _KINDS
"""Tables that may be the original."""
_LEVEL = 1.645
"""Standard deviations of G^2 above its expected size that chance exceeds once in twenty times."""
_LEVEL_DRAWS, _LEVEL_ROOM, _BEST_STEPS = 8, 1.0, 400
"""For columns of wide bins: draws, factor and steps of EM when looking for the largest difference in G^2."""
_STEPS = 300
_ROOM = 1.05
"""The tables seen are not all there are; chosen by measurement, on other tables than those reported."""
_TAIL, _SPARSE = 0.2, 0.03
"""Shapes of gamma distributions: of factors in rough tables, and of cells in sparse ones."""
_TILT = 2.0
"""Standard deviation of the logarithm of the factors of tilted tables."""
_LITTLE = 1e-6


@dataclass(frozen=True, eq=False)
class Accuracy:
    """The result of the rehearsal; arrays are in the layout of original cells."""

    error: Floats
    """Standard error of each cell."""
    low: Floats
    high: Floats
    """Interval of each cell."""
    limit: float
    """Total variation between the estimate and the original that is not exceeded, with 95 % confidence."""
    limit_released: float
    """The same for the released counts."""


@dataclass(frozen=True, eq=False)
class Plausible:
    """A table that may be the original."""

    table: Floats
    transition: Transition
    """Its matrices: those of wide bins depend on where in the bins its records are."""
    weights: Mapping[int, Floats]
    """Its columns of wide bins on their pieces."""


def usual_draws(transition: Transition, steps: int) -> int:
    """As many draws as take only a moment; 0 for tables with very many cells."""
    cost = 6.0 * transition.work * max(steps, 10)
    draws = int(min(ROUND, _MOST_WORK // cost))
    if draws < ROUND:
        return draws if draws >= _FEWEST else 0
    rounds = _CHEAP_WORK // (ROUND * cost + 2.0 * _TABLES * _STEPS * transition.work)
    return ROUND * int(min(max(rounds, 1), USUAL // ROUND))


def accuracy_of(
    transition: Transition,
    released: Floats,
    found: Iterated,
    options: Options,
    draws: int,
    *,
    pieces: Mapping[int, Pieces] = NO_PIECES,
    seed: int | None = None,
    progress: Progress = SILENT,
) -> Accuracy:
    """Look for tables that may be the original, draw releases, estimate again, compare; in rounds, and average.

    Without a `seed`, the random numbers are derived from the released counts.
    """
    # A numpy generator is enough: nothing here is secret, and it has multinomial draws.
    random = repeatable(int(Randomness(_seed_of(released) if seed is None else seed).bits(1)[0]))
    fixed = replace(options, deviations=found.deviations, guard=False, kept=found.kept)
    progress.start("standard_errors", 2 * draws)
    rounds = np.array_split(np.arange(draws), max(draws // ROUND, 1))
    seen = [_round(transition, released, found, fixed, places, pieces, random, progress) for places in rounds]
    most = released.reshape(len(released), -1).sum(axis=1)
    return Accuracy(
        np.sqrt(sum(one.squares for one in seen) / max(draws, 1)),
        np.clip(np.mean([one.low for one in seen], axis=0), 0.0, most),
        np.clip(np.mean([one.high for one in seen], axis=0), 0.0, most),
        min(_ROOM * float(np.mean([one.farthest for one in seen])), 1.0),
        min(_ROOM * float(np.mean([one.farthest_released for one in seen])), 1.0),
    )


@dataclass(frozen=True, eq=False)
class _Round:
    """What one rehearsal saw."""

    squares: Floats
    """Sum of the squared errors of the releases that were drawn from the estimate."""
    low: Floats
    high: Floats
    farthest: float
    farthest_released: float


def _round(
    transition: Transition,
    released: Floats,
    found: Iterated,
    options: Options,
    places: npt.NDArray[np.int_],
    pieces: Mapping[int, Pieces],
    random: np.random.Generator,
    progress: Progress,
) -> _Round:
    """One rehearsal; `places` are those of its draws among all."""
    table, counts, draws = found.estimate, to_original(released), len(places)
    own = Plausible(table, transition, {place: column.weights for place, column in pieces.items()})
    others = plausible_tables(transition, released, table, pieces, random)
    others.sort(key=lambda other: -_apart(other.table, table))
    low, high = table.copy(), table.copy()
    for other in others:
        low, high = np.minimum(low, other.table), np.maximum(high, other.table)
    farthest = max((_apart(other.table, table) for other in others), default=0.0)
    farthest_released = max((_apart(other.table, counts) for other in others), default=0.0)
    squares = np.zeros_like(table)
    # The farthest tables, then the nearer ones: each once, and from the start again if there are more draws.
    drawn_from = [own] * draws + [others[number % len(others)] for number in range(draws)]
    begun = 2 * int(places[0]) if draws else 0
    for done, origin in enumerate(drawn_from, begun):
        progress.update(done)
        original = whole(origin.table, random)
        again_released = draw(origin.transition, original, random)
        again = estimate_again(transition, again_released, options, pieces, origin.weights, random)
        error = again - original
        low, high = np.minimum(low, table - error), np.maximum(high, table - error)
        farthest = max(farthest, _apart(again, original))
        farthest_released = max(farthest_released, _apart(to_original(again_released), original))
        if origin is own:
            squares += error**2
    # A count is at least 0 and at most all records of its exact cell: before the means, which extremes would shift.
    most = released.reshape(len(released), -1).sum(axis=1)
    return _Round(squares, np.clip(low, 0.0, most), np.clip(high, 0.0, most), farthest, farthest_released)


def _seed_of(released: Floats) -> int:
    """The same for the same released counts."""
    shape = ",".join(map(str, released.shape))
    content = np.ascontiguousarray(released).astype("<f8").tobytes()
    return int.from_bytes(sha256(shape.encode() + content).digest()[:8], "little")


def plausible_tables(
    transition: Transition,
    released: Floats,
    table: Floats,
    pieces: Mapping[int, Pieces],
    random: np.random.Generator,
) -> list[Plausible]:
    """Tables that explain the release, from starts far from the estimate `table`."""
    alone = len(transition.matrices) == 1 and transition.exact == 1
    likely = _likely_cells(transition, released)
    likely_pieces = {
        place: _likely_cells(column.alone, column.counts[None, :]) for place, column in pieces.items()
    }
    levels = {place: _level_of(column, random) for place, column in pieces.items()}
    found = []
    for number in range(_TABLES):
        weights = {
            place: _explaining(
                column.alone,
                column.counts[None, :],
                _start(number, column.weights[:, None], likely_pieces[place], random, column.original_bin),
                levels[place],
            ).ravel()
            for place, column in pieces.items()
        }
        matrices = list(transition.matrices)
        for place, column in pieces.items():
            matrices[place] = column.binned(weights[place])
        own = Transition(tuple(matrices), transition.exact)
        if alone and pieces:
            found.append(Plausible(pieces[0].summed(weights[0])[:, None], own, weights))
        else:
            start = _start(number, table, likely, random)
            found.append(Plausible(_explaining(own, released, start), own, weights))
    return found


def _level_of(column: Pieces, random: np.random.Generator) -> float:
    """How far above the expected G^2 the pieces of a column may be, in standard deviations.

    The original is less likely than the most likely pieces by an amount that depends on how much the noise leaves to
    see. It is rehearsed: the largest one in releases drawn from the estimate is allowed, with some room.
    """
    even = np.ones(column.alone.original_shape)

    def best(counts: Floats) -> Iterated:
        return iterate(column.alone, counts, even, stop="none", limit=_BEST_STEPS)

    less = 0.0
    for _ in range(_LEVEL_DRAWS):
        original = whole(column.weights[:, None], random)
        counts = draw(column.alone, original, random)
        present, expected = counts > 0, column.alone.forward(original)
        less = max(less, misfit(counts[present], expected[present]) - best(counts).misfit)
    most_likely = best(column.counts[None, :])
    usual = max(most_likely.expected, 1.0)
    return min((most_likely.misfit + _LEVEL_ROOM * less - usual) / math.sqrt(2.0 * usual), _LEVEL)


def _explaining(transition: Transition, released: Floats, start: Floats, level: float = _LEVEL) -> Floats:
    """The first table on EM's path from this start that explains the release."""
    exact = transition.exact
    records = released.reshape(exact, -1).sum(axis=1)
    start = start * (records / np.maximum(start.reshape(-1, exact).sum(axis=0), 1e-300))
    return iterate(transition, released, start, deviations=level, settle=-np.inf, limit=_STEPS).estimate


def _start(
    number: int,
    table: Floats,
    likely: Integers,
    random: np.random.Generator,
    bins: Integers | None = None,
) -> Floats:
    """A start far from the estimate; `bins` are those of a column's pieces, which are tilted together."""
    smooth = table + 0.01 * table.mean() + 1e-9
    kind, turn = number % _KINDS, number // _KINDS
    if kind == 0:
        return np.asarray(smooth * (random.gamma(_TAIL, size=table.shape) + 1e-9))
    if kind == 1:
        return np.asarray(smooth * np.exp(random.normal(0.0, _TILT, size=table.shape)))
    if kind == 2:
        return _tilted(smooth, random, bins)
    if kind == 3:
        return np.asarray(random.gamma(_SPARSE, size=table.shape) + 1e-9)
    cells, exact = likely.shape
    columns = np.arange(exact)
    start = np.full((cells, exact), _LITTLE)
    if kind == 4:
        start[likely[min(turn, cells - 1)], columns] = 1.0
    else:
        start[likely[random.integers(max(cells // 4, 1))], columns] = 1.0
        start[likely[random.integers(max(cells // 2, 1))], columns] += random.random()
    return start.reshape(table.shape)


def _tilted(smooth: Floats, random: np.random.Generator, bins: Integers | None) -> Floats:
    if bins is not None:
        factors = np.exp(random.normal(0.0, _TILT, size=int(bins.max()) + 1))
        return np.asarray(smooth * factors[bins][:, None])
    for axis in range(smooth.ndim - 1):
        shape = [1] * smooth.ndim
        shape[axis] = -1
        smooth = smooth * np.exp(random.normal(0.0, _TILT, size=smooth.shape[axis])).reshape(shape)
    return smooth


def _likely_cells(transition: Transition, released: Floats) -> Integers:
    """For each exact cell, the original cells by how well each alone would explain the release, best first."""
    chances = np.zeros(transition.original_shape)
    for place, matrix in enumerate(transition.matrices):
        others = tuple(axis for axis in range(1, released.ndim) if axis != place + 1)
        part = released.sum(axis=others) @ np.log(np.maximum(matrix, 1e-12))
        shape = [1] * chances.ndim
        shape[place], shape[-1] = matrix.shape[1], transition.exact
        chances = chances + part.T.reshape(shape)
    return np.argsort(-chances.reshape(-1, transition.exact), axis=0, kind="stable")


def _apart(one: Floats, other: Floats) -> float:
    """Total variation."""
    if one.shape != other.shape:
        return float("nan")
    return float(np.abs(one - other).sum()) / 2.0 / max(float(other.sum()), 1.0)
