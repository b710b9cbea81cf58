"""What could be required instead: each compromise is tried with a quick release, bounded, and its risk computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sudare.advise.fewer_columns import fewer_columns
from sudare.advise.trial import SEED, compromise
from sudare.assess.block_requirements import KAnonymity, LDiversity
from sudare.assess.bounds import Bound, feasible
from sudare.assess.compromise import Changes
from sudare.assess.risk import risk
from sudare.assess.suitability import diversities, limits, loosened, with_larger_c
from sudare.errors import InfeasibleError
from sudare.randomness import Randomness
from sudare.words.sentence import Sentence, counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from sudare.advise.trial import Trial
    from sudare.anonymize.protocol import Outcome
    from sudare.assess.compromise import Compromise, CompromiseKind
    from sudare.assess.requirement import Requirement
    from sudare.assess.study import Study
    from sudare.assess.suitability import Diversity

_SUPPRESSION = 0.05
"""Share of rows that may be left out if the requirement is possible without leaving any out."""
_SLACK = 1.1
"""If rows must be left out, leave out enough for this many times the level; otherwise only one block is possible."""
_MOST_SUPPRESSED = 0.5
"""Largest share of rows that may be left out."""
_BELOW = 0.75
"""Share of the highest level, at which all rows tend to be one block."""
_MOST_EXEMPT = 5
_MOST_LEVELS = 3


def compromises_for(
    trial: Trial, requirements: Sequence[Requirement], study: Study, alone: Outcome | None
) -> Iterator[Compromise]:
    """Compromises, smallest changes first; `alone` is the release with k-anonymity at the fair k, if it was made."""
    asked = tuple(requirements)
    steps: list[Callable[[], Iterator[Compromise]]] = [
        lambda: _as_asked(trial, asked, study),
        lambda: _larger_c(trial, asked, study),
        lambda: _lower_level(trial, asked, study),
        lambda: _exempt(trial, asked),
        lambda: fewer_columns(trial, asked) if study.feasible else iter(()),
        lambda: _suppress(trial, asked, study),
        lambda: _k_only(trial, study, alone),
    ]
    for number, step in enumerate(steps):
        trial.progress.start("compromises", len(steps))
        trial.progress.update(number)
        try:
            yield from step()
        except InfeasibleError:  # possible in the whole table, but not in the sample
            continue
    trial.progress.update(len(steps))


def _as_asked(trial: Trial, asked: tuple[Requirement, ...], study: Study) -> Iterator[Compromise]:
    if study.feasible:
        yield _tried(trial, "as asked", asked, Sentence("compromise.as_asked"))


def _lower_level(trial: Trial, asked: tuple[Requirement, ...], study: Study) -> Iterator[Compromise]:
    """The highest possible level; if the level asked for is possible, a lower one for which the table is suited."""
    if not study.feasible:
        highest = loosened(trial.table, asked)
        if highest is not None and highest != asked:
            yield _tried(
                trial, "lower level", highest, Sentence("compromise.highest", levels=_levels(highest))
            )
            below = _at_most(highest, math.floor(max(_diversity_levels(highest), default=1.0) * _BELOW))
            if below is not None and below != highest:
                what = Sentence("compromise.room", levels=_levels(below))
                yield _tried(trial, "lower level", below, what)
        return
    whole = range(math.ceil(max(_diversity_levels(asked), default=1.0)) - 1, 1, -1)
    found = None
    for level in whole[:: max(1, -(-len(whole) // _MOST_LEVELS))]:
        lower = _at_most(asked, level) or asked
        fair = limits(trial.table, lower).fair_k
        if fair is None:
            continue
        reached = trial.loss(trial.released([KAnonymity(fair)]))
        suited = trial.bound(lower).value <= study.threshold * reached
        what = Sentence(f"compromise.{'lower_suited' if suited else 'lower'}", levels=_levels(lower))
        found = _tried(trial, "lower level", lower, what)
        if suited:
            break
    if found is not None:
        yield found


def _larger_c(trial: Trial, asked: tuple[Requirement, ...], study: Study) -> Iterator[Compromise]:
    """Recursive diversity at the level asked for, with the least possible c, and with one that leaves room."""
    if study.feasible:
        return
    for key, room in (("larger_c", 1.0), ("room", 1.0 / _BELOW)):
        milder = with_larger_c(trial.table, asked, room)
        if milder is not None and milder != asked:
            yield _tried(trial, "lower level", milder, Sentence(f"compromise.{key}", levels=_levels(milder)))


def _exempt(trial: Trial, asked: tuple[Requirement, ...]) -> Iterator[Compromise]:
    """The most frequent values treated as harmless: rows with them need no diversity, the others among themselves do.

    Every other row needs l values that are not exempt in its block, so its bound among the other rows is valid.
    """
    worst = _worst(trial, asked)
    if worst is None or len(worst.values) < 2:
        return
    count = _exempted(worst)
    codes = trial.table.codes(worst.column, worst.requirement.spelling).codes
    is_exempt = np.isin(codes, worst.codes[:count])
    rest, harmless = np.flatnonzero(~is_exempt), np.flatnonzero(is_exempt)
    if not len(rest):
        return
    protected = trial.table.take(rest)
    made = trial.released(asked, table=protected)
    total = trial.loss(made, protected) * len(rest)
    sizes = tuple(one for one in asked if isinstance(one, KAnonymity))
    if sizes and len(harmless) >= max(one.k for one in sizes):
        apart = trial.table.take(harmless)
        total += trial.loss(trial.released(sizes, table=apart), apart) * len(harmless)
    elif sizes:
        total += len(harmless)
    rows = trial.table.rows
    others = tuple(one for one in asked if not isinstance(one, KAnonymity))
    least = trial.bound(others, table=protected)
    bound = Bound(least.value * len(rest) / rows, least.exact, least.explanation)
    named = enumerated(Sentence("quoted", value=value) for value in worst.values[:count])
    yield compromise(
        "exempt",
        asked,
        Sentence("compromise.exempt", values=named, column=worst.column, share=len(harmless) / rows),
        bound,
        total / rows,
        risk(made.table),
        {"column": worst.column, "values": list(worst.values[:count])},
        Changes(requirements=tuple(_exempting(one, worst, count) for one in asked)),
    )


def _exempting(asked: Requirement, worst: Diversity, count: int) -> Requirement:
    """The requirement without protection for the most frequent values of a column."""
    if asked is not worst.requirement:
        return asked
    codes = worst.codes[:count]
    values = tuple(
        None if code == worst.missing else str(value)
        for code, value in zip(codes, worst.values[:count], strict=True)
    )
    return replace(worst.requirement, exempt={**worst.requirement.exempt, worst.column: values})


def _suppress(trial: Trial, asked: tuple[Requirement, ...], study: Study) -> Iterator[Compromise]:
    """Rows left out: those that cost most, or as many with frequent values as necessary."""
    rows = trial.table.rows
    left = np.arange(rows, dtype=np.int64)
    share, slack = _SUPPRESSION, _SLACK
    if not study.feasible:
        tries = {
            slack: kept for slack in (_SLACK, 1.0) if (kept := _kept_rows(trial, asked, slack)) is not None
        }
        few = {slack: kept for slack, kept in tries.items() if len(kept) >= rows * (1 - _MOST_SUPPRESSED)}
        if not few:
            return
        (slack, left), share = next(iter(few.items())), 0.0
    part = trial.table.take(left)
    made = trial.released(asked, table=part, suppression=share)
    made = replace(made, rows=left if made.rows is None else left[made.rows])
    gone = rows - made.table.rows
    if not gone:
        return
    which = "suppress_costly" if study.feasible else "suppress_frequent"
    yield compromise(
        "suppress",
        asked,
        Sentence(f"compromise.{which}", rows=counted("rows", gone), share=gone / rows),
        trial.bound(asked),  # also valid with rows left out
        trial.loss(made),
        risk(made.table),
        {"rows": gone, "share": gone / rows},
        Changes(suppression=_as_many(trial, gone)) if study.feasible else _capping(trial, asked, slack),
    )


def _as_many(trial: Trial, gone: int) -> int:
    """As many rows of the whole table as were left out of the sample."""
    rows = trial.table.rows
    return math.ceil(gone * (rows if trial.whole is None else trial.whole.rows) / rows)


def _capping(trial: Trial, asked: Sequence[Requirement], slack: float) -> Changes:
    """Methods that cap frequent values in the whole table."""
    table = trial.table if trial.whole is None else trial.whole
    caps = {one.column: _cap(one, slack) for one in diversities(table, asked) if not one.is_feasible}
    return Changes(
        first=tuple({"type": "value-capping", "column": name, "most": most} for name, most in caps.items())
    )


def _k_only(trial: Trial, study: Study, alone: Outcome | None) -> Iterator[Compromise]:
    if study.fair_k is None or study.ratio is None:
        return
    asked = (KAnonymity(min(study.fair_k, trial.table.rows)),)
    made = trial.released(asked) if alone is None else alone
    yield compromise(
        "k-anonymity",
        asked,
        Sentence("compromise.k_only", k=asked[0].k),
        trial.bound(asked),
        trial.loss(made),
        risk(made.table),
        changes=Changes(requirements=asked),
    )


def _tried(trial: Trial, kind: CompromiseKind, asked: tuple[Requirement, ...], what: Sentence) -> Compromise:
    made = trial.released(asked)
    changes = Changes() if kind == "as asked" else Changes(requirements=asked)
    return compromise(
        kind, asked, what, trial.bound(asked), trial.loss(made), risk(made.table), changes=changes
    )


def _diversity_levels(requirements: Sequence[Requirement]) -> list[float]:
    return [one.l for one in requirements if isinstance(one, LDiversity)]


def _at_most(requirements: Sequence[Requirement], level: float) -> tuple[Requirement, ...] | None:
    """The requirements with diversities no higher than this; None if no diversity would be left."""
    if level < 2:
        return None
    return tuple(
        replace(one, l=min(one.l, level)) if isinstance(one, LDiversity) else one for one in requirements
    )


def _levels(requirements: Sequence[Requirement]) -> Sentence:
    diverse = [
        Sentence("compromise.level_l", l=one.l, kind=one.kind_in_words)
        if one.sensitive is None
        else Sentence(
            "compromise.level_l_of", l=one.l, kind=one.kind_in_words, columns=enumerated(one.sensitive)
        )
        for one in requirements
        if isinstance(one, LDiversity)
    ]
    sizes = [Sentence("compromise.level_k", k=one.k) for one in requirements if isinstance(one, KAnonymity)]
    return enumerated([*diverse, *sizes])


def _worst(trial: Trial, asked: Sequence[Requirement]) -> Diversity | None:
    """The sensitive column that is the greatest obstacle."""
    found = diversities(trial.table, asked)
    return max(found, key=lambda one: (one.skew, one.requirement.l / max(one.largest, 1.0)), default=None)


def _exempted(one: Diversity) -> int:
    """Number of most frequent values to exempt: the fewest after which blocks of l rows are not ruled out."""
    smallest = 1
    for count in range(1, min(_MOST_EXEMPT, len(one.values) - 1) + 1):
        others = replace(one, counts=one.counts[count:], values=one.values[count:], codes=one.codes[count:])
        if one.requirement.kind != "recursive" and others.is_feasible:
            smallest = count
            if others.skew * one.requirement.l <= math.ceil(one.requirement.l):
                return count
    return smallest


def _kept_rows(trial: Trial, asked: Sequence[Requirement], slack: float) -> npt.NDArray[np.int64] | None:
    """Rows that remain if values are capped at the highest count that makes entropy diversity possible."""
    keep = np.ones(trial.table.rows, dtype=bool)
    random = Randomness(SEED)
    for one in diversities(trial.table, asked):
        if one.is_feasible:
            continue
        if one.requirement.kind != "entropy" or len(one.values) < one.requirement.l:
            return None
        cap = _cap(one, slack)
        codes = trial.table.codes(one.column, one.requirement.spelling).codes
        for code, count in zip(one.codes, one.counts, strict=True):
            if count > cap:
                holders = np.flatnonzero(codes == code)
                keep[holders[random.permutation(len(holders))[cap:]]] = False
    return np.flatnonzero(keep).astype(np.int64)


def _cap(one: Diversity, slack: float) -> int:
    """The highest count at which to cap the values so that l, with some slack if there is any, is possible."""
    wanted = min(one.requirement.l * slack, (one.requirement.l + len(one.values)) / 2)
    low, high = int(one.counts[-1]), int(one.counts[0])  # all equally frequent: P values suffice; uncut: not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if feasible(np.minimum(one.counts, middle), wanted, "entropy") else (low, middle)
        )
    return low
