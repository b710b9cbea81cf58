"""The figure of every measure against a plain twin."""

# mypy: disable-error-code="arg-type, index, misc, union-attr"
# parameters are given as users write them, wrong ones included

import math
import statistics
from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sudare as sd

FAST = settings(max_examples=40, deadline=None)


# --- blocks --------------------------------------------------------------------------------------------------------


def blocks(*sizes):
    """A table of distinct values and its release in blocks of these sizes."""
    cells = [f"block {number}" for number, size in enumerate(sizes) for _ in range(size)]
    return pl.DataFrame({"q": [f"v{row}" for row in range(len(cells))]}), pl.DataFrame({"q": cells})


def test_discernibility_of_the_spec():
    assert sd.measure.dm(*blocks(4, 4), k=3) == 32
    assert sd.measure.dm(*blocks(1, 3, 4), k=3) == 33
    assert sd.measure.dm(*blocks(1, 3, 4)) == 1 + 9 + 16
    assert sd.measure.average_block(*blocks(1, 3, 4)) == pytest.approx(8 / 3)


@FAST
@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.integers(1, 7))
def test_discernibility(sizes, k):
    rows = sum(sizes)
    expected = sum(size**2 if size >= k else rows * size for size in sizes)
    assert sd.measure.dm(*blocks(*sizes), k=k) == expected


def test_classification_metric_of_the_spec():
    """20 rows in 4 groups of 5, with 0, 1, 1 and 1 rows of the minority."""
    before, after = blocks(5, 5, 5, 5)
    classes = [*"aaaaa", *"aaaab", *"bbbba", *"abbbb"]
    before, after = (side.with_columns(c=pl.Series(classes)) for side in (before, after))
    table = sd.read(before).describe(quasi=["q"], sensitive=["c"])
    assert sd.measure.cm(table, after) == pytest.approx(3 / 20, rel=1e-15)
    assert sd.measure.cm(sd.read(before).describe(quasi=["q"]), after, target="c") == pytest.approx(3 / 20)


@FAST
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([*"abc"])), min_size=1, max_size=30))
def test_classification_metric_with_rows_left_out(rows):
    frame = pl.DataFrame(rows, schema={"q": pl.Int64, "c": pl.String}, orient="row")
    table = sd.read(frame).describe(quasi=["q"], sensitive=["c"])
    groups: dict[int, list[str]] = {}
    for value, label in rows:
        groups.setdefault(value, []).append(label)
    kept = {value: labels for value, labels in groups.items() if len(labels) >= 2}
    assume(kept)
    release = sd.anonymize(table, sd.KAnonymity(2), method=sd.SuppressRecords(limit=0.99), seed=1)
    majority = sum(Counter(labels).most_common(1)[0][1] for labels in kept.values())
    assert sd.measure.cm(table, release) == pytest.approx(1 - majority / len(rows), abs=1e-12)
    left_out = sum(len(labels) for value, labels in groups.items() if value not in kept)
    assert sd.measure.suppressed(table, release) == pytest.approx(left_out / len(rows))
    whole = sum(len(labels) ** 2 for labels in kept.values()) + left_out * len(rows)
    assert sd.measure.dm(table, release) == whole


def entropy(values):
    counts = Counter(values)
    return -sum(n / len(values) * math.log(n / len(values)) for n in counts.values())


