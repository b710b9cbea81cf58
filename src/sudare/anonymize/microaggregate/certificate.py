"""The certificate: a lower bound on the SSE of any partition into groups of at least k, to compare a result with.

Give each record a price such that no group's total price exceeds its SSE. The groups of any partition then cost at
least the sum of all prices, so that sum is a lower bound. The best prices are the dual solution of the linear program
that chooses groups, in fractions, so that each record is in one (set partitioning):

    min sum_G SSE(G) x_G   s.t.   sum_{G contains i} x_G = 1 for all i,  x >= 0
    max sum_i u_i          s.t.   sum_{i in G} u_i <= SSE(G) for all G of at least k records

Groups of exactly k suffice. The k-subsets H of a G of s records have on average the price k / s u(G) and the SSE
(k-1) / (s-1) SSE(G), because the pairs are shared evenly; so if u(H) <= SSE(H) for all of them, then
u(G) <= (s / k) (k-1) / (s-1) SSE(G) <= SSE(G).

Prices u that are too high for some groups are repaired: with m_i <= 0 the least SSE(G) - u(G) of the groups of k that
contain i (or a lower bound on it), the prices u_i + m_i / k are valid, because a G has k members whose m_i are all at
most SSE(G) - u(G). So every step of the search proves a bound, and whatever stops it, the best so far is valid.

Column generation for set partitioning: Desrosiers, Lübbecke: A primer in column generation (2005); for
microaggregation: Aloise, Hansen, Rocha, Santi: Column generation bounds for numerical microaggregation (2014).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from sudare.anonymize.microaggregate.arrays import Floats, checked, sse
from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.one_column import optimal_1d
from sudare.errors import CancelledError, ParameterError, shown
from sudare.kernels.points.certificate import price_groups, raise_prices
from sudare.progress import SILENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.progress import Progress

Method = Literal["exact", "nearest", "ascent", "columns"]

_LARGEST_PROGRAM = 6_000  # records; beyond this, one linear program takes longer than everything else
_NODES = 1_000  # of one record's search during the ascent
_MORE_NODES = 100_000  # during column generation
_HARD = 0.02  # share of the records whose search may be given up before column generation is given up
_CLOSE = 1e-5  # relative distance to the linear program's value that counts as reached
_ROUNDING = 1e-12  # fraction of the prices subtracted, far above what rounding adds to them
_COLUMNS = 10  # columns kept in the linear program for each record


@dataclass(frozen=True)
class Certificate:
    """A proven lower bound on the SSE of every partition into groups of at least k."""

    bound: float
    """No partition has a lower SSE."""
    method: Method
    """Method of proof: "exact" is the optimum itself, "columns" the linear program, "ascent" and "nearest" are cheap."""
    converged: bool
    """Whether more time would not raise the bound."""

    def gap(self, reached: float) -> float:
        """By how many percent an SSE exceeds the bound: no partition is better by more than that."""
        if reached <= self.bound:
            return 0.0
        return 100.0 * (reached / self.bound - 1.0) if self.bound > 0 else float("inf")


def lower_bound(
    X: Any,
    k: int,
    *,
    labels: npt.ArrayLike | None = None,
    seconds: float = 60.0,
    progress: Progress = SILENT,
) -> Certificate:
    """Prove a lower bound within about `seconds`: nearest records, then dual ascent, then column generation.

    X is used as given: standardize first. The groups of `labels` only help the linear program to start. For up to a
    few thousand records and k of about 5, the linear program is solved; otherwise the result is the bound of the
    ascent, which is a few percent lower. Canceling returns the best bound so far.
    """
    records = checked(X, k)
    if not 0 < seconds < float("inf"):
        raise ParameterError("anonymize.microaggregate.proof_seconds", given=shown(seconds))
    total = sse(records, np.zeros(len(records), dtype=np.int64))
    if len(records) < 2 * k or total == 0:
        return Certificate(total, "exact", converged=True)
    if records.shape[1] == 1:
        return Certificate(
            sse(records, optimal_1d(records[:, 0], k, progress=progress)), "exact", converged=True
        )
    proof = _Proof(records, k, total, seconds, progress)
    progress.start("lower_bound", seconds)
    try:
        hard = proof.ascend()
        if len(records) <= _LARGEST_PROGRAM and hard <= _HARD * len(records):
            proof.generate(
                mdav(records, k, progress=progress) if labels is None else np.asarray(labels, dtype=np.int64)
            )
    except (CancelledError, _TimeIsUpError):
        pass
    return proof.certificate()


class _TimeIsUpError(Exception):
    """The budget is spent."""


class _Priced(NamedTuple):
    prices: Floats
    """Prices that exceed no group's SSE."""
    groups: npt.NDArray[np.int64]
    """Groups that cost less than the prices that were tested."""


