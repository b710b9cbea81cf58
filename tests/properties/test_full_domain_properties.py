"""Full-domain recoding against a twin that lists the whole lattice: same optimum, same minimal solutions."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import tables as twins

import sudare as sd
from sudare.anonymize.full_domain import FullDomain, level_statistics, minimal_solutions
from sudare.anonymize.protocol import Context
from sudare.errors import InfeasibleError
from sudare.measure.pair import Pair

LANDS = {"Europe": {"West": ["France", "Spain"], "North": ["Norge"]}, "アジア": ["日本", "한국"]}
POOLS: dict[str, tuple[Any, Any]] = {
    "number": ([0, 1, 2, 10**15, 10**15 + 1], pl.Int64),
    "sex": (["F", "M", "X"], pl.String),
    "land": (["France", "Spain", "Norge", "日本", "한국"], pl.String),
    "zip": (["021", "022", "199", "7"], pl.String),
    "age": ([*range(0, 60, 7)], pl.Int64),
}
HIERARCHIES: dict[str, Any] = {
    "land": sd.hierarchy.tree(LANDS),
    "zip": sd.hierarchy.mask(),
    "age": sd.hierarchy.intervals(width=10),
    "word": sd.hierarchy.tree({"lung": ["flu", "asthma"], "gut": ["ulcer", "胃炎"]}),
}
SENSITIVE = ["word"]

monotone = st.lists(
    st.one_of(st.builds(sd.KAnonymity, st.integers(1, 5)), st.builds(sd.LDiversity, st.integers(1, 3))),
    min_size=1,
    max_size=2,
)
requirements = st.lists(
    st.one_of(
        st.builds(sd.KAnonymity, st.integers(1, 5)),
        st.builds(sd.LDiversity, st.integers(1, 3)),
        st.builds(sd.LDiversity, st.sampled_from([1.5, 2.2]), kind=st.just("entropy")),
        st.builds(sd.LDiversity, st.integers(1, 3), kind=st.just("recursive"), c=st.sampled_from([1, 2])),
        st.builds(
            sd.TCloseness,
            st.sampled_from([0.2, 0.4, 0.6]),
            distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
        ),
    ),
    min_size=1,
    max_size=2,
)
suppressions = st.sampled_from([0.0, 0.0, 0.1, 0.3, 0.6, 0.99])


@st.composite
def tables(draw, max_rows=16):
    rows = draw(st.integers(1, max_rows))
    quasi = draw(st.lists(st.sampled_from(list(POOLS)), min_size=1, max_size=3, unique=True))

    def column(values, dtype):
        domain = draw(st.lists(st.sampled_from(values), min_size=1, max_size=5))
        if draw(st.integers(0, 3)) == 0:
            domain = [*domain, None]
        return pl.Series(draw(st.lists(st.sampled_from(domain), min_size=rows, max_size=rows)), dtype=dtype)

    frame = pl.DataFrame(
        {name: column(*POOLS[name]) for name in quasi}
        | {"word": column(["flu", "asthma", "ulcer", "胃炎"], pl.String), "row": pl.Series(range(rows))}
    )
    kinds: dict[str, Any] = {"sex": "nominal", "land": "nominal", "zip": "string", "word": "nominal"}
    return sd.read(frame).describe(
        quasi=quasi,
        sensitive=SENSITIVE,
        insensitive=["row"],
        kinds={name: kind for name, kind in kinds.items() if name in frame.columns},
        hierarchies={name: maker for name, maker in HIERARCHIES.items() if name in frame.columns},
    )


class Twin:
    """Every node by plain counting."""

    def __init__(self, table, asked, suppression):
        self.table, self.asked = table, asked
        self.quasi = table.names("quasi")
        self.allowed = min(math.floor(suppression * table.rows + 1e-9), table.rows - 1)
        self.heights = [
            1 if table.hierarchy(name) is None else table.hierarchy(name).height for name in self.quasi
        ]
        self.nodes = {
            levels: self.figures(levels)
            for levels in itertools.product(*(range(height + 1) for height in self.heights))
        }

    def cells(self, name, level):
        """(what is published, leaves, leaves in all, levels climbed, height) for each row."""
        tree, values = self.table.hierarchy(name), self.table.frame[name].to_list()
        if tree is None:
            leaves = len(set(values))
            return [
                (value, 1, leaves, 0, 1) if level == 0 else ("*", leaves, leaves, 1, 1) for value in values
            ]
        below: Counter[int] = Counter()
        for leaf in range(len(tree.labels)):
            if tree.level[leaf] == 0:
                for node in self.line(tree, leaf):
                    below[node] += 1
        found = []
        for value in values:
            line = self.line(tree, tree.labels.index(twins.text(value)))
            node = [one for one in line if tree.level[one] <= level][-1]
            found.append((node, below[node], max(below.values()), int(tree.level[node]), tree.height))
        return found

    @staticmethod
    def line(tree, node):
        found = [node]
        while int(tree.parent[found[-1]]) != found[-1]:
            found.append(int(tree.parent[found[-1]]))
        return found

    def figures(self, levels):
        """(complies, rows left out, {objective: value}) of a node."""
        cells = [self.cells(name, level) for name, level in zip(self.quasi, levels, strict=True)]
        frame = pl.DataFrame(
            {
                name: pl.Series([str(cell[0]) for cell in column])
                for name, column in zip(self.quasi, cells, strict=True)
            }
            | {"word": self.table.frame["word"], "row": range(self.table.rows)}
        )
        trees = {"word": self.table.hierarchy("word")}
        while frame.height:
            broken = set()
            for requirement in self.asked:
                broken.update(
                    twins.breaking(*twins.figures_of(requirement, frame, self.quasi, SENSITIVE, trees))
                )
            if not broken:
                break
            frame = frame[[row for row in range(frame.height) if row not in broken]]
        rows = self.table.rows
        gone = rows - frame.height
        sums = {"loss": 0.0, "dis": 0.0, "ncp": 0.0}
        for column in cells:
            for row in frame["row"]:
                _, leaves, whole, level, height = column[row]
                if level:
                    sums["loss"] += (leaves - 1) / max(whole - 1, 1)
                    sums["dis"] += level / height
                    sums["ncp"] += leaves / whole
        objectives = {name: (total + gone * len(cells)) / (rows * len(cells)) for name, total in sums.items()}
        return gone <= self.allowed, gone, objectives

    def steps(self):
        """Every node with every node one level above it."""
        for levels in self.nodes:
            for column, height in enumerate(self.heights):
                if levels[column] < height:
                    yield levels, (*levels[:column], levels[column] + 1, *levels[column + 1 :])

    def best(self, objective):
        return min((value[objective] for fits, _, value in self.nodes.values() if fits), default=None)

    def minimal(self):
        fitting = [levels for levels, (fits, _, _) in self.nodes.items() if fits]
        return {
            one
            for one in fitting
            if not any(
                other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in fitting
            )
        }


@settings(max_examples=60, deadline=None)
@given(tables(), requirements, suppressions, st.sampled_from(["loss", "dis", "ncp"]))
def test_the_optimum_is_that_of_the_whole_lattice(table, asked, suppression, objective):
    twin = Twin(table, asked, suppression)
    method = FullDomain(objective=objective, suppression=suppression)
    expected = twin.best(objective)
    if expected is None:
        with pytest.raises(InfeasibleError) as caught:
            method.apply(table, Context(tuple(asked)))
        assert "\n" not in str(caught.value)
        return
    outcome = method.apply(table, Context(tuple(asked)))
    figure, proof = outcome.notes[1].removeprefix(f"The {objective} is ").split(": ", 1)
    assert float(figure) == pytest.approx(expected, abs=5.1e-5)
    assert proof.startswith("no node of the lattice")
    released = outcome.table.frame
    trees = {"word": table.hierarchy("word")}
    for requirement in asked:
        assert twins.holds(requirement, released, table.names("quasi"), SENSITIVE, trees)
    assert outcome.rows is not None
    assert table.rows - len(outcome.rows) <= twin.allowed
    kept = table.frame[outcome.rows]
    assert released.select("word", "row").equals(kept.select("word", "row"))
    assert released["row"].to_list() == outcome.rows.tolist()
    for name in table.names("quasi"):
        tree = table.hierarchy(name)
        for cell, value in zip(released[name], kept[name], strict=True):
            assert twins.covers(twins.text(cell), value, tree=tree) or cell == "*"


@settings(max_examples=25, deadline=None)
@given(tables(), requirements, suppressions)
def test_the_measured_loss_is_the_objective(table, asked, suppression):
    """`sudare.measure` computes from the released texts what the search computed from levels."""
    names = {"loss": sd.measure.loss, "dis": sd.measure.dis, "ncp": sd.measure.gcp}
    if "number" in table.names("quasi"):
        return  # a number and missing have no range, so `*` costs the measure nothing there
    twin = Twin(table, asked, suppression)
    if twin.best("loss") is None:
        return
    for objective, measure in names.items():
        method = FullDomain(objective=objective, suppression=suppression)
        assert measured(measure, table, method, asked) == pytest.approx(twin.best(objective))


def measured(measure, table, method, asked):
    outcome = method.apply(table, Context(tuple(asked)))
    pair = Pair(table, outcome.table, outcome.rows)
    assert all(requirement.check(outcome.table).holds for requirement in asked)
    return measure(table, pair)


@settings(max_examples=60, deadline=None)
@given(tables(), requirements, suppressions)
def test_minimal_solutions_are_those_of_the_whole_lattice(table, asked, suppression):
    twin = Twin(table, asked, suppression)
    found = minimal_solutions(table, *asked, suppression=suppression)
    expected = twin.minimal()
    assert {tuple(levels.values()) for levels in found["levels"].to_list()} == expected
    assert found.height == len(expected)
    assert found["loss"].to_list() == sorted(found["loss"].to_list())
    for row in found.to_dicts():
        _, gone, objectives = twin.nodes[tuple(row["levels"].values())]
        assert row["suppressed"] == gone
        assert {name: row[name] for name in objectives} == pytest.approx(objectives)
        assert row["groups"] * row["smallest"] <= table.rows - gone


NOT_MONOTONE = [
    sd.LDiversity(2.4, kind="entropy"),
    sd.LDiversity(2, kind="recursive", c=1.2),
    sd.TCloseness(0.3),
    sd.TCloseness(0.25, distance="ordered"),
]


@pytest.mark.parametrize("requirement", NOT_MONOTONE, ids=str)
def test_rows_left_out_where_compliance_is_not_monotone(requirement):
    """Many small tables, where a part may comply though the whole does not and every row left out moves t."""
    random = np.random.default_rng(1)
    worse_above = 0
    for _ in range(15):
        rows = int(random.integers(8, 24))
        frame = pl.DataFrame(
            {
                "zip": random.choice(["11", "12", "21", "22"], rows, p=[0.4, 0.3, 0.2, 0.1]),
                "age": random.integers(0, 4, rows),
                "word": random.choice(["flu", "asthma", "ulcer", "胃炎"], rows, p=[0.6, 0.2, 0.1, 0.1]),
            }
        )
        table = sd.read(frame).describe(
            quasi=["zip", "age"],
            sensitive=["word"],
            kinds={"zip": "string", "word": "ordinal"},
            hierarchies={"zip": sd.hierarchy.mask(), "age": sd.hierarchy.intervals(width=2)},
        )
        share = float(random.choice([0.2, 0.4, 0.7]))
        twin = Twin(table, [requirement], share)
        found = minimal_solutions(table, requirement, suppression=share)
        assert {tuple(levels.values()) for levels in found["levels"].to_list()} == twin.minimal()
        expected = twin.best("loss")
        method = FullDomain(suppression=share)
        if expected is None:
            with pytest.raises(InfeasibleError):
                method.apply(table, Context((requirement,)))
        else:
            assert measured(sd.measure.loss, table, method, [requirement]) == pytest.approx(expected)
        worse_above += any(twin.nodes[above][1] > twin.nodes[levels][1] for levels, above in twin.steps())
    assert worse_above > 0, "no table in which a step up leaves out more rows"


@settings(max_examples=40, deadline=None)
@given(tables(max_rows=12), monotone, suppressions)
def test_compliance_by_size_and_distinct_values_is_monotone(table, asked, suppression):
    """What the pruning relies on: a step up never leaves out more rows."""
    twin = Twin(table, asked, suppression)
    for levels, above in twin.steps():
        assert twin.nodes[above][1] <= twin.nodes[levels][1]


@settings(max_examples=20, deadline=None)
@given(tables(max_rows=8))
def test_level_statistics_are_plain_counts(table):
    twin = Twin(table, [sd.KAnonymity(1)], 0.0)
    found = {(row["column"], row["level"]): row for row in level_statistics(table).to_dicts()}
    assert len(found) == sum(height + 1 for height in twin.heights)
    for (name, level), row in found.items():
        cells = twin.cells(name, level)
        counts = Counter(cell[0] for cell in cells)
        assert (row["values"], row["rarest"]) == (len(counts), min(counts.values()))
        alone = Twin(table.describe(insensitive=[one for one in twin.quasi if one != name]), twin.asked, 0.0)
        assert {key: row[key] for key in ("loss", "dis", "ncp")} == pytest.approx(alone.nodes[(level,)][2])
