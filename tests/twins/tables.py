"""Plain-Python twins of the privacy models and of what a released cell covers: slow, and easy to believe.

Nothing here uses the library's code; blocks are dictionaries, distances are exact fractions.
"""

import datetime as dt
import math
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any
from unicodedata import normalize

import polars as pl


def blocks(frame, quasi):
    """Row numbers by combination of quasi-identifiers; missing is a value, equal only to missing."""
    found: dict[Any, list[int]] = defaultdict(list)
    columns = [frame[name].to_list() for name in quasi]
    for row in range(frame.height):
        found[tuple(column[row] for column in columns)].append(row)
    return list(found.values())


def k_anonymity(frame, quasi):
    """Size of each block, as (rows, figure)."""
    return [(rows, len(rows)) for rows in blocks(frame, quasi)]


def l_diversity(frame, quasi, sensitive, kind, c=None):
    """Least l of each block over the sensitive columns."""
    figure = {"distinct": len, "entropy": effective_values, "recursive": lambda counts: recursive(counts, c)}
    return [
        (rows, min(figure[kind](Counter(frame[name][row] for row in rows)) for name in sensitive))
        for rows in blocks(frame, quasi)
    ]


def effective_values(counts):
    """Exp of the entropy."""
    total = counts.total()
    return math.exp(-sum(n / total * math.log(n / total) for n in counts.values()))


def recursive(counts, c):
    """Largest l with r1 < c (r_l + … + r_m), 0 when there is none; c is what its decimal text says."""
    ranked = sorted(counts.values(), reverse=True)
    holds = [
        ell for ell in range(1, len(ranked) + 1) if ranked[0] < Fraction(str(c)) * sum(ranked[ell - 1 :])
    ]
    return max(holds, default=0)


def t_closeness(frame, quasi, sensitive, distance, trees=None):
    """Largest distance of each block from the table over the sensitive columns, as an exact fraction."""
    found = []
    for rows in blocks(frame, quasi):
        worst = Fraction(0)
        for name in sensitive:
            whole = shares(frame[name].to_list())
            part = shares([frame[name][row] for row in rows])
            if distance == "equal":
                figure = equal_distance(part, whole)
            elif distance == "ordered":
                figure = ordered_distance(part, whole, (trees or {}).get(name))
            else:
                figure = tree_distance(part, whole, trees[name])
            worst = max(worst, figure)
        found.append((rows, worst))
    return found


def shares(values):
    """The distribution of a list as exact fractions."""
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def equal_distance(p, q):
    """Half the sum of differences."""
    return sum((abs(p.get(value, 0) - share) for value, share in q.items()), Fraction(0)) / 2


def ordered_distance(p, q, tree=None):
    """Sum of differences of cumulated shares over m - 1; missing comes last.

    The order is that of the values, or that in which the tree lists its leaves where one is given.
    """
    place = None if tree is None else tree.labels.index
    values = sorted((value for value in q if value is not None), key=place) + [None] * (None in q)
    if len(values) == 1:
        return Fraction(0)
    carried, moved = Fraction(0), Fraction(0)
    for value in values:
        carried += p.get(value, Fraction(0)) - q[value]
        moved += abs(carried)
    return moved / (len(values) - 1)


def tree_distance(p, q, tree):
    """Earth mover's distance when two leaves are (level of their lowest common node / height) apart.

    Such a distance is half the way up and down, so what a subtree has too much goes over its upper edge.
    """
    surplus = [Fraction(0)] * len(tree.labels)
    for value, share in q.items():
        node = tree.labels.index(text(value))
        change = p.get(value, Fraction(0)) - share
        while True:
            surplus[node] += change
            if int(tree.parent[node]) == node:
                break
            node = int(tree.parent[node])
    way = sum(
        (
            abs(extra) * int(tree.level[tree.parent[node]] - tree.level[node])
            for node, extra in enumerate(surplus)
        ),
        Fraction(0),
    )
    return way / 2 / int(tree.level[-1])


def worst(figures, *, largest=False):
    """The figure of the worst block."""
    return (max if largest else min)(figure for _, figure in figures)


def breaking(figures, complies):
    """Rows of all blocks that do not comply, ascending."""
    return sorted(row for rows, figure in figures if not complies(figure) for row in rows)


def figures_of(requirement, frame, quasi, sensitive, trees=None):
    """(rows, figure) of each block and the test each figure must pass, for any requirement object."""
    name = type(requirement).__name__
    if name == "KAnonymity":
        return k_anonymity(frame, quasi), lambda figure: figure >= requirement.k
    chosen = requirement.sensitive or sensitive
    if requirement.spelling == "alike":
        frame = frame.with_columns(one_spelling(frame[column]) for column in chosen)
    if name == "LDiversity":
        found = l_diversity(frame, quasi, chosen, requirement.kind, requirement.c)
        return found, lambda figure: figure >= requirement.l - 1e-9
    found = t_closeness(frame, quasi, chosen, requirement.distance, trees)
    # The slack that `kernels.rules` documents: 1/3 as a float is a little less than a third.
    return found, lambda figure: figure <= Fraction(str(requirement.t)) + Fraction(1, 10**9)


def one_spelling(values):
    """A column of texts in which the least of all spellings stands for each; a blank text is missing beside missing cells.

    Numbers, of which the tables of the tests have no two that are alike, are as they were.
    """
    if values.dtype != pl.String:
        return values
    folded = [
        None if value is None else " ".join(normalize("NFKC", value).casefold().split()) for value in values
    ]
    least = {
        key: min(value for value, other in zip(values, folded, strict=True) if other == key)
        for key in set(folded) - {None}
    }
    blank = "" if values.null_count() else None
    return pl.Series(
        values.name, [None if key in (None, blank) else least[key] for key in folded], dtype=pl.String
    )


def holds(requirement, frame, quasi, sensitive, trees=None):
    """Whether every block complies."""
    found, complies = figures_of(requirement, frame, quasi, sensitive, trees)
    return all(complies(figure) for _, figure in found)


def text(value):
    """The released text of one plain value, None for missing."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def covers(cell, value, *, order=None, tree=None):
    """Whether a released cell is true of the original value.

    `order` are the possible values of an ordered column, ascending; `tree` is the column's hierarchy.
    """
    if cell is None or value is None:
        nothing = "*" if tree is None else tree.labels[-1]
        return (cell is None and value is None) or cell == nothing
    if tree is not None:
        return cell in line(tree, text(value))
    if cell in {"*", text(value)}:
        return True
    if order is None or not (cell.startswith("[") and cell.endswith("]")):
        return False
    texts = [text(other) for other in order]
    low, high = cell[1:-1].split(", ")
    return texts.index(low) <= texts.index(text(value)) <= texts.index(high)


def line(tree, label):
    """Labels from a leaf to the root."""
    node = tree.labels.index(label)
    labels = [tree.labels[node]]
    while int(tree.parent[node]) != node:
        node = int(tree.parent[node])
        labels.append(tree.labels[node])
    return labels
