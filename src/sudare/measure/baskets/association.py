"""Association rules before and after: which of the strongest are still valid?

A rule X -> y (one item y as consequent) has the support supp(X + y) / n, the share of baskets that contain it, and the
confidence supp(X + y) / supp(X). (Agrawal, Srikant 1994; the distance is that of the undated paper on personalized
rho-uncertainty, equation 9.)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from sudare.arrays import starts_of
from sudare.describe.table import to_native
from sudare.errors import ParameterError
from sudare.kernels.baskets.eclat import mine, single_rules
from sudare.measure.baskets.pair import basket_pair, baskets_of
from sudare.parameters import said_by
from sudare.rational import exact_share
from sudare.words.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from sudare.describe.baskets.baskets import Baskets
    from sudare.measure.baskets.pair import BasketPair

SUPPORT = 0.0005
CONFIDENCE = 0.3
TOP = 100
_MOST_SETS = 1_000_000
_STEP = 0.7


class Reason(Sentence):
    """Why a measure cannot be computed; the words are in `words/en/measure.yaml` and its Japanese twin."""

    __slots__ = ()

    area = "measure"


class TooManySetsError(ParameterError):
    """The baskets are so similar that their frequent sets of items cannot be counted."""

    def __init__(self, why: Reason) -> None:
        super().__init__(why)
        self.why = why
        """The sentence, which can be translated."""


def rules(
    baskets: Any, support: float = SUPPORT, confidence: float = CONFIDENCE, *, top: int | None = TOP
) -> Any:
    """The association rules of baskets, in descending order of support.

    Args:
        baskets: The baskets to mine.
        support: Smallest share of all baskets that contain the whole rule.
        confidence: Smallest share of the baskets with the body that also contain the head.
        top: Maximum number of rules; among equal support, higher confidence comes first, then shorter rules, then the
            order of their items. None for all of them: there may be very many.

    Returns:
        `body` (list of items), `head`, `support` (share), `count` (baskets), `confidence`: a frame of the kind in which the
        baskets were given.

    >>> rules([["a", "b"], ["a", "b"], ["a"]], 0.5, 0.6).rows()
    [(['b'], 'a', 0.6666666666666666, 2, 1.0), (['a'], 'b', 0.6666666666666666, 2, 0.6666666666666666)]
    """
    given = baskets_of(baskets)
    return to_native(mined(given, support, confidence, top=top), given.given_as)


def mined(
    given: Baskets, support: float = SUPPORT, confidence: float = CONFIDENCE, *, top: int | None = TOP
) -> pl.DataFrame:
    """The rules of `rules` as a polars frame."""
    least = _least_count(given, support)
    ratio = _least_ratio(_share(confidence, "confidence"), max(len(given), 1))
    if top is not None and top < 1:
        raise ParameterError("measure.baskets.top", top=top)
    return _framed(given, _strongest(given, least, ratio, top), top)


def rule_distance(
    before: Any, after: Any, *, support: float = SUPPORT, confidence: float = CONFIDENCE, top: int = TOP
) -> float:
    """Rule-mining distance: 1 - |R & R'| / |R | R'|, with R and R' the `top` rules by support before and after.

    0 … 1; 0 if neither has any rule.
    """
    pair = basket_pair(before, after)
    found = [_names(mined(one, support, confidence, top=top)) for one in (pair.before, pair.after)]
    union = found[0] | found[1]
    return 1.0 - len(found[0] & found[1]) / len(union) if union else 0.0


def compare_rules(
    before: Any, after: Any, *, support: float = SUPPORT, confidence: float = CONFIDENCE, top: int = TOP
) -> Any:
    """The rules compared by `rule_distance`, with support and confidence before and after.

    Returns:
        `body`, `head`, `status` (kept, lost or new among the strongest), `support_before`, `confidence_before`,
        `support_after`, `confidence_after` (missing if the body no longer occurs), sorted by the support before: a
        frame of the kind in which the baskets before were given.
    """
    pair = basket_pair(before, after)
    return to_native(mined_pair(pair, support, confidence, top), pair.before.given_as)


def mined_pair(
    pair: BasketPair, support: float = SUPPORT, confidence: float = CONFIDENCE, top: int = TOP
) -> pl.DataFrame:
    """The rules of `compare_rules` as a polars frame."""
    found = [mined(one, support, confidence, top=top) for one in (pair.before, pair.after)]
    names = [_names(one) for one in found]
    listed = pl.concat(found).select("body", "head").unique(maintain_order=True)
    pairs = [(tuple(body), head) for body, head in listed.iter_rows()]
    status = [
        "kept" if rule in names[0] & names[1] else "lost" if rule in names[0] else "new" for rule in pairs
    ]
    columns = [*listed.get_columns(), pl.Series("status", status, dtype=pl.String)]
    for when, one in (("before", pair.before), ("after", pair.after)):
        whole, part = _supports(one, pairs)
        shares = [count / max(len(one), 1) for count in whole]
        sure = [count / body if body else None for count, body in zip(whole, part, strict=True)]
        columns.append(pl.Series(f"support_{when}", shares, dtype=pl.Float64))
        columns.append(pl.Series(f"confidence_{when}", sure, dtype=pl.Float64))
    return pl.DataFrame(columns).sort("support_before", descending=True, maintain_order=True)


def _share(given: float, name: str) -> Fraction:
    """A share as the decimal number it was written as: 0.3 of 10 is 3, not slightly less."""
    try:
        return exact_share(given, name)
    except ValueError as error:
        raise ParameterError(said_by(error)) from None


def _least_ratio(share: Fraction, most: int) -> Fraction:
    """The smallest fraction not below the share with a denominator of at most `most`.

    It accepts the same confidences with such denominators, and products with 32-bit counts fit into 64 bits.

    >>> _least_ratio(Fraction("0.30000000000000001"), 100)
    Fraction(28, 93)
    """
    near = share.limit_denominator(most)
    if near >= share:
        return near
    # The next fraction in the Farey sequence: q p' - p q' = 1 with the largest q'.
    over, under = near.numerator, near.denominator
    rest = pow(-over, -1, under)
    wider = rest + (most - rest) // under * under
    return Fraction((over * wider + 1) // under, wider)


def _least_count(baskets: Baskets, support: float) -> int:
    share = _share(support, "support") * len(baskets)
    return max(1, -(-share.numerator // share.denominator))


def _strongest(baskets: Baskets, least: int, confidence: Fraction, top: int | None) -> _Rules:
    """Rules from sets in at least `least` baskets; only from more frequent sets if these give `top` rules.

    Every rule of support s comes from a set of support s, so the search starts at a high support and goes down only
    until there are enough rules: at 0.05 % of a click stream there may be billions of frequent sets.
    """
    counts = baskets.supports()
    start = int(counts.max(initial=0))
    bound = least if top is None else max(least, int(start * _STEP))
    too_many = 0
    while True:
        found = _mined(baskets, counts, bound, confidence)
        if found is None:
            if top is None or bound >= start:
                raise TooManySetsError(Reason("too_many_sets.any", most=_MOST_SETS, baskets=bound))
            too_many, bound = bound, (bound + start + 1) // 2
            continue
        if top is None or bound == least or len(found.counts) >= top:
            return found
        start = bound
        lower = max(least, int(bound * _STEP), too_many + 1)
        if lower >= bound:
            raise TooManySetsError(Reason("too_many_sets.top", most=_MOST_SETS, baskets=too_many, top=top))
        bound = lower


class _Rules(NamedTuple):
    """Rules as arrays."""

    sets: npt.NDArray[np.int64]
    """Codes of the items of all rules, one rule after another."""
    starts: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int32]
    """Number of baskets that have the whole rule."""
    bodies: npt.NDArray[np.int32]
    """Number of baskets that have its body."""


def _mined(
    baskets: Baskets, counts: npt.NDArray[np.int64], least: int, confidence: Fraction
) -> _Rules | None:
    """All rules at a given support, or None if there are too many sets to examine."""
    # Rare items first: what follows a rare item is read from few places.
    frequent = counts >= least
    order = np.argsort(np.where(frequent, counts, 0), kind="stable")
    rank = np.empty(len(counts), dtype=np.int32)
    rank[order] = np.arange(len(counts), dtype=np.int32)
    kept = frequent[baskets.codes]
    owners = baskets.owners[kept]
    width = max(len(counts), 1)
    keys = np.sort(owners * width + rank[baskets.codes[kept]])
    owners, codes = np.divmod(keys, width)
    starts = starts_of(np.bincount(owners, minlength=len(baskets)))
    *tree, complete = mine(starts, codes.astype(np.int32), width, least, _MOST_SETS)
    if not complete:
        return None
    parents, items, supports, _, _ = tree
    nodes, heads, bodies = single_rules(*tree, confidence.numerator, confidence.denominator)
    sets, set_starts = _paths(parents, items, nodes)
    return _Rules(order[sets], set_starts, order[heads], supports[nodes], bodies)


def _paths(
    parents: npt.NDArray[np.int32], items: npt.NDArray[np.int32], nodes: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The items of each node, one set after another."""
    sets, rows, current = [], [], nodes.copy()
    alive = np.arange(len(nodes))
    while len(alive):
        sets.append(items[current])
        rows.append(alive)
        current = parents[current]
        alive, current = alive[current > 0], current[current > 0]
    if not sets:
        return np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
    owners = np.concatenate(rows)
    starts = starts_of(np.bincount(owners, minlength=len(nodes)))
    return np.concatenate(sets)[np.argsort(owners, kind="stable")], starts


