"""What the counts of the sensitive values allow: whether l-diversity is possible, with how many blocks of what size.

The counts N_0 >= N_1 >= … >= N_{P-1} > 0 may be given in any order; N = S_0 is their sum, p_i = N_i / N and
S_i = N_i + … + N_{P-1}.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sudare.errors import InfeasibleError, ParameterError, shown
from sudare.kernels.core.rules import TOLERANCE

if TYPE_CHECKING:
    import numpy.typing as npt

DiversityKind = Literal["distinct", "entropy"]


def feasible(counts: Any, l: float, kind: DiversityKind = "distinct") -> bool:  # noqa: E741  # the name in the field
    """Whether any partition into blocks is l-diverse: P >= l (distinct), H >= log l (entropy).

    If the whole table complies, it is a solution as one block; if not, every partition has a block with at most
    the entropy of the whole. An empty table has no blocks, so it is feasible.
    """
    given = _counts(counts)
    _check(l, kind)
    return not len(given) or largest_feasible_l(given, kind) >= l * (1.0 - TOLERANCE)


def largest_feasible_l(counts: Any, kind: DiversityKind = "distinct") -> float:
    """The largest l that some partition reaches: the number of values P (distinct), exp H (entropy).

    >>> largest_feasible_l([50, 25, 25], "distinct"), round(largest_feasible_l([50, 25, 25], "entropy"), 6)
    (3.0, 2.828427)
    """
    given = _counts(counts)
    _check(1, kind)
    if kind == "distinct" or not len(given):
        return float(len(given))
    shares = given / given.sum()
    return math.exp(-math.fsum(shares * np.log(shares)))


def max_blocks(counts: Any, l: float) -> int:  # noqa: E741  # the name in the field
    """MaxNB: the maximum number of blocks with l distinct values each (Lemma 2); 0 if not even one is possible.

    MaxNB = floor(S_I / (l - I)), I = min{i : floor(S_i / (l - i)) >= N_i, 0 <= i < l}: the I most frequent values
    are in every block, and the others fill the remaining l - I places. It is the largest B with
    sum_i min(N_i, B) >= l B. For entropy l-diversity, which needs at least ceil(l) values in a block, it is an upper
    bound; a real l is rounded up.

    >>> max_blocks([10, 8, 7, 3, 2], 3), max_blocks([50, 25, 15, 7, 3], 3)
    (10, 25)
    """
    given = _counts(counts)
    _check(l, "distinct")
    places = values_needed(l)
    if len(given) < places:
        return 0
    rest = int(given.sum())
    for index in range(places):
        blocks = rest // (places - index)
        if blocks >= given[index]:
            return blocks
        rest -= int(given[index])
    raise AssertionError("floor(S_i / 1) >= N_i for i = l - 1")  # pragma: no cover  # S_i includes N_i


def min_largest_block(counts: Any, l: float, kind: DiversityKind = "distinct") -> int:  # noqa: E741  # as above
    """A lower bound on the size of the largest block in any l-diverse partition: the k to compare l-diversity with.

    - distinct: alpha_s = ceil(N / MaxNB).
    - entropy: alpha_e = the least integer a with g(a) >= log l (Theorem 1, Corollary 1), where
      g(a) = sum_i p_i min(log a, log 1/p_i), which never decreases and ends at the entropy H.

    Raises InfeasibleError if no partition is l-diverse.

    >>> min_largest_block([50, 25, 15, 7, 3], 3), min_largest_block([50, 25, 15, 7, 3], 3, "entropy")
    (4, 6)
    """
    given = _counts(counts)
    if not len(given):
        raise InfeasibleError("assess.bounds.no_values")
    if not feasible(given, l, kind):
        raise InfeasibleError(
            "assess.bounds.unreachable",
            kind=kind,
            l=l,
            values=len(given),
            most=largest_feasible_l(given, kind),
        )
    if kind == "distinct":
        return -(-int(given.sum()) // max_blocks(given, l))
    shares = given / given.sum()
    surprise = -np.log(shares)
    wanted = math.log(l) + math.log1p(-TOLERANCE)
    low, high = 0, int(1.0 / shares[-1]) + 1  # from here on g is H, which suffices
    while high - low > 1:
        middle = (low + high) // 2
        reached = math.fsum(shares * np.minimum(math.log(middle), surprise))
        low, high = (low, middle) if reached >= wanted else (middle, high)
    return high


def values_needed(l: float) -> int:  # noqa: E741  # the name in the field
    """Number of distinct values that a block with diversity l needs at least, for every kind: l rounded up.

    Entropy is at most log D with D values, so D >= l; recursive (c, l) has r_l + … + r_m > 0.
    """
    return max(math.ceil(l * (1.0 - TOLERANCE)), 1)


def _counts(counts: Any) -> npt.NDArray[np.int64]:
    """Positive counts in descending order."""
    given = np.asarray(counts)
    whole = given.size == 0 or (
        given.ndim == 1 and given.dtype.kind in "iuf" and bool((given == np.floor(given)).all())
    )
    if not whole or (given < 0).any():
        raise ParameterError("assess.bounds.counts")
    positive = given[given > 0].astype(np.int64)
    return np.sort(positive)[::-1]


def _check(l: float, kind: str) -> None:  # noqa: E741  # the name in the field
    if not (isinstance(l, int | float | np.number) and 1 <= l < math.inf):
        raise ParameterError("assess.bounds.l", given=shown(l))
    if kind not in {"distinct", "entropy"}:
        raise ParameterError("assess.bounds.kind", given=shown(kind))
