"""Plain twins of the partitions: numpy and the words of the specification, nothing else."""

import math

import numpy as np

from sudare.anonymize.grouping.labels import numbered


def plain_mdav(records, k):
    left = list(range(len(records)))
    labels = np.full(len(records), -1)
    group = 0
    while len(left) >= 2 * k:
        pairs = len(left) >= 3 * k
        first = _farthest(records, left, _mean(records, left))
        second = _farthest(records, [row for row in left if row != first], records[first])
        members = _with_nearest(records, left, first, k)
        labels[members] = group
        left = [row for row in left if labels[row] < 0]
        group += 1
        if pairs:
            if labels[second] >= 0:  # only where all are equally far
                second = _farthest(records, left, records[first])
            labels[_with_nearest(records, left, second, k)] = group
            left = [row for row in left if labels[row] < 0]
            group += 1
    labels[left] = group
    return numbered(labels)


def plain_vmdav(records, k, gamma):
    left = list(range(len(records)))
    labels = np.full(len(records), -1)
    center = _mean(records, left)
    group = 0
    while len(left) >= k:
        members = _with_nearest(records, left, _farthest(records, left, center), k)
        left = [row for row in left if row not in set(members)]
        while len(members) < 2 * k - 1 and left:
            squared, e_min = min(
                (distance, row)
                for member in members
                for distance, row in zip(_squared(records, left, records[member]), left, strict=True)
            )
            others = [row for row in left if row != e_min]
            d_out = math.sqrt(min(_squared(records, others, records[e_min]))) if others else math.inf
            if gamma == 0 or not math.sqrt(squared) < gamma * d_out:
                break
            members.append(e_min)
            left = others
        labels[members] = group
        group += 1
    grouped = np.flatnonzero(labels >= 0)
    joined = {row: labels[grouped[np.argmin(_squared(records, grouped, records[row]))]] for row in left}
    for row, label in joined.items():
        labels[row] = label
    return numbered(labels)


def plain_npn(records):
    """Nearest point next: from the record farthest from the centroid always to the nearest unvisited one."""
    return plain_block_walk(records, [0] * len(records), lambda _cell, unvisited: [unvisited])


def plain_grid(records, blocks):
    """Equal-width blocks: stay in the block, then go to the nearest record in the smallest ring that has any."""
    low, high = records.min(axis=0), records.max(axis=0)
    places = []
    for record in records:
        shares = [
            (value - start) / (end - start) if end > start else 0.0
            for value, start, end in zip(record, low, high, strict=True)
        ]
        places.append(tuple(min(int(share * blocks), blocks - 1) for share in shares))

    def rings(cell, unvisited):
        def ring(other):
            return max(abs(one - two) for one, two in zip(cell, other, strict=True))

        for distance in sorted({ring(other) for other in unvisited}):
            yield {other for other in unvisited if ring(other) == distance}

    return plain_block_walk(records, places, rings)


def plain_flexdice(records, c1, c2):
    """All sides of a cell are halved at once; links across the faces; the next cell is found breadth first."""
    cell_of, links = plain_dice(records, c1, c2)

    def levels(cell, unvisited):
        seen, level = {cell}, {cell}
        while level:
            level = {other for one in level for other in links[one]} - seen
            seen |= level
            yield level & unvisited
        yield unvisited

    return plain_block_walk(records, cell_of, levels)


def plain_dice(records, c1, c2, bits=52):
    """The cell of each record as (depth, place), and the cells that each cell links to."""
    low, high = records.min(axis=0), records.max(axis=0)
    width = high - low
    places = []
    for record in records:
        shares = [
            (value - start) / size if size > 0 else 0.0
            for value, start, size in zip(record, low, width, strict=True)
        ]
        places.append([min(int(share * 2**bits), 2**bits - 1) for share in shares])

    def box(row, depth):
        return depth, tuple(place >> (bits - depth) for place in places[row])

    root = (0, tuple(0 for _ in width))
    rows_of, parts_of, waiting, cells = {root: list(range(len(records)))}, {}, [root], 1
    for node in waiting:
        rows = rows_of[node]
        for depth in range(node[0] + 1, bits + 1):
            parts = sorted({box(row, depth) for row in rows})
            if len(parts) > 1:
                break
        if len(parts) > 1 and (len(rows) > c1 or cells - 1 + len(parts) <= c2):
            cells += len(parts) - 1
            parts_of[node] = parts
            rows_of.update({part: [row for row in rows if box(row, depth) == part] for part in parts})
            waiting.extend(parts)
    leaves = [node for node in waiting if node not in parts_of]

    def center(node):
        return [size * ((place + 0.5) / 2.0 ** node[0]) for place, size in zip(node[1], width, strict=True)]

    def contains(outer, inner):
        deeper = inner[0] - outer[0]
        return deeper >= 0 and tuple(place >> deeper for place in inner[1]) == outer[1]

    def beyond(leaf, column, step):
        place = list(leaf[1])
        place[column] += step
        if not 0 <= place[column] < 2 ** leaf[0]:
            return None
        target = (leaf[0], tuple(place))
        for other in leaves:
            if contains(other, target):
                return other
        if not any(contains(target, other) for other in leaves):
            return None
        # The topmost node with all its records in the box; then from part to part, nearest center first.
        node = next(
            other for other in waiting if all(contains(target, box(row, bits)) for row in rows_of[other])
        )
        while node in parts_of:
            here = center(leaf)
            away = [
                sum((one - two) ** 2 for one, two in zip(center(part), here, strict=True))
                for part in parts_of[node]
            ]
            node = parts_of[node][away.index(min(away))]
        return node

    links = {
        leaf: {
            other
            for column in range(len(width))
            for step in (-1, 1)
            if (other := beyond(leaf, column, step)) is not None
        }
        for leaf in leaves
    }
    cell_of = [next(leaf for leaf in leaves if contains(leaf, box(row, bits))) for row in range(len(records))]
    return cell_of, links


def plain_block_walk(records, cell_of, choices):
    """Exhaust a cell, nearest record next; then enter the nearest record of the first choice of cells that is not empty."""
    center = records.mean(axis=0)
    center += (records - center).mean(axis=0)
    rows = list(range(len(records)))
    order = [_farthest(records, rows, center)]
    left = [row for row in rows if row != order[0]]
    while left:
        here = cell_of[order[-1]]
        near = [row for row in left if cell_of[row] == here]
        if not near:
            unvisited = {cell_of[row] for row in left}
            chosen = next(cells for cells in choices(here, unvisited) if cells)
            near = [row for row in left if cell_of[row] in chosen]
        order.append(near[int(np.argmin(_squared(records, near, records[order[-1]])))])
        left.remove(order[-1])
    return np.array(order)


def _mean(records, left):
    return np.array([math.fsum(records[left, column]) / len(left) for column in range(records.shape[1])])


def _squared(records, rows, query):
    total = np.zeros(len(rows))
    for column in range(records.shape[1]):
        total += (records[rows, column] - query[column]) ** 2
    return total


def _farthest(records, left, query):
    return left[int(np.argmax(_squared(records, left, query)))]


def _with_nearest(records, left, row, k):
    others = np.array([other for other in left if other != row])
    order = np.argsort(_squared(records, others, records[row]), kind="stable")
    return [row, *others[order[: k - 1]].tolist()]