class _Proof:
    """The best prices so far and how they were found."""

    def __init__(self, X: Floats, k: int, total: float, seconds: float, progress: Progress) -> None:
        from scipy.spatial import KDTree

        self.X, self.k, self.total, self.seconds, self.progress = X, k, total, seconds, progress
        self.began = time.monotonic()
        distances, rows = KDTree(X).query(X, k)
        self.near: Floats = np.cumsum(np.asarray(distances) ** 2, axis=1)
        self.groups = _with_itself(np.asarray(rows, dtype=np.int64))
        # Half of a record's k - 1 shortest pairs: the bound of `nearest_bound`, as prices.
        self.prices: Floats = self.near[:, -1] / (2 * k)
        self.method: Method = "nearest"
        self.converged = False

    def certificate(self) -> Certificate:
        bound = float(self.prices.sum() - _ROUNDING * np.abs(self.prices).sum())
        return Certificate(max(0.0, bound), self.method, self.converged)

    def left(self) -> float:
        """Seconds left; raises if none are left, or on cancel."""
        spent = time.monotonic() - self.began
        self.progress.update(min(spent, self.seconds))
        if spent >= self.seconds:
            raise _TimeIsUpError
        return self.seconds - spent

    def ascend(self) -> int:
        """Raise the prices one by one, outlying records first: by half of the slack, then by all of it.

        Only half at first, because otherwise the first record would take what its neighbors could use better. Returns
        the number of records whose search was given up in the last round.
        """
        order = np.argsort(-self.near[:, -1], kind="stable")
        hard = 0
        for share in (0.5, 1.0):
            hard = 0
            for part in _slices(order, self.left):
                hard += raise_prices(self.X, self.near, self.prices, part, share, _NODES, self.groups)
                self.method = "ascent"
        return hard

    def price(self, prices: Floats) -> _Priced:
        """Repair the prices, and find the groups that cost less than their prices."""
        n = len(self.X)
        least, floor = np.zeros(n), np.full(n, np.inf)
        groups = np.full((n, self.k), -1, dtype=np.int64)
        for part in _slices(np.arange(n), self.left):
            price_groups(self.X, self.near, prices, part, _MORE_NODES, least, floor, groups)
        short = np.minimum(np.minimum(least, floor), 0.0)
        return _Priced(prices + short / self.k, groups[groups[:, 0] >= 0])

    def generate(self, labels: Labels) -> None:
        """Column generation, with prices kept in a box around the best ones and mixed with them (stabilization)."""
        # Equal records have price 0; the total then shows how large a price may be.
        usual = max(float(self.prices.mean()), 1e-3 * self.total / len(self.X))
        columns = _Columns(self.X, self.k, usual)
        columns.add(self.groups)
        columns.add(_windows(labels, self.k))
        width = 0.3 * (self.prices + usual)
        while True:
            program = columns.solve(self.prices, width, self.left())
            if program is None:
                return
            mix, new = 0.5, 0
            while new == 0 and mix >= 0:
                priced = self.price(mix * self.prices + (1 - mix) * program.prices)
                new = columns.add(priced.groups)
                if priced.prices.sum() > self.prices.sum():
                    self.prices, self.method = priced.prices, "columns"
                mix -= 0.5
            reached = self.prices.sum() >= (1 - _CLOSE) * program.value - 1e-9 * self.total
            self.converged = bool(reached and not program.at_border.any())
            if self.converged or (new == 0 and not program.at_border.any()):
                return
            width[program.at_border] *= 2


