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
