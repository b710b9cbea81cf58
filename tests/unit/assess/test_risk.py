"""Risk figures against brute force: who is found, and every way to rule out j values."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import dataclasses
import json
from collections import Counter
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import tables as twins

import sudare as sd
from sudare.errors import SudareError

QUASI = ["one", "two"]


@st.composite
def frames(draw, max_rows=25):
    rows = draw(st.integers(1, max_rows))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))

    return pl.DataFrame(
        {
            "one": pl.Series(column([1, 2, 10**15, None]), dtype=pl.Int64),
            "two": pl.Series(column(["東京", "é"]), dtype=pl.String),
            "word": pl.Series(column(["flu", "風邪", "gout", "", None]), dtype=pl.String),
            "constant": pl.Series(["x"] * rows),
            "weight": pl.Series(column([1.0, 2.5, 10.0]), dtype=pl.Float64),
        }
    )


def described(frame, **roles):
    kinds = {"two": "nominal", "word": "nominal", "constant": "nominal"}
    return sd.read(frame).describe(quasi=QUASI, sensitive=["word", "constant"], kinds=kinds, **roles)


def best_guess(counts, excluded):
    """The most probable value after the attacker has ruled out any `excluded` values, by trying them all.

    Somebody has a value: at least one stays possible. Nothing is known when a value cannot be left.
    """
    best = 0.0
    for gone in combinations(counts, min(excluded, len(counts) - 1)):
        left = {value: count for value, count in counts.items() if value not in gone}
        best = max(best, max(left.values()) / sum(left.values()))
    return best


@settings(max_examples=60, deadline=None)
@given(frames(), st.sampled_from([0.05, 0.2, 0.5, 1.0]))
def test_reidentification(frame, threshold):
    found = sd.risk(described(frame), threshold=threshold)
    sizes = [len(rows) for rows in twins.blocks(frame, QUASI)]
    rows = frame.height
    assert (found.rows, found.blocks, found.smallest_block) == (rows, len(sizes), min(sizes))
    assert found.unique_rows == sizes.count(1)
    assert found.unique_share == pytest.approx(sizes.count(1) / rows)
    assert found.prosecutor_largest == pytest.approx(1 / min(sizes))
    assert found.prosecutor_mean == pytest.approx(sum(size * (1 / size) for size in sizes) / rows)
    above = sum(size for size in sizes if 1 / size > threshold)
    assert found.rows_above_threshold == pytest.approx(above / rows)
    assert found.threshold == threshold
    # without a population the sample is taken for it
    assert found.population == "none"
    assert found.journalist_largest == found.prosecutor_largest
    assert found.marketer == pytest.approx(len(sizes) / rows)


@settings(max_examples=50, deadline=None)
@given(frames())
def test_weights_are_people_of_the_population(frame):
    found = sd.risk(described(frame, weight=["weight"]))
    blocks = twins.blocks(frame, QUASI)
    people = [sum(frame["weight"][row] for row in rows) for rows in blocks]
    assert found.population == "weights"
    assert_population(found, [len(rows) for rows in blocks], people)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(frames(), frames())
def test_a_population_that_holds_the_sample(frame, others):
    population = pl.concat([others, frame])
    found = sd.risk(described(frame), population=described(population))
    blocks = twins.blocks(frame, QUASI)
    everybody = Counter(population.select(QUASI).rows())
    people = [everybody[frame.select(QUASI).row(rows[0])] for rows in blocks]
    assert found.population == "given"
    assert_population(found, [len(rows) for rows in blocks], people)


def assert_population(found, sizes, people):
    assert found.journalist_largest == pytest.approx(1 / min(people))
    mean = sum(size / many for size, many in zip(sizes, people, strict=True)) / sum(sizes)
    assert found.journalist_mean == pytest.approx(mean)
    assert found.marketer == pytest.approx(mean)
    assert found.prosecutor_largest == pytest.approx(1 / min(sizes))


@settings(max_examples=60, deadline=None)
@given(frames(), st.integers(0, 5))
def test_guesses(frame, excluded):
    found = sd.risk(described(frame), background=excluded)
    assert [guess.column for guess in found.guesses] == ["word", "constant"]
    for guess in found.guesses:
        seen = twins.one_spelling(frame[guess.column])
        blocks = [Counter(seen[row] for row in rows) for rows in twins.blocks(frame, QUASI)]
        alone = sum(counts.total() for counts in blocks if len(counts) == 1)
        assert guess.homogeneous_share == pytest.approx(alone / frame.height)
        assert_guess(blocks, 0, guess.guess_mean, guess.guess_largest)
        assert_guess(blocks, excluded, guess.background_mean, guess.background_largest)
        assert guess.background == excluded


def assert_guess(blocks, excluded, mean, largest):
    best = [best_guess(counts, excluded) for counts in blocks]
    rows = sum(counts.total() for counts in blocks)
    expected = sum(counts.total() * chance for counts, chance in zip(blocks, best, strict=True)) / rows
    assert mean == pytest.approx(expected)
    assert largest == pytest.approx(max(best))


def test_an_example_by_hand():
    frame = pl.DataFrame(
        {"one": [1, 1, 1, 1, 2, 2], "two": ["a"] * 6, "word": ["flu", "flu", "gout", "cold", "flu", "flu"]}
    )
    table = sd.read(frame).describe(quasi=QUASI, sensitive=["word"])
    found = sd.risk(table)
    guess = found.guesses[0]
    assert guess.homogeneous_share == pytest.approx(2 / 6)
    assert guess.guess_mean == pytest.approx((4 * 0.5 + 2 * 1) / 6)
    assert guess.background_mean == pytest.approx(
        (4 * 2 / 3 + 2 * 1) / 6
    )  # gout or cold ruled out: flu 2 of 3
    assert sd.risk(table, background=2).guesses[0].background_mean == pytest.approx(1)


def test_a_release_has_less_risk():
    table = sd.read(pl.DataFrame({"one": range(20), "word": ["a", "b"] * 10}))
    table = table.describe(quasi=["one"], sensitive=["word"])
    release = sd.anonymize(table, sd.KAnonymity(5), seed=1)
    assert sd.risk(release).prosecutor_largest <= 1 / 5
    assert release.risk_before.prosecutor_largest == 1
    assert release.risk_after == sd.risk(release)


def test_figures_can_be_written_as_json():
    table = sd.read(pl.DataFrame({"one": [1, 2], "word": ["a", None]})).describe(
        quasi=["one"], sensitive=["word"]
    )
    figures = sd.risk(table)
    assert json.loads(json.dumps(figures.to_dict())) == json.loads(json.dumps(dataclasses.asdict(figures)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"background": -1},
        {"population": 5},
        {"population": sd.read(pl.DataFrame({"two": [1]})).describe(quasi=["two"])},
    ],
    ids=["negative background", "number for population", "population without the column"],
)
def test_wrong_use_is_one_sentence(wrong):
    table = sd.read(pl.DataFrame({"one": [1, 2]})).describe(quasi=["one"])
    with pytest.raises(SudareError) as caught:
        sd.risk(table, **wrong)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [-1.0, 2.0], [None, 1.0], [0.5, 0.5]])
def test_weights_never_give_a_risk_outside_0_and_1(weights):
    table = sd.read(pl.DataFrame({"one": [1, 2], "weight": pl.Series(weights, dtype=pl.Float64)}))
    try:
        found = sd.risk(table.describe(quasi=["one"], weight=["weight"]))
    except SudareError as error:
        assert "weight" in str(error)  # noqa: PT017  # refusing with a sentence is as good
    else:
        for figure in (found.journalist_largest, found.journalist_mean, found.marketer):
            assert 0 <= figure <= 1