def _framed(baskets: Baskets, found: _Rules, top: int | None) -> pl.DataFrame:
    """The strongest rules with the names of their items."""
    lengths = np.diff(found.starts)
    confidence = found.counts / np.maximum(found.bodies, 1)
    order = np.lexsort((lengths, -confidence, -found.counts))
    if top is not None and len(order) > top:
        # Rules at the border with equal values in all three are ordered by name below, so all of them are included.
        last, beyond = order[top - 1], order[top:]
        alike = (found.counts[beyond] == found.counts[last]) & (confidence[beyond] == confidence[last])
        alike &= lengths[beyond] == lengths[last]
        order = order[: top + int(alike.argmin() if not alike.all() else len(alike))]
    sets, starts = found.sets.tolist(), found.starts.tolist()
    heads, counts, shares = found.heads.tolist(), found.counts.tolist(), confidence.tolist()
    rows = []
    for rule in order.tolist():
        codes = sorted(code for code in sets[starts[rule] : starts[rule + 1]] if code != heads[rule])
        rows.append((-counts[rule], -shares[rule], len(codes), codes, heads[rule]))
    rows.sort()
    numbers = all(isinstance(item, int) for item in baskets.items) and bool(baskets.items)
    kind = pl.Int64 if numbers else pl.String
    names = [item if numbers else str(item) for item in baskets.items]
    chosen = rows[:top]
    return pl.DataFrame(
        {
            "body": pl.Series([[names[code] for code in row[3]] for row in chosen], dtype=pl.List(kind)),
            "head": pl.Series([names[row[4]] for row in chosen], dtype=kind),
            "support": pl.Series([-row[0] / len(baskets) for row in chosen], dtype=pl.Float64),
            "count": pl.Series([-row[0] for row in chosen], dtype=pl.Int64),
            "confidence": pl.Series([-row[1] for row in chosen], dtype=pl.Float64),
        }
    )


def _names(found: pl.DataFrame) -> set[tuple[tuple[Any, ...], Any]]:
    return {(tuple(body), head) for body, head in found.select("body", "head").iter_rows()}


def _supports(baskets: Baskets, pairs: Iterable[tuple[tuple[Any, ...], Any]]) -> tuple[list[int], list[int]]:
    """Number of baskets that contain each rule, and its body."""
    code = {str(item): place for place, item in enumerate(baskets.items)}
    owners = baskets.owners
    order = np.argsort(baskets.codes, kind="stable")
    bounds = np.searchsorted(baskets.codes[order], np.arange(len(baskets.items) + 1))
    whole, part = [], []
    for body, head in pairs:
        having: npt.NDArray[np.int64] | None = None
        for item in body:
            place = code[str(item)]
            rows = owners[order[bounds[place] : bounds[place + 1]]]
            having = rows if having is None else np.intersect1d(having, rows, assume_unique=True)
        body_rows = owners[:0] if having is None else having
        place = code[str(head)]
        rows = owners[order[bounds[place] : bounds[place + 1]]]
        part.append(len(body_rows))
        whole.append(len(np.intersect1d(body_rows, rows, assume_unique=True)))
    return whole, part
