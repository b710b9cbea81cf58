"""No worse than the released counts, on average over the noise: rehearsed before the estimate is returned.

With weak noise, or with few records, the released counts may be nearer to the original than any estimate: the
released counts of 30 records of which none was replaced are exact, and a smooth table is not. G^2 does not show
whether this is the case. So it is tried out on known tables that may be the original:

    the estimate             the original is smooth
    the released counts      it is as flat, and as rough, as the release; if these counts, randomized again, would not
                             explain the release, the first of the steps below that does
    a sharpened table        16 steps of EM from the released counts, if they explain the release: it is rougher,
                             because noise has flattened it
    a rough table            EM from a start of heavy-tailed random factors, until it explains the release: it has
                             peaks that the noise hides

Records are drawn from each (except for counts that are already integers), randomized, and tabulated in
several ways: unchanged, by 1, 2, 4 … 512 steps of EM from the released counts (as many as there is time for, and more if none
of these explains the release), and by the estimate. A way qualifies if it explains the release and its mean total
variation, plus one standard error, is at most that of the released counts for *every* one of these tables. The qualifying way that
is best on average is used. If none qualifies, the fewest steps that explain the release are used, which means the
released counts unchanged if they may be the original. (A rehearsal from a smooth estimate alone would favor
smoothing.) The constants were chosen by measurement (benchmarks/crosstab_stopping.py, even seeds).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.contract import to_original
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.iterate import EXPLAINED, deviations_of, iterate
from sudare.randomness import repeatable

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from sudare.measure.crosstab.fit.contract import Transition
    from sudare.measure.crosstab.fit.iterate import Iterated

    Floats = npt.NDArray[np.float64]

_FEW_STEPS, _MANY_STEPS = 32, 512
"""EM steps from the released counts up to which tables are examined, at each power of two: at least, and at most."""
_STEPS_WORK = 4e8
"""Multiplications that all rehearsals together may take for more than the fewest steps."""
_SHARP = 16
_PREFERRED = 0.95
"""The estimate has the same margins in every table, so steps must be better by this factor to be used instead."""
_TAIL = 0.2
"""Shape of the gamma distribution of the rough table's factors."""
_ROUGH_STEPS = 60
_DRAWS = ((4, 1.2e8), (2, 4e9))
"""Draws from each table, and the maximum multiplications for them; beyond, with many cells, one draw is enough."""
_LARGE = 2e10
"""Multiplications beyond which only the first two tables and fewer steps are rehearsed."""
_LARGE_STEPS = 8
_MORE_STEPS, _MORE_WORK = 512, 2e8
"""Maximum steps, and multiplications, to try if the usual ones do not explain the release."""
_LEAST = 1e-9


@dataclass(frozen=True)
class Chosen:
    """The result of the rehearsals."""

    kept: int | None
    """Steps of EM from the released counts, 0 for none; None for the estimate."""
    worst: float | None
    """Largest total variation of the estimate over that of the released counts, among the rehearsed tables."""


def early_steps(transition: Transition, released: Floats, last: int = _FEW_STEPS) -> dict[int, Floats]:
    """The released counts (0), and the result of plain EM from them after 1, 2, 4 … and `last` steps."""
    x = to_original(released)
    found = {0: x}
    for step in range(1, last + 1):
        expected = transition.forward(x)
        ratio = np.divide(released, expected, out=np.zeros_like(released), where=expected > 0)
        x = x * transition.backward(ratio)
        if step & (step - 1) == 0 or step == last:
            found[step] = x
    return found


