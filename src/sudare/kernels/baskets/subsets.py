"""Every small subset of every basket: a number for each, the baskets that contain it, and the inferences to prevent.

Baskets are rows of positions `starts[r] … starts[r + 1]` into `codes` (ascending within a basket). A subset of at
most `width` items of a basket has a place in that basket's table, by size and then by combinatorial rank
(sum of C(p_j, j + 1) over its ascending local positions p_0 < p_1 < …); the table contains its number. Numbers are
assigned depth first: a set, then its extensions by later items, each with the list of baskets it occurs in, so
no keys are sorted or hashed and there is no limit on the number of items.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sudare.arrays import read_only, starts_of
from sudare.kernels.baskets.walk import (
    Described,
    ask_inferences,
    describe_subsets,
    list_extensions,
    list_roots,
    number_subsets,
    walk_through,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_STRETCHES = 50
"""The number of progress reports in each of the walks."""


class Subsets(NamedTuple):
    """All subsets of at most `width` items, by number."""

    starts: np.ndarray
    """First position of each basket, and the end."""
    codes: np.ndarray
    """Items, ascending within a basket."""
    choose: np.ndarray
    """Binomial coefficients C(n, k)."""
    tables: np.ndarray
    """First place of each basket in `numbers`, and the end."""
    numbers: np.ndarray
    """Number of the subset at each place of each basket's table."""
    sizes: np.ndarray
    """The number of items in each subset."""
    items: np.ndarray
    """Its items, ascending; -1 beyond its size."""
    below: np.ndarray
    """Number of the subset without the j-th item."""
    posting_starts: np.ndarray
    postings: np.ndarray
    """Baskets that contain each subset."""
    needs: np.ndarray
    """Bit j: the j-th item is sensitive for a user who has the rest, so rest -> item must stay uncertain."""
    extension_starts: np.ndarray
    extensions: np.ndarray
    """For each subset Q the subsets Q + e for which Q -> e must stay uncertain."""
    added: np.ndarray
    """Position of e in each of these."""
    levels: np.ndarray
    """First place of each size in `by_size`, and the end; size 0 is empty."""
    by_size: np.ndarray
    """Numbers ordered by size."""


def count_occurrences(starts: Any, width: int) -> float:
    """The total number of subsets of at most `width` items in all baskets, as a float that cannot overflow."""
    lengths, baskets = np.unique(np.diff(starts), return_counts=True)
    total = 0.0
    for length, count in zip(lengths.tolist(), baskets.tolist(), strict=True):
        one, sum_ = 1.0, 0.0
        for size in range(1, min(width, length) + 1):
            one *= (length - size + 1) / size
            sum_ += one
        total += count * sum_
    return total


def index_subsets(
    starts: Any,
    codes: Any,
    items: int,
    width: int,
    asking: Any = None,
    tell: Callable[[float], None] | None = None,
) -> Subsets:
    """Number all subsets; `asking` defines which items are sensitive for whom, if inferences matter.

    `tell` is called repeatedly with the share that is done; an exception that it raises ends the work.
    """
    told = tell or (lambda _: None)
    starts, codes = read_only(starts), read_only(codes)
    longest = int(np.diff(starts).max(initial=0))
    width = max(1, min(width, longest))
    choose = binomials(longest, width)
    per_length = choose[:, 1:].sum(axis=1)
    tables = starts_of(per_length[np.diff(starts)])
    numbers = np.empty(int(tables[-1]), dtype=np.int32)
    walk = walk_through(starts, codes, items, choose, tables)
    edges = walk.edges[1, : list_roots(walk) + 1]
    stretches = _stretches(edges)
    count = 0
    for low, high in stretches:
        count = number_subsets(walk, low, high, count, numbers)
        told(0.4 * edges[high] / len(codes))
    described = Described(
        np.empty(count, dtype=np.int8),
        np.full((count, width), -1, dtype=np.int32),
        np.full((count, width), -1, dtype=np.int32),
        np.zeros(count + 1, dtype=np.int64),
        np.empty(len(numbers), dtype=np.int32),
    )
    where = np.empty(width + 1, dtype=np.int64)
    done = 0
    for low, high in stretches:
        done = describe_subsets(walk, low, high, done, numbers, described, where)
        told(0.4 + 0.5 * edges[high] / len(codes))
    needs = np.zeros(count, dtype=np.uint32)
    extension_starts = np.zeros(count + 1, dtype=np.int64)
    if asking is not None:
        for low, high in _stretches(np.arange(count + 1)):
            ask_inferences(described, asking, needs, extension_starts, low, high)
            told(0.9 + 0.1 * high / count)
        np.cumsum(extension_starts, out=extension_starts)
    extensions = np.empty(int(extension_starts[-1]), dtype=np.int32)
    added = np.empty(len(extensions), dtype=np.int8)
    sizes = described.sizes
    list_extensions(sizes, described.below, needs, extension_starts[:-1].copy(), extensions, added)
    by_size = np.argsort(sizes, kind="stable").astype(np.int32)
    levels = np.searchsorted(sizes[by_size], np.arange(width + 2)).astype(np.int64)
    told(1.0)
    return Subsets(
        starts=starts,
        codes=codes,
        choose=choose,
        tables=tables,
        numbers=numbers,
        sizes=described.sizes,
        items=described.items,
        below=described.below,
        posting_starts=described.posting_starts,
        postings=described.postings,
        needs=needs,
        extension_starts=extension_starts,
        extensions=extensions,
        added=added,
        levels=levels,
        by_size=by_size,
    )


def _stretches(edges: Any) -> list[tuple[int, int]]:
    """Cut the range between ascending edges into at most about `_STRETCHES` stretches of similar weight."""
    if len(edges) < 2:
        return []
    marks = np.unique(np.searchsorted(edges, np.linspace(0, edges[-1], _STRETCHES + 1)))
    marks = np.unique(np.concatenate([[0], marks, [len(edges) - 1]])).tolist()
    return list(pairwise(marks))


def binomials(longest: int, width: int) -> Any:
    """C(n, k) for n up to `longest` and k up to `width`."""
    choose = np.zeros((longest + 1, width + 1), dtype=np.int64)
    choose[:, 0] = 1
    for n in range(1, longest + 1):
        choose[n, 1:] = choose[n - 1, 1:] + choose[n - 1, :-1]
    return choose