@FAST
@given(st.lists(st.tuples(st.none() | st.integers(0, 9), st.sampled_from([*"ab"])), min_size=1, max_size=30))
def test_entropy_loss(rows):
    before = pl.DataFrame(rows, schema={"n": pl.Int64, "c": pl.String}, orient="row")
    after = before.with_columns(pl.col("n") // 3)
    whole, left = entropy(before.rows()), entropy(after.rows())
    expected = (whole - left) / whole if whole > 0 else 0.0
    assert sd.measure.entropy_loss(before, after) == pytest.approx(expected, abs=1e-12)


# --- generalization ------------------------------------------------------------------------------------------------

LANDS = {"Europe": ["France", "Spain", "Italy"], "Asia": ["Japan", "Korea"]}


LEAVES = {"Europe": 3, "Asia": 2, "*": 5}


@pytest.mark.slow
@FAST
@given(
    st.lists(
        st.tuples(
            st.integers(0, 100),
            st.integers(0, 20),
            st.sampled_from(["France", "Spain", "Italy", "Japan", "Korea"]),
            st.integers(0, 2),
        ),
        min_size=2,
        max_size=15,
    ),
    st.sampled_from([0, 0.5, 1, 3]),
    st.sampled_from([0, 1, 2]),
)
def test_ncp_and_gcp_with_weights(rows, of_age, of_land):
    ages = [age for age, *_ in rows]
    lowest, highest = min(ages), max(ages)
    assume(highest > lowest)
    widths = [min(age + width, highest) - age for age, width, *_ in rows]
    cells = [
        f"[{age}, {age + width}]" if width else str(age) for age, width in zip(ages, widths, strict=True)
    ]
    lands = [
        (land, next(up for up, below in LANDS.items() if land in below), "*")[up] for *_, land, up in rows
    ]
    before = pl.DataFrame({"age": ages, "land": [land for _, _, land, _ in rows]})
    table = sd.read(before).describe(
        quasi=["age", "land"], hierarchies={"land": sd.hierarchy.tree(LANDS)}, kinds={"age": "numeric"}
    )
    after = pl.DataFrame({"age": cells, "land": lands})
    expected = math.fsum(
        of_age * width / (highest - lowest) + of_land * LEAVES.get(land, 0) / 5
        for width, land in zip(widths, lands, strict=True)
    )
    weights = {"age": of_age, "land": of_land}
    assert sd.measure.ncp(table, after, weights) == pytest.approx(expected, abs=1e-9)
    total = len(rows) * (of_age + of_land)
    assert sd.measure.gcp(table, after, weights) == pytest.approx(expected / total if total else 0, abs=1e-9)
    assert sd.measure.ncp(table, after) == pytest.approx(sd.measure.ncp(table, after, {"age": 1, "land": 1}))
    assert sd.measure.gcp(table, after, {"age": 1}) == pytest.approx(sd.measure.gcp(table, after))


# --- numbers -------------------------------------------------------------------------------------------------------

NUMBERS = st.lists(st.tuples(*[st.integers(-30, 30)] * 4), min_size=3, max_size=25)


def sides(rows):
    whole = np.array(rows, dtype=float)
    names = ["a", "b"]
    return tuple(
        pl.DataFrame({name: whole[:, start + place] for place, name in enumerate(names)}) for start in (0, 2)
    )


def varying(frame):
    return [name for name in frame.columns if frame[name].n_unique() > 1]


def mean(values):
    values = list(values)
    return statistics.fmean(values) if values else 0.0


@FAST
@given(NUMBERS)
def test_changes_of_statistics(rows):
    before, after = sides(rows)
    names = varying(before)
    was, now = ({name: side[name].to_list() for name in names} for side in (before, after))
    scale = {name: statistics.pstdev(was[name]) for name in names}
    expected = {
        "mean_change": mean(
            abs(statistics.fmean(now[n]) - statistics.fmean(was[n])) / scale[n] for n in names
        ),
        "variance_change": mean(
            abs(statistics.pvariance(now[n]) / statistics.pvariance(was[n]) - 1) for n in names
        ),
        "quantile_change": mean(
            abs(new - old) / scale[n]
            for n in names
            for new, old in zip(deciles(now[n]), deciles(was[n]), strict=True)
        ),
        "sse_ratio": mean(
            sum((x - y) ** 2 for x, y in zip(was[n], now[n], strict=True)) / (len(rows) * scale[n] ** 2)
            for n in names
        ),
        "correlation_change": abs(correlation(after) - correlation(before)),
    }
    assert sd.measure.measure(before, after, expected) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def deciles(values):
    return statistics.quantiles(values, n=10, method="inclusive")


def correlation(frame):
    if len(varying(frame)) < 2:
        return 0.0
    return statistics.correlation(frame["a"].to_list(), frame["b"].to_list())


def test_ranges_count_as_their_middle():
    before = pl.DataFrame({"a": [0, 10, 20, 30]})
    after = pl.DataFrame({"a": ["[0, 10]", "[0, 10]", "[20, 30]", "[20, 30]"]})
    assert sd.measure.mean_change(before, after) == 0
    assert sd.measure.variance_change(before, after) == pytest.approx(1 - 100 / 125)
    assert sd.measure.sse_ratio(before, after) == pytest.approx(0.2)


# --- distributions -------------------------------------------------------------------------------------------------

LABELS = st.none() | st.sampled_from([*"abc"])


@FAST
@given(
    st.lists(
        st.tuples(*[LABELS] * 3, *[LABELS | st.just("*")] * 3),
        min_size=1,
        max_size=25,
    )
)
def test_distributions_of_categories(rows):
    schema = dict.fromkeys("xyz", pl.String)
    before = pl.DataFrame([row[:3] for row in rows], schema=schema, orient="row")
    after = pl.DataFrame([row[3:] for row in rows], schema=schema, orient="row")
    known = {name: sorted(set(before[name].drop_nulls())) for name in schema}
    assume(all(known.values()))
    table = sd.read(before).describe(quasi=list(schema), kinds=dict.fromkeys(schema, "nominal"))
    was = {name: spread(before, [name], known) for name in schema}
    now = {name: spread(after, [name], known) for name in schema}
    expected = {
        "marginal_tv": mean(variation(was[name], now[name]) for name in schema),
        "hellinger": mean(
            math.sqrt(
                max(0, 1 - sum(math.sqrt(was[name].get(key, 0) * share) for key, share in now[name].items()))
            )
            for name in schema
        ),
        "pairwise_tv": mean(
            variation(spread(before, pair, known), spread(after, pair, known))
            for pair in combinations(schema, 2)
        ),
    }
    assert sd.measure.measure(table, after, expected) == pytest.approx(expected, abs=1e-6)


def spread(frame, names, known):
    """Shares of combinations; a cell that is no original value is spread evenly over them."""
    found: dict[tuple[str | None, ...], float] = {}
    for row in frame.select(names).rows():
        options: list[tuple[tuple[str | None, ...], float]] = [((), 1.0)]
        for name, cell in zip(names, row, strict=True):
            values = [cell] if cell is None or cell in known[name] else known[name]
            options = [
                ((*before, value), share / len(values)) for before, share in options for value in values
            ]
        for key, share in options:
            found[key] = found.get(key, 0.0) + share / frame.height
    return found


def variation(one, other):
    return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other}) / 2