class _Program(NamedTuple):
    value: float
    prices: Floats
    at_border: npt.NDArray[np.bool_]
    """The records whose price is limited by the box."""


class _Columns:
    """The linear program over the groups found so far."""

    def __init__(self, X: Floats, k: int, unit: float) -> None:
        self.X, self.unit = X, unit
        self.groups: npt.NDArray[np.int64] = np.empty((0, k), dtype=np.int64)
        self.costs: Floats = np.empty(0)

    def add(self, groups: npt.NDArray[np.int64]) -> int:
        """Add the groups that are new and return their number."""
        before = len(self.groups)
        everything = np.concatenate([self.groups, np.sort(groups, axis=1)])
        _, first = np.unique(everything, axis=0, return_index=True)
        new = everything[np.sort(first[first >= before])]
        members = self.X[new]
        around = members - members.mean(axis=1, keepdims=True)
        self.groups = np.concatenate([self.groups, new])
        self.costs = np.concatenate([self.costs, (around * around).sum(axis=(1, 2))])
        return len(new)

    def solve(self, center: Floats, width: Floats, seconds: float) -> _Program | None:
        """The best prices within the box for the groups so far; None if there was no time.

        A price is kept below center + width by a column that serves the record alone at this cost, and above
        center - width by one that takes back a second service at this reward.
        """
        from scipy.optimize import linprog
        from scipy.sparse import csc_array, eye_array, hstack

        n, (m, k) = len(self.X), self.groups.shape
        serve = csc_array((np.ones(m * k), self.groups.ravel(), np.arange(0, m * k + 1, k)), shape=(n, m))
        single = eye_array(n, format="csc")
        solved = linprog(
            np.concatenate([self.costs, center + width, width - center]) / self.unit,
            A_eq=hstack([serve, single, -single], format="csc"),
            b_eq=np.ones(n),
            method="highs-ipm",
            options={"time_limit": seconds},
        )
        if solved.status != 0:
            return None
        prices: Floats = self.unit * np.asarray(solved.eqlin.marginals, dtype=np.float64)
        at_border = np.maximum(solved.x[m : m + n], solved.x[m + n :]) > 1e-6
        self._drop(self.costs - prices[self.groups].sum(axis=1))
        return _Program(self.unit * float(solved.fun), prices, at_border)

    def _drop(self, reduced: Floats) -> None:
        """Drop the most expensive columns if there are too many."""
        most = _COLUMNS * len(self.X)
        if len(reduced) > most:
            kept = np.sort(np.argsort(reduced, kind="stable")[: most // 2])
            self.groups, self.costs = self.groups[kept], self.costs[kept]


def _slices(rows: npt.NDArray[np.int64], left: Any) -> Any:
    """Parts of the rows that take a fraction of a second each; between them it checks whether to continue."""
    size, start = 16, 0
    while start < len(rows):
        left()
        began = time.monotonic()
        yield np.ascontiguousarray(rows[start : start + size])
        start += size
        if time.monotonic() - began < 0.1:
            size *= 2


def _with_itself(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Groups of nearest records that contain the record itself, which equal records may have displaced."""
    groups = rows.copy()
    own = np.arange(len(rows))
    missing = ~(groups == own[:, None]).any(axis=1)
    groups[missing, 0] = own[missing]
    return groups


def _windows(labels: Labels, k: int) -> npt.NDArray[np.int64]:
    """Groups of k from each group of labels: a cyclic window of k, so that each member is in k of them."""
    windows = [
        np.take(members, range(start, start + k), mode="wrap")
        for members in (np.flatnonzero(labels == label) for label in np.unique(labels))
        if len(members) >= k
        for start in (range(len(members)) if len(members) > k else (0,))
    ]
    return np.array(windows, dtype=np.int64).reshape(-1, k)
