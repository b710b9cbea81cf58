"""MIL: what is printed beside ours."""

import polars as pl
import pytest

from sudare.experiments.mil import mil
from sudare.experiments.mil_data import FALLS, PRINTED_LOSSES
from sudare.experiments.mil_page import beside_print, by_k

PLACES = {"MDAV": 0, "V-MDAV": 2}


@pytest.mark.parametrize("name", PRINTED_LOSSES)
def test_the_print_agrees_with_itself(name):
    by = PRINTED_LOSSES[name]
    assert list(by) == list(range(2, 16))
    for start, place in PLACES.items():
        falls = [100 * (1 - line[place + 1] / line[place]) for line in by.values()]
        assert all(-1e-9 <= fall <= FALLS[start][name][2] + 0.1 for fall in falls)
    # The largest fall of V-MDAV on DS0 in table A.6 is that of table A.2 at k = 2.
    if name == "DS0":
        assert round(max(falls), 1) == 21.8


def test_printed_losses_are_beside_the_smallest_and_the_largest_of_ours():
    drawn = pl.DataFrame(
        [
            {"dataset": "DS0", "seed": seed, "k": 2, "start": start, "before": before, "after": before / 2}
            for start in PLACES
            for seed, before in ((1, 0.006), (0, 0.003))
        ]
    )
    beside = beside_print(drawn)
    assert beside["groups"].to_list() == ["MDAV", "MDAV, MIL", "V-MDAV", "V-MDAV, MIL"]
    assert beside["published"].to_list() == [0.003446, 0.003446, 0.003765, 0.002946]
    assert beside["ours"].to_list() == [0.003, 0.0015, 0.003, 0.0015]
    assert beside["within"].to_list() == [True, False, True, True]
    (table,) = by_k(beside.filter(pl.col("k") == 2)).values()
    assert table["MDAV, MIL"].to_list() == ["0.003446\n0.001500\n0.00150-0.00300"]


@pytest.mark.slow
def test_tables_and_distributions_are_on_the_page(tmp_path):
    outcome = mil(datasets=2, sizes=(100,), seeds=1, largest_k=5, drawn_seeds=2)
    assert list(outcome.printed)[:2] == [
        "Table A.2, DS0 (published; ours, seed 0; ours, 2 seeds)",
        "Table A.3, DS1 (published; ours, seed 0; ours, 2 seeds)",
    ]
    assert outcome.tables["losses-a2-a4"].height == 2 * 14 * 4
    assert "Figure A.3" in outcome.figures["ds1-distribution"].caption
    tests = outcome.tables["tests-a7-a8"]
    assert tests["published_mean"].to_list() == [9.06, 18.08]
    page = outcome.write(tmp_path).read_text(encoding="utf-8")
    assert "Of the 112 losses in tables A.2-A.4" in page
