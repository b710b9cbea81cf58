"""Requirements against plain loops, and against the independent verifier, on odd tables."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.twins import tables as twins

import sudare as sd
from sudare.assess.catalogue import REQUIREMENTS
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.verify.verify import verify_frame

NUMBERS: list[Any] = [-3, 0, 1, 10**15, 10**15 + 1, 2**53, 2**53 + 1, None]
WORDS: list[Any] = ["flu", "cold", "インフルエンザ", "", "null", "é", "e\u0301", "=1+1", "[1, 2]", "*", None]
FLOATS: list[Any] = [-0.0, 0.0, 0.1, 0.1 + 0.2, 0.3, 1e15 + 0.5, 1e300, None]
QUASI = ["one", "two"]
SENSITIVE = ["word", "number"]

spellings = st.sampled_from(["alike", "exact"])
k_anonymity = st.builds(sd.KAnonymity, st.integers(1, 6))
l_diversity = st.one_of(
    st.builds(sd.LDiversity, st.integers(1, 4), spelling=spellings),
    st.builds(
        sd.LDiversity,
        st.sampled_from([1, 1.2, 1.5, 2, 2.5, 3, 3.99]),
        kind=st.just("entropy"),
        spelling=spellings,
    ),
    st.builds(
        sd.LDiversity,
        st.integers(1, 4),
        kind=st.just("recursive"),
        c=st.sampled_from([0.5, 1, 1.5, 2, 3]),
        sensitive=st.sampled_from([None, ("word",), ("number", "word")]),
    ),
)
t_closeness = st.builds(
    sd.TCloseness,
    st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 0.75, 1]),
    distance=st.sampled_from(["equal", "ordered"]),
    sensitive=st.sampled_from([None, ("number",)]),
    spelling=spellings,
)


@st.composite
def frames(draw):
    """Up to 30 rows; each column uses a few of its possible values, so constants and ties are common."""
    rows = draw(st.integers(1, 30))

    def column(pool, dtype):
        domain = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4))
        values = draw(st.lists(st.sampled_from(domain), min_size=rows, max_size=rows))
        return pl.Series(values, dtype=dtype, strict=False)

    return pl.DataFrame(
        {
            "one": column(NUMBERS, pl.Int64) if draw(st.booleans()) else column(FLOATS, pl.Float64),
            "two": column(WORDS, pl.String),
            "word": column(WORDS, pl.String),
            "number": column(NUMBERS, pl.Int64),
        }
    )


def described(frame, **more):
    # kinds are said, not guessed: what is checked is the requirement
    kinds = {"two": "nominal", "word": "ordinal"}
    return sd.read(frame).describe(quasi=QUASI, sensitive=SENSITIVE, kinds=kinds, **more)


def assert_agrees(verdict, figures, complies, *, largest=False):
    reached = twins.worst(figures, largest=largest)
    assert verdict.reached == pytest.approx(float(reached), abs=1e-9)
    assert verdict.holds == all(complies(figure) for _, figure in figures)
    assert verdict.violating_rows.tolist() == twins.breaking(figures, complies)


@settings(max_examples=150, deadline=None)
@given(frames(), st.one_of(k_anonymity, l_diversity, t_closeness))
def test_verdicts_are_those_of_plain_loops(frame, requirement):
    figures, complies = twins.figures_of(requirement, frame, QUASI, SENSITIVE)
    verdict = requirement.check(described(frame))
    assert_agrees(verdict, figures, complies, largest=isinstance(requirement, sd.TCloseness))


@settings(max_examples=100, deadline=None)
@given(frames(), st.lists(st.one_of(k_anonymity, l_diversity, t_closeness), min_size=1, max_size=4))
def test_checker_and_verifier_agree(frame, requirements):
    assert_same_findings(described(frame), requirements)


@st.composite
def trees(draw):
    """A ragged hierarchy over some words, with two layers of groups and levels with gaps."""
    words = draw(st.lists(st.sampled_from([w for w in WORDS if w is not None]), min_size=1, unique=True))
    layers = draw(st.integers(0, 2))
    gaps = draw(st.lists(st.integers(1, 3), min_size=3, max_size=3))
    labels: list[str | None] = [*words, None]
    level = [0] * len(labels)
    above: dict[int, int] = {}
    current = list(range(len(words)))
    for layer in range(layers):
        chosen = [node for node in current if draw(st.booleans())]
        kept = [node for node in current if node not in chosen]
        groups = [draw(st.integers(0, 2)) for _ in chosen]
        made = {}
        for group in sorted(set(groups)):
            made[group] = len(labels)
            labels.append(f"group {layer}.{group}")
            level.append(sum(gaps[: layer + 1]))
        above.update({node: made[group] for node, group in zip(chosen, groups, strict=True)})
        current = kept + list(made.values())
    root = len(labels)
    labels.append("everything")
    level.append(sum(gaps))
    parent = [above.get(node, root) for node in range(root + 1)]
    return Hierarchy(np.array(parent), np.array(level), tuple(labels))


@settings(max_examples=60, deadline=None)
@given(trees(), st.data())
def test_closeness_along_a_hierarchy(tree, data):
    rows = data.draw(st.integers(1, 20))
    leaf = st.sampled_from(tree.labels[: tree.leaves])
    frame = pl.DataFrame(
        {
            "q": data.draw(st.lists(st.sampled_from("ab"), min_size=rows, max_size=rows)),
            "s": pl.Series(data.draw(st.lists(leaf, min_size=rows, max_size=rows)), dtype=pl.String),
        }
    )
    table = sd.read(frame).describe(
        quasi=["q"], sensitive=["s"], hierarchies={"s": tree}, kinds={"q": "nominal", "s": "nominal"}
    )
    bound = data.draw(st.sampled_from([0, 0.2, 0.5, 1]))
    requirements = [
        sd.TCloseness(bound, distance=distance, spelling=spelling)
        for distance in ("hierarchical", "ordered")
        for spelling in ("alike", "exact")
    ]
    for requirement in requirements:
        figures, complies = twins.figures_of(requirement, frame, ["q"], ["s"], {"s": tree})
        assert_agrees(requirement.check(table), figures, complies, largest=True)
    assert_same_findings(table, requirements)


@settings(max_examples=30, deadline=None)
@given(trees(), st.data())
def test_the_twin_is_the_earth_movers_distance(tree, data):
    """The plain formula against a linear program that moves earth between leaves."""
    leaves = tree.labels[: tree.leaves]
    whole = data.draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=12))
    part = whole[: data.draw(st.integers(1, len(whole)))]
    p, q = twins.shares(part), twins.shares(whole)
    found = twins.tree_distance(p, q, tree)
    assert float(found) == pytest.approx(transport(p, q, tree), abs=1e-7)


def transport(p, q, tree):
    values = list(q)
    size = len(values)
    height = int(tree.level[-1])

    def apart(one, other):
        if one == other:
            return 0.0
        common = set(ancestors(tree, one)) & set(ancestors(tree, other))
        return min(int(tree.level[node]) for node in common) / height

    ground = [apart(one, other) for one in values for other in values]
    leaving, arriving = np.kron(np.eye(size), np.ones(size)), np.kron(np.ones(size), np.eye(size))
    supply = [float(p.get(value, 0)) for value in values]
    demand = [float(q[value]) for value in values]
    solved = linprog(ground, A_eq=np.vstack([leaving, arriving]), b_eq=[*supply, *demand], method="highs")
    assert solved.success
    return solved.fun


def ancestors(tree, label):
    node = tree.labels.index(label)
    found = [node]
    while int(tree.parent[node]) != node:
        node = int(tree.parent[node])
        found.append(node)
    return found


@settings(max_examples=60, deadline=None)
@given(frames(), st.permutations(range(30)), l_diversity)
def test_the_order_of_rows_means_nothing(frame, order, requirement):
    order = [row for row in order if row < frame.height]
    before = requirement.check(described(frame))
    after = requirement.check(described(frame[order]))
    assert before.holds == after.holds
    assert before.reached == pytest.approx(after.reached)
    assert before.violating_rows.tolist() == sorted(order[row] for row in after.violating_rows)


@settings(max_examples=60, deadline=None)
@given(frames())
def test_figures_of_the_models_keep_their_order(frame):
    """Entropy l is at most distinct l, which is at most k."""
    table = described(frame)
    size, distinct, entropy = (
        requirement.check(table).reached
        for requirement in (sd.KAnonymity(1), sd.LDiversity(1), sd.LDiversity(1, kind="entropy"))
    )
    assert 1 - 1e-9 <= entropy <= distinct + 1e-9
    assert distinct <= size
    assert not math.isnan(entropy)


def assert_same_findings(table, requirements):
    columns = {
        column.name: {
            "role": column.role,
            "kind": column.kind,
            "order": sorted(map(str, table.frame[column.name].drop_nulls().unique())),
        }
        for column in table.columns
    }
    built = {name: table.hierarchy(name) for name in table.names("sensitive")}
    hierarchies = {name: tree.to_dict() for name, tree in built.items() if tree is not None}
    asked = [REQUIREMENTS.dump(requirement) for requirement in requirements]
    findings = verify_frame(table.frame, columns, asked, hierarchies)[1:]
    for requirement, finding in zip(requirements, findings, strict=True):
        verdict = requirement.check(table)
        assert finding.holds == verdict.holds, (verdict, finding)
        assert finding.reached == pytest.approx(verdict.reached, abs=1e-9), (verdict, finding)
        assert finding.violating_rows == verdict.violating_rows.size
