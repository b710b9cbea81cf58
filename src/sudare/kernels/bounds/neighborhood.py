"""How far around each row one must go to find k rows, or l sensitive values: what two rows cost, a tree of rows, the search.

The cost of two rows together: the cells of a row are ranks, and each column defines the cost of two ranks.

Ranks are numbered so that the cost of two ranks never decreases when one of them moves away from the other: leaves of
a hierarchy depth first, numbers ascending, missing last. So a set of rows is bounded by the lowest and highest rank
of each column. The cost of two rows is the sum over columns; each column's cost is a metric, so the sum is one too.

The innermost loops take plain arrays and many rows at a time: a call with so many arguments costs more than a row.

How far around each row one must go to find k rows, or l sensitive values: best first through a tree of boxes.

The radius of a row is the smallest r such that the rows within cost r of it (itself included) are k or more, or have l
or more different values. Equal rows have equal radii, so only distinct rows are searched, and each counts as often as
it occurs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.arrays import starts_of
from sudare.kernels.core.jit import kernel
from sudare.kernels.core.sort import sort_in_place

TREE, LINE, TABLE = range(3)
STRETCH = 8
"""The number of columns summed between two checks of the limit."""


class Space(NamedTuple):
    """Columns c = 0 … C-1 with `size[c]` ranks each; the TABLE columns come last."""

    wide: int
    """Number of columns before the TABLE columns."""
    kind: npt.NDArray[np.int64]
    """TREE: cost of the lowest common node; LINE: distance of positions; TABLE: cost of every pair of ranks."""
    size: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    """Where the column begins in `values` (TABLE: size x size costs; LINE: positions) or in the node arrays."""
    cap: npt.NDArray[np.float64]
    """The highest cost of a cell of the column."""
    values: npt.NDArray[np.float64]
    parent: npt.NDArray[np.int64]
    """Parent of each node of the TREE columns, counted from the column's start: leaves by rank, then inner nodes; the
    root is its own parent."""
    first: npt.NDArray[np.int64]
    """First rank below a node."""
    last: npt.NDArray[np.int64]
    """One past the last rank below a node."""
    cost: npt.NDArray[np.float64]
    """Cost of a node, 0 for leaves."""
    height: int
    """The largest number of nodes on a path from a leaf to the root."""
    floor: npt.NDArray[np.float64]
    """C x largest size: cost of a rank together with the nearest other rank."""


class View(NamedTuple):
    """One row, prepared for comparison with many."""

    rank: npt.NDArray[np.int64]
    floor: npt.NDArray[np.float64]
    """The lowest cost of each column with a row that has another rank there."""
    base: npt.NDArray[np.int64]
    """TABLE: where its line of costs begins; LINE: where the positions begin."""
    position: npt.NDArray[np.float64]
    """LINE: its position."""
    first: npt.NDArray[np.int64]
    """TREE: C x height ranges of ranks, growing from the leaf to the root (repeated to fill the line) …"""
    last: npt.NDArray[np.int64]
    cost: npt.NDArray[np.float64]
    """… and their costs; LINE: the cap comes first."""


def view_for(space: Space) -> View:
    """Work space for one row at a time."""
    columns = len(space.kind)
    chain = (columns, max(space.height, 1))
    return View(
        rank=np.zeros(columns, dtype=np.int64),
        floor=np.zeros(columns),
        base=np.zeros(columns, dtype=np.int64),
        position=np.zeros(columns),
        first=np.zeros(chain, dtype=np.int64),
        last=np.zeros(chain, dtype=np.int64),
        cost=np.zeros(chain),
    )


@kernel
def look_from(space, view, codes, row):
    """Prepare a row."""
    for column in range(len(space.kind)):
        rank = np.int64(codes[row, column])
        start = space.start[column]
        view.rank[column], view.floor[column] = rank, space.floor[column, rank]
        if space.kind[column] == TABLE:
            view.base[column] = start + rank * space.size[column]
        elif space.kind[column] == LINE:
            view.base[column], view.position[column] = start, space.values[start + rank]
            view.cost[column, 0] = space.cap[column]
        else:
            node, step = rank, 0
            view.first[column, 0], view.last[column, 0], view.cost[column, 0] = rank, rank + 1, 0.0
            while space.parent[start + node] != node:
                node = space.parent[start + node]
                # nodes of equal cost are one step: use the highest of them
                step += space.cost[start + node] > view.cost[column, step]
                view.first[column, step] = space.first[start + node]
                view.last[column, step] = space.last[start + node]
                view.cost[column, step] = space.cost[start + node]
            for rest in range(step + 1, view.first.shape[1]):
                view.first[column, rest], view.last[column, rest] = (
                    view.first[column, step],
                    view.last[column, step],
                )


@kernel
def wide_cost(kind, values, base, position, first, last, cost, column, rank):
    """Cost of a TREE or LINE column when the prepared row is generalized together with a rank."""
    if kind[column] == LINE:
        return min(abs(values[base[column] + rank] - position[column]), cost[column, 0])
    step = 0
    for outer in range(first.shape[1] - 1):  # always to the end: cheaper than an unpredictable jump
        step += (rank < first[column, outer]) | (rank >= last[column, outer])
    return cost[column, step]


@kernel
def row_costs(wide, kind, values, base, position, first, last, cost, codes, begin, end, limit, out):
    """Costs of the prepared row together with rows begin … end-1; from the limit on, they are only lower bounds."""
    for row in range(begin, end):
        total = 0.0
        for column in range(wide):
            total += wide_cost(kind, values, base, position, first, last, cost, column, codes[row, column])
        start = wide
        while total < limit and start < len(kind):
            for column in range(start, min(start + STRETCH, len(kind))):
                total += values[base[column] + codes[row, column]]
            start += STRETCH
        out[row - begin] = total


@kernel
def rank_cost(space, column, lower, higher):
    """Cost of two ranks, lower <= higher."""
    start = space.start[column]
    if space.kind[column] == TABLE:
        return space.values[start + lower * space.size[column] + higher]
    if space.kind[column] == LINE:
        return min(space.values[start + higher] - space.values[start + lower], space.cap[column])
    node = lower
    while higher >= space.last[start + node]:
        node = space.parent[start + node]
    return space.cost[start + node]


LEAF = 16
"""Maximum number of rows in a leaf."""
FAN = 16
"""Maximum number of children of a node."""
_SAMPLE = 48
"""The number of rows of a node that are sampled to choose its cut."""


class Tree(NamedTuple):
    """Rows in the order of the leaves; nodes are numbered from the root 0, a child after its parent."""

    order: npt.NDArray[np.int64]
    """Row at each place."""
    codes: npt.NDArray[np.int32]
    """Ranks of the row at each place."""
    begin: npt.NDArray[np.int64]
    """First place of each node."""
    end: npt.NDArray[np.int64]
    """One past the last place of each node."""
    child: npt.NDArray[np.int64]
    """First child of each node; the others follow it."""
    children: npt.NDArray[np.int64]
    """Number of children, 0 for a leaf."""
    leaf: npt.NDArray[np.int64]
    """The leaf of each place."""
    lowest: npt.NDArray[np.int32]
    """Nodes x columns: lowest rank."""
    highest: npt.NDArray[np.int32]
    present: npt.NDArray[np.uint64]
    """Nodes x columns: bit (rank modulo 64) is set for every rank that occurs, so an unset bit rules out a rank."""


def build(space: Space, codes: npt.NDArray[np.int32]) -> Tree:
    """The tree of distinct rows."""
    order, begin, end, child, children, count = _cut(space, codes)
    shape = (count, codes.shape[1])
    tree = Tree(
        order=order,
        codes=np.ascontiguousarray(codes[order]),
        begin=begin[:count].copy(),
        end=end[:count].copy(),
        child=child[:count].copy(),
        children=children[:count].copy(),
        leaf=np.zeros(len(codes), dtype=np.int64),
        lowest=np.zeros(shape, dtype=np.int32),
        highest=np.zeros(shape, dtype=np.int32),
        present=np.zeros(shape, dtype=np.uint64),
    )
    _bound(tree)
    return tree


@kernel
def box_costs(
    wide,
    kind,
    values,
    base,
    position,
    first,
    last,
    cost,
    rank,
    floor,
    lowest,
    highest,
    present,
    begin,
    end,
    limit,
    out,
):
    """Lower bounds of the cost of the prepared row with any row of the nodes begin … end-1, up to the limit."""
    for node in range(begin, end):
        total = 0.0
        for column in range(wide):
            own = rank[column]
            nearest = min(max(own, lowest[node, column]), highest[node, column])
            if nearest != own:
                total += wide_cost(kind, values, base, position, first, last, cost, column, nearest)
            elif not (present[node, column] >> np.uint64(own & 63)) & np.uint64(1):
                total += floor[column]
        start = wide
        while total < limit and start < len(kind):
            for column in range(start, min(start + STRETCH, len(kind))):
                own = rank[column]
                nearest = min(max(own, lowest[node, column]), highest[node, column])
                occurs = (present[node, column] >> np.uint64(own & 63)) & np.uint64(1)
                total += max(values[base[column] + nearest], 0.0 if occurs else floor[column])
            start += STRETCH
        out[node - begin] = total


@kernel
def _cut(space, codes):
    rows = len(codes)
    order = np.arange(rows)
    most = max(2 * rows, 1)
    begin, end = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    child, children = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    end[0], count = rows, 1
    node = 0
    while node < count:
        if end[node] - begin[node] > LEAF:
            child[node], children[node] = count, 1
            begin[count], end[count] = begin[node], end[node]
            while children[node] < FAN:
                largest = count
                for other in range(count + 1, count + children[node]):
                    if end[other] - begin[other] > end[largest] - begin[largest]:
                        largest = other
                if end[largest] - begin[largest] <= LEAF:
                    break
                start, stop = begin[largest], end[largest]
                column, rank = _best_cut(space, codes, order, start, stop)
                middle = _parted(codes, order, start, stop, column, rank)
                new = count + children[node]
                end[largest], begin[new], end[new] = middle, middle, stop
                children[node] += 1
            count += children[node]
        node += 1
    return order, begin, end, child, children, count


@kernel
def _parted(codes, order, start, stop, column, rank):
    left, right = start, stop - 1
    while left <= right:
        if codes[order[left], column] <= rank:
            left += 1
        else:
            order[left], order[right] = order[right], order[left]
            right -= 1
    return left


@kernel
def _best_cut(space, codes, order, start, stop):
    # In a sample: separate many pairs, at a border of the hierarchy rather than inside a branch.
    size = min(stop - start, _SAMPLE)
    ranks = np.empty(size, dtype=np.int64)
    best, best_column, best_rank = 0.0, -1, 0
    for column in range(codes.shape[1]):
        for index in range(size):
            ranks[index] = codes[order[start + index * (stop - start) // size], column]
        sort_in_place(ranks, size)
        for cut in range(1, size):
            below, above = ranks[cut - 1], ranks[cut]
            if below < above:
                beside = rank_cost(space, column, below, above)
                middles = rank_cost(space, column, ranks[cut // 2], ranks[(cut + size) // 2])
                score = (beside + middles) * cut * (size - cut)
                if score > best:
                    best, best_column, best_rank = score, column, below
    if best_column >= 0:
        return best_column, best_rank
    # The sample is all equal, or its differences cost nothing: use any cut that leaves rows on both sides.
    for column in range(codes.shape[1]):
        lowest = highest = codes[order[start], column]
        for at in range(start + 1, stop):
            lowest = min(lowest, codes[order[at], column])
            highest = max(highest, codes[order[at], column])
        if lowest < highest:
            return column, np.int64((lowest + highest) // 2)
    return 0, np.int64(codes[order[start], 0])


@kernel
def _bound(tree):
    columns = tree.codes.shape[1]
    for node in range(len(tree.begin) - 1, -1, -1):
        for column in range(columns):
            lowest, highest, present = np.int32(2147483647), np.int32(-1), np.uint64(0)
            for below in range(tree.child[node], tree.child[node] + tree.children[node]):
                lowest = min(lowest, tree.lowest[below, column])
                highest = max(highest, tree.highest[below, column])
                present |= tree.present[below, column]
            if not tree.children[node]:
                for place in range(tree.begin[node], tree.end[node]):
                    rank = tree.codes[place, column]
                    lowest, highest = min(lowest, rank), max(highest, rank)
                    present |= np.uint64(1) << np.uint64(rank & 63)
            tree.lowest[node, column], tree.highest[node, column] = lowest, highest
            tree.present[node, column] = present
        if not tree.children[node]:
            tree.leaf[tree.begin[node] : tree.end[node]] = node


_OTHER = 63
"""The bit shared by all values beyond the 63 most frequent: it never rules anything out."""


class Wanted(NamedTuple):
    """What is counted around a row; the places are those of the tree."""

    target: int
    """k or l."""
    by_value: bool
    """Whether different values are counted, rather than rows."""
    weight: npt.NDArray[np.int64]
    """Rows at each place."""
    start: npt.NDArray[np.int64]
    """Where the values of each place begin (places + 1)."""
    value: npt.NDArray[np.int64]
    """Different sensitive values of each place, numbered by decreasing frequency."""
    node_bits: npt.NDArray[np.uint64]
    """The values of each node as bits."""


class Search(NamedTuple):
    """Work space and result."""

    radius: npt.NDArray[np.float64]
    """The radius of each place."""
    exact: npt.NDArray[np.bool_]
    """Whether the radius is the true one, or a smaller one because the budget was used up."""
    state: npt.NDArray[np.int64]
    """[next place, comparisons so far]."""
    key: npt.NDArray[np.float64]
    """Heap of nodes by box cost."""
    node: npt.NDArray[np.int64]
    near: npt.NDArray[np.float64]
    """Costs of the nearest rows found so far, ascending."""
    what: npt.NDArray[np.int64]
    """Their number of rows, or their value."""
    own: npt.NDArray[np.int64]
    """For each value, the last searched place that has it itself."""


def wanted_rows(tree: Tree, k: int, weight: npt.NDArray[np.int64]) -> Wanted:
    """Count rows: `weight` is how often each distinct row occurs."""
    places, none = len(tree.order), np.zeros(0, dtype=np.int64)
    return Wanted(
        target=k,
        by_value=False,
        weight=weight[tree.order],
        start=np.zeros(places + 1, dtype=np.int64),
        value=none,
        node_bits=np.zeros(len(tree.begin), dtype=np.uint64),
    )


def wanted_values(
    tree: Tree, target: int, start: npt.NDArray[np.int64], value: npt.NDArray[np.int64]
) -> Wanted:
    """Count values: distinct row i has `value[start[i]:start[i + 1]]`, without repetition."""
    counts = np.diff(start)[tree.order]
    moved = starts_of(counts)
    source = np.repeat(start[:-1][tree.order] - moved[:-1], counts) + np.arange(len(value))
    value = value[source]
    # Bits let the search skip a node whose values are all settled, so frequent values deserve bits of their own.
    frequency = np.bincount(value)
    number = np.empty(len(frequency), dtype=np.int64)
    number[np.argsort(-frequency, kind="stable")] = np.arange(len(frequency))
    value = number[value]
    node_bits = _bits(tree.begin, tree.end, tree.child, tree.children, moved, value)
    return Wanted(target, True, counts, moved, value, node_bits)


def search_for(tree: Tree, wanted: Wanted) -> Search:
    """A search that has not started."""
    places = len(tree.order)
    return Search(
        radius=np.zeros(places),
        exact=np.ones(places, dtype=np.bool_),
        state=np.zeros(2, dtype=np.int64),
        key=np.zeros(len(tree.begin) + 1),
        node=np.zeros(len(tree.begin) + 1, dtype=np.int64),
        near=np.zeros(wanted.target + 1),
        what=np.zeros(wanted.target + 1, dtype=np.int64),
        own=np.full(int(wanted.value.max(initial=0)) + 1, -1, dtype=np.int64),
    )


def go_on(space: Space, tree: Tree, wanted: Wanted, search: Search, budget: int, pause: int) -> bool:
    """Continue the search for about `pause` comparisons; returns whether there is more to do.

    Rows are not limited until half of the budget is used; then each gets an equal share of what is left.
    """
    return bool(_go_on(space, tree, wanted, search, view_for(space), budget, pause))


@kernel
def _go_on(space, tree, wanted, search, view, budget, pause):
    # One long loop on plain arrays: a call with all of these tuples would cost more than its work.
    wide, kind, values = space.wide, space.kind, space.values
    own_rank, floor, base, position = view.rank, view.floor, view.base, view.position
    first, last, cost = view.first, view.last, view.cost
    codes, begin, end, leaf = tree.codes, tree.begin, tree.end, tree.leaf
    child, children = tree.child, tree.children
    lowest, highest, present = tree.lowest, tree.highest, tree.present
    by_value, weight, start, value = wanted.by_value, wanted.weight, wanted.start, wanted.value
    node_bits = wanted.node_bits
    key, heap, near, what, has = search.key, search.node, search.near, search.what, search.own
    paid = np.zeros(max(LEAF, FAN))
    places = len(codes)
    place, spent = search.state
    target = spent + pause
    while place < places and spent < target:
        missing = wanted.target - (start[place + 1] - start[place] if by_value else weight[place])
        if missing <= 0:
            place, spent = place + 1, spent + 1
            continue
        left = max(budget - spent, 0)
        allowance = spent + (left if 2 * spent <= budget else left // (places - place))
        look_from(space, view, codes, place)
        settled = np.uint64(0)
        for at in range(start[place], start[place + 1]):
            has[value[at]] = place
            if value[at] < _OTHER:
                settled |= np.uint64(1) << np.uint64(value[at])
        # The row's own leaf comes first: what is found there rules out most of the other nodes before they are visited.
        own = leaf[place]
        key[0], heap[0], waiting = 0.0, own, 1
        size, radius, seeded = np.int64(0), np.inf, False
        while waiting > 0:
            nearest, node = key[0], heap[0]
            if nearest >= radius:
                break
            if spent >= allowance:
                search.exact[place], radius = False, nearest
                break
            waiting -= 1
            _sink(key, heap, waiting)
            if by_value and seeded:
                done = settled
                for at in range(size):
                    if near[at] <= nearest and what[at] < _OTHER:
                        done |= np.uint64(1) << np.uint64(what[at])
                if node_bits[node] & ~done == 0:
                    continue
            low, high = child[node], child[node] + children[node]
            if low < high:
                box_costs(
                    wide, kind, values, base, position, first, last, cost,
                    own_rank, floor, lowest, highest, present, low, high, radius, paid,
                )  # fmt: skip
                for below in range(low, high):
                    if paid[below - low] < radius and below != own:
                        _rise(key, heap, waiting, paid[below - low], below)
                        waiting += 1
                spent += high - low
                continue
            low, high = begin[node], end[node]
            row_costs(wide, kind, values, base, position, first, last, cost, codes, low, high, radius, paid)
            spent += high - low
            for other in range(low, high):
                if other == place or paid[other - low] >= radius:
                    continue
                if not by_value:
                    size, radius = _take_rows(near, what, size, paid[other - low], weight[other], missing)
                    continue
                for at in range(start[other], start[other + 1]):
                    if has[value[at]] != place:
                        size, radius = _take_value(near, what, size, paid[other - low], value[at], missing)
            if not seeded:
                seeded = True
                if own != 0:
                    _rise(key, heap, waiting, 0.0, np.int64(0))
                    waiting += 1
        search.radius[place] = radius
        place += 1
    search.state[0], search.state[1] = place, spent
    return place < places


@kernel
def _take_rows(near, what, size, cost, rows, missing):
    # Insert by cost; drop what is no longer needed to reach `missing` rows.
    at = size
    while at > 0 and near[at - 1] > cost:
        near[at], what[at] = near[at - 1], what[at - 1]
        at -= 1
    near[at], what[at] = cost, rows
    total = 0
    for at in range(size + 1):
        total += what[at]
        if total >= missing:
            return at + 1, near[at]
    return size + 1, np.inf


@kernel
def _take_value(near, what, size, cost, value, missing):
    # A value counts once, at its lowest cost; at most `missing` values are kept.
    at = 0
    while at < size and what[at] != value:
        at += 1
    if at < size:
        if near[at] <= cost:
            return size, near[missing - 1] if size == missing else np.inf
    elif size < missing:
        size += 1
    elif cost >= near[size - 1]:
        return size, near[size - 1]
    else:
        at = size - 1
    while at > 0 and near[at - 1] > cost:
        near[at], what[at] = near[at - 1], what[at - 1]
        at -= 1
    near[at], what[at] = cost, value
    return size, near[missing - 1] if size == missing else np.inf


@kernel
def _rise(key, node, at, cost, number):
    while at > 0 and key[(at - 1) // 2] > cost:
        above = (at - 1) // 2
        key[at], node[at] = key[above], node[above]
        at = above
    key[at], node[at] = cost, number


@kernel
def _sink(key, node, size):
    # Remove the top of the heap: the last, at `size`, sinks from the top.
    cost, number, at = key[size], node[size], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and key[below + 1] < key[below]:
            below += 1
        if key[below] >= cost:
            break
        key[at], node[at] = key[below], node[below]
        at = below
    key[at], node[at] = cost, number


@kernel
def _bits(begin, end, child, children, start, value):
    bits = np.zeros(len(begin), dtype=np.uint64)
    for node in range(len(begin) - 1, -1, -1):
        for below in range(child[node], child[node] + children[node]):
            bits[node] |= bits[below]
        if not children[node]:
            for at in range(start[begin[node]], start[end[node]]):
                bits[node] |= np.uint64(1) << np.uint64(min(value[at], _OTHER))
    return bits
