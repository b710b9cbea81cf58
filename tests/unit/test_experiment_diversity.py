"""Suitability to l-diversity: the printed tables, where they contradict themselves, and ours beside them."""

from pathlib import Path

import numpy as np
import pytest

from sudare.errors import SudareError
from sudare.experiments.catalogue import EXPERIMENTS
from sudare.experiments.diversity_data import study_table
from sudare.experiments.diversity_published import PRINTED, contradictions
from sudare.experiments.diversity_suitability import diversity_suitability

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_coil = pytest.mark.skipif(
    not (DATA / "coil2000" / "ticdata2000.txt").is_file(), reason=f"{DATA}/coil2000/ticdata2000.txt is absent"
)


@pytest.fixture(scope="module")
def experiment():
    return diversity_suitability(names=("data1",))


def test_the_random_table_has_the_printed_shape(experiment):
    assert experiment.holds
    table = experiment.tables["table-3"]
    assert table["max_blocks_ours"].to_list() == table["max_blocks_printed"].to_list() == [500, 250, 108]
    assert table["alpha_e_ours"].to_list() == [2, 4, 11]
    assert (table["k_lower_ours"] > 0).all()
    assert experiment.tables["table-4"]["suitability_ours"].is_not_null().all()


def test_what_is_printed_fits_the_terminal(experiment):
    titles = list(experiment.printed)
    assert [title[:7] for title in titles] == ["Table 3", "Table 3", "Table 4", "Misprin"]
    first = experiment.printed[titles[0]]
    assert first.height == 3
    assert first["lower bound"][0].startswith("0.0089\n")
    assert all(len(line) <= 8 for cell in first["lower bound"] for line in cell.split("\n"))


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
