"""ILD of any data under any distance of columns against a twin that visits every pair in plain Python."""

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.twins.information import FAST, LETTERS, POWERS, agrees, levenshtein, with_missing

import sudare as sd

NUMBERS = st.none() | st.integers(-50, 50)


WORDS = st.none() | st.text("ab京", max_size=4)


def damerau(one, other):
    """The unrestricted distance, by its recursion over last matches (Lowrance and Wagner)."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            best = min(
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + (one[i - 1] != other[j - 1]),
            )
            for k in range(1, i):
                for m in range(1, j):
                    if one[k - 1] == other[j - 1] and one[i - 1] == other[m - 1]:
                        best = min(best, table[k - 1, m - 1] + (i - k - 1) + 1 + (j - m - 1))
            table[i, j] = best
    return table[len(one), len(other)]


def gap(one, other):
    """Distance of two ranges."""
    return float(max(0, other[0] - one[1], one[0] - other[1]))


def frame(values, dtype):
    return pl.DataFrame({"x": pl.Series(values, dtype=dtype)})


# --- one column ----------------------------------------------------------------------------------------------------


def span(values):
    """The largest distance that original numbers have, which is how far missing is."""
    present = [value for value in values if value is not None]
    return float(max(present) - min(present)) if present else 0.0


@FAST
@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=25), POWERS)
def test_numbers(rows, p):
    before, after = zip(*rows, strict=True)
    assume(not (None in before and span(before) == 0))
    found = sd.measure.ild(frame(before, pl.Int64), frame(after, pl.Int64), p=p)
    agrees(found, before, after, with_missing(lambda x, y: abs(x - y), span(before)), p)


@FAST
@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=20), POWERS)
def test_floats(rows, p):
    before, after = zip(*rows, strict=True)
    assume(span(before) > 1e-3)
    found = sd.measure.ild(frame(before, pl.Float64), frame(after, pl.Float64), sd.distance.Euclid(), p=p)
    agrees(found, before, after, lambda x, y: abs(x - y), p)


@FAST
@given(st.lists(st.tuples(*[st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))] * 2), min_size=2), POWERS)
def test_dates(rows, p):
    before, after = zip(*rows, strict=True)
    found = sd.measure.ild(frame(before, pl.Date), frame(after, pl.Date), p=p)
    agrees(found, before, after, lambda x, y: abs((x - y).days), p)


CELLS = st.none() | st.just("*") | st.tuples(st.integers(-50, 50), st.integers(0, 30))


@FAST
@given(st.lists(st.tuples(NUMBERS, CELLS), min_size=2, max_size=25), POWERS)
def test_released_ranges(rows, p):
    before, cells = zip(*rows, strict=True)
    assume(span(before) > 0)
    present = [value for value in before if value is not None]
    ends = {None: None, "*": (min(present), max(present))}
    ranges = [ends[cell] if cell in ends else (cell[0], cell[0] + cell[1]) for cell in cells]
    texts = [cell if cell in ends else written(cell[0], cell[0] + cell[1]) for cell in cells]
    points = [None if value is None else (value, value) for value in before]
    found = sd.measure.ild(frame(before, pl.Int64), frame(texts, pl.String), p=p)
    agrees(found, points, ranges, with_missing(gap, span(before)), p)


def written(low, high):
    return f"[{low}, {high}]" if high > low else str(low)


@FAST
@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
        min_size=2,
        max_size=20,
    ),
    POWERS,
)
def test_a_wider_range_never_counts_as_more(rows, p):
    before = frame([value for value, *_ in rows], pl.Int64)
    narrow = frame([written(value, value + width) for value, width, _, _ in rows], pl.String)
    wide = frame([written(value - a, value + width + b) for value, width, a, b in rows], pl.String)
    kept, lost = sd.measure.ild(before, narrow, p=p), sd.measure.ild(before, wide, p=p)
    assert lost.after <= kept.after * (1 + 1e-12) + 1e-9
    assert kept.after <= kept.before * (1 + 1e-12) or kept.before == 0
    assert float(kept) >= -1e-12
    assert float(lost) <= 1


@FAST
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20), POWERS)
def test_discrete(rows, p):
    before, after = zip(*rows, strict=True)
    found = sd.measure.ild(frame(before, pl.String), frame(after, pl.String), sd.distance.Discrete(), p=p)
    assert found.way == "closed form"
    agrees(found, before, after, lambda x, y: float(x != y), p)


@pytest.mark.parametrize(
    ("distance", "twin"),
    [
        (sd.distance.Levenshtein(), levenshtein),
        (sd.distance.DamerauLevenshtein(), damerau),
        (sd.distance.NormalizedLevenshtein(), lambda x, y: levenshtein(x, y) / max(len(x), len(y), 1)),
    ],
    ids=["levenshtein", "damerau", "normalized"],
)
@FAST
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12), POWERS)
def test_edits(distance, twin, rows, p):
    before, after = zip(*rows, strict=True)
    longest = max((len(text) for text in before if text is not None), default=0)
    assume(longest > 0)
    reach = 1.0 if isinstance(distance, sd.distance.NormalizedLevenshtein) else float(longest)
    found = sd.measure.ild(frame(before, pl.String), frame(after, pl.String), distance, p=p)
    agrees(found, before, after, with_missing(twin, reach), p)


@FAST
@given(st.lists(st.tuples(*[st.none() | st.text("ab京", min_size=3, max_size=3)] * 2), min_size=1), POWERS)
def test_hamming(rows, p):
    before, after = zip(*rows, strict=True)
    assume({*before, *after} != {None})
    found = sd.measure.ild(frame(before, pl.String), frame(after, pl.String), sd.distance.Hamming(), p=p)
    twin = with_missing(lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)), 3.0)
    agrees(found, before, after, twin, p)


@st.composite
def weighted_pairs(draw):
    """A length for every two of six letters."""
    names = [*"abcdef"]
    lengths = st.integers(1, 20).map(lambda whole: whole / 4)
    return {(x, y): draw(lengths) for x in names for y in names if x < y}


@FAST
@given(st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=20), weighted_pairs(), POWERS)
def test_matrix_and_own_function(rows, lengths, p):
    before, after = zip(*rows, strict=True)

    def between(x, y):
        return 0.0 if x == y else lengths[min(x, y), max(x, y)]

    matrix = {x: {y: length for (z, y), length in lengths.items() if z == x} for x in "abcde"}
    for distance in (sd.distance.Matrix(matrix), sd.distance.Custom(between)):
        found = sd.measure.ild(frame(before, pl.String), frame(after, pl.String), distance, p=p)
        agrees(found, before, after, with_missing(between, largest(before, between)), p)


def largest(values, distance):
    """The largest distance that original values have, which is how far missing is."""
    present = sorted({*values} - {None})
    reach = max((distance(x, y) for x in present for y in present), default=0.0)
    assume(reach > 0)
    return reach


@FAST
@given(
    st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=20),
    weighted_pairs(),
    st.sets(st.sampled_from([x + y for x in "abcdef" for y in "abcdef" if x < y])),
    POWERS,
)
def test_graph(rows, lengths, chosen, p):
    """Floyd and Warshall's shortest paths; a line through all letters keeps the graph connected."""
    before, after = zip(*rows, strict=True)
    edges = {(x, y): lengths[x, y] for x, y in lengths if x + y in chosen or ord(y) == ord(x) + 1}
    ways = {(x, y): 0.0 if x == y else math.inf for x in "abcdef" for y in "abcdef"}
    for (x, y), length in edges.items():
        ways[x, y] = ways[y, x] = length
    for middle in "abcdef":
        ways = {(x, y): min(way, ways[x, middle] + ways[middle, y]) for (x, y), way in ways.items()}

    def between(x, y):
        return ways[x, y]

    graph = sd.distance.Graph({x: {y: d for (z, y), d in edges.items() if z == x} for x in "abcde"})
    found = sd.measure.ild(frame(before, pl.String), frame(after, pl.String), graph, p=p)
    agrees(found, before, after, with_missing(between, largest(before, between)), p)


