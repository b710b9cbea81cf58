"""Sentences that must be true of what the user gave: baskets, internal folders, short lines of a hierarchy."""

import json

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.describe.hierarchy.makers import LevelsFile
from sudare.errors import DescriptionError

CLICKS = "home news\nhome shop\nhome\nnews shop home\nnews\nhome news\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.jsonl"))
    (tmp_path / "b.txt").write_text(CLICKS, encoding="utf-8")
    return tmp_path


def written(folder, requirement, **output):
    recipe = {
        "version": 1,
        "baskets": {"path": "b.txt", "layout": "lines"},
        "sensitive": ["shop"],
        "requirements": [requirement],
        "output": {"folder": "released", **output},
    }
    (folder / "b.yaml").write_text(json.dumps(recipe), encoding="utf-8")


def run(capsys, *arguments):
    """Exit code and everything said, as if on one line."""
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, "".join((said.out + said.err).splitlines())


@pytest.mark.parametrize(
    ("requirement", "asked"),
    [
        (
            {"type": "rho-uncertainty", "rho": 0.5},
            "確信度が 0.5 を超えて推測できる機微なアイテムはありません",
        ),
        (
            {"type": "rho-uncertainty", "rho": 0.5, "m": 2},
            "2 個以下の既知アイテムから、確信度が 0.5 を超えて",
        ),
        (
            {"type": "rho-uncertainty", "rho": 0.5, "m": 2, "eps": 0.1, "delta": 0.1},
            "危険な攻撃者の割合は信頼度 0.9 で",
        ),
        ({"type": "km-anonymity", "k": 2, "m": 1}, "1 個以下のアイテムのどの組も"),
    ],
)
def test_japanese_verdicts_say_how_much_somebody_may_know(folder, capsys, requirement, asked):
    written(folder, requirement)
    code, said = run(capsys, "run", "b.yaml", "--lang", "ja")
    assert code == 0
    assert asked in said
    code, said = run(capsys, "check", "released", "--original", "b.txt", "--lang", "ja")
    assert code == 0
    assert asked in said


@pytest.mark.parametrize("m", ["two", True, [2]])
def test_an_m_that_is_no_number_has_a_japanese_verdict_too(folder, capsys, m):
    written(folder, {"type": "rho-uncertainty", "rho": 0.5, "m": 2})
    assert run(capsys, "run", "b.yaml")[0] == 0
    place = folder / "released" / "public" / "manifest.json"
    manifest = json.loads(place.read_text(encoding="utf-8"))
    manifest["requirements"][0]["m"] = m
    place.write_text(json.dumps(manifest), encoding="utf-8")
    code, said = run(capsys, "check", "released", "--original", "b.txt", "--lang", "ja")
    assert code == 1
    assert "✗ 要件 rho-uncertainty を検証できません：m が" in said


def test_assess_takes_baskets_too(folder, capsys):
    written(folder, {"type": "rho-uncertainty", "rho": 0.3})
    code, said = run(capsys, "assess", "b.yaml")
    assert code == 0
    assert "Most dangerous adversaries" in said
    assert "What each rho costs at least" in said
    code, said = run(capsys, "assess", "b.yaml", "--objective", "dis")
    assert code == 2
    assert said == "sudare: 'objective' is an option for tables; leave it out for baskets."


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["lines", "json", "long", "lists", "sets"])
@pytest.mark.parametrize("part", ["", "/public"])
def test_measure_takes_the_folder_of_a_release_of_baskets(folder, capsys, layout, part):
    written(folder, {"type": "rho-uncertainty", "rho": 0.3}, layout=layout)
    assert run(capsys, "run", "b.yaml")[0] == 0
    code = main(["measure", "b.txt", f"released{part}", "--baskets", "--json"])
    values = json.loads(capsys.readouterr().out)
    assert code == 0
    manifest = json.loads((folder / "released" / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert {name: float(f"{value:.3g}") for name, value in values.items()} == manifest["losses"]
    assert values["util1"] > 0


def test_measure_reads_the_original_as_the_release_did(folder, capsys):
    (folder / "b.txt").write_text("a b;c\na b\na b;c\n", encoding="utf-8")
    baskets = sd.read_baskets("b.txt", layout="lines", delimiter=";").describe(sensitive=["c"])
    sd.anonymize(baskets, sd.RhoUncertainty(0.5), seed=1).write("released")
    code = main(["measure", "b.txt", "released", "--baskets", "--json"])
    assert code == 0
    assert json.loads(capsys.readouterr().out)["util1"] == pytest.approx(
        1 - sd.read_baskets("released/public/baskets.txt", layout="lines", delimiter=";").entries / 5
    )


def test_measure_needs_no_word_about_the_kind_of_a_release(folder, capsys):
    written(folder, {"type": "rho-uncertainty", "rho": 0.5})
    assert run(capsys, "run", "b.yaml")[0] == 0
    code, said = run(capsys, "measure", "b.txt", "released")
    assert code == 0
    assert "util1" in said
    code, said = run(capsys, "measure", "b.txt", "released/public/baskets.txt")
    assert code == 0
    assert "util1" in said
    code, said = run(capsys, "measure", "b.txt", "released", "--recipe", "b.yaml")
    assert code == 2
    assert "baskets have none; leave out --recipe" in said


def test_check_of_the_internal_folder_names_the_right_one(folder, capsys):
    written(folder, {"type": "rho-uncertainty", "rho": 0.5})
    assert run(capsys, "run", "b.yaml")[0] == 0
    table_release(folder)
    for release in ("released", "table"):
        code, said = run(capsys, "check", f"{release}/internal")
        assert code == 2
        assert said == (
            f"sudare: The folder {release}/internal is the internal part of a release, which contains no released data; give "
            "the folder of the release, or its public folder."
        )
        assert run(capsys, "check", f"{release}/public")[0] in {0, 1}
    (folder / "table" / "public" / "data.csv").unlink()
    code, said = run(capsys, "check", "table")
    assert code == 2
    assert "does not exist; restore it from the original release" in said


def table_release(folder):
    table = sd.read(pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})).describe(
        quasi=["age"], sensitive=["ill"]
    )
    sd.anonymize(table, sd.KAnonymity(2), seed=1).write(folder / "table")


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("short", ["England", "England{0}*"])
def test_a_short_line_of_a_hierarchy_is_named(tmp_path, delimiter, short):
    lines = ["France{0}Europe{0}*", "Japan{0}Asia{0}*", short]
    path = tmp_path / "levels.csv"
    path.write_text("".join(line.format(delimiter) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(DescriptionError) as raised:
        LevelsFile(path).build(pl.Series(["France", "England"]), "native-country")
    levels = "1 level" if short == "England" else "2 levels"
    assert str(raised.value) == (
        f"The hierarchy of column 'native-country' has {levels} for 'England' but 3 for 'France'; "
        "give every row the same number of levels."
    )


def test_a_file_of_values_alone_has_no_delimiter(tmp_path):
    path = tmp_path / "levels.csv"
    path.write_text("Korea, South\nFrance\nJapan\n", encoding="utf-8")
    with pytest.raises(DescriptionError, match="has only the level of its values"):
        LevelsFile(path).build(pl.Series(["France"]), "native-country")
