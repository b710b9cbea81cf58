"""Risk of randomized tables: bounds from the mechanisms, against every matching of people and records."""

# mypy: disable-error-code="arg-type, union-attr"
# parameters are given as users write them

from dataclasses import replace
from itertools import permutations, product
from math import prod

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.describe.table import Table
from sudare.mechanism import Retention

KEEP = 0.4


def matrix(keep, values):
    return keep * np.eye(values) + (1 - keep) / values


def table_of(frame, mechanisms, **roles):
    table = Table.from_frame(frame).describe(**roles)
    return table.changed(
        table.frame,
        [replace(column, mechanism=mechanisms.get(column.name)) for column in table.columns],
    )


def links(people, records, likelihood):
    """[person, record] posterior by enumeration of all matchings."""
    found = np.zeros((len(people), len(records)))
    for order in permutations(range(len(records))):
        weight = prod(likelihood(people[i], records[j]) for i, j in enumerate(order))
        for i, j in enumerate(order):
            found[i, j] += weight
    return found / found.sum(axis=1, keepdims=True)


def test_nobody_is_linked_above_the_bound():
    """All tables and releases of four people with one binary quasi-identifier and one binary sensitive column."""
    a = matrix(KEEP, 2)
    mechanism = Retention(keep=KEEP, values=("0", "1"))
    rate = ((1 - KEEP) / (1 + KEEP)) ** 4  # two columns
    worst = 0.0
    cells = list(product((0, 1), repeat=2))
    for people in product(cells, repeat=3):
        for records in product(cells, repeat=3):
            posterior = links(people, records, lambda p, r: a[r[0], p[0]] * a[r[1], p[1]])
            worst = max(worst, posterior.max())
    frame = pl.DataFrame({"q": ["0", "1", "0"], "s": ["1", "1", "0"]})
    table = table_of(frame, {"q": mechanism, "s": mechanism}, quasi=["q"], sensitive=["s"])
    found = sd.risk(table)
    assert found.linking.rate == pytest.approx(rate)
    assert found.linking.k == pytest.approx(1 + 2 * rate)
    assert found.prosecutor_largest == found.linking.largest == pytest.approx(worst)
    assert found.journalist_largest == found.prosecutor_largest
    assert found.prosecutor_mean == found.marketer == pytest.approx(worst)
    assert found.linking.epsilon == pytest.approx(2 * np.log((1 + KEEP) / (1 - KEEP)))
    assert found.guesses == ()
    assert (found.blocks, found.smallest_block, found.unique_rows) == (1, 3, 0)


def test_no_guess_is_better_than_the_bound():
    """A sensitive column released exactly beside a randomized quasi-identifier that is known of everybody."""
    a = matrix(KEEP, 2)
    rate = ((1 - KEEP) / (1 + KEEP)) ** 2
    sensitive = ["flu", "flu", "gout", "cold"]
    worst = 0.0
    for people in product((0, 1), repeat=4):
        for records in product((0, 1), repeat=4):
            posterior = links(people, records, lambda p, r: a[r, p])
            worst = max(worst, *(posterior[:, [0, 1]].sum(axis=1)))
    frame = pl.DataFrame({"q": ["0", "1", "0", "1"], "s": sensitive})
    mechanism = Retention(keep=KEEP, values=("0", "1"))
    table = table_of(frame, {"q": mechanism}, quasi=["q"], sensitive=["s"])
    (guess,) = sd.risk(table).guesses
    assert worst <= guess.guess_largest + 1e-12
    assert guess.guess_largest == guess.guess_mean == pytest.approx(0.5 / (0.5 + rate * 0.5))
    assert guess.background_largest == pytest.approx((2 / 3) / (2 / 3 + rate / 3))
    assert guess.homogeneous_share == 0
    # To somebody who knows the sensitive values too, flu is shared by two records only: k counts those.
    assert sd.risk(table).linking.records == 1


def test_exact_columns_split_the_records():
    frame = pl.DataFrame({"q": ["0", "1", "0", "1", "1"], "city": ["a", "a", "a", "b", "b"]})
    mechanism = Retention(keep=KEEP, values=("0", "1"))
    rate = mechanism.rate()
    found = sd.risk(table_of(frame, {"q": mechanism}, quasi=["q", "city"]), threshold=1 / (1 + 1.5 * rate))
    assert found.linking.exact == ("city",)
    assert (found.blocks, found.smallest_block) == (2, 2)
    assert found.prosecutor_largest == pytest.approx(1 / (1 + rate))
    assert found.prosecutor_mean == pytest.approx((3 / (1 + 2 * rate) + 2 / (1 + rate)) / 5)
    assert found.rows_above_threshold == pytest.approx(2 / 5)


def test_blocks_still_count_where_only_the_sensitive_column_is_randomized():
    frame = pl.DataFrame({"city": ["a", "a", "b", "b", "b"], "s": ["0", "1", "0", "0", "1"]})
    mechanism = Retention(keep=KEEP, values=("0", "1"))
    found = sd.risk(table_of(frame, {"s": mechanism}, quasi=["city"], sensitive=["s"]))
    assert found.prosecutor_largest == 1 / 2
    assert found.guesses == ()
    assert found.linking.k == pytest.approx(1 + mechanism.rate())
    assert [noise.column for noise in found.linking.columns] == ["s"]
    assert found.to_dict()["linking"]["columns"][0]["mechanism"] == "retention"


def test_tables_without_noise_have_no_linking():
    assert sd.risk(sd.read(pl.DataFrame({"q": [1, 2]})).describe(quasi=["q"])).linking is None
