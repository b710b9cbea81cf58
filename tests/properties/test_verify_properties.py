"""The independent verifier against plain loops, and its distances against a linear program, on odd tables."""

import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from sudare.verify.verify import verify_frame

QUASI = st.sampled_from(["1*", "2*", "東京", "", None])
WORDS = ["flu", "cold", "インフルエンザ", "", "=1+1", "é"]
NUMBERS = [-3, 0, 1, 2, 10, 10**15, 10**15 + 1]
SENSITIVE = st.sampled_from([*WORDS, None])
ROWS = st.lists(st.tuples(QUASI, QUASI, SENSITIVE), min_size=1, max_size=40)
NUMBER_ROWS = st.lists(
    st.tuples(QUASI, st.just("x"), st.sampled_from([*map(str, NUMBERS), None])), min_size=1, max_size=30
)
COLUMNS = {
    "one": {"role": "quasi", "kind": "string"},
    "two": {"role": "quasi", "kind": "nominal"},
    "value": {"role": "sensitive", "kind": "nominal"},
}


def frame_of(rows):
    schema = dict.fromkeys(("one", "two", "value"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def finding_of(rows, requirement, kind="nominal", hierarchy=None, order=None):
    columns = {**COLUMNS, "value": {"role": "sensitive", "kind": kind, "order": order}}
    hierarchies = {} if hierarchy is None else {"value": hierarchy}
    return verify_frame(frame_of(rows), columns, [requirement], hierarchies)[1]


def seen(rows):
    """The rows as a reader sees them: an empty cell is a missing one."""
    missing = any(value is None for _, _, value in rows)
    return [(one, two, None if missing and value == "" else value) for one, two, value in rows]


def blocks_of(rows):
    blocks: dict[Any, Counter[str | None]] = defaultdict(Counter)
    for one, two, value in seen(rows):
        blocks[one, two][value] += 1
    return list(blocks.values())


def distributions(rows):
    """The whole table's distribution and those of its blocks, as dicts."""
    whole = Counter(value for _, _, value in seen(rows))
    return share(whole), [share(block) for block in blocks_of(rows)]


def share(counts):
    return {value: count / counts.total() for value, count in counts.items()}


def transport(p, q, ground):
    """Earth mover's distance by linear programming; p and q are lists, ground a matrix."""
    m = len(p)
    if m == 1:
        return 0.0
    leaving = np.kron(np.eye(m), np.ones(m))
    arriving = np.kron(np.ones(m), np.eye(m))
    solution = linprog(
        np.asarray(ground, float).ravel(), A_eq=np.vstack([leaving, arriving]), b_eq=[*p, *q], method="highs"
    )
    assert solution.success
    return solution.fun


def furthest(rows, order, ground):
    whole, blocks = distributions(rows)
    q = [whole[value] for value in order]
    return max(transport([block.get(value, 0.0) for value in order], q, ground) for block in blocks)


@st.composite
def trees(draw):
    """A ragged hierarchy over all words, as the arrays of the manifest."""
    labels = list(WORDS) + ([None] if draw(st.booleans()) else [])
    parent = [-1] * len(labels)
    level = [0] * len(labels)
    open_nodes = [node for node, label in enumerate(labels) if label is not None]
    while len(open_nodes) > 1 and draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(open_nodes), min_size=1, max_size=4, unique=True))
        node = len(labels)
        labels.append(f"group {node}")
        parent.append(-1)
        level.append(max(level[child] for child in chosen) + draw(st.integers(1, 2)))
        for child in chosen:
            parent[child] = node
        open_nodes = [other for other in open_nodes if other not in chosen] + [node]
    root = len(labels)
    labels.append("*")
    level.append(max(level) + draw(st.integers(1, 2)))
    parent = [root if above < 0 else above for above in parent] + [root]
    return {"labels": labels, "parent": parent, "level": level}


