"""The error of each column where values were replaced, named as what it is, in commands, reports and Python."""

import json

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.cli import main

RECIPE = """\
version: 1
source: {path: people.csv}
columns: {age: {role: quasi}, income: {role: quasi}, job: {role: sensitive}}
requirements: [k-anonymity k=3]
method: {type: microaggregation}
output: {folder: out, language: LANGUAGE}
"""


def people():
    random = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": random.integers(20, 80, 40),
            "income": random.gamma(4, 1_000, 40).round(),
            "job": random.choice(["a", "b", "c"], 40),
        }
    )


def of_squares(before, after):
    return float(((before - after) ** 2).sum() / ((before - before.mean()) ** 2).sum())


@pytest.fixture(scope="module")
def release():
    table = sd.read(people()).describe(quasi=["age", "income"], sensitive=["job"])
    return sd.anonymize(table, sd.KAnonymity(3), method=sd.Microaggregate(), order="keep")


def test_means_have_the_share_of_squares_of_each_column(release):
    frame = people()
    expected = {name: of_squares(frame[name], release.frame[name]) for name in ("age", "income")}
    assert release.column_errors == pytest.approx(expected)
    assert sd.measure.column_errors(frame, release) == pytest.approx(expected)
    assert release.column_losses == {}
    assert np.mean(list(expected.values())) == pytest.approx(release.losses["sse_ratio"])


def test_only_columns_with_other_values_have_one():
    """Coarser and unchanged columns have a loss; a column that is averaged beside them would otherwise show 0."""
    table = sd.read(people()).describe(quasi=["age", "income"], sensitive=["job"])
    after = people().with_columns(
        pl.col("income").mean().alias("income"),
        pl.Series("age", ["[20, 50)" if age < 50 else "[50, 80)" for age in people()["age"]]),
    )
    assert sd.measure.column_errors(table, after) == pytest.approx({"income": 1.0})
    assert sd.measure.column_errors(table, people()) == {}


@pytest.mark.parametrize(
    ("language", "named"), [("en", "squared error (SSE/SST)"), ("ja", "二乗誤差（SSE/SST）")]
)
def test_the_command_and_the_report_name_it(tmp_path, monkeypatch, capsys, language, named):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    people().write_csv("people.csv")
    (tmp_path / "recipe.yaml").write_text(RECIPE.replace("LANGUAGE", language), encoding="utf-8")
    assert main(["run", "recipe.yaml"]) == 0
    capsys.readouterr()
    asked = ["measure", "people.csv", "out", "--by-column"]
    assert main([*asked, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["columns"]
    found = {row["column"]: row["after"] for row in rows if row["figure"] == "sse_ratio"}
    manifest = json.loads((tmp_path / "out/internal/manifest.json").read_text(encoding="utf-8"))
    assert list(found) == ["age", "income"]
    assert found == pytest.approx(manifest["column_errors"])
    assert main([*asked, "--lang", language]) == 0
    assert named in " ".join(capsys.readouterr().out.split())
    page = (tmp_path / "out/internal/report.html").read_text(encoding="utf-8")
    _, rest = page.split({"en": "Loss of each column", "ja": "列ごとの損失"}[language])[:2]
    section = rest.split("</section>")[0]
    assert named in section
    assert ">age<" in section
    assert "column_errors" not in (tmp_path / "out/public/manifest.json").read_text(encoding="utf-8")


def test_averaged_columns_beside_generalized_ones(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people().write_csv("before.csv")
    people().with_columns(
        pl.lit(3_000.0).alias("income"),
        pl.Series("age", ["[20, 50)" if age < 50 else "[50, 80)" for age in people()["age"]]),
    ).write_csv("after.csv")
    (tmp_path / "recipe.yaml").write_text(
        RECIPE.replace("people.csv", "before.csv").replace("LANGUAGE", "en")
    )
    assert (
        main(["measure", "before.csv", "after.csv", "--recipe", "recipe.yaml", "--by-column", "--json"]) == 0
    )
    rows = json.loads(capsys.readouterr().out)["columns"]
    kinds = {row["column"]: row["figure"] for row in rows if row["figure"] in {"loss", "sse_ratio"}}
    assert kinds == {"age": "loss", "income": "sse_ratio"}


def test_texts_count_the_values_that_were_replaced():
    frame = pl.DataFrame({"city": ["Nara", "Kobe", "Otsu", "Nara"], "age": [1, 2, 3, 4]})
    table = sd.read(frame).describe(quasi=["city", "age"])
    swapped = frame.with_columns(pl.Series("city", ["Kobe", "Nara", "Otsu", "Nara"]))
    assert sd.measure.column_errors(table, swapped) == {"city": 0.5}
