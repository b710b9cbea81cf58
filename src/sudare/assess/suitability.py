"""Suitability to l-diversity: what the counts of the sensitive values allow, and which values prevent more.

Paper: suitability to l-diversity (Muramoto, Kamidoi, Wakabayashi 2011), sections 3 and 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sudare.assess.block_requirements import KAnonymity, LDiversity
from sudare.assess.bounds import feasible, largest_feasible_l, max_blocks, min_largest_block
from sudare.assess.requirement import blocks_of, check_blocks, sensitive_columns
from sudare.describe.column import codes_among
from sudare.display import rounded_down
from sudare.words.sentence import Sentence, joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.assess.bounds.distortion import DiversityKind
    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table

_MOST_VALUES = 3
"""Maximum number of values that a reason names."""


@dataclass(frozen=True, eq=False)
class Diversity:
    """One sensitive column that an l-diversity requirement covers, its values in descending order of frequency."""

    requirement: LDiversity
    column: str
    codes: npt.NDArray[np.int64]
    """Codes of the values."""
    values: tuple[str, ...]
    counts: npt.NDArray[np.int64]
    largest: float
    """The largest l that the whole table as one block reaches."""
    missing: int | None = None
    """The code of missing cells, if there are any."""

    @property
    def kind(self) -> DiversityKind:
        """The kind as the counting bounds know it: recursive diversity needs l distinct values as well."""
        return "entropy" if self.requirement.kind == "entropy" else "distinct"

    @property
    def is_feasible(self) -> bool:
        """Whether any release can comply in this column."""
        if self.requirement.kind == "recursive":
            return self.largest >= self.requirement.l
        return feasible(self.counts, self.requirement.l, self.kind)

    @property
    def least_c(self) -> float | None:
        """The value that c of recursive diversity must exceed for the whole table to comply; None if no c helps."""
        rest = int(self.counts[int(self.requirement.l) - 1 :].sum())
        if self.requirement.kind != "recursive" or rest == 0:
            return None
        return float(self.counts[0]) / rest

    @property
    def skew(self) -> float:
        """How much larger than l the largest block must be; infinite if nothing complies."""
        if not self.is_feasible:
            return math.inf
        return min_largest_block(self.counts, self.requirement.l, self.kind) / self.requirement.l


@dataclass(frozen=True)
class Limits:
    """Bounds on the blocks of any compliant release; None if there is no bound or nothing complies."""

    max_blocks: int | None = None
    min_largest_block: int | None = None
    fair_k: int | None = None


def diversities(table: Table, requirements: Sequence[Requirement]) -> list[Diversity]:
    """Every pair of an l-diversity requirement and a sensitive column it covers."""
    return [
        _diversity(table, requirement, name)
        for requirement in requirements
        if isinstance(requirement, LDiversity)
        for name in sensitive_columns(table, requirement.sensitive, "l-diversity")
    ]


def limits(table: Table, requirements: Sequence[Requirement]) -> Limits:
    """Bounds on the number of blocks and on the size of the largest, and the k to compare with.

    MaxNB is the minimum of the columns' MaxNB values and floor(n / k). The size of the largest block is at least the
    largest of alpha_e (entropy), alpha_s (distinct; recursive needs as many values) and k. That size is the fair k: a
    release with k-anonymity alone must form blocks of that size as well.
    """
    sizes = [one.k for one in requirements if isinstance(one, KAnonymity)]
    found = diversities(table, requirements)
    possible = all(one.is_feasible for one in found) and all(k <= table.rows for k in sizes)
    if not table.rows or not possible or not (found or sizes):
        return Limits()
    # Blocks of nothing but exempt values are not limited by the others.
    limited = [one for one in found if one.column not in one.requirement.exempt]
    blocks = [max_blocks(one.counts, one.requirement.l) for one in limited] + [table.rows // k for k in sizes]
    largest = [min_largest_block(one.counts, one.requirement.l, one.kind) for one in found] + sizes
    return Limits(min(blocks, default=None), max(largest), max(largest))


def reasons(table: Table, requirements: Sequence[Requirement]) -> list[Sentence]:
    """Which sensitive values are too frequent, and by how much, or which are too few."""
    return [sentence for one in diversities(table, requirements) for sentence in _reasons(one, table.rows)]


def loosened(table: Table, requirements: Sequence[Requirement]) -> tuple[Requirement, ...] | None:
    """The requirements at the highest levels that are possible, column by column; None if not even those are."""
    changed: list[Requirement] = []
    found = diversities(table, requirements)
    for requirement in requirements:
        if isinstance(requirement, KAnonymity):
            changed.append(KAnonymity(min(requirement.k, table.rows)))
        elif isinstance(requirement, LDiversity):
            own = [one for one in found if one.requirement is requirement]
            levels = {one.column: min(requirement.l, _rounded(one)) for one in own}
            if min(levels.values(), default=requirement.l) < 1:
                return None
            changed += _at_levels(requirement, levels)
        else:
            changed.append(requirement)
    return tuple(changed)


def _at_levels(requirement: LDiversity, levels: Mapping[str, float]) -> list[LDiversity]:
    """The requirement itself if all columns have one level, otherwise one for the columns of each level, highest first."""
    several = sorted(set(levels.values()), reverse=True)
    if len(several) <= 1:
        return [replace(requirement, l=level) for level in several] or [requirement]
    made = []
    for level in several:
        names = tuple(name for name, own in levels.items() if own == level)
        exempt = {name: values for name, values in requirement.exempt.items() if name in names}
        made.append(replace(requirement, l=level, sensitive=names, exempt=exempt))
    return made


def with_larger_c(
    table: Table, requirements: Sequence[Requirement], room: float = 1.0
) -> tuple[Requirement, ...] | None:
    """The requirements with the least possible c of recursive diversity (times `room`); None if no c helps.

    The whole table as one block complies if r1 < c (r_l + ... + r_m), so c is r1 over that sum, rounded up to two
    digits.
    """
    changed = list(requirements)
    for one in diversities(table, requirements):
        if one.is_feasible:
            continue
        least = one.least_c
        if least is None:
            return None
        place = next(number for number, asked in enumerate(requirements) if asked is one.requirement)
        current = changed[place]
        # With several columns, the largest of their constants is needed.
        if isinstance(current, LDiversity) and current.c is not None:
            changed[place] = replace(current, c=max(current.c, _above(least * room)))
    return tuple(changed)


def _above(value: float) -> float:
    """The next number with two digits: strictly larger, as the definition requires."""
    return (math.floor(value * 100) + 1) / 100


def _rounded(one: Diversity) -> float:
    """The largest level in a printable form: two digits for entropy, never more than is possible."""
    if one.is_feasible:
        return one.requirement.l
    return rounded_down(one.largest, 2) if one.kind == "entropy" else math.floor(one.largest)


def _diversity(table: Table, requirement: LDiversity, name: str) -> Diversity:
    codes = table.codes(name, requirement.spelling)
    counts = np.bincount(codes.codes, minlength=codes.count).astype(np.int64)
    protected = np.flatnonzero(~codes_among(codes, requirement.exempt.get(name, ()), requirement.spelling))
    order = protected[np.argsort(-counts[protected], kind="stable")]
    shown = tuple(
        Sentence("missing") if code == codes.missing else str(codes.values[int(code)]) for code in order
    )
    if requirement.kind == "recursive" and table.rows:
        whole = blocks_of(table, ())
        alone = {name: requirement.exempt[name]} if name in requirement.exempt else {}
        one = replace(requirement, sensitive=(name,), exempt=alone)
        largest = check_blocks(one, table, whole).reached or 0.0
    else:
        largest = largest_feasible_l(
            counts[order], "entropy" if requirement.kind == "entropy" else "distinct"
        )
    return Diversity(requirement, name, order, shown, counts[order], largest, codes.missing)


def _reasons(one: Diversity, rows: int) -> list[Sentence]:
    asked, places = one.requirement.l, len(one.values)
    if places < asked:
        return [Sentence("reason.too_few", column=one.column, count=places, l=asked)]
    room = 1 / asked
    over = [
        (value, int(count))
        for value, count in zip(one.values, one.counts, strict=True)
        if count / rows > room
    ]
    if not over:
        return []
    named = [
        Sentence(
            "reason.frequent",
            value=value,
            share=count / rows,
            times=count / rows / room,
            rows=count - math.floor(rows * room),
        )
        for value, count in over[:_MOST_VALUES]
    ]
    if len(over) > _MOST_VALUES:
        named.append(Sentence("reason.more", count=len(over) - _MOST_VALUES))
    frequent = joined("between.phrases", named)
    return [Sentence("reason.skewed", column=one.column, l=asked, even=room, frequent=frequent)]
