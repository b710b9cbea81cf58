"""Suitability to l-diversity: the printed tables, where they contradict themselves, and ours beside them."""

import numpy as np
import pytest
from tests.cases.places import DATA

from sudare.assess.bounds import k_bound, l_bound
from sudare.errors import SudareError
from sudare.experiments.catalogue import EXPERIMENTS
from sudare.experiments.diversity_data import study_table
from sudare.experiments.diversity_page import (
    above_mindis,
    checks,
    compared,
    figures,
    misprints,
    notes,
    printed,
    ratios,
    tables,
    weaker_bounds,
)
from sudare.experiments.diversity_published import PRINTED, contradictions
from sudare.experiments.diversity_suitability import diversity_suitability

needs_coil = pytest.mark.skipif(
    not (DATA / "coil2000" / "ticdata2000.txt").is_file(), reason=f"{DATA}/coil2000/ticdata2000.txt is absent"
)


@pytest.fixture(scope="module")
def experiment():
    return diversity_suitability(names=("data1",))


@pytest.mark.slow
def test_the_random_table_has_the_printed_shape(experiment):
    assert experiment.holds
    table = experiment.tables["table-3"]
    assert table["max_blocks_ours"].to_list() == table["max_blocks_printed"].to_list() == [500, 250, 108]
    assert table["alpha_e_ours"].to_list() == [2, 4, 11]
    assert (table["k_lower_ours"] > 0).all()
    assert experiment.tables["table-4"]["suitability_ours"].is_not_null().all()


@pytest.mark.slow
def test_that_the_random_table_has_the_printed_shape_is_no_finding(experiment):
    (chosen,) = [check for check in experiment.checks if check.by_construction]
    assert "random tables have the printed numbers" in chosen.sentence


@pytest.mark.slow
def test_what_is_printed_fits_the_terminal(experiment):
    titles = list(experiment.printed)
    assert [title[:7] for title in titles] == ["Table 3", "Table 3", "Table 4", "Misprin"]
    first = experiment.printed[titles[0]]
    assert first.height == 3
    assert first["lower bound"][0].startswith("0.0089\n")
    assert all(len(line) <= 8 for cell in first["lower bound"] for line in cell.split("\n"))


@pytest.mark.slow
def test_the_page_has_the_tables(experiment, tmp_path):
    text = experiment.write(tmp_path).read_text(encoding="utf-8")
    assert "| data1 | 2 | 0.0089<br>" in text
    assert "16.667" in text


def test_the_print_contradicts_itself_where_it_is_known_to():
    wrong = {(line.data, line.l) for line in PRINTED if contradictions(line)}
    assert wrong == {("data2", 8), ("data3", 4), ("data5", 2), ("data5", 4), ("data5", 8), ("data6", 2)}


@needs_coil
def test_coil_has_the_printed_sensitive_columns():
    for name, values in (("data3", 40), ("data4", 10)):
        table = study_table(name, DATA)
        assert table.rows == 5822
        assert len(table.names("quasi")) == 85
        (sensitive,) = table.names("sensitive")
        assert table.codes(sensitive).count == values
        assert np.bincount(table.codes(sensitive).codes).max() < 5822 / 2


def test_absent_data_are_one_sentence(tmp_path):
    with pytest.raises(SudareError, match=r"ticdata2000\.txt.*--data"):
        EXPERIMENTS["diversity-suitability"](tmp_path, names=("data3",))


@pytest.fixture
def coil():
    """Lines of data3 with figures near those of a run: better for k = 2, worse for 4, and 8 and 9 as proven impossible."""
    lines = [line for line in PRINTED if line.data == "data3"]
    reached = [
        (0.0497, 0.0646, 0.0497, 0.0646),
        (0.09, 0.1471, 0.09, 0.1471),
        (0.1589, 0.2761, 0.1716, 0.3002),
    ]
    ours = [
        {
            "lower": line.lower,
            "upper": None,
            "ratio": None,
            "max_blocks": line.max_blocks,
            "alpha_s": line.alpha_s,
            "alpha_e": line.alpha_e,
            "k_lower": low,
            "k_upper": high,
            "k_ratio": high / low,
            "fair_lower": fair_low,
            "fair_upper": fair_high,
            "suitability": line.lower / fair_high,
        }
        for line, (low, high, fair_low, fair_high) in zip(lines, reached, strict=True)
    ]
    return lines, ours


def test_runs_above_the_printed_mindis_are_listed_with_what_is_known(coil):
    above = above_mindis(*coil)
    assert [(one.table, one.k, one.is_possible) for one in above] == [
        (3, 4, True),
        (3, 8, False),
        (4, 9, False),
    ]
    assert "not known" in above[0].why
    assert "at least 0.1589" in above[1].why
    shown = printed(*coil)
    assert shown["Runs above the printed MinDIS"].height == 3
    cells = shown["Table 3, k-anonymity († above the printed MinDIS)"]["upper bound"].to_list()
    assert [cell.endswith("†") for cell in cells] == [False, True, True]
    assert shown["Table 4 († above the printed MinDIS)"]["upper bound of k"][2].endswith("†")
    said = next(note for note in notes(*coil) if note.startswith("Runs above the printed MinDIS"))
    assert "data3 k = 4 (0.1471, printed 0.135)" in said
    assert "cannot all be right" in said
    assert "above the printed MinDIS (0.1471, printed 0.135)" in list(compared(*coil))[1].why
    assert any(
        "loses more in 3 cases (1 where the printed figure is possible)" in one.sentence
        for one in checks(*coil)
    )


def test_figure_3_is_in_multiples_of_the_bound_of_k_anonymity(coil):
    lines, ours = coil
    shown = ratios(lines, ours)
    assert shown["k_upper_ours"].to_list() == [own["k_ratio"] for own in ours]
    assert shown["k_upper_printed"].round(1).to_list() == [1.6, 1.7, 1.1]
    assert shown["lower_printed"][0] == pytest.approx(0.1667 / 0.0497)
    assert shown["upper_printed"].to_list()[2] is None
    assert set(figures(lines, ours)) == {"figure-3"}
    sentences = [check.sentence for check in checks(lines, ours)]
    assert any("less than the bound of l-diversity in 3 of 3 lines (figure 3)" in said for said in sentences)
    # Nothing of l-diversity was reached here, so there is nothing to compare.
    assert not any("rank correlation" in said for said in sentences)


def test_bounds_of_k_anonymity_are_counted(coil):
    said = next(check for check in checks(*coil) if "bound of k-anonymity on COIL 2000" in check.sentence)
    assert "the printed one in 1 of 3 cases, and tighter in 2" in said.sentence
    assert said.holds


def test_a_weaker_bound_is_no_misprint(coil):
    assert [(data, level) for data, level, _ in weaker_bounds(*coil)] == [("data3", 4), ("data3", 8)]
    assert not any("tighter" in said for _, _, said in misprints(*coil))
    assert tables(*coil)["weaker-bounds"].height == 2
    assert (
        "Weaker bound: the bound of k = 4 is printed 0.0815, which is valid" in list(compared(*coil))[1].why
    )


@pytest.mark.skipif(not (DATA / "vowels" / "ae.test").is_file(), reason=f"{DATA}/vowels/ae.test is absent")
def test_all_printed_bounds_of_the_vowels_come_out():
    table = study_table("data5", DATA)
    assert table.rows == 5687
    assert len(table.names("quasi")) == 11
    for line in (one for one in PRINTED if one.data == "data5"):
        assert round(l_bound(table, line.l, table.names("sensitive")[0]).value, 4) == line.lower
        assert round(k_bound(table, line.k).value, 4) == line.k_lower