def choose(
    transition: Transition,
    released: Floats,
    found: Iterated,
    again: Callable[[Floats, np.random.Generator], Floats],
    *,
    known: bool = True,
) -> Chosen:
    """Which table to return; `again` estimates another release as `found` was estimated from this one.

    Unless the matrices are `known`, as those of wide bins are not, steps from the released counts are left out: a
    rehearsal would give them the matrices for nothing.
    """
    cells = transition.released_shape[1:]
    if released.sum() < 1 or cells != transition.original_shape[:-1]:
        return Chosen(None, None)
    # Any fixed seed will do: nothing here is secret, and the same release must give the same table.
    random = repeatable(1)
    cost = 4.0 * transition.work * (2.0 * _FEW_STEPS + 3.0 * max(found.steps, 10))
    draws = next((count for count, most in _DRAWS if count * cost <= most), 1)
    last = _FEW_STEPS if cost <= _LARGE else _LARGE_STEPS
    while last < _MANY_STEPS and 4.0 * draws * transition.work * 4.0 * last <= _STEPS_WORK:
        last *= 2
    early = early_steps(transition, released, last)
    # If noise is strong, few steps do not lead to a table that may be the original.
    most = min(_MORE_STEPS, int(_MORE_WORK / (64.0 * transition.work)))
    while last < most and not _explains(transition, released, early[last]):
        last *= 2
        early = early_steps(transition, released, last)
    explaining = {step: _explains(transition, released, table) for step, table in early.items()}
    flattest = _flattest(transition, released, early, explaining)
    tables = [flattest, found.estimate]
    if cost <= _LARGE:
        sharp = early[_SHARP] if explaining[_SHARP] else flattest
        tables += [sharp, _rough(transition, released, found, random)]

    def distances(table: Floats) -> list[float]:
        """Distances from an original: of a release drawn from it, of each mark, and of the estimate."""
        original = whole(table, random)
        counts = draw(transition, original, random)
        ways = [*early_steps(transition, counts, last).values(), again(counts, random)]
        return [float(np.abs(way - original).sum()) for way in ways]

    tried = np.array([[distances(table) for _ in range(draws)] for table in tables])
    if known:
        return _best(tried, explaining)
    best = _best(tried[:, :, [0, -1]], {0: explaining[0]})
    return best if explaining[0] else Chosen(None, best.worst)


def _explains(transition: Transition, released: Floats, table: Floats) -> bool:
    """Whether the release may come from this table."""
    return deviations_of(released, transition.forward(table)) <= EXPLAINED


def _flattest(
    transition: Transition, released: Floats, early: dict[int, Floats], explaining: dict[int, bool]
) -> Floats:
    """The released counts, or the first table on the way from them that explains the release."""
    first = next((step for step, explains in explaining.items() if explains), None)
    if first is not None:
        return early[first]
    return iterate(transition, released, early[max(early)], deviations=EXPLAINED).estimate


def _rough(transition: Transition, released: Floats, found: Iterated, random: np.random.Generator) -> Floats:
    """A table with peaks that the noise hides."""
    smooth = found.estimate + 0.01 * found.estimate.mean()
    rough = smooth * random.gamma(_TAIL, size=smooth.shape) + _LEAST * smooth
    return iterate(transition, released, rough, deviations=found.deviations, limit=_ROUGH_STEPS).estimate


def whole(table: Floats, random: np.random.Generator) -> Floats:
    """Records drawn from a table: originals contain integers, unlike a smooth table of fractions."""
    if (table == np.floor(table)).all():
        return table
    flat, records = table.ravel(), round(float(table.sum()))
    return random.multinomial(records, flat / flat.sum()).astype(np.float64).reshape(table.shape)


def _best(tried: Floats, explaining: dict[int, bool]) -> Chosen:
    """The way to use, from [table, draw, way]; steps that do not explain the release are excluded.

    If none qualifies, the fewest steps that explain it are used: none at all, if the released counts do.
    """
    steps = list(explaining)
    draws = tried.shape[1]
    means = tried.mean(axis=1)
    chance = (
        np.std(tried - tried[:, :, :1], axis=1, ddof=1) / draws**0.5 if draws > 1 else np.zeros_like(means)
    )
    base = means[:, :1] + _LEAST
    ratios = (means + _LEAST) / base
    qualified = (ratios + chance / base <= 1.0).all(axis=0)
    score = np.where(qualified & np.array([*explaining.values(), True]), ratios.mean(axis=0), np.inf)
    score[next((place for place, step in enumerate(steps) if explaining[step]), 0)] = 1.0
    score[-1] *= _PREFERRED
    place = int(np.argmin(score))
    kept = None if place == len(steps) else steps[place]
    return Chosen(kept, float(ratios[:, -1].max()))
