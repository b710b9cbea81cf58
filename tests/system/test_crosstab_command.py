"""`sudare crosstab` on a written release and on a plain file."""

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.cells import cell_len

import sudare as sd


@pytest.fixture
def released(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    age = np.clip(random.gamma(6, 7, 2_000), 0, 119).astype(int)
    frame = pl.DataFrame(
        {"年齢": age, "sex": np.where(random.random(2_000) < 0.3, "F", "M"), "city": ["a", "b"] * 1_000}
    )
    frame.write_csv("original.csv")
    table = sd.read(frame).describe(quasi=["年齢", "sex"], insensitive=["city"])
    sd.anonymize(table, sd.PkAnonymity(2), method=sd.Randomize(ranges={"年齢": (0, 120)}), seed=5).write(
        "release", reports=[]
    )
    return command


def test_tables_plots_and_files(released, tmp_path):
    out = released.done(
        "crosstab", "release", "--by", "年齢,sex,city", "--bins", "年齢=0,30,60,120", "--seed", "1",
        "--original", "original.csv", "--out", "cells.csv", "--plot", "cells.html",
    )  # fmt: skip
    assert all(cell_len(line) <= 80 for line in out.splitlines())
    assert "2,000 records, 12 cells" in out
    assert "Total variation from the original: estimate" in out
    assert "original" in out.partition("Cross tabulation")[2].partition("records, 12 cells")[0]
    cells = pl.read_csv("cells.csv")
    assert cells.height == 12
    # The release does not show how the columns depend on each other, so no cell has an estimate.
    assert "cannot be estimated from this release" in " ".join(out.split())
    assert cells["estimate"].null_count() == 12
    assert cells["released"].sum() == 2_000
    page = (tmp_path / "cells.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "src=" not in page


def test_json(released):
    found = json.loads(
        released.done(
            "crosstab",
            "release/public",
            "--by",
            "年齢,sex",
            "--bins",
            "年齢=quantile:3",
            "--draws",
            "0",
            "--json",
        )
    )
    assert sorted(found) == ["by", "counts", "fit", "labels", "notes", "warnings"]
    assert found["warnings"][0].startswith("The cells cannot be estimated from this release")
    assert all(cell["estimate"] is None for cell in found["counts"])
    assert found["fit"]["contradicts"] is False
    assert len(found["counts"]) == 6
    alone = json.loads(released.done("crosstab", "release/public", "--by", "sex", "--draws", "0", "--json"))
    assert alone["warnings"] == []
    assert sum(cell["estimate"] for cell in alone["counts"]) == pytest.approx(2_000)
    assert found["fit"]["rule"] == "fit"
    assert set(found["counts"][0]) >= {"年齢", "sex", "estimate", "released"}


def test_pieces_and_consistent_are_those_of_python(released):
    asked = [
        "crosstab",
        "release/public",
        "--by",
        "年齢,sex",
        "--bins",
        "年齢=0,40,120",
        "--draws",
        "0",
        "--json",
    ]
    options: list[tuple[list[str], dict[str, Any]]] = [
        ([], {}),
        (["--pieces", "1"], {"pieces": 1}),
        (["--no-consistent"], {"consistent": False}),
        (["--pieces", "3", "--no-consistent"], {"pieces": 3, "consistent": False}),
    ]
    found = []
    for arguments, options_of_python in options:
        cells = json.loads(released.done(*asked, *arguments))["counts"]
        table = sd.crosstab(
            "release/public", by=["年齢", "sex"], bins={"年齢": [0, 40, 120]}, draws=0, **options_of_python
        )
        expected = [None if math.isnan(one) else one for one in table.counts["estimate"].fill_null(math.nan)]
        found.append([cell["estimate"] for cell in cells])
        assert found[-1] == pytest.approx(expected)
    assert "1 to 1,000 pieces" in released.refused(2, *asked[:-1], "--pieces", "0")


def test_a_release_that_is_not_what_it_says_is_told(released):
    """Nothing was randomized by this mechanism."""
    asked = ["crosstab", "original.csv", "--by", "sex,city", "--draws", "0"]
    asked += ["--mechanism", "sex=retention keep=0.1 values=F,M"]
    told = " ".join(released.done(*asked).split())
    assert "The released counts contradict this table: randomized again" in told
    assert "do not use it." in told
    assert "この集計表は使わないでください。" in "".join(released.done(*asked, "--lang", "ja").split())
    found = json.loads(released.done(*asked, "--json"))
    assert found["warnings"][0].startswith("The released counts contradict this table")
    assert found["fit"]["contradicts"] is True
    assert found["fit"]["met"] is False


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--by", "agee"], "no column 'agee'"),
        (["--by", "sex", "--bins", "nonsense"], "--bins is 'nonsense'"),
        (["--by", "sex", "--stop", "never"], "'stop' is 'never'"),
        (["--by", "sex", "--bins", "sex=3"], "categories"),
        (["--by", "年齢", "--bins", "年齢=3,2"], "edges"),
        (["--by", "sex", "--plot", "x.gif"], ".svg, .png or .html"),
        (["--by", "sex", "--out", "absent/x.csv"], "does not exist; create it"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_one_sentence(released, arguments, part):
    assert part in released.refused(2, "crosstab", "release", *arguments)


def test_nothing_is_randomized_is_said_before_the_counts(released):
    original = sd.read("original.csv").describe(quasi=["年齢", "sex"], insensitive=["city"])
    sd.anonymize(original, sd.KAnonymity(5)).write("generalized", reports=[])
    for data, warning in (
        ("generalized", "Warning: this release is not randomized, so nothing was rebuilt."),
        ("original.csv", "Warning: nothing says how these data were randomized"),
    ):
        told = " ".join(released.done("crosstab", data, "--by", "city").split())
        assert told.startswith(warning)
        table = told.partition("Cross tabulation")[2].partition("records")[0]
        assert "released" in table
        assert not any(name in table for name in ("estimate", "stderr", "low", "high"))
        assert released.done("crosstab", data, "--by", "city", "--lang", "ja").startswith("警告：")
        found = json.loads(released.done("crosstab", data, "--by", "city", "--json"))
        assert found["warnings"][0].startswith(warning)
    # A column that a randomized release left as it is, is counted exactly: nothing to warn of.
    assert "Warning" not in released.done("crosstab", "release", "--by", "city")


def test_written_figures_have_six_decimals(tmp_path, released):
    released.done("crosstab", "release", "--by", "sex,city", "--seed", "1", "--out", "rounded.csv")
    lines = (tmp_path / "rounded.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("sex,city,")
    decimals = [cell.partition(".")[2] for line in lines[1:] for cell in line.split(",")[2:]]
    assert any(decimals)
    assert all(len(part) <= 6 for part in decimals)


def test_written_cells_that_a_spreadsheet_would_execute(tmp_path, released):
    (tmp_path / "plain.csv").write_text("=name,sex\n=1+1,F\n@SUM(A1),M\n=1+1,F\n", encoding="utf-8")
    released.done("crosstab", "plain.csv", "--by", "=name", "--out", "cells.csv")
    written = (tmp_path / "cells.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in written] == ["'=name", "'=1+1", "'@SUM(A1)"]


def test_a_folder_that_is_not_there(released):
    told = released.refused(2, "crosstab", "relase", "--by", "sex")
    assert "no folder or file 'relase'; check the path" in told


def test_bins_that_were_not_asked_for_are_noted(released):
    asked = ["crosstab", "release", "--by", "年齢", "--draws", "0", "--json"]
    found = json.loads(released.done(*asked, "--bins", "年齢=20,40"))
    assert found["notes"] == [
        "年齢 may have values outside the edges that you gave, so bins were added for them: [0, 20), [40, 120]."
    ]
    found = json.loads(released.done(*asked, "--bins", "年齢=0,20,200"))
    assert found["notes"] == [
        "年齢 ranges from 0 to 120: bins that reach beyond contain only what is inside."
    ]
    assert json.loads(released.done(*asked, "--bins", "年齢=0,20,120"))["notes"] == []
    told = released.done(*asked[:-1], "--bins", "年齢=20,40", "--lang", "ja")
    assert "区分を追加しました" in "".join(told.split())


def test_of_a_table_that_tells_nothing_a_few_rows_are_enough(released):
    told = " ".join(
        released.done("crosstab", "release", "--by", "年齢,sex,city", "--bins", "年齢=20").split()
    )
    assert (
        "Do not report single cells of this table" in told or "cannot be estimated from this release" in told
    )
    assert "the 6 largest of" in told


def test_each_cell_has_a_verdict(released):
    asked = ["crosstab", "release", "--by", "sex", "--seed", "1"]
    found = json.loads(released.done(*asked, "--json"))
    for cell in found["counts"]:
        half = (cell["high"] - cell["low"]) / 2
        rule = (
            "usable"
            if half <= cell["estimate"] / 3
            else "rough"
            if half <= cell["estimate"] * 2 / 3
            else "unknown"
        )
        assert cell["verdict"] == rule
    verdicts = [cell["verdict"] for cell in found["counts"]]
    assert (found["fit"]["usable"], found["fit"]["rough"]) == (
        verdicts.count("usable"),
        verdicts.count("rough"),
    )
    told = released.done(*asked, "--out", "verdicts.csv")
    assert "verdict" in told.partition("records")[0]
    assert "stderr" not in told
    assert "Usable cells: " in told
    assert "判定" in released.done(*asked, "--lang", "ja")
    assert pl.read_csv("verdicts.csv")["verdict"].to_list() == verdicts
    exact = json.loads(released.done("crosstab", "release", "--by", "city", "--json"))
    assert {cell["verdict"] for cell in exact["counts"]} == {"exact"}
    bare = json.loads(released.done("crosstab", "original.csv", "--by", "city", "--json"))
    assert {cell["verdict"] for cell in bare["counts"]} == {"released"}
