"""What the verifier checks on a release: k-anonymity, l-diversity, t-closeness of blocks, and Pk-anonymity.

`CHECKS` is the whole list: a later requirement adds its type and a function from the evidence and the
requirement (as in the manifest) to a `Finding`. Part of the independent verifier.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.errors import shown
from sudare.verify.blocks import CannotCheckError, Evidence, count_values, listed, sums
from sudare.verify.distances import (
    equal_distances,
    hierarchical_distances,
    ordered_distances,
    place_on_leaves,
    read_tree,
)
from sudare.verify.finding import Finding
from sudare.verify.randomization import pk_reached, sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from sudare.verify.blocks import Counts

_ROUNDING = 1e-9
_LARGEST = 1e300


def check_k_anonymity(evidence: Evidence, requirement: Mapping[str, Any]) -> Finding:
    """Check that every block has at least k rows."""
    k = _number(requirement, "k", 1)
    bad = evidence.sizes < k
    worst = int(np.argmin(evidence.sizes))
    smallest = int(evidence.sizes[worst])
    if evidence.quasi:
        holds_text = f"Every combination of {listed(evidence.quasi)} occurs at least {_times(smallest)}"
        fails_text = f"The combination {evidence.combination(worst)} occurs {_times(smallest)}"
    else:
        holds_text = fails_text = f"Without a quasi-identifier all {smallest} rows form one block"
    return _finding(
        evidence, requirement, bad, smallest,
        f"{holds_text} (asked: {_figure(k)}).",
        f"{fails_text}; {_extent(evidence, bad)} below k = {_figure(k)}.",
    )  # fmt: skip


def check_l_diversity(evidence: Evidence, requirement: Mapping[str, Any]) -> Finding:
    """Check that every block has well represented values of each sensitive column, each by itself.

    - distinct: at least l different values; a missing value counts as one value.
    - entropy: `exp(H) >= l`, `H = -sum p log p` in the block; l may be any real number.
    - recursive (c, l): with counts `r_1 >= r_2 >= … >= r_m`, `r_1 < c * (r_l + … + r_m)`, strictly. What a
      block reaches is the largest whole l for which this is true, 0 if there is none.
    """
    asked = _number(requirement, "l", 1)
    kind = requirement.get("kind")
    measure: Callable[[Counts], NDArray[np.float64]]
    if kind == "distinct":
        measure, what, slack = _distinct, "counting distinct values", 0.0
    elif kind == "entropy":
        measure, what, slack = _effective, "as the exponential of the entropy", _ROUNDING
    elif kind == "recursive":
        c = _number(requirement, "c")
        measure, what, slack = partial(_recursive, c=c), f"in the recursive sense with c = {_figure(c)}", 0.0
    else:
        raise CannotCheckError(f"its kind is {kind!r}, not distinct, entropy or recursive")

    names = _sensitive(evidence, requirement)
    reached = {name: measure(count_values(evidence, evidence.values(name).code)) for name in names}
    bad = np.any([levels < asked * (1 - slack) for levels in reached.values()], axis=0)
    name = min(names, key=lambda each: float(reached[each].min()))
    worst = int(np.argmin(reached[name]))
    smallest = float(reached[name][worst])
    return _finding(
        evidence, requirement, bad, smallest,
        f"Every block reaches at least l = {_figure(smallest)} in {_each(names)}, {what} "
        f"(asked: {_figure(asked)}).",
        f"{_block(evidence, worst)} reaches only l = {_figure(smallest, asked)} in {name}, {what}; "
        f"{_extent(evidence, bad)} below l = {_figure(asked)}.",
    )  # fmt: skip


def check_t_closeness(evidence: Evidence, requirement: Mapping[str, Any]) -> Finding:
    """Check that no block's distribution of a sensitive column is further than t from the whole table's."""
    asked = _number(requirement, "t")
    distance = requirement.get("distance")
    if distance not in ("equal", "ordered", "hierarchical"):
        raise CannotCheckError(f"its distance is {distance!r}, not equal, ordered or hierarchical")
    names = _sensitive(evidence, requirement)
    reached = {name: _distances(evidence, name, distance) for name in names}
    bad = np.any([distances > asked + _ROUNDING for distances in reached.values()], axis=0)
    name = max(names, key=lambda each: float(reached[each].max()))
    worst = int(np.argmax(reached[name]))
    largest = float(reached[name][worst])
    return _finding(
        evidence, requirement, bad, largest,
        f"No block is further than {_figure(largest)} ({distance} distance) from the whole table "
        f"in {_each(names)} (asked: {_figure(asked)}).",
        f"{_block(evidence, worst)} is {_figure(largest, asked)} ({distance} distance) away from the whole "
        f"table in {name}; {_extent(evidence, bad)} above t = {_figure(asked)}.",
    )  # fmt: skip


def check_pk_anonymity(evidence: Evidence, requirement: Mapping[str, Any]) -> Finding:
    """Check `1 + (records - 1) * product of rates >= k`, records in the smallest block of what is exact."""
    asked = _number(requirement, "k", 1)
    found = pk_reached(evidence)
    holds = found.reached >= asked * (1 - _ROUNDING)
    good, bad = sentences(found, asked)
    violating = 0 if holds else evidence.frame.height
    return Finding(dict(requirement), holds, found.reached, good if holds else bad, violating)


CHECKS: dict[str, Callable[[Evidence, Mapping[str, Any]], Finding]] = {
    "k-anonymity": check_k_anonymity,
    "l-diversity": check_l_diversity,
    "t-closeness": check_t_closeness,
    "pk-anonymity": check_pk_anonymity,
}


def _distinct(counts: Counts) -> NDArray[np.float64]:
    return sums(counts.block, np.ones(len(counts.block)), len(counts.sizes))


def _effective(counts: Counts) -> NDArray[np.float64]:
    share = counts.count / counts.sizes[counts.block]
    return np.exp(sums(counts.block, -share * np.log(share), len(counts.sizes)))


def _recursive(counts: Counts, c: float) -> NDArray[np.float64]:
    """Count the l for which `r_1 < c * (r_l + … + r_m)`: the sum falls with l, so they are 1, 2, … ."""
    order = np.lexsort((-counts.count, counts.block))
    count, block = counts.count[order], counts.block[order]
    most = np.maximum.reduceat(count, np.flatnonzero(np.diff(block, prepend=-1)))
    before = np.cumsum(count) - count
    ends = np.cumsum(counts.sizes)
    rest = ends[block] - before  # r_l + … + r_m, l the place of the value within its block
    # 0.07 * 100 is a little more than 7 in floating point; equality must not pass for "less than".
    met = most[block] < c * rest * (1 - 1e-12)
    return sums(block, met, len(counts.sizes))


def _distances(evidence: Evidence, name: str, distance: str) -> NDArray[np.float64]:
    kind = evidence.kind(name)
    values = evidence.values(name)
    hierarchy = evidence.hierarchies.get(name)
    if distance == "equal":
        return equal_distances(count_values(evidence, values.code))
    if distance == "ordered" and (hierarchy is None or kind in {"numeric", "date"}):
        return ordered_distances(count_values(evidence, values.code))
    if hierarchy is None:
        raise CannotCheckError(f"the manifest has no hierarchy for {name}")
    tree = read_tree(name, hierarchy)
    place = place_on_leaves(name, values, kind, tree)
    if distance == "ordered":
        missing = np.array([text is None for text in values.texts])
        place = np.where(missing, len(tree.parent), place)
    leaf, code = np.unique(place[values.code], return_inverse=True)
    counts = count_values(evidence, code)
    return ordered_distances(counts) if distance == "ordered" else hierarchical_distances(counts, leaf, tree)


def _sensitive(evidence: Evidence, requirement: Mapping[str, Any]) -> list[str]:
    """Name the sensitive columns that a requirement is about; there must be one, or nothing is protected."""
    names = requirement.get("sensitive")
    if names is None:
        names = [
            name
            for name in evidence.frame.columns
            if evidence.columns.get(name, {}).get("role") == "sensitive"
        ]
    if not isinstance(names, list | tuple) or not names:
        raise CannotCheckError("it names no sensitive column, and the manifest has none")
    for name in names:
        if name not in evidence.frame.columns:
            raise CannotCheckError(f"its sensitive column {name} is not in the data")
    return list(names)


def _number(requirement: Mapping[str, Any], key: str, least: float = 0) -> float:
    value = requirement.get(key)
    # Whole numbers beyond all floats, infinity and NaN alike.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise CannotCheckError(f"its {key} is {shown(value)}, not a number below {_LARGEST:g}")
    if value < least:
        raise CannotCheckError(f"its {key} is {shown(value)}, and below {least:g} it asks for nothing")
    return value


def _finding(
    evidence: Evidence,
    requirement: Mapping[str, Any],
    bad: NDArray[np.bool_],
    reached: float,
    holds_sentence: str,
    fails_sentence: str,
) -> Finding:
    holds = not bad.any()
    sentence = holds_sentence if holds else fails_sentence
    return Finding(dict(requirement), holds, float(reached), sentence, int(evidence.sizes[bad].sum()))


def _block(evidence: Evidence, block: int) -> str:
    return f"The block {evidence.combination(block)}" if evidence.quasi else "The whole table as one block"


def _extent(evidence: Evidence, bad: NDArray[np.bool_]) -> str:
    rows, blocks = int(evidence.sizes[bad].sum()), int(bad.sum())
    verb = "is" if rows == 1 else "are"
    return (
        f"{rows} {'row' if rows == 1 else 'rows'} in {blocks} {'block' if blocks == 1 else 'blocks'} {verb}"
    )


def _each(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"each of {listed(names)}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _figure(value: float, asked: float | None = None) -> str:
    """Write a figure shortly, but never such that a failing figure looks like the one that was asked.

    >>> _figure(3.0), _figure(0.12345678), _figure(2.9999999, 3)
    ('3', '0.123457', '2.9999999')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    short = f"{value:.6g}"
    return repr(float(value)) if asked is not None and short == f"{asked:.6g}" else short
