"""Commands that answer in Japanese beside those of a release: ledger, cross tabulation; and the hint about baskets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main

ENGLISH_WORDS = re.compile(r"[A-Za-z]{2,}[ ,;:.]+[A-Za-z]{2,}")


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.db"))

    def run(*arguments):
        assert main(list(arguments)) == 0
        return capsys.readouterr().out

    return run


def written():
    frame = pl.DataFrame({"性別": ["男", "女"] * 60, "病名": ["風邪", "骨折", "肺炎"] * 40})
    table = sd.read(frame).describe(quasi=["性別"], sensitive=["病名"])
    release = sd.anonymize(table, sd.PkAnonymity(2), method=sd.Randomize(), seed=1)
    release.write("公開", reports=[])
    return release


def test_a_cross_tabulation_in_japanese(told):
    written()
    out = told(
        "crosstab",
        "公開/public",
        "--by",
        "性別,病名",
        "--seed",
        "1",
        "--out",
        "表.csv",
        "--plot",
        "表.svg",
        "--lang",
        "ja",
    )
    assert "クロス集計" in out
    assert "推定" in out
    assert "セル：表.csv" in out
    assert "図：表.svg" in out
    assert not ENGLISH_WORDS.search(out)
    assert "公開された件数" in Path("表.svg").read_text(encoding="utf-8")


def test_the_ledger_in_japanese(told):
    assert "台帳は改ざんされていません" in told("ledger", "--lang", "ja")
    pl.DataFrame({"age": [20, 20, 30, 30]}).write_csv("t.csv")
    told("describe", "t.csv", "--require", "k-anonymity k=2", "--lang", "ja")
    told("run", "t.recipe.yaml")
    out = told("ledger", "--lang", "ja")
    assert "開始" in out
    assert "公開" in out
    assert "released" not in out.replace("t-released", "")


@pytest.mark.parametrize(
    ("text", "hinted"),
    [("basket\nmilk bread\nbeer\n", True), ("town\nOslo\nRome\n", False), ("a,b\nx y,z\nu v,w\n", False)],
)
def test_a_column_of_lists_may_be_baskets(told, tmp_path, text, hinted):
    (tmp_path / "given.csv").write_text(text, encoding="utf-8")
    out = " ".join(told("describe", "given.csv").split())
    assert ("(a basket)" in out) == hinted
    assert "2 rows, 1 column " in out or not hinted


def test_noise_shows_no_mean_that_looks_like_a_rise(told):
    release = written()
    assert "mean" not in release._repr_html_().split("<table")[1]
    assert "loss" not in repr(release)


def test_the_plot_of_baskets_in_japanese(told, tmp_path, monkeypatch):
    (tmp_path / "before.txt").write_text("milk bread\nbeer milk\n", encoding="utf-8")
    (tmp_path / "after.txt").write_text("milk\nbeer milk\n", encoding="utf-8")
    asked = ("measure", "before.txt", "after.txt", "--baskets", "--plot", "plot.svg", "--overwrite")
    told(*asked, "--lang", "ja")
    assert "加工前" in Path("plot.svg").read_text(encoding="utf-8")
    monkeypatch.setenv("SUDARE_LANG", "ja")
    told(*asked, "--lang", "en")
    assert "加工前" not in Path("plot.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(("language", "head"), [("en", "Most frequent items"), ("ja", "頻度の高いアイテム")])
def test_a_file_of_baskets_gets_a_recipe_of_baskets_that_runs(told, tmp_path, language, head):
    lines = ["milk bread", "milk", "beer milk bread", "bread", "beer bread milk", "milk bread"] * 3
    (tmp_path / "clicks.txt").write_text("\n".join(lines), encoding="utf-8")
    out = told("describe", "clicks.txt", "--lang", language)
    assert head in out
    text = (tmp_path / "clicks.recipe.yaml").read_text(encoding="utf-8")
    assert text.splitlines()[1:5] == ["version: 1", "baskets:", "  path: clicks.txt", "  layout: lines"]
    told("run", "clicks.recipe.yaml")
    assert all(finding.holds for finding in sd.verify_release(tmp_path / "clicks-release"))


def test_baskets_that_do_not_show_it_are_named(told, tmp_path):
    (tmp_path / "given.csv").write_text("milk bread\nbeer\nmilk\n", encoding="utf-8")
    found = json.loads(told("describe", "given.csv", "--baskets", "--json"))
    assert (found["baskets"], found["items"], found["entries"], found["longest"]) == (3, 3, 4, 2)
    assert found["recipe"]["baskets"]["path"] == "given.csv"
    assert found["recipe"]["requirements"] == [{"type": "km-anonymity", "k": 5, "m": 2}]
    assert found["frequent"]["milk"] == 2
