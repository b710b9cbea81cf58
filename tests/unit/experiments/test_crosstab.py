"""The experiment on reconstructed tables: shapes, expectations, advice, the written page."""

import numpy as np
import polars as pl
import pytest

from sudare.errors import SudareError
from sudare.experiments.catalogue import EXPERIMENTS
from sudare.experiments.crosstab import COMPARED_MECHANISMS, crosstab
from sudare.experiments.crosstab_page import _reached, advice

SIZES, BINS, KS = (300, 3_000), (3, 5), (2, 5)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """Away from the data, on made-up people."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("nowhere"))
        return crosstab(sizes=SIZES, bins=BINS, ks=KS, seeds=2)


@pytest.mark.slow
def test_shapes(experiment):
    settings = len(COMPARED_MECHANISMS) * len(BINS) * len(KS)
    assert experiment.tables["errors"].height == settings * len(SIZES) * 2
    assert experiment.tables["means"].height == settings * len(SIZES)
    assert experiment.tables["records-needed"].height == settings
    assert experiment.tables["errors"]["estimate"].is_between(0, 1).all()
    assert sorted(experiment.figures) == ["bins", "k", "records"]
    assert "made-up people" in experiment.notes[0]
    assert EXPERIMENTS["crosstab"] is crosstab


@pytest.mark.slow
def test_the_page(experiment, tmp_path):
    page = experiment.write(tmp_path).read_text(encoding="utf-8")
    assert "How many records do I need?" in page
    assert "| laplace | 3 | 2 |" in page
    assert "1k" not in (tmp_path / "crosstab-records.svg").read_text("utf-8"), (
        "a tick where nothing was measured"
    )
    assert ">300<" in (tmp_path / "crosstab-records.svg").read_text("utf-8")
    caption = experiment.figures["records"].caption
    assert f"![{caption}](crosstab-records.svg)\n\n*{caption}*\n" in page


def test_advice_reads_the_line_between_and_beyond():
    records, errors = np.array([100, 10_000]), np.array([0.4, 0.04])
    assert _reached(records, errors, 0.5) == 100
    assert _reached(records, errors, 0.2) == pytest.approx(400, rel=0.03)
    assert _reached(records, errors, 0.02) == pytest.approx(40_000, rel=0.03)
    assert _reached(records, errors, 1e-9) is None
    assert _reached(records, np.array([0.4, 0.4]), 0.2) is None
    means = pl.DataFrame(
        {"mechanism": ["laplace"] * 2, "bins": [4] * 2, "k": [2] * 2, "records": records, "estimate": errors}
    )
    assert advice(means).columns == ["mechanism", "bins", "k", "error 0.2", "error 0.1", "error 0.05"]


def test_a_folder_without_the_data_is_said(tmp_path):
    with pytest.raises(SudareError, match=r"adult\.data"):
        crosstab(tmp_path)
