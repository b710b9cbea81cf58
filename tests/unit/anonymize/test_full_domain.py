"""Full-domain recoding: the method, its parameters, its kernels, and the published figures on Adult."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import importlib
import itertools

import numpy as np
import polars as pl
import pytest
from tests.cases.places import DATA

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.full_domain import FullDomain, level_statistics, minimal_solutions
from sudare.anonymize.full_domain.lattice import lattice_of
from sudare.anonymize.protocol import Context
from sudare.errors import CancelledError, InfeasibleError, ParameterError
from sudare.kernels.recoding.lattice import cheaper_nodes, drop_candidates, roll_up

search_module = importlib.import_module("sudare.anonymize.full_domain.best_node")
ADULT = DATA / "adult_hierarchies"


def people():
    """Eight rows; 2-anonymous with zip at level 1 and sex as it is, or with `21` left out."""
    frame = pl.DataFrame(
        {
            "zip": ["11", "11", "12", "12", "12", "13", "13", "21"],
            "sex": ["F", "F", "F", "F", "F", "M", "M", "M"],
            "word": ["a", "b", "a", "b", "c", "a", "b", "a"],
        }
    )
    return sd.read(frame).describe(
        quasi=["zip", "sex"],
        sensitive=["word"],
        kinds={"zip": "string", "sex": "nominal"},
        hierarchies={"zip": sd.hierarchy.mask()},
    )


def recode(table, *asked, **parameters):
    return FullDomain(**parameters).apply(table, Context(tuple(asked)))


def test_one_level_for_each_column():
    outcome = recode(people(), sd.KAnonymity(2))
    assert outcome.table.frame["zip"].to_list() == ["**"] * 8
    assert outcome.table.frame["sex"].to_list() == people().frame["sex"].to_list()
    assert outcome.rows.tolist() == list(range(8))
    assert outcome.notes == (
        "Recoded each column to one level: zip 2 of 2, sex 0 of 1.",
        "The loss is 0.5000: no node of the lattice (6 in all) is better (counted: 3).",
    )


def test_rows_of_small_blocks_are_left_out_where_that_is_cheaper():
    outcome = recode(people(), sd.KAnonymity(2), suppression=0.2)
    assert outcome.rows.tolist() == list(range(7))
    assert outcome.table.frame.equals(people().frame.head(7))
    assert outcome.notes[0].endswith("zip 0 of 2, sex 0 of 1. Left out 1 of 8 rows (allowed: 1).")
    assert outcome.notes[1].startswith("The loss is 0.1250: no node")


def test_a_limit_below_one_row_leaves_out_none():
    assert recode(people(), sd.KAnonymity(2), suppression=0.12).table.rows == 8


def test_the_input_is_untouched_and_a_kept_column_keeps_its_type():
    frame = pl.DataFrame({"age": [30, 30, 40, 40], "when": [1, 2, 3, 4]})
    table = sd.read(frame).describe(quasi=["age", "when"])
    outcome = recode(table, sd.KAnonymity(2))
    assert outcome.table.frame["age"].to_list() == [30, 30, 40, 40]
    assert outcome.table.frame["age"].dtype == pl.Int64
    assert outcome.table.frame["when"].to_list() == ["*"] * 4
    assert table.frame.equals(frame)


def test_weights_decide_which_column_is_kept():
    frame = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["x", "y", "x", "y"]})
    table = sd.read(frame).describe(quasi=["a", "b"], kinds={"a": "nominal", "b": "nominal"})
    for kept, other in (("a", "b"), ("b", "a")):
        released = recode(table, sd.KAnonymity(2), weights={kept: 3}).table.frame
        assert released[kept].equals(frame[kept])
        assert released[other].to_list() == ["*"] * 4


def test_objectives_may_choose_different_levels():
    """Merge by x, one of two levels up but most leaves, or by y, two of three levels up but few leaves."""
    x = sd.hierarchy.tree({"many": ["a", "b", "c", "d"], "few": ["e"]})
    y = sd.hierarchy.tree({"t": {"m": ["p"], "n": ["q"]}, "u": {"o": [str(leaf) for leaf in range(9)]}})
    frame = pl.DataFrame({"x": ["a", "a", "b", "b"], "y": ["p", "q", "p", "q"]})
    table = sd.read(frame).describe(
        quasi=["x", "y"], kinds={"x": "nominal", "y": "nominal"}, hierarchies={"x": x, "y": y}
    )
    for objective, changed, label in (("dis", "x", "many"), ("loss", "y", "t"), ("ncp", "y", "t")):
        released = recode(table, sd.KAnonymity(2), objective=objective).table.frame
        other = "y" if changed == "x" else "x"
        assert released[changed].to_list() == [label] * 4
        assert released[other].equals(frame[other])


def test_it_works_in_the_whole_flow(tmp_path, monkeypatch):
    monkeypatch.setitem(METHODS.entries, "full-domain", FullDomain)
    release = sd.anonymize(
        people(), sd.KAnonymity(2), sd.LDiversity(2), method=FullDomain(suppression=0.2), measures=["loss"]
    )
    assert release.losses["loss"] == pytest.approx(0.125)
    findings = release.write(tmp_path / "out").findings
    assert all(finding.holds for finding in findings)


@pytest.mark.parametrize(
    "wrong",
    [
        {"suppression": 1.5},
        {"suppression": True},
        {"suppression": -0.1},
        {"objective": "entropy"},
        {"weights": {"zip": 0}},
        {"budget": 0},
    ],
)
def test_wrong_parameters_are_one_sentence(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))) as caught:
        FullDomain(**wrong)
    assert "\n" not in str(caught.value)


def test_a_weight_of_no_quasi_identifier_is_refused():
    with pytest.raises(
        ParameterError, match="'word', which is not one of the quasi-identifiers that groups are formed by"
    ):
        recode(people(), sd.KAnonymity(2), weights={"word": 2})


def test_no_requirement_is_refused():
    with pytest.raises(ParameterError, match="needs a requirement on blocks, but none was given"):
        recode(people())


def test_infeasible_is_one_sentence():
    with pytest.raises(InfeasibleError, match="k-anonymity k=9 is asked of a table of 8 rows"):
        recode(people(), sd.KAnonymity(9))
    with pytest.raises(InfeasibleError) as caught:
        recode(people(), sd.KAnonymity(9), suppression=0.5)
    assert str(caught.value) == (
        "No choice of levels complies with at most 4 of 8 rows left out; the closest one leaves out 8 or more. "
        "Raise the suppression, or lower the requirement."
    )
    with pytest.raises(InfeasibleError, match="no rows"):
        recode(people().take(np.zeros(0, dtype=np.int64)), sd.KAnonymity(2), suppression=0.5)


def test_a_part_may_comply_where_the_whole_does_not():
    """Entropy: the whole table is too skewed, but with the block of equal values left out the rest is not."""
    frame = pl.DataFrame({"zip": ["1"] * 2 + ["2"] * 4, "word": ["a", "b", "a", "a", "a", "a"]})
    table = sd.read(frame).describe(quasi=["zip"], sensitive=["word"], kinds={"zip": "nominal"})
    asked = sd.LDiversity(2, kind="entropy")
    with pytest.raises(InfeasibleError):
        recode(table, asked)
    assert recode(table, asked, suppression=0.7).rows.tolist() == [0, 1]


def test_odd_tables():
    one = sd.read(pl.DataFrame({"a": ["日本"], "b": [None]}, schema={"a": pl.String, "b": pl.String}))
    one = one.describe(quasi=["a", "b"])
    assert recode(one, sd.KAnonymity(1)).table.frame.equals(one.frame)
    none = sd.read(pl.DataFrame({"a": [1, 2]})).describe(insensitive=["a"])
    assert recode(none, sd.KAnonymity(2)).table.rows == 2
    solutions = minimal_solutions(none, sd.KAnonymity(2))
    assert solutions.select("groups", "smallest", "suppressed").rows() == [(1, 2, 0)]


def test_a_lattice_too_large_to_list_is_searched_without_proof(monkeypatch):
    monkeypatch.setattr(search_module, "_LISTED", 1)
    outcome = recode(people(), sd.KAnonymity(2))
    assert outcome.table.frame["zip"].to_list() == ["**"] * 8
    assert "the best found, but not proven to be the best of 6 nodes" in outcome.notes[1]


def test_a_spent_budget_gives_the_best_so_far():
    outcome = recode(people(), sd.KAnonymity(2), budget=1)
    assert outcome.table.frame["sex"].to_list() == ["*"] * 8
    assert "not proven" in outcome.notes[1]
    frame = pl.DataFrame({"zip": ["1"] * 2 + ["2"] * 4, "word": ["a", "b", "a", "a", "a", "a"]})
    table = sd.read(frame).describe(quasi=["zip"], sensitive=["word"], kinds={"zip": "nominal"})
    with pytest.raises(InfeasibleError, match="that was tried"):
        recode(table, sd.LDiversity(2, kind="entropy"), suppression=0.7, budget=1)


def test_many_columns():
    """Eighty columns: keys beyond 64 bits, a lattice that nobody lists."""
    random = np.random.default_rng(5)
    frame = pl.DataFrame({f"c{column}": random.integers(0, 3, 60) for column in range(80)})
    table = sd.read(frame).describe(quasi=frame.columns)
    assert not lattice_of(table).space.exact
    outcome = recode(table, sd.KAnonymity(5), budget=2000)
    assert sd.KAnonymity(5).check(outcome.table).holds
    assert "not proven to be the best of 1.2e+24 nodes" in outcome.notes[1]
    kept = [name for name in frame.columns if outcome.table.frame[name].dtype == pl.Int64]
    assert kept, "at least one column can stay"
    with pytest.raises(ParameterError, match="can be listed"):
        minimal_solutions(table, sd.KAnonymity(5))


def test_it_can_be_cancelled():
    class Cancel:
        def start(self, phase, total):
            pass

        def update(self, done):
            raise CancelledError("stop")

    with pytest.raises(CancelledError):
        FullDomain().apply(people(), Context((sd.KAnonymity(2),), progress=Cancel()))


def test_minimal_solutions_and_their_figures():
    found = minimal_solutions(people(), "k-anonymity k=2")
    assert found.to_dicts() == [
        {"levels": {"zip": 2, "sex": 0}, "groups": 2, "smallest": 3, "suppressed": 0,
         "loss": 0.5, "dis": 0.5, "ncp": 0.5}
    ]  # fmt: skip
    found = minimal_solutions(people(), "k-anonymity k=2", suppression=0.2)
    assert found["levels"].to_list() == [{"zip": 0, "sex": 0}]
    assert found.select("groups", "smallest", "suppressed", "loss").rows() == [(3, 2, 1, 0.125)]
    assert minimal_solutions(people(), sd.KAnonymity(9)).is_empty()
    with pytest.raises(ParameterError, match=r"suppression is 1\.5"):
        minimal_solutions(people(), sd.KAnonymity(2), suppression=1.5)


def test_level_statistics():
    found = level_statistics(people()).filter(pl.col("column") == "zip")
    assert found["values"].to_list() == [4, 2, 1]
    assert found["rarest"].to_list() == [1, 1, 8]
    assert found["dis"].to_list() == [0, 0.5, 1]
    # Three of four leaves are under `1*`, one is under `2*`.
    assert found["loss"].to_list() == pytest.approx([0, 7 / 8 * 2 / 3, 1])
    assert found["ncp"].to_list() == pytest.approx([0, 7 / 8 * 3 / 4 + 1 / 8 * 1 / 4, 1])


def test_blocks_are_the_same_by_radix_by_hash_and_rolled_up():
    random = np.random.default_rng(2)
    frame = pl.DataFrame({name: random.integers(0, 30, 300) for name in "abc"})
    makers = {name: sd.hierarchy.intervals(width=5) for name in "abc"}
    lattice = lattice_of(sd.read(frame).describe(quasi=list("abc"), hierarchies=makers))
    assert lattice.space.exact
    # Every mark the same: all keys collide, and only comparing the classes tells blocks apart.
    colliding = lattice.space._replace(exact=False, marks=np.zeros_like(lattice.space.marks))
    everything = np.arange(len(lattice.sizes), dtype=np.int32)
    low = roll_up(lattice.space, np.array([1, 0, 0]), everything, lattice.sizes)
    for node in itertools.product(*(range(len(column.numbers)) for column in lattice.columns)):
        levels = np.array(node)
        members, sizes, labels = roll_up(lattice.space, levels, everything, lattice.sizes)
        cells = [
            column.nodes[level][lattice.space.codes[index]]
            for index, (column, level) in enumerate(zip(lattice.columns, node, strict=True))
        ]
        expected: dict[tuple[int, ...], int] = {}
        for key, size in zip(zip(*cells, strict=True), lattice.sizes, strict=True):
            expected[key] = expected.get(key, 0) + int(size)
        assert sizes.tolist() == list(expected.values())
        assert len(members) == labels.max() + 1
        for one, other in zip(
            (members, sizes, labels),
            roll_up(colliding, levels, everything, lattice.sizes),
            strict=True,
        ):
            assert np.array_equal(one, other)
        if node[0] >= 1:
            assert roll_up(lattice.space, levels, low[0], low[1])[1].tolist() == sizes.tolist()


def test_cheaper_nodes_lists_what_counting_lists():
    costs = np.array([[0.0, 0.25, 0.5], [0.0, 0.125, 0.125], [0.0, 0.5, 9.0]])
    heights = np.array([2, 2, 1])
    every = list(itertools.product(range(3), range(3), range(2)))
    for limit in (0.0, 0.1, 0.125, 0.5, 0.75, np.inf):
        expected = {node for node in every if sum(costs[c, level] for c, level in enumerate(node)) < limit}
        levels, found, complete = cheaper_nodes(costs, heights, limit, len(every))
        assert complete
        assert {tuple(node) for node in levels.tolist()} == expected
        assert found.tolist() == [sum(costs[c, level] for c, level in enumerate(node)) for node in levels]
    assert not cheaper_nodes(costs, heights, np.inf, 5)[2]


def test_candidates_are_dropped_below_a_floor_and_above_the_best():
    levels = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], dtype=np.int16)
    costs, floors = np.array([0.0, 0.1, 0.2, 0.3, 0.4]), np.zeros(5)
    left = drop_candidates(levels, costs, floors, np.array([1, 0]), 0.25, 0.4)
    assert levels[:left].tolist() == [[0, 0], [0, 1], [1, 1]]
    assert floors[:left].tolist() == [0.25, 0, 0]
    assert drop_candidates(levels[:left], costs[:left], floors[:left], np.array([1, 1]), np.inf, 0.4) == 0


@pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult data are not beside this repository")
@pytest.mark.parametrize(("suppression", "loss"), [(0.0, 0.636), (0.05, 0.270)])
def test_adult_as_arx_finds_it(suppression, loss):
    """ARX 3: 12,960 nodes, k = 5 on all nine columns."""
    table = sd.read(ADULT / "adult.csv")
    names = table.frame.columns
    makers = {name: sd.hierarchy.csv(ADULT / f"adult_hierarchy_{name}.csv") for name in names}
    table = table.describe(quasi=names, hierarchies=makers)
    release = sd.anonymize(
        table, sd.KAnonymity(5), method=FullDomain(suppression=suppression), measures=["loss"]
    )
    assert release.losses["loss"] == pytest.approx(loss, abs=5e-4)
    assert "no node of the lattice (12,960 in all) is better" in release.notes[1]
    if suppression == 0:
        solutions = minimal_solutions(table, sd.KAnonymity(5))
        assert solutions["loss"][0] == pytest.approx(release.losses["loss"])