def tree_distance(tree, one, other):
    """Level of the lowest common ancestor over the height, by walking up."""
    height = max(tree["level"])
    if one == other:
        return 0.0
    if one is None or other is None:
        return 1.0

    def line(label):
        node = tree["labels"].index(label)
        nodes = [node]
        while tree["parent"][node] != node:
            node = tree["parent"][node]
            nodes.append(node)
        return nodes

    above = line(other)
    return next(tree["level"][node] for node in line(one) if node in above) / height


@settings(deadline=None)
@given(rows=ROWS, k=st.integers(1, 8))
def test_k_anonymity(rows, k):
    finding = finding_of(rows, {"type": "k-anonymity", "k": k})
    sizes = [block.total() for block in blocks_of(rows)]
    assert finding.reached == min(sizes)
    assert finding.holds == (min(sizes) >= k)
    assert finding.violating_rows == sum(size for size in sizes if size < k)
    assert finding.sentence.endswith(".")


@settings(deadline=None)
@given(rows=ROWS, level=st.integers(1, 4))
def test_distinct_diversity(rows, level):
    finding = finding_of(rows, {"type": "l-diversity", "l": float(level), "kind": "distinct", "c": None})
    blocks = blocks_of(rows)
    assert finding.reached == min(len(block) for block in blocks)
    assert finding.holds == all(len(block) >= level for block in blocks)
    assert finding.violating_rows == sum(block.total() for block in blocks if len(block) < level)


@settings(deadline=None)
@given(rows=ROWS, level=st.floats(1, 5))
def test_entropy_diversity(rows, level):
    finding = finding_of(rows, {"type": "l-diversity", "l": level, "kind": "entropy", "c": None})
    reached = [
        math.exp(-math.fsum(p * math.log(p) for p in share(block).values())) for block in blocks_of(rows)
    ]
    assert finding.reached == pytest.approx(min(reached), rel=1e-12)
    if abs(min(reached) / level - 1) > 1e-8:
        assert finding.holds == (min(reached) >= level)


@settings(deadline=None)
@given(distinct=st.integers(1, 60), copies=st.integers(1, 50))
def test_entropy_of_equal_counts_reaches_their_number(distinct, copies):
    rows = [("a", "b", str(number)) for number in range(distinct) for _ in range(copies)]
    assert finding_of(rows, {"type": "l-diversity", "l": distinct, "kind": "entropy"}).holds


@settings(deadline=None)
@given(rows=ROWS, level=st.integers(1, 4), tenths=st.integers(1, 40))
def test_recursive_diversity(rows, level, tenths):
    requirement = {"type": "l-diversity", "l": level, "kind": "recursive", "c": tenths / 10}
    finding = finding_of(rows, requirement)

    def met(block, asked):
        counts = sorted(block.values(), reverse=True)
        return 10 * counts[0] < tenths * sum(counts[asked - 1 :])

    blocks = blocks_of(rows)
    assert finding.holds == all(met(block, level) for block in blocks)
    assert finding.violating_rows == sum(block.total() for block in blocks if not met(block, level))
    assert finding.reached == min(
        max((asked for asked in range(1, len(block) + 1) if met(block, asked)), default=0) for block in blocks
    )


@settings(deadline=None)
@given(rows=ROWS, t=st.floats(0, 1))
def test_equal_distance(rows, t):
    finding = finding_of(rows, {"type": "t-closeness", "t": t, "distance": "equal"})
    whole, blocks = distributions(rows)
    twins = [0.5 * sum(abs(block.get(value, 0.0) - whole[value]) for value in whole) for block in blocks]
    assert finding.reached == pytest.approx(max(twins), abs=1e-12)
    order = list(whole)
    assert finding.reached == pytest.approx(furthest(rows, order, 1 - np.eye(len(order))), abs=1e-8)
    if abs(max(twins) - t) > 1e-8:
        assert finding.holds == (max(twins) <= t)


