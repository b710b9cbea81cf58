"""The independent verifier of baskets: rho-uncertainty and k^m-anonymity, recomputed from the definitions.

Sets are counted level by level: sets of one more item are the sets of the level before, each extended by every
later item of every basket that has it; equal ones are found by sorting pairs (set, item). This shares no code
with `sudare.assess`, with the methods or with the kernels. What it cannot check does not hold.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sudare.errors import shown as quoted
from sudare.progress import SILENT
from sudare.verify.baskets.adversaries import check_sample
from sudare.verify.baskets.asked import (
    RhoAsked,
    km_asked,
    refuse_many_sets,
    rho_asked,
    sampling_asked,
)
from sudare.verify.finding import CannotCheckError, Finding, FindingSentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    import numpy.typing as npt

    from sudare.describe.baskets.baskets import Baskets
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]
    Truths = npt.NDArray[np.bool_]

_AT_ONCE = 4_000_000


def verify_baskets(
    released: Baskets,
    original: Baskets | None,
    requirements: Sequence[Mapping[str, Any]],
    *,
    progress: Progress | None = None,
) -> list[Finding]:
    """Check each requirement (as in a manifest) on released baskets, beside the original where it is given.

    k^m-anonymity speaks of the release alone. rho-uncertainty speaks of what users had and of what they call
    sensitive: it needs the original, unless the released baskets name sensitive items common to all (a set that
    no released basket has is safe, and every other one is a part of somebody's original basket).
    """
    shown = progress or SILENT
    shown.start("verify", max(len(requirements), 1))
    findings = []
    for done, requirement in enumerate(requirements, start=1):
        findings.append(_check(released, original, dict(requirement)))
        shown.update(done)
    return findings


def _check(released: Baskets, original: Baskets | None, requirement: dict[str, Any]) -> Finding:
    kind = requirement.get("type")
    try:
        if kind == "km-anonymity":
            return _km(released, requirement)
        if kind == "rho-uncertainty":
            return _uncertainty(released, original, requirement)
        sentence = FindingSentence("requirement.unknown_baskets", kind=quoted(kind))
    except CannotCheckError as error:
        sentence = FindingSentence("requirement.cannot", kind=kind, why=error.why)
    return Finding(requirement, False, None, sentence, 0)


def _uncertainty(released: Baskets, original: Baskets | None, requirement: dict[str, Any]) -> Finding:
    asked, sampling = rho_asked(requirement), sampling_asked(requirement)
    known = released if original is None else original
    if original is None and released.sensitive_common is None:
        return Finding(requirement, False, None, FindingSentence("rho.needs_original"), 0)
    if not known.is_described:
        return Finding(requirement, False, None, FindingSentence("rho.needs_sensitive"), 0)
    left = _left(released, known)
    if left is None:
        return Finding(requirement, False, None, FindingSentence("rho.not_parts"), 0)
    if sampling is not None:
        return check_sample(known, left, requirement, asked, sampling)
    return _rho(known, left, requirement, asked)


def _km(released: Baskets, requirement: dict[str, Any]) -> Finding:
    k, m = km_asked(requirement)
    refuse_many_sets(released.lengths, m)
    smallest, rare, example = None, 0, ""
    users: set[int] = set()
    for level in _levels(released, np.ones(len(released.codes), dtype=np.bool_), m):
        support = np.bincount(level.sets, minlength=level.count)
        low = int(support.min())
        if smallest is None or low < smallest:
            smallest = low
            example = _named(released, level.items[int(support.argmin())])
        rare += int((support < k).sum())
        users.update(level.rows[support[level.sets] < k].tolist())
    if smallest is None:
        return Finding(requirement, True, None, FindingSentence("km.no_items"), 0)
    if not rare:
        sentence = FindingSentence("km.holds", m=quoted(m), smallest=smallest, k=quoted(k))
        return Finding(requirement, True, float(smallest), sentence, 0)
    sentence = FindingSentence(
        "km.fails", rare=rare, m=quoted(m), k=quoted(k), example=example, smallest=smallest
    )
    return Finding(requirement, False, float(smallest), sentence, len(users))


def _rho(known: Baskets, left: Truths, requirement: dict[str, Any], asked: RhoAsked) -> Finding:
    limit = None if asked.m is None else asked.m + 1
    refuse_many_sets(known.lengths, limit)
    before: _Level | None = None
    chain: list[_Level] = []
    unsafe, worst = 0, 0.0
    example: str = ""
    exposed = np.zeros(len(known), dtype=np.bool_)
    sensitive = _Sensitive(known)
    for level in _levels(known, left, limit):
        chain.append(level)
        if before is not None:
            order = np.argsort(before.sets, kind="stable")
            for found in _too_certain(known, chain, asked.rho):
                users = _who_asks(sensitive, before, order, found.known, found.item, exposed)
                some = np.flatnonzero(users >= 0)
                unsafe += len(some)
                confidence = found.joint[some] / found.base[some]
                if confidence.max(initial=0.0) > worst:
                    worst = float(confidence.max())
                    place = some[int(confidence.argmax())]
                    example = FindingSentence(
                        "rho.example",
                        user=users[place] + 1,
                        known=_named(known, before.items[found.known[place]]),
                        item=known.items[found.item[place]],
                        joint=found.joint[place],
                        base=found.base[place],
                    )
            before.forget()
        before = level
    rho = requirement["rho"]
    if not unsafe:
        sentence = (
            FindingSentence("rho.holds", rho=rho)
            if limit is None
            else FindingSentence("rho.holds_m", rho=rho, m=quoted(limit - 1))
        )
        return Finding(requirement, True, None, sentence, 0)
    sentence = FindingSentence("rho.fails", unsafe=unsafe, rho=rho, example=example)
    return Finding(requirement, False, worst, sentence, int(exposed.sum()))


class _Level:
    """All sets of one size: for each occurrence its set, its basket, its last place and whether it is left."""

    def __init__(self, sets: Ints, rows: Ints, last: Ints, left: Truths, keys: Ints, items: Ints) -> None:
        self.sets, self.rows, self.last, self.left = sets, rows, last, left
        self.keys, self.items = keys, items
        self.count = len(items)
        self.support = np.bincount(sets[left], minlength=self.count).astype(np.int64)

    def forget(self) -> None:
        """Let go of the occurrences, which only the next level needs."""
        self.sets = self.rows = self.last = np.empty(0, dtype=np.int64)


def _levels(baskets: Baskets, left: Truths, largest: int | None) -> Iterator[_Level]:
    codes, width = baskets.codes.astype(np.int64), max(len(baskets.items), 1)
    rows = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
    ends = baskets.starts[1:]
    if not len(codes):
        return
    keys, sets = np.unique(codes, return_inverse=True)
    level = _Level(sets, rows, np.arange(len(codes), dtype=np.int64), left, keys, keys[:, None])
    size = 1
    while True:
        yield level
        if size == largest:
            return
        room = ends[level.rows] - level.last - 1 if len(level.rows) else np.empty(0, dtype=np.int64)
        if not room.any():
            return
        parent = np.repeat(np.arange(len(room)), room)
        last = np.arange(len(parent)) - np.repeat(np.cumsum(room) - room, room) + level.last[parent] + 1
        keys, first, sets = np.unique(
            level.sets[parent] * width + codes[last], return_index=True, return_inverse=True
        )
        items = np.column_stack([level.items[level.sets[parent[first]]], codes[last[first]]])
        level = _Level(sets, level.rows[parent], last, level.left[parent] & left[last], keys, items)
        size += 1


class _Inferences(NamedTuple):
    known: Ints
    item: Ints
    joint: Ints
    base: Ints


def _too_certain(known: Baskets, chain: Sequence[_Level], ratio: Fraction) -> Iterator[_Inferences]:
    """Inferences of the last item of every order of every set of the newest level, above the ratio."""
    level, width = chain[-1], max(len(known.items), 1)
    over, under = ratio.numerator, ratio.denominator
    present = np.flatnonzero(level.support)
    for out in range(level.items.shape[1]):
        rest = np.delete(level.items[present], out, axis=1)
        place = np.searchsorted(chain[0].keys, rest[:, 0])
        for size in range(1, rest.shape[1]):
            place = np.searchsorted(chain[size].keys, place * width + rest[:, size])
        joint, base = level.support[present], chain[rest.shape[1] - 1].support[place]
        # Exact for any rho: as whole numbers of any length where 64 bits might not do.
        if max(over, under) < 2**31:
            above = joint * under > base * over
        else:
            above = joint.astype(object) * under > base.astype(object) * over
        chosen = np.flatnonzero(above)
        yield _Inferences(place[chosen], level.items[present[chosen], out], joint[chosen], base[chosen])


def _who_asks(
    sensitive: _Sensitive, level: _Level, order: Ints, sets: Ints, items: Ints, exposed: Truths
) -> Ints:
    """For each (set, item) a user who has the set and calls the item sensitive, or -1; all of them are marked."""
    found = np.full(len(sets), -1, dtype=np.int64)
    bounds = np.searchsorted(level.sets[order], np.arange(level.count + 1))
    sizes = bounds[sets + 1] - bounds[sets]
    stretches = np.concatenate([[0], np.flatnonzero(np.diff(np.cumsum(sizes) // _AT_ONCE)) + 1, [len(sets)]])
    for low, high in pairwise(stretches.tolist()):
        pair = np.repeat(np.arange(low, high), sizes[low:high])
        offset = np.arange(len(pair)) - np.repeat(
            np.cumsum(sizes[low:high]) - sizes[low:high], sizes[low:high]
        )
        users = level.rows[order[bounds[sets[pair]] + offset]]
        asks = sensitive.has(users, items[pair])
        found[pair[asks]] = users[asks]
        exposed[users[asks]] = True
    return found


class _Sensitive:
    """Whether a user calls an item sensitive: a table of bits, one row for all or one for each user."""

    def __init__(self, known: Baskets) -> None:
        width = len(known.items)
        self.common = known.sensitive_common is not None
        if known.sensitive_common is not None:
            table = np.zeros((1, width), dtype=np.bool_)
            table[0, known.sensitive_common] = True
            self.bits = np.packbits(table, axis=1)
            return
        self.bits = np.zeros((len(known), (width + 7) // 8), dtype=np.uint8)
        starts, codes = known.sensitive_starts, known.sensitive_codes
        if starts is None or codes is None:
            return
        block = max(1, 50_000_000 // max(width, 1))
        for low in range(0, len(known), block):
            high = min(low + block, len(known))
            table = np.zeros((high - low, width), dtype=np.bool_)
            owner = np.repeat(np.arange(high - low), np.diff(starts[low : high + 1]))
            table[owner, codes[starts[low] : starts[high]]] = True
            self.bits[low:high] = np.packbits(table, axis=1)

    def has(self, users: Ints, items: Ints) -> Truths:
        """For each (user, item) whether the item is in the user's set."""
        rows = np.zeros_like(users) if self.common else users
        answer: Truths = (self.bits[rows, items >> 3] >> (7 - (items & 7)).astype(np.uint8)) & 1 == 1
        return answer


def _left(released: Baskets, known: Baskets) -> Truths | None:
    """For each entry of the originals whether it was released; None where the release has anything else."""
    if len(released) != len(known):
        return None
    place: dict[Any, int] = {item: code for code, item in enumerate(known.items)}
    texts = {str(item): code for code, item in enumerate(known.items)}
    # A text file gives "17" back for 17.
    codes = [place.get(item, texts.get(str(item), -1)) for item in released.items]
    left = np.zeros(len(known.codes), dtype=np.bool_)
    for basket in range(len(known)):
        start, end = int(known.starts[basket]), int(known.starts[basket + 1])
        here = {int(code): start + rank for rank, code in enumerate(known.codes[start:end])}
        for code in released.codes[released.starts[basket] : released.starts[basket + 1]]:
            entry = here.get(codes[code])
            if entry is None:
                return None
            left[entry] = True
    return left


def _named(baskets: Baskets, codes: Ints) -> str:
    return "{" + ", ".join(str(baskets.items[code]) for code in codes) + "}"