# --- trees ---------------------------------------------------------------------------------------------------------


@st.composite
def nestings(draw):
    """A nested mapping with branches of different depth, and the way from the root to each node."""
    ways: dict[str, tuple[str, ...]] = {"*": ("*",)}
    leaves: list[str] = []

    def grow(way, depth):
        children = draw(st.integers(1, 3))
        if depth == 0 or draw(st.booleans()):
            names = [f"leaf{len(leaves) + number}" for number in range(children)]
            leaves.extend(names)
            ways.update({name: (*way, name) for name in names})
            return names
        branch = {}
        for _ in range(children):
            name = f"node{len(ways)}"
            ways[name] = (*way, name)
            branch[name] = grow(ways[name], depth - 1)
        return branch

    nesting = {}
    for number in range(draw(st.integers(1, 3))):
        name = f"top{number}"
        ways[name] = ("*", name)
        nesting[name] = grow(ways[name], 2)
    return nesting, leaves, ways


@FAST
@given(nestings(), st.data(), POWERS)
def test_trees(made, data, p):
    nesting, leaves, ways = made
    cells = st.tuples(st.none() | st.sampled_from(leaves), st.none() | st.sampled_from(list(ways)))
    rows = data.draw(st.lists(cells, min_size=1, max_size=20))
    before, after = zip(*rows, strict=True)

    def edges(x, y):
        one, other = ways.get(x, ("*", None)), ways.get(y, ("*", None))
        common = sum(a == b for a, b in zip(one, other, strict=False))
        return float(len(one) + len(other) - 2 * common)

    table = sd.read(frame(before, pl.String)).describe(
        quasi=["x"], hierarchies={"x": sd.hierarchy.tree(nesting)}
    )
    found = sd.measure.ild(table, frame(after, pl.String), sd.distance.TreeDistance(), p=p)
    assert found.way == "closed form"
    agrees(found, before, after, edges, p)


