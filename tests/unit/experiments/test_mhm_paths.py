"""The fast paths of the paper beside NPN, made small."""

import numpy as np
import polars as pl
import pytest

from sudare.anonymize.microaggregate.paths import npn_path
from sudare.experiments.mhm_page import checks, settings_of
from sudare.experiments.mhm_paths import mhm_paths, scanned_npn
from sudare.randomness import repeatable


@pytest.mark.parametrize("values", [3, 10_000])
def test_the_published_search_gives_the_path_of_the_tree(values):
    for seed in range(5):
        X = repeatable(seed).integers(values, size=(150, 3)).astype(np.float64)
        assert scanned_npn(X).tolist() == npn_path(X).tolist()


def test_settings_are_shares_of_npn():
    base = {"data": "d", "records": 10_000, "columns": 2, "seed": 0, "k": 3, "cut_seconds": 1.0}
    runs = pl.DataFrame(
        [
            {**base, "path": "npn", "loss": 0.2, "path_seconds": 2.0, "scan_seconds": 8.0},
            {**base, "path": "grid", "loss": 0.1, "path_seconds": 4.0, "scan_seconds": None},
            {**base, "path": "flexdice", "loss": 0.3, "path_seconds": 16.0, "scan_seconds": None},
        ]
    )
    found = {row["path"]: row for row in settings_of(runs).iter_rows(named=True)}
    assert found["grid"]["loss_share"] == 0.5
    assert found["grid"]["faster_than_scan"] == 2.0
    assert found["grid"]["faster_than_tree"] == 0.5
    cuts = pl.DataFrame({"k": [5, 10], "seconds": [1.0, 4.0]})
    held = [check.holds for check in checks(settings_of(runs), cuts)]
    assert held == [
        True,
        True,
        False,
        False,
        False,
    ]  # grid: better, faster; FlexDice: neither; the cut: like k^2


@pytest.mark.slow
def test_the_page_says_where_the_claim_holds(tmp_path):
    outcome = mhm_paths(tmp_path, sizes=(200,), columns=(2,), ks=(3, 5), seeds=2, cut_ks=(3, 6))
    page = outcome.write(tmp_path).read_text(encoding="utf-8")
    assert "absent here: census, tarragona" in page
    assert "loses less than NPN for every size and k on" in page
    assert page.count(".svg") == 2
    runs = outcome.tables["runs"]
    assert runs.height == 4 * 2 * 4 * 2
    assert runs["loss"].is_between(0, 1).all()
    better = int((outcome.tables["settings"].filter(pl.col("path") == "grid")["loss_share"] < 1).sum())
    assert f"in {better} of 8 settings" in outcome.checks[0].sentence
    assert outcome.checks[0].holds == (better == 8)