def test_distributions_along_a_hierarchy():
    values = ["France", "Spain", "Italy", "Italy", "Japan", "Korea"]
    table = sd.read(pl.DataFrame({"land": values})).describe(
        quasi=["land"], hierarchies={"land": sd.hierarchy.tree(LANDS)}
    )
    after = pl.DataFrame({"land": ["Europe", "Europe", "Europe", "Europe", "Japan", "Korea"]})
    # 1, 1, 2 of 6 become 4/3 each
    assert sd.measure.marginal_tv(table, after) == pytest.approx((1 / 3 + 1 / 3 + 2 / 3) / 6 / 2)


def test_distributions_of_numbers():
    """Bins between the values 0, 10, 20: edges 5 and 15; [0, 20] has a quarter, a half and a quarter in them."""
    before = pl.DataFrame({"n": [0, 10, 20, 0]})
    after = pl.DataFrame({"n": ["[0, 20]", "10", "[0, 20]", "0"]})
    was, now = [2 / 4, 1 / 4, 1 / 4], [(0.5 + 1) / 4, (1 + 1) / 4, 0.5 / 4]
    expected = sum(abs(x - y) for x, y in zip(was, now, strict=True)) / 2
    assert sd.measure.marginal_tv(before, after) == pytest.approx(expected)


# --- models --------------------------------------------------------------------------------------------------------


def test_a_model_tells_releases_of_another_distribution():
    before = sd.read(pl.DataFrame({"c": ["a", "b"] * 200}))
    before = before.describe(quasi=["c"], kinds={"c": "nominal"})
    same, moved = pl.DataFrame({"c": ["b", "a"] * 200}), pl.DataFrame({"c": [None] * 400}, {"c": pl.String})
    assert sd.measure.pmse(before, same) == pytest.approx(0, abs=1e-9)
    assert 0.2 < sd.measure.pmse(before, moved) <= 0.25


def test_a_model_loses_what_the_release_does_not_say():
    rows = 400
    frame = pl.DataFrame({"q": ["a", "b"] * (rows // 2), "c": ["yes", "no"] * (rows // 2)})
    table = sd.read(frame).describe(quasi=["q"], sensitive=["c"])
    assert sd.measure.model_loss(table, frame) == 0
    blind = frame.with_columns(q=pl.lit("*"))
    assert 0.4 < sd.measure.model_loss(table, blind) < 0.6
    assert sd.measure.model_loss(table, blind, target="c") == sd.measure.model_loss(table, blind)


# --- releases side by side -----------------------------------------------------------------------------------------

POINTS = st.dictionaries(
    st.text("abcdef京", min_size=1, max_size=3), st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1
)


@FAST
@given(POINTS)
def test_pareto_front(points):
    releases = {
        name: {"risk": {"prosecutor_mean": risk}, "losses": {"loss": loss}}
        for name, (risk, loss) in points.items()
    }
    comparison = sd.measure.compare(releases)
    found = {row["release"]: row["best"] for row in comparison.frame.rows(named=True)}
    expected = {
        name: not any(
            other[0] <= point[0] and other[1] <= point[1] and other != point for other in points.values()
        )
        for name, point in points.items()
    }
    assert found == expected
    assert any(found.values())
    assert comparison.frame["loss"].is_sorted()