# --- laws ----------------------------------------------------------------------------------------------------------


@FAST
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-(10**6), 10**6)), min_size=2, max_size=30),
    st.sampled_from([0, 10**9, -(10**14)]),
)
def test_group_means_lose_sse_over_sst(rows, offset):
    values = np.array([value + offset for _, value in rows], dtype=float)
    groups = np.array([group for group, _ in rows])
    assume(values.min() < values.max())
    means = np.array([values[groups == group].mean() for group in groups])
    sse, sst = ((values - means) ** 2).sum(), ((values - values.mean()) ** 2).sum()
    tolerance = 1e-9 if offset == 0 else 1e-3
    assert float(sd.measure.ild(values, means)) == pytest.approx(sse / sst, rel=1e-6, abs=tolerance)
    sides = pl.DataFrame({"x": values}), pl.DataFrame({"x": means})
    assert sd.measure.sse_ratio(*sides) == pytest.approx(sse / sst, rel=1e-6, abs=tolerance)


@FAST
@given(
    st.lists(st.tuples(NUMBERS, WORDS), min_size=2, max_size=20), st.randoms(use_true_random=False), POWERS
)
def test_the_order_of_rows_does_not_matter(rows, random, p):
    before = pl.DataFrame(rows, schema={"n": pl.Int64, "t": pl.String}, orient="row")
    after = before.with_columns(pl.col("t").str.slice(0, 1), pl.col("n") // 10)
    order = list(range(len(rows)))
    random.shuffle(order)
    one, other = sd.measure.ild(before, after, p=p), sd.measure.ild(before[order], after[order], p=p)
    assert float(one) == pytest.approx(float(other), rel=1e-9, abs=1e-12)
    assert float(sd.measure.ild(before, before, p=p)) == 0


@FAST
@given(st.lists(st.integers(0, 6), min_size=2, max_size=25), POWERS)
def test_rows_left_out(values, p):
    table = sd.read(frame(values, pl.Int64)).describe(quasi=["x"])
    kept = [value for value in values if values.count(value) >= 2]
    assume(kept)
    release = sd.anonymize(table, sd.KAnonymity(2), method=sd.SuppressRecords(limit=0.99), seed=1)
    agrees(sd.measure.ild(table, release, p=p), values, kept, lambda x, y: float(abs(x - y)), p)
