"""Losses against figures worked out by hand."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import datetime as dt
import math

import polars as pl
import pytest

import sudare as sd
from sudare.errors import ParameterError, SudareError


def blocks_of(*sizes):
    """A table and a release of blocks with these sizes."""
    rows = sum(sizes)
    before = sd.read(pl.DataFrame({"age": list(range(rows))})).describe(quasi=["age"])
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    cells = [
        f"[{start}, {start + size - 1}]" if size > 1 else str(start)
        for start, size in zip(starts, sizes, strict=True)
        for _ in range(size)
    ]
    return before, pl.DataFrame({"age": cells})


def test_discernibility_of_two_blocks_of_four():
    before, after = blocks_of(4, 4)
    assert sd.measure.dm(before, after) == 32
    assert sd.measure.average_block(before, after) == 4
    assert sd.measure.suppressed(before, after) == 0


def test_discernibility_counts_the_table_for_a_row_left_out():
    """|D| = 8, blocks 1, 3, 4 with k = 3: the single row is left out and costs 8; 8 + 9 + 16 = 33."""
    table = sd.read(pl.DataFrame({"q": [*"a", *"bbb", *"cccc"]})).describe(quasi=["q"])
    release = sd.anonymize(table, sd.KAnonymity(3), method=sd.SuppressRecords(limit=0.2), seed=1)
    assert sd.measure.dm(table, release) == 33
    assert sd.measure.suppressed(table, release) == pytest.approx(1 / 8)
    assert sd.measure.average_block(table, release) == pytest.approx(7 / 2)
    # a row left out counts as fully generalized, the others are unchanged
    for measure in (sd.measure.loss, sd.measure.dis, sd.measure.gcp):
        assert measure(table, release) == pytest.approx(1 / 8)
    assert release.losses == sd.measure.measure(table, release)


def test_nothing_changed_nothing_lost():
    frame = pl.DataFrame(
        {"age": [1, 2, 2, None], "zip": ["a", "b", None, "b"], "day": [dt.date(2024, 1, 1)] * 4}
    )
    table = sd.read(frame).describe(quasi=["age", "zip", "day"], hierarchies={"zip": sd.hierarchy.mask()})
    for measure in (sd.measure.loss, sd.measure.dis, sd.measure.gcp):
        assert measure(table, frame) == 0


def test_ranges_count_their_width():
    before = sd.read(pl.DataFrame({"age": [20, 29, 60, 70]})).describe(quasi=["age"])
    after = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "[60, 70]", "[60, 70]"]})
    expected = (9 / 50 + 9 / 50 + 10 / 50 + 10 / 50) / 4
    for measure in (sd.measure.loss, sd.measure.dis, sd.measure.gcp):
        assert measure(before, after) == pytest.approx(expected)


def test_ranges_of_dates_count_days():
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 11), dt.date(2024, 4, 10)]  # 0, 10, 100
    before = sd.read(pl.DataFrame({"day": days})).describe(quasi=["day"])
    after = pl.DataFrame({"day": ["[2024-01-01, 2024-01-11]", "[2024-01-01, 2024-01-11]", "2024-04-10"]})
    assert sd.measure.loss(before, after) == pytest.approx((0.1 + 0.1 + 0) / 3)


@pytest.mark.parametrize("offset", [0, 10**15, -(10**15)])
def test_ranges_far_from_zero(offset):
    before = sd.read(pl.DataFrame({"age": [offset, offset + 1, offset + 4]})).describe(quasi=["age"])
    low = f"[{offset}, {offset + 1}]"
    after = pl.DataFrame({"age": [low, low, str(offset + 4)]})
    assert sd.measure.loss(before, after) == pytest.approx((0.25 + 0.25) / 3)


def test_a_constant_column_has_nothing_to_lose():
    before = sd.read(pl.DataFrame({"age": [5, 5]})).describe(quasi=["age"])
    assert sd.measure.loss(before, pl.DataFrame({"age": [5, 5]})) == 0
    assert sd.measure.dis(before, pl.DataFrame({"age": ["5", "5"]})) == 0
    starred = sd.measure.loss(before, pl.DataFrame({"age": ["*", "*"]}))
    assert 0 <= starred <= 1
    assert not math.isnan(starred)


def test_starred_cells_and_missing_ones():
    before = sd.read(pl.DataFrame({"age": [1, 3, None]})).describe(quasi=["age"])
    after = pl.DataFrame({"age": ["*", "[1, 3]", None]})
    assert sd.measure.loss(before, after) == pytest.approx((1 + 1 + 0) / 3)
    # known before, missing now: all of it is lost
    assert sd.measure.loss(before, pl.DataFrame({"age": [None, "3", None]})) == pytest.approx(1 / 3)


def test_a_masked_hierarchy_climbs_its_width():
    """Width 3, padded on the left: three levels; 12* is one step of three."""
    before = sd.read(pl.DataFrame({"zip": ["123", "124", "150", "7"]}))
    before = before.describe(quasi=["zip"], hierarchies={"zip": sd.hierarchy.mask()})
    tree = before.hierarchy("zip")
    assert tree is not None
    assert tree.height == 3
    seven = tree.labels[int(tree.parent[tree.labels.index("7")])]
    after = pl.DataFrame({"zip": ["12*", "12*", "1**", seven]})
    assert sd.measure.dis(before, after) == pytest.approx((1 / 3 + 1 / 3 + 2 / 3 + 1 / 3) / 4)
    # 12* has 2 of 4 leaves, 1** has 3, a masked 7 only itself
    assert sd.measure.loss(before, after) == pytest.approx((1 / 3 + 1 / 3 + 2 / 3 + 0) / 4)
    everything = pl.DataFrame({"zip": [tree.labels[-1]] * 4})
    assert sd.measure.dis(before, everything) == 1
    assert sd.measure.loss(before, everything) == 1
    assert sd.measure.gcp(before, everything) == 1


def test_gcp_counts_leaves_and_nothing_for_a_leaf():
    tree = sd.hierarchy.tree({"Europe": ["France", "Spain", "Italy"], "Asia": ["Japan"]})
    before = sd.read(pl.DataFrame({"land": ["France", "Spain", "Italy", "Japan"]}))
    before = before.describe(quasi=["land"], hierarchies={"land": tree})
    after = pl.DataFrame({"land": ["Europe", "Europe", "Italy", "*"]})
    assert sd.measure.gcp(before, after) == pytest.approx((3 / 4 + 3 / 4 + 0 + 1) / 4)
    assert sd.measure.loss(before, after) == pytest.approx((2 / 3 + 2 / 3 + 0 + 1) / 4)
    assert sd.measure.dis(before, after) == pytest.approx((0.5 + 0.5 + 0 + 1) / 4)


def test_columns_are_averaged_and_told_apart():
    frame = pl.DataFrame({"age": [0, 10], "sex": ["F", "M"], "other": [1, 2]})
    before = sd.read(frame).describe(quasi=["age", "sex"])
    after = pl.DataFrame({"age": ["[0, 10]", "[0, 10]"], "sex": ["F", "M"], "other": [1, 2]})
    assert sd.measure.loss(before, after) == pytest.approx(0.5)
    assert sd.measure.column_losses(before, after) == pytest.approx({"age": 1.0, "sex": 0.0})


def test_nominal_values_are_known_or_not():
    before = sd.read(pl.DataFrame({"sex": ["F", "M", "F"]})).describe(quasi=["sex"])
    after = pl.DataFrame({"sex": ["*", "M", "F"]})
    for measure in (sd.measure.loss, sd.measure.dis, sd.measure.gcp):
        assert measure(before, after) == pytest.approx(1 / 3)


def test_a_release_knows_where_its_rows_come_from():
    table = sd.read(pl.DataFrame({"age": [3, 1, 2, 4]})).describe(quasi=["age"])
    plain = sd.anonymize(table, sd.KAnonymity(2), seed=1)
    mixed = sd.anonymize(table, sd.KAnonymity(2), method=[sd.Mondrian(), sd.Shuffle()], seed=1)
    assert mixed.losses == pytest.approx(plain.losses)


def test_all_is_a_table_with_ranges_and_directions():
    before, after = blocks_of(4, 4)
    names = ["loss", "dis", "gcp", "dm", "average_block", "suppressed"]
    rows = {row["measure"]: row for row in sd.measure.all(before, after).rows(named=True)}
    assert {name: rows[name]["value"] for name in names} == sd.measure.measure(before, after, names)
    for row in rows.values():
        assert row["direction"] in {"lower is better", "higher is better"}
        if row["value"] is None:
            assert row["note"].endswith(".")  # a measure that does not fit this table says why
        else:
            assert row["smallest"] <= row["value"] <= row["largest"]


def test_wrong_use_is_one_sentence():
    before, after = blocks_of(4, 4)
    with pytest.raises(ParameterError, match=r"'los'.*did you mean 'loss'"):
        sd.measure.measure(before, after, ["los"])
    for wrong in (after[:3], after.rename({"age": "years"}), pl.DataFrame({"age": ["nonsense"] * 8}), 5):
        with pytest.raises(SudareError) as caught:
            sd.measure.loss(before, wrong)
        assert "\n" not in str(caught.value)


def test_ranges_of_ordinal_values_are_a_loss():
    """Mondrian releases ordinals as ranges of their order; all four grades in one cell is all there is to lose."""
    grades = ["none", "low", "middle", "high"]
    before = sd.read(pl.DataFrame({"grade": pl.Series(grades, dtype=pl.Enum(grades))}))
    before = before.describe(quasi=["grade"], kinds={"grade": "ordinal"})
    release = sd.anonymize(before, sd.KAnonymity(4), seed=1)
    assert release.frame["grade"].n_unique() == 1
    for name in ("loss", "dis", "gcp"):
        assert release.losses[name] == pytest.approx(1)