@settings(deadline=None)
@given(rows=NUMBER_ROWS)
def test_ordered_distance_of_numbers(rows):
    finding = finding_of(rows, {"type": "t-closeness", "t": 0.3, "distance": "ordered"}, kind="numeric")
    whole, blocks = distributions(rows)
    order: list[str | None] = [str(number) for number in NUMBERS if str(number) in whole]
    order.extend([None] * (None in whole))
    place = range(len(order))
    twins = [
        wasserstein_distance(
            place, place, [block.get(value, 0.0) for value in order], [whole[v] for v in order]
        )
        / max(len(order) - 1, 1)
        for block in blocks
    ]
    assert finding.reached == pytest.approx(max(twins), abs=1e-12)


@settings(deadline=None)
@given(rows=ROWS, tree=trees(), with_tree=st.booleans(), listed=st.permutations(WORDS))
def test_ordered_distance_of_words(rows, tree, with_tree, listed):
    requirement = {"type": "t-closeness", "t": 0.3, "distance": "ordered"}
    finding = finding_of(
        rows, requirement, kind="ordinal", hierarchy=tree if with_tree else None, order=listed
    )
    present = {value for _, _, value in seen(rows)}
    order: list[str | None] = [word for word in (WORDS if with_tree else listed) if word in present]
    order.extend([None] * (None in present))
    steps = max(len(order) - 1, 1)
    ground = [[abs(i - j) / steps for j in range(len(order))] for i in range(len(order))]
    assert finding.reached == pytest.approx(furthest(rows, order, ground), abs=1e-8)


@settings(deadline=None)
@given(rows=ROWS, tree=trees())
def test_hierarchical_distance(rows, tree):
    finding = finding_of(rows, {"type": "t-closeness", "t": 0.3, "distance": "hierarchical"}, hierarchy=tree)
    order = list({value for _, _, value in seen(rows)})
    ground = [[tree_distance(tree, one, other) for other in order] for one in order]
    assert finding.reached == pytest.approx(furthest(rows, order, ground), abs=1e-8)


@settings(deadline=None)
@given(rows=ROWS)
def test_hierarchy_of_one_level_is_the_equal_distance(rows):
    tree = {"labels": [*WORDS, "*"], "parent": [len(WORDS)] * 7, "level": [0] * 6 + [1]}
    requirement = {"type": "t-closeness", "t": 0.3, "distance": "equal"}
    equal = finding_of(rows, requirement)
    flat = finding_of(rows, {**requirement, "distance": "hierarchical"}, hierarchy=tree)
    assert flat.reached == pytest.approx(equal.reached, abs=1e-12)


@settings(deadline=None)
@given(rows=ROWS)
def test_order_of_rows_and_columns_does_not_matter_and_nothing_is_changed(rows):
    requirements = [
        {"type": "k-anonymity", "k": 3},
        {"type": "l-diversity", "l": 2.0, "kind": "entropy", "c": None, "sensitive": ["value"]},
        {"type": "t-closeness", "t": 0.2, "distance": "ordered", "sensitive": None},
    ]
    frame = frame_of(rows)
    before = frame.clone()
    forth = verify_frame(frame, COLUMNS, requirements)
    back = verify_frame(frame.reverse().select("value", "two", "one"), COLUMNS, requirements)
    assert frame.equals(before)
    for one, other in zip(forth, back, strict=True):
        assert (one.holds, one.violating_rows) == (other.holds, other.violating_rows)
        assert one.reached == (None if other.reached is None else pytest.approx(other.reached, abs=1e-12))


@settings(deadline=None)
@given(
    offset=st.sampled_from([0.0, 1e9, -1e15]),
    values=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=30),
)
def test_typed_numbers_and_their_text_give_the_same(offset, values):
    typed = pl.DataFrame(
        {"one": [one for one, _ in values], "two": 1.5, "value": [value + offset for _, value in values]}
    )
    written = typed.with_columns(pl.all().cast(pl.String))
    columns = {**COLUMNS, "value": {"role": "sensitive", "kind": "numeric"}}
    requirements = [
        {"type": "k-anonymity", "k": 2},
        {"type": "l-diversity", "l": 2, "kind": "distinct"},
        {"type": "t-closeness", "t": 0.2, "distance": "ordered"},
    ]
    assert verify_frame(typed, columns, requirements) == verify_frame(written, columns, requirements)
