"""Every experiment in small: under a minute of one core, and the page says that it was a quick run."""

import time

import pytest
from tests.cases.places import DATA

from sudare.cli import main
from sudare.experiments.catalogue import EXPERIMENTS, QUICK, repeat
from sudare.experiments.result import Experiment
from sudare.progress import SILENT

NEEDS = {"ild-adult": "adult", "diversity-suitability": "coil2000", "baskets": "bms"}


def test_every_experiment_has_one():
    assert list(QUICK) == list(EXPERIMENTS)


def test_the_option_runs_the_small_one_and_the_page_says_so(tmp_path, monkeypatch):
    def of_size(title):
        return lambda _data, _progress: Experiment("small", title, "A paper", tables={}, notes=("Mine.",))

    monkeypatch.setitem(EXPERIMENTS, "small", of_size("Whole"))
    monkeypatch.setitem(QUICK, "small", of_size("Part"))
    asked = ["experiment", "small", "--out", str(tmp_path)]
    assert main([*asked, "--quick"]) == 0
    page = (tmp_path / "small.md").read_text(encoding="utf-8")
    assert page.startswith("# Part (quick run)\n")
    assert f"| command | `sudare experiment small --quick --out {tmp_path}` |" in page
    assert page.index("**A quick run**") < page.index("Mine.")
    assert main([*asked, "--overwrite"]) == 0
    page = (tmp_path / "small.md").read_text(encoding="utf-8")
    assert page.startswith("# Whole\n")
    assert "quick" not in page


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_it_takes_less_than_a_minute(name, tmp_path):
    if name in NEEDS and not (DATA / NEEDS[name]).is_dir():
        pytest.skip(f"{DATA / NEEDS[name]} is absent")
    began = time.process_time()
    outcome = repeat(name, DATA if DATA.is_dir() else None, SILENT, quick=True)
    page = outcome.write(tmp_path).read_text(encoding="utf-8")
    assert time.process_time() - began < 60
    assert page.startswith(f"# {outcome.title}\n")
    assert outcome.title.endswith("(quick run)")
    assert outcome.notes[0].startswith("**A quick run**")
