"""What the verifier checks on a release: k-anonymity, l-diversity, t-closeness of blocks, and Pk-anonymity.

`CHECKS` is the whole list: a later requirement adds its type and a function from the evidence and the
requirement (as in the manifest) to a `Finding`. Part of the independent verifier.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.errors import shown
from sudare.verify.blocks import Evidence, count_values, exempted, listed, sums
from sudare.verify.distances import (
    equal_distances,
    hierarchical_distances,
    ordered_distances,
    place_in_order,
    place_on_leaves,
    read_tree,
)
from sudare.verify.finding import CannotCheckError, Finding, FindingSentence
from sudare.verify.noise import pk_reached, sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from sudare.verify.blocks import Counts
    from sudare.words.sentence import Sentence

_ROUNDING = 1e-9
_LARGEST = 1e300
_READ_IN_ORDER = frozenset(("numeric", "date"))
"""Kinds whose texts say which value comes first."""


def check_k_anonymity(evidence: Evidence, requirement: Mapping[str, Any]) -> Finding:
    """Check that every block has at least k rows."""
    k = _number(requirement, "k", 1)
    bad = evidence.sizes < k
    worst = int(np.argmin(evidence.sizes))
    smallest = int(evidence.sizes[worst])
    extent = _extent(evidence, bad)
    if not evidence.quasi:
        good = FindingSentence("k.whole_holds", rows=smallest, k=_figure(k))
        poor = FindingSentence("k.whole_fails", rows=smallest, extent=extent, k=_figure(k))
    else:
        number = "one" if smallest == 1 else "many"
        times = {} if smallest == 1 else {"times": smallest}
        columns, cells = listed(evidence.quasi), evidence.combination(worst)
        good = FindingSentence(f"k.holds.{number}", columns=columns, k=_figure(k), **times)
        poor = FindingSentence(f"k.fails.{number}", cells=cells, extent=extent, k=_figure(k), **times)
    return _finding(evidence, requirement, bad, smallest, good, poor)


def check_l_diversity(evidence: Evidence, requirement: Mapping[str, Any]) -> Finding:
    """Check that every block has well represented values of each sensitive column, each by itself.

    - distinct: at least l different values; a missing value counts as one value, as do several spellings of one.
    - entropy: `exp(H) >= l`, `H = -sum p log p` in the block; l may be any real number.
    - recursive (c, l): with counts `r_1 >= r_2 >= … >= r_m`, `r_1 < c * (r_l + … + r_m)`, strictly. What a
      block reaches is the largest whole l for which this is true, 0 if there is none.

    Rows with exempt values do not count: the others must be diverse among themselves.
    """
    asked = _number(requirement, "l", 1)
    kind = requirement.get("kind")
    measure: Callable[[Counts], NDArray[np.float64]]
    figures: dict[str, str]
    if kind == "distinct":
        measure, slack, figures = _distinct, 0.0, {}
    elif kind == "entropy":
        measure, slack, figures = _effective, _ROUNDING, {}
    elif kind == "recursive":
        c = _number(requirement, "c")
        measure, slack, figures = partial(_recursive, c=c), 0.0, {"c": _figure(c)}
    else:
        raise CannotCheckError("l_kind", kind=shown(kind))

    names, exact = _sensitive(evidence, requirement), _exact(requirement)
    exempt = _exempt(requirement, names)
    reached = {}
    for name in names:
        values = evidence.values(name, exact=exact)
        dtype = evidence.frame[name].dtype
        kind_of_values = "numeric" if dtype.is_float() or dtype.is_decimal() else evidence.kind(name)
        left_out = exempted(values, exempt.get(name, ()), kind_of_values, exact=exact)
        reached[name] = measure(count_values(evidence, values.code, left_out))
        # A block of nothing but exempt values has nothing to protect.
        reached[name][np.bincount(evidence.block[~left_out], minlength=len(evidence.sizes)) == 0] = np.inf
    bad = np.any([levels < asked * (1 - slack) for levels in reached.values()], axis=0)
    name = min(names, key=lambda each: float(reached[each].min()))
    worst = int(np.argmin(reached[name]))
    smallest = float(reached[name][worst])
    if smallest == np.inf:  # no row is left that needs protection
        smallest = asked
    what = FindingSentence(f"l.kind.{kind}", **figures)
    good = FindingSentence(
        "l.holds", reached=_figure(smallest), columns=_each(names), kind=what, l=_figure(asked)
    )
    if exempt:
        good = FindingSentence("l.exempt", said=good, values=_named(exempt))
    poor = FindingSentence(
        "l.fails",
        block=_block(evidence, worst),
        reached=_figure(smallest, asked),
        columns=name,
        kind=what,
        extent=_extent(evidence, bad),
        l=_figure(asked),
    )
    return _finding(evidence, requirement, bad, smallest, good, poor)


def check_t_closeness(evidence: Evidence, requirement: Mapping[str, Any]) -> Finding:
    """Check that no block's distribution of a sensitive column is further than t from the whole table's."""
    asked = _number(requirement, "t")
    distance = requirement.get("distance")
    if distance not in ("equal", "ordered", "hierarchical"):
        raise CannotCheckError("distance", distance=shown(distance))
    names, exact = _sensitive(evidence, requirement), _exact(requirement)
    reached = {name: _distances(evidence, name, distance, exact=exact) for name in names}
    bad = np.any([distances > asked + _ROUNDING for distances in reached.values()], axis=0)
    name = max(names, key=lambda each: float(reached[each].max()))
    worst = int(np.argmax(reached[name]))
    largest = float(reached[name][worst])
    what = FindingSentence(f"t.distance.{distance}")
    good = FindingSentence(
        "t.holds", reached=_figure(largest), distance=what, columns=_each(names), t=_figure(asked)
    )
    poor = FindingSentence(
        "t.fails",
        block=_block(evidence, worst),
        reached=_figure(largest, asked),
        distance=what,
        columns=name,
        extent=_extent(evidence, bad),
        t=_figure(asked),
    )
    return _finding(evidence, requirement, bad, largest, good, poor)


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
    most = np.zeros(len(counts.sizes), dtype=count.dtype)
    np.maximum.at(most, block, count)
    before = np.cumsum(count) - count
    ends = np.cumsum(counts.sizes)
    rest = ends[block] - before  # r_l + … + r_m, l the place of the value within its block
    # 0.07 * 100 is a little more than 7 in floating point; equality must not pass for "less than".
    met = most[block] < c * rest * (1 - 1e-12)
    return sums(block, met, len(counts.sizes))


def _distances(evidence: Evidence, name: str, distance: str, *, exact: bool) -> NDArray[np.float64]:
    kind = evidence.kind(name)
    values = evidence.values(name, exact=exact)
    hierarchy = evidence.hierarchies.get(name)
    if distance == "equal":
        return equal_distances(count_values(evidence, values.code))
    if distance == "ordered" and kind in _READ_IN_ORDER and evidence.frame[name].dtype != pl.Duration:
        return ordered_distances(count_values(evidence, values.code))
    if distance == "ordered" and hierarchy is None:
        # Two values are equally far apart in any order.
        if len(values.texts) > 2:
            place = place_in_order(name, values, evidence.order(name))
            values = replace(values, code=place[values.code])
        return ordered_distances(count_values(evidence, values.code))
    if hierarchy is None:
        raise CannotCheckError("no_hierarchy", name=name)
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
        raise CannotCheckError("no_sensitive")
    for name in names:
        if name not in evidence.frame.columns:
            raise CannotCheckError("sensitive_absent", name=name)
    return list(names)


def _exact(requirement: Mapping[str, Any]) -> bool:
    """Whether every spelling is a value of its own; a manifest that does not say asks for the stricter reading."""
    spelling = requirement.get("spelling", "alike")
    if spelling not in ("alike", "exact"):
        raise CannotCheckError("spelling", spelling=shown(spelling))
    return bool(spelling == "exact")


def _exempt(requirement: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[str | None]]:
    """The values of each column whose rows need no protection; they must be told as texts, or nothing can be checked."""
    given = requirement.get("exempt", {})
    if not isinstance(given, dict) or not all(
        name in names
        and isinstance(values, list | tuple)
        and all(each is None or isinstance(each, str) for each in values)
        for name, values in given.items()
    ):
        raise CannotCheckError("exempt", given=shown(given))
    return {name: list(values) for name, values in given.items() if values}


def _named(exempt: Mapping[str, Sequence[str | None]]) -> Sentence:
    cells = [
        FindingSentence(
            "block.cell",
            name=name,
            value=FindingSentence("columns.missing_value") if value is None else value,
        )
        for name, values in exempt.items()
        for value in values
    ]
    return listed(cells, len(cells))


def _number(requirement: Mapping[str, Any], key: str, least: float = 0) -> float:
    value = requirement.get(key)
    # Whole numbers beyond all floats, infinity and NaN alike.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise CannotCheckError("not_a_number", key=key, value=shown(value), limit=_LARGEST)
    if value < least:
        raise CannotCheckError("too_small", key=key, value=shown(value), least=least)
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


def _block(evidence: Evidence, block: int) -> FindingSentence:
    if not evidence.quasi:
        return FindingSentence("block.whole")
    return FindingSentence("block.named", cells=evidence.combination(block))


def _extent(evidence: Evidence, bad: NDArray[np.bool_]) -> FindingSentence:
    """How many rows and blocks do not comply."""
    rows, blocks = int(evidence.sizes[bad].sum()), int(bad.sum())
    if blocks > 1:
        return FindingSentence("extent.blocks", rows=rows, blocks=blocks)
    return FindingSentence("extent.one") if rows == 1 else FindingSentence("extent.rows", rows=rows)


def _each(names: list[str]) -> str:
    return names[0] if len(names) == 1 else FindingSentence("columns.each", names=listed(names))


def _figure(value: float, asked: float | None = None) -> str:
    """Write a figure shortly, but never such that a failing figure looks like the one that was asked.

    >>> _figure(3.0), _figure(0.12345678), _figure(2.9999999, 3)
    ('3', '0.123457', '2.9999999')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    short = f"{value:.6g}"
    return repr(float(value)) if asked is not None and short == f"{asked:.6g}" else short
