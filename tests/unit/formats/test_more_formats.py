"""SPSS and Stata with labels, JSON lines, encodings and database tables: read back exactly, and nothing more in them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import GuaranteeError, InputError, OutputError, ParameterError
from sudare.formats import database
from sudare.formats import statistical as statistical_formats
from sudare.formats.data import read_data, write_data
from sudare.formats.statistical import statistical_bytes, variable_names
from sudare.read.source import Labels

ROWS = 60
LABELS = {
    "sex": {1: "male", 2: "female", 3: "unknown sex"},
    "marital": {1: "single", 2: "married", 3: "divorced", 4: "widowed person", 9: "refused answer"},
    "visits": {98: "many visits", 99: "no answer"},
}
READERS = {"spss": pyreadstat.read_sav, "stata": pyreadstat.read_dta}
ENDINGS = {"spss": ".sav", "stata": ".dta"}


def survey(place):
    """An SPSS file of made-up people, with labels that say too much."""
    frame = pl.DataFrame(
        {
            "sex": [1.0 + row % 2 for row in range(ROWS)],
            "marital": [1.0 + row // 2 % 4 for row in range(ROWS)],
            "visits": [98.0 if row % 20 == 7 else row % 5 + 0.5 for row in range(ROWS)],
            "age": [20.0 + row % 30 for row in range(ROWS)],
            "disease": [("influenza", "common cold", "gastritis")[row % 3] for row in range(ROWS)],
            "name": [f"Person Number {row:04d}" for row in range(ROWS)],
        }
    )
    told = {"sex": "Sex of the person", "age": "Age of Person Number 0003 and others", "name": "Full name"}
    pyreadstat.write_sav(frame, str(place), column_labels=told, variable_value_labels=LABELS)
    return sd.read(place).describe(
        identifier=["name"], quasi=["sex", "marital", "age"], sensitive=["disease"], insensitive=["visits"]
    )


@pytest.mark.parametrize("kind", ["spss", "stata"])
def test_labels_are_those_of_released_values_and_no_others(tmp_path, kind):
    table = survey(tmp_path / "survey.sav")
    release = sd.anonymize(table, sd.KAnonymity(4), method="mondrian", seed=1)
    written = release.write(tmp_path / "out", format=kind, reports=[])
    frame, about = READERS[kind](str(written.data), output_format="polars")
    for name in ("sex", "marital"):
        named = about.variable_value_labels.get(name, {})
        assert set(named) == set(frame[name].unique().to_list())
        assert all(LABELS[name].get(int(code), text) == text for code, text in named.items())
        assert (
            frame[name].replace_strict(named, return_dtype=pl.String).equals(release.frame[name].alias(name))
        )
    assert about.variable_value_labels["visits"] == {98: "many visits"}
    assert about.column_names_to_labels["sex"] == "Sex of the person"
    assert about.column_names_to_labels["age"] is None  # it names a person
    content = written.data.read_bytes()
    for text in ("unknown sex", "refused answer", "no answer", "Person Number", "Full name"):
        assert text.encode() not in content
    assert all(finding.holds for finding in sd.verify_release(written.folder, original=table))


@pytest.mark.parametrize("kind", ["spss", "stata"])
@pytest.mark.parametrize("leak", ["of a value", "of a column", "of nobody"])
def test_labels_that_leak_are_found_by_the_verifier(tmp_path, monkeypatch, kind, leak):
    table = survey(tmp_path / "survey.sav")
    real = statistical_formats.statistical_bytes

    def leaking(frame, kind, labels):
        place = tmp_path / f"leak{ENDINGS[kind]}"
        place.write_bytes(real(frame, kind, labels))
        found, about = READERS[kind](str(place), output_format="polars")
        values, told = dict(about.variable_value_labels), dict(about.column_names_to_labels)
        if leak == "of a column":
            told["disease"] = "As Person Number 0005 has it"
        else:
            values["sex"] = {
                **values["sex"],
                3: "unknown sex" if leak == "of nobody" else "Person Number 0005",
            }
        writer = pyreadstat.write_sav if kind == "spss" else pyreadstat.write_dta
        writer(found, str(place), column_labels=told, variable_value_labels=values)
        return place.read_bytes()

    monkeypatch.setattr("sudare.formats.data.statistical_bytes", leaking)
    release = sd.anonymize(table, sd.KAnonymity(4), method="mondrian", seed=1)
    with pytest.raises(GuaranteeError, match="still hold values of the column"):
        release.write(tmp_path / "out", format=kind, reports=[])
    assert not (tmp_path / "out").exists()


def test_groups_of_labeled_values_get_codes_of_their_own():
    frame = pl.DataFrame({"sex": ["female", "*", "male", None, "female or male"]})
    labels = Labels({}, {"sex": {1: "male", 2: "female", 3: "unknown"}})
    place = Path("x")
    with contextlib.suppress(FileNotFoundError):
        place.unlink()
    assert b"unknown" not in statistical_bytes(frame, "spss", labels)
    codes, named = statistical_formats._column(frame["sex"].alias("cells"), "sex", labels.values["sex"])
    assert named == {1: "male", 2: "female", 101: "*", 102: "female or male"}
    assert codes.to_list() == [2, 101, 1, None, 102]


@pytest.mark.parametrize("kind", ["spss", "stata"])
def test_every_type_is_read_back_from_statistical_files(tmp_path, kind):
    frame = pl.DataFrame(
        {
            "full name": ["Ann", "太郎", None],
            "病名": ["風邪", "胃炎", "風邪"],
            "with": [1, -5, None],
            "WITH": [0.1, 2.5, None],
            "1st": [2**60, 1, 2],
            "é ?": [True, None, False],
            "day": [date(1985, 1, 2), None, date(2020, 2, 29)],
            "moment": [datetime(2020, 1, 1, 10, 0, 0, 5), None, datetime(2020, 1, 1)],  # noqa: DTZ001  # no zones
            "set": [["a", "b"], [], None],
            "none": pl.Series([None] * 3, dtype=pl.Int64),
            "end": ["=a", "b", "x" * 300],
            "huge": [1e308, 1.0, 2.0],
        }
    )
    frame = frame.with_columns(pl.Series("set", [["a", "b"], ["c"], None]))
    place = tmp_path / f"data{ENDINGS[kind]}"
    write_data(frame, place, format=kind)
    named = variable_names(frame.columns, kind)
    assert len(set(map(str.lower, named.values()))) == frame.width
    back = read_data(
        place, kind, escape_formulas=True, names={written: name for name, written in named.items()}
    )
    assert back.columns == frame.columns
    texts = {
        "1st": [str(2**60), "1", "2"],
        "é ?": ["true", None, "false"],
        "set": ["a|b", "c", None],
        "moment": ["2020-01-01 10:00:00.000005", None, "2020-01-01 00:00:00.000000"],
    }
    for column in frame:
        found = back[column.name].to_list()
        if column.name == "moment":
            assert [None if one is None else datetime.fromisoformat(one) for one in found] == column.to_list()
        elif column.name == "huge":
            assert [float(one) for one in found] == column.to_list()
        else:
            assert found == texts.get(column.name, column.to_list())
    _, about = READERS[kind](str(place))
    assert about.column_names_to_labels[named["full name"]] == "full name"


def test_long_names_stay_different():
    names = ["a" * 40, "a" * 41, "A" * 42, "名" * 30, "名" * 31]
    for kind, most in (("spss", 64), ("stata", 32)):
        named = list(variable_names(names, kind).values())  # type: ignore[arg-type]
        assert len({name.lower() for name in named}) == len(names)
        assert all(len(name.encode()) <= most for name in named)


@pytest.mark.parametrize("kind", ["spss", "stata"])
@pytest.mark.parametrize(
    ("cell", "said"),
    [("", "has an empty text"), ("a ", "ends with a blank"), ("x" * 40_000, "40000 bytes")],
)
def test_texts_that_statistical_files_change_are_refused(tmp_path, kind, cell, said):
    with pytest.raises(OutputError, match=said):
        write_data(pl.DataFrame({"a": ["b", cell]}), tmp_path / "data", format=kind)
    assert not list(tmp_path.iterdir())


def test_json_lines_are_read_back(tmp_path):
    frame = pl.DataFrame(
        {
            "text": ["=1+1", "太郎\n\u2028", None, ""],
            "zip": ["007", "1", "2", "3"],
            "whole": [1, 2**62, None, -1],
            "real": [0.1, 1e300, None, 2.0],
            "flag": [True, False, None, True],
            "day": [date(1985, 1, 2), None, None, date(2020, 2, 29)],
            "set": [["a", "b|c"], [], None, ["d"]],
            "none": pl.Series([None] * 4, dtype=pl.String),
        }
    ).with_columns(pl.Series("set", [["a", "b"], [], None, ["d"]]))
    place = tmp_path / "data.jsonl"
    write_data(frame, place, format="jsonl")
    assert read_data(place, "jsonl", escape_formulas=True).equals(frame)
    assert json.loads(place.read_text(encoding="utf-8").split("\n")[0])["text"] == "=1+1"
    with pytest.raises(OutputError, match="infinite"):
        write_data(pl.DataFrame({"a": [float("inf")]}), place, format="jsonl")


# -- encodings


def people(sign="崎"):
    return pl.DataFrame(
        {
            "年齢": [20 + row % 3 for row in range(30)],
            "病名": [("風邪", f"{sign}胃炎")[row % 2] for row in range(30)],
        }
    )


def released(frame):
    table = sd.read(frame).describe(quasi=["年齢"], sensitive=["病名"])
    return table, sd.anonymize(table, sd.KAnonymity(3), seed=1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_an_encoding_is_told_and_read_back(tmp_path, encoding, kind):
    table, release = released(people())
    written = release.write(tmp_path / "out", format=kind, encoding=encoding)
    manifest = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))
    assert manifest["data"]["encoding"] == encoding
    text = written.data.read_bytes().decode(encoding)
    assert text.startswith("年齢")
    assert written.data.read_bytes().startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")
    assert all(finding.holds for finding in sd.verify_release(written.folder, original=table))
    assert main(["check", str(written.folder / "public")]) == 0


def test_a_character_that_the_encoding_lacks_is_named(tmp_path):
    _, release = released(people("𠮷"))
    with pytest.raises(OutputError, match=r"'病名' has '𠮷' \(U\+20BB7\) in row \d+ of the release.*cp932"):
        release.write(tmp_path / "out", encoding="cp932")
    assert not list(tmp_path.iterdir())
    with pytest.raises(OutputError, match=r"name of the column 'né' has 'é'"):
        write_data(pl.DataFrame({"né": [1]}), tmp_path / "x", format="csv", encoding="cp932")
    with pytest.raises(ParameterError, match="applies to csv and tsv, not to the format 'excel'"):
        release.write(tmp_path / "out", format="excel", encoding="cp932")
    with pytest.raises(ParameterError, match="encoding"):
        release.write(tmp_path / "out", encoding="latin-1")


def test_a_manifest_with_another_encoding_is_refused(tmp_path):
    _, release = released(people())
    release.write(tmp_path / "out", reports=[])
    place = tmp_path / "out/public/manifest.json"
    place.write_text(place.read_text(encoding="utf-8").replace('"utf-8"', '"rot13"'), encoding="utf-8")
    with pytest.raises(InputError, match="encoding 'rot13'"):
        sd.verify_release(tmp_path / "out/public")


# -- databases


def rows_of(place, table):
    with contextlib.closing(sqlite3.connect(place)) as connection:
        return connection.execute(f'SELECT * FROM "{table}"').fetchall()  # names of this test


def test_a_release_is_written_to_a_table(tmp_path):
    place = tmp_path / "out.sqlite"
    address = f"sqlite:///{place}"
    _, release = released(people())
    written = release.write(tmp_path / "out", database=address, table="released", reports=[])
    assert sorted(rows_of(place, "released")) == sorted(release.frame.rows())
    assert written.manifest["database"] == {"address": address, "table": "released"}
    public = (tmp_path / "out/public/manifest.json").read_text(encoding="utf-8")
    assert "released" not in json.loads(public)
    assert "sqlite" not in public
    assert all(finding.holds for finding in sd.verify_release(tmp_path / "out"))
    before = place.read_bytes()
    with pytest.raises(OutputError, match="already has a table 'released'"):
        release.write(tmp_path / "again", database=address, table="Released", reports=[])
    assert not (tmp_path / "again").exists()
    assert place.read_bytes() == before
    release.write(tmp_path / "out", database=address, table="released", reports=[], overwrite=True)
    assert len(rows_of(place, "released")) == 30


@pytest.mark.parametrize("failing", ["fill", "differs", "folder"])
def test_nothing_is_kept_of_a_table_that_fails(tmp_path, monkeypatch, failing):
    place = tmp_path / "out.sqlite"
    address = f"sqlite:///{place}"
    _, release = released(people())
    release.write(tmp_path / "first", database=address, table="released", reports=[])
    kept = rows_of(place, "released")
    if failing == "fill":
        wrong = pl.DataFrame({"a": [1], "A": [2]})
        for target in (address, f"sqlite:///{tmp_path / 'new.sqlite'}"):
            written = database.table_written(wrong, target, "released", overwrite=True)
            with pytest.raises(OutputError, match="cannot be written to"), written:
                pass
        assert not (tmp_path / "new.sqlite").exists()
    elif failing == "differs":
        monkeypatch.setattr(database, "_same", lambda found, frame: False)
        with pytest.raises(OutputError, match="is not the one that was written"):
            release.write(tmp_path / "out", database=address, table="released", reports=[], overwrite=True)
    else:
        with (
            pytest.raises(KeyboardInterrupt),
            database.table_written(people(), address, "released", overwrite=True),
        ):
            raise KeyboardInterrupt
    assert rows_of(place, "released") == kept
    assert not (tmp_path / "out").exists()


def test_the_original_and_views_are_not_replaced(tmp_path):
    place = tmp_path / "clinic.sqlite"
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE stays (age INTEGER, disease TEXT)")
        connection.executemany(
            "INSERT INTO stays VALUES (?, ?)", [(row % 3, "ab"[row % 2]) for row in range(30)]
        )
        connection.execute("CREATE VIEW seen AS SELECT * FROM stays")
        connection.commit()
    table = sd.read(place, table="stays").describe(quasi=["age"], sensitive=["disease"])
    release = sd.anonymize(table, sd.KAnonymity(3), seed=1)
    address = f"sqlite:///{place}"
    with pytest.raises(OutputError, match="is the table that the release was made from"):
        release.write(tmp_path / "out", database=address, table="stays", overwrite=True, reports=[])
    with pytest.raises(OutputError, match="is not an ordinary table"):
        release.write(tmp_path / "out", database=address, table="seen", overwrite=True, reports=[])
    assert len(rows_of(place, "stays")) == 30


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"database": "sqlite:///x"}, "given together"),
        ({"table": "x"}, "given together"),
        (
            {"database": "mysql://ann:secret@host/db", "table": "x"},
            "cannot be written to 'mysql://ann@host/db'",
        ),
    ],
)
def test_a_place_that_is_no_table_is_refused(tmp_path, output, said):
    _, release = released(people())
    with pytest.raises(ParameterError, match=said) as told:
        release.write(tmp_path / "out", **output)
    assert "secret" not in str(told.value)


def test_everything_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people().write_csv("people.csv")
    assert main(["describe", "people.csv", "--quasi", "年齢", "--sensitive", "病名", "--lang", "ja"]) == 0
    assert "utf-8-sig" in Path("people.recipe.yaml").read_text(encoding="utf-8")
    run = ["run", "people.recipe.yaml", "--ledger", "ledger.sqlite", "--require", "k-anonymity k=3"]
    database_options = ["--database", "sqlite:///out.sqlite", "--table", "released"]
    assert main([*run, "--out", "a", "--encoding", "cp932", *database_options]) == 0
    assert len(rows_of("out.sqlite", "released")) == 30
    assert Path("a/public/data.csv").read_bytes().startswith("年齢".encode("cp932"))
    assert "cp932" in Path("a/internal/recipe.yaml").read_text(encoding="utf-8")
    assert main([*run, "--out", "b", *database_options]) == 2
    capsys.readouterr()
    for kind, ending in (("spss", "sav"), ("stata", "dta"), ("jsonl", "jsonl")):
        assert main([*run, "--out", kind, "--format", kind]) == 0
        assert sd.read(f"{kind}/public/data.{ending}").rows == 30
        assert main(["check", kind, "--original", "people.csv"]) == 0
        assert main(["measure", "people.csv", kind]) == 0
    assert main([*run, "--out", "c", "--format", "word"]) == 2
    assert "format" in capsys.readouterr().err
    assert not Path("b").exists()
    assert not Path("c").exists()


def test_no_password_is_kept(tmp_path):
    recipe = sd.Recipe.parse(
        """
version: 1
source: {path: people.csv}
columns: {quasi: [年齢], sensitive: [病名]}
requirements: [{type: k-anonymity, k: 3}]
output: {folder: out, database: "postgresql://ann:s3cret@host/db", table: released}
"""
    )
    assert "s3cret" not in recipe.without_secrets().to_yaml()
    people().write_csv(tmp_path / "people.csv")
    with pytest.raises(InputError) as told:
        sd.run(sd.Recipe.parse(recipe.to_yaml().replace("@host", "@localhost:1"), folder=tmp_path))
    assert "s3cret" not in str(told.value)
