"""What an analyst, a company and an office were told wrongly once: each case as they met it."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import DescriptionError, InputError, ParameterError
from sudare.release.reopen import reopen_pair

AGES = [0, 20, 40, 110]


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    random = np.random.default_rng(5)
    ages = np.clip(random.normal(38, 13, 20_000).round(), 17, 90).astype(int)
    frame = pl.DataFrame({"age": ages, "sex": random.choice(["F", "M"], 20_000)})
    table = sd.read(frame).describe(quasi=["age", "sex"])
    method = sd.Randomize(ranges={"age": (0, 110)}, values={"sex": ("F", "M")})
    release = sd.anonymize(table, sd.PkAnonymity(5), method=method, seed=1)
    folder = tmp_path_factory.mktemp("noisy") / "release"
    release.write(folder, reports=[])
    return frame, folder


def test_a_released_file_is_read_with_the_manifest_beside_it(noisy, tmp_path):
    _, folder = noisy
    whole = sd.crosstab(folder / "public", by="age", bins={"age": AGES}, draws=0)
    alone = sd.crosstab(folder / "public" / "data.csv", by="age", bins={"age": AGES}, draws=0)
    assert alone.array().tolist() == whole.array().tolist()
    copied = tmp_path / "data.csv"
    copied.write_bytes((folder / "public" / "data.csv").read_bytes())
    unknown = sd.crosstab(copied, by="age", bins={"age": AGES}, draws=0)
    assert "nothing says how these data were randomized" in unknown.fit.sentences()[0]
    assert "none of these columns is known to be randomized" in unknown.fit.sentences()[1]


def test_strong_noise_does_not_stop_the_search_before_the_release_is_explained(noisy):
    """Few wide bins and much noise: steps of EM are small from the beginning."""
    frame, folder = noisy
    truth = np.histogram(frame["age"], AGES)[0]
    found = sd.crosstab(folder / "public", by="age", bins={"age": AGES}, draws=0)
    assert found.fit.misfit <= found.fit.degrees + 2 * (2 * found.fit.degrees) ** 0.5
    assert np.abs(found.array() - truth).sum() < np.abs(found.array(figure="released") - truth).sum()


def test_numbers_outside_of_a_mechanism_are_refused(noisy):
    _, folder = noisy
    data = pl.read_csv(folder / "public" / "data.csv")
    with pytest.raises(
        DescriptionError,
        match=r"Column 'age' contains 1\d\d, but its mechanism releases only values from 0 to 20",
    ):
        sd.crosstab(data, by="age", mechanisms={"age": "laplace scale=97 low=0 high=20"})
    unbounded = "laplace scale=97 low=0 high=20 bounded=false"
    assert sd.crosstab(data, by="age", bins={"age": AGES}, mechanisms={"age": unbounded}, draws=0).shape


def test_a_workbook_of_repeated_texts_is_read(tmp_path):
    frame = pl.DataFrame({"sex": ["Male", "Female"] * 1500, "job": ["clerk", "smith", "cook"] * 1000})
    frame.write_excel(tmp_path / "people.xlsx")
    assert sd.read(tmp_path / "people.xlsx").frame.equals(frame)


def test_rows_to_be_dropped_are_dropped_before_the_study():
    frame = pl.DataFrame({"age": [*range(20), *[None] * 5], "d": ["a"] * 20 + list("bcdef")})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["d"], missing={"age": "drop"})
    study = sd.assess(table, sd.KAnonymity(2), sd.LDiversity(3))
    assert not study.feasible
    assert study.risk.rows == 20
    assert "Rows left out because of missing age: 5." in study.notes


def test_compromises_show_the_column_that_was_asked_for(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    pl.DataFrame(
        {
            "age": random.integers(20, 60, 200),
            "asked": random.choice(["x", "y"], 200, p=[0.9, 0.1]),
            "other": ["same"] * 200,
        }
    ).write_csv("t.csv")
    (tmp_path / "t.yaml").write_text(
        "version: 1\nsource: {path: t.csv}\ncolumns: {age: {role: quasi}, asked: {role: sensitive}, "
        "other: {role: sensitive}}\nrequirements: [{type: k-anonymity, k: 2}]\noutput: {folder: out}\n",
        encoding="utf-8",
    )
    code = main(["assess", "t.yaml", "--require", "l-diversity l=3 sensitive=asked"])
    out = capsys.readouterr().out
    assert code == 1
    table = out[out.index("Compromises") :]
    assert "100%" not in table


def test_a_release_that_leaves_rows_out_says_so(tmp_path):
    frame = pl.DataFrame({"age": [*[30] * 9, 99]})
    frame.write_csv(tmp_path / "t.csv")
    table = sd.read(tmp_path / "t.csv").describe(quasi=["age"])
    release = sd.anonymize(table, sd.KAnonymity(3), method=sd.SuppressRecords(limit=0.5))
    release.write(tmp_path / "out", reports=[])
    assert reopen_pair(str(tmp_path / "t.csv"), str(tmp_path / "out")).suppressed == 1
    (tmp_path / "out" / "internal" / "rows.parquet").unlink()
    with pytest.raises(InputError, match="put into random order"):
        reopen_pair(str(tmp_path / "t.csv"), str(tmp_path / "out"))
    kept = sd.anonymize(table, sd.KAnonymity(3), method=sd.SuppressRecords(limit=0.5), order="keep")
    kept.write(tmp_path / "kept", reports=[])
    (tmp_path / "kept" / "internal" / "rows.parquet").unlink()
    with pytest.raises(InputError, match="leaves out 1 of the 10 rows"):
        reopen_pair(str(tmp_path / "t.csv"), str(tmp_path / "kept"))


def test_baskets_are_told_of_baskets(tmp_path, capsys):
    baskets = sd.read_baskets([["a"], ["b"], ["a", "b"]])
    with pytest.raises(ParameterError, match="Mondrian is a method for tables, not for baskets"):
        sd.anonymize(baskets, sd.KmAnonymity(2, 1), method=sd.Mondrian())
    with pytest.raises(DescriptionError, match="Baskets have no columns"):
        sd.risk(baskets)
    (tmp_path / "t.txt").write_text("a\nb\na b\n", encoding="utf-8")
    made = sd.anonymize(
        baskets, sd.KmAnonymity(3, 1), method=sd.GeneralizeItems(sd.hierarchy.tree({"all": ["a", "b"]}))
    )
    assert any("Every item became" in warning for warning in made.warnings)
    made.write(tmp_path / "out", reports=[])
    assert main(["measure", str(tmp_path / "t.txt"), str(tmp_path / "out"), "--baskets"]) == 2
    assert "do not apply to groups of items" in " ".join(capsys.readouterr().err.split())


def test_the_report_tells_the_whole_command(noisy, tmp_path, monkeypatch, capsys):
    frame, _ = noisy
    table = sd.read(frame.head(500)).describe(quasi=["age", "sex"])
    method = sd.Randomize(ranges={"age": (0, 110)}, values={"sex": ("F", "M")})
    sd.anonymize(table, sd.PkAnonymity(2), method=method, seed=1).write(tmp_path / "out", reports=["public"])
    page = (tmp_path / "out" / "public" / "report.html").read_text(encoding="utf-8")
    command = page[page.index("sudare crosstab . --by") :].split("”")[0]
    monkeypatch.chdir(tmp_path / "out" / "public")
    assert main([*command.split()[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["by"] == ["age", "sex"]
