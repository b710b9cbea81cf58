"""ARFF and JSON lines as tables: what their authors mean, and one sentence for everything else."""

# ruff: noqa: DTZ001  # tables have no zones
from __future__ import annotations

import json
from datetime import date, datetime

import polars as pl
import pytest
from scipy.io import arff as scipy_arff

import sudare as sd
from sudare.cli import main
from sudare.errors import InputError

HEAD = "@relation r\n@attribute age numeric\n@attribute sex {m, f}\n@data\n"


def written(folder, text, name="table.arff", encoding="utf-8"):
    place = folder / name
    place.write_bytes(text.encode(encoding))
    return place


def test_an_arff_file_with_everything(tmp_path):
    text = """% people of a town
@RELATION 'people of a town'

@attribute 'full name' string
@attribute "pay $" real
@attribute age INTEGER
@attribute sex {m, f, 'not said'} % as asked
@attribute born date dd/MM/yyyy
@attribute seen DATE
@attribute "at" date "yyyy-MM-dd 'at' HH:mm"
@DATA
'O\\'Brien, Ann', 1.5e3, 30, f, 01/02/1990, "2020-01-01T10:00:00", '2020-01-01 at 10:30'
'?', 2.5, ?, 'not said', ?, ?, ?
% in between
"太郎",\t-1,41,m , 03/04/1985,?,?
"""
    table = sd.read(written(tmp_path, text))
    assert table.frame.to_dict(as_series=False) == {
        "full name": ["O'Brien, Ann", "?", "太郎"],
        "pay $": [1500.0, 2.5, -1.0],
        "age": [30, None, 41],
        "sex": ["f", "not said", "m"],
        "born": [date(1990, 2, 1), None, date(1985, 4, 3)],
        "seen": [datetime(2020, 1, 1, 10), None, None],
        "at": [datetime(2020, 1, 1, 10, 30), None, None],
    }
    assert table.source is not None
    assert (table.source.format, table.source.encoding) == ("arff", "utf-8")


def test_sparse_records(tmp_path):
    text = HEAD.replace("@data", "@attribute note string\n@data")
    table = sd.read(written(tmp_path, text + "{0 5, 1 f, 2 'a b'}\n{2 ?}\n{1 m,2 x}\n"))
    assert table.frame.rows() == [(5, "f", "a b"), (0, "m", None), (0, "m", "x")]


def test_an_arff_file_in_shift_jis(tmp_path):
    text = "@relation 調査\n@attribute 病名 {風邪, 胃炎}\n@data\n風邪\n胃炎\n" * 1
    place = written(tmp_path, text, encoding="cp932")
    assert sd.read(place).frame["病名"].to_list() == ["風邪", "胃炎"]
    assert sd.read(place, encoding="cp932").frame.columns == ["病名"]


def test_numbers_and_nominal_values_are_those_that_scipy_reads(tmp_path):
    rows = "".join(f"{place * 1.25}, {'mf'[place % 2]}\n" for place in range(50))
    place = written(tmp_path, HEAD + rows)
    expected, _ = scipy_arff.loadarff(place)
    frame = sd.read(place).frame
    assert frame["age"].to_list() == expected["age"].tolist()
    assert frame["sex"].to_list() == [value.decode() for value in expected["sex"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@relation r\n", "no line '@data'"),
        ("age,sex\n1,m\n", "Line 1 of 'table.arff' is not part of an ARFF head"),
        ("@attribute 'age numeric\n@data\n", "Line 1 of 'table.arff' does not describe an attribute"),
        ("@attribute a relational\n@data\n", "'a' in line 1 of 'table.arff' has the type 'relational'"),
        ('@attribute a date "yyyy-ww"\n@data\n', "'ww' cannot be read"),
        (HEAD + "1,m\n1\n", "Line 6 of 'table.arff' has 1 values, but there are 2"),
        (HEAD + "old,m\n", "Line 5 of 'table.arff' has 'old' in the numeric attribute 'age'"),
        (HEAD + "1,x\n", "Line 5 of 'table.arff' has 'x' in 'sex', which is not one of"),
        (HEAD + "1,'m\n", "Line 5 of 'table.arff' cannot be split"),
        (HEAD + "{0 1, 0 2}\n", "Line 5 of 'table.arff' is not a sparse record"),
        (HEAD + "{7 1}\n", "Line 5 of 'table.arff' is not a sparse record"),
        (HEAD + "{0 1\n", "Line 5 of 'table.arff' is not a sparse record"),
        ("@attribute a string\n@data\n{}\n", "leaves out 'a'"),
        ("@attribute a date\n@data\nyesterday\n", "has 'yesterday' in the attribute 'a'"),
        ("@attribute a string\n@attribute a string\n@data\nx,y\n", "two columns named 'a'"),
    ],
)
def test_a_bad_arff_file_is_told_in_one_sentence(tmp_path, text, said):
    with pytest.raises(InputError, match=said) as told:
        sd.read(written(tmp_path, text))
    assert "\n" not in str(told.value)
    assert str(told.value.into("ja")) != str(told.value)


def test_a_table_of_json_lines(tmp_path):
    records = [
        {"age": 30, "zip": "007", "day": "2020-01-01", "pay": 1, "set": ["a", "b"], "mixed": 1},
        {"age": None, "zip": "", "day": "2020-02-29", "pay": 2.5, "set": [], "mixed": "x", "new": True},
    ]
    text = "\r\n".join(json.dumps(record) for record in records) + "\n\n"
    expected = {
        "age": [30, None],
        "zip": ["007", ""],
        "day": [date(2020, 1, 1), date(2020, 2, 29)],
        "pay": [1.0, 2.5],
        "set": [["a", "b"], []],
        "mixed": ["1", "x"],
        "new": [None, True],
    }
    for name, content in (("a.jsonl", text), ("a.ndjson", text), ("a.json", json.dumps(records))):
        table = sd.read(written(tmp_path, content, name))
        assert table.frame.to_dict(as_series=False) == expected
        assert table.source is not None
        assert table.source.format == "jsonl"
    assert sd.read(tmp_path / "a.jsonl", missing=("007",)).frame["zip"].to_list() == [None, ""]
    assert sd.read(written(tmp_path, text, "odd.dat"), format="jsonl").rows == 2


@pytest.mark.parametrize("number", [2**63, -(2**70), 10**400])
def test_integers_that_no_type_holds_become_text(tmp_path, number):
    table = sd.read(written(tmp_path, f'{{"n": {number}}}\n{{"n": 1}}\n', "a.jsonl"))
    assert table.frame["n"].to_list() == [str(number), "1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}\n{"a": \n', "not valid JSON in line 2"),
        ("[1, 2]\n", "Record 1 of 'a.jsonl' is '1', but a record"),
        ('{"a": 1}\n5\n', "Record 2 of 'a.jsonl' is '5', but a record"),
        ("{}\n", "no record with a field"),
        ('{"a": 1, "a": 2}\n', "the field 'a' twice"),
        ('{"a": 1}\n{"a": {"b": 1}}\n', "'a' contains an object or a mixed array in record 2"),
        ('{"a": [[1]]}\n', "'a' contains an object or a mixed array in record 1"),
        ('{"a": ["x", 1]}\n', "'a' contains an object or a mixed array in record 1"),
        ('{"a": "\\ud800"}\n', "half a character"),
        ('{"a": ' + "[" * 100_000 + "\n", "nested too deeply"),
        ('{"a": ' + "1" * 5000 + "}\n", "thousands of digits"),
    ],
)
def test_bad_json_lines_are_told_in_one_sentence(tmp_path, text, said):
    with pytest.raises(InputError, match=said) as told:
        sd.read(written(tmp_path, text, "a.jsonl"))
    assert "\n" not in str(told.value)
    assert str(told.value.into("ja")) != str(told.value)


def test_json_of_objects_is_described_as_a_table_and_of_items_as_baskets(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people = "".join(json.dumps({"age": place, "sex": "mf"[place % 2]}) + "\n" for place in range(30))
    written(tmp_path, people, "people.jsonl")
    written(tmp_path, '{"id": 1, "items": ["a"]}\n{"id": 2, "items": ["b"]}\n', "clicks.jsonl")
    assert main(["describe", "people.jsonl"]) == 0
    assert "30 rows" in capsys.readouterr().out
    assert main(["describe", "clicks.jsonl"]) == 0
    assert "Baskets" in capsys.readouterr().out
    assert sd.read_baskets("clicks.jsonl").lists() == [["a"], ["b"]]


# -- sheets


def workbook(place, **sheets):
    import xlsxwriter  # type: ignore[import-untyped]  # it has no types

    with xlsxwriter.Workbook(place) as book:
        for name, cells in sheets.items():
            sheet = book.add_worksheet(name)
            for row, line in enumerate(cells):
                sheet.write_row(row, 0, line)


def test_a_workbook_with_several_sheets_asks_which(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [["age", "sex"], *([place, "mf"[place % 2]] for place in range(20))]
    workbook("book.xlsx", Notes=[["Read me"]], Patients=rows, Empty=[])
    with pytest.raises(InputError, match=r"2 sheets with contents.*'Notes', 'Patients'"):
        sd.read("book.xlsx")
    with pytest.raises(InputError, match="no sheet 'Patient'; did you mean 'Patients'"):
        sd.read("book.xlsx", sheet="Patient")
    table = sd.read("book.xlsx", sheet="Patients")
    assert table.rows == 20
    assert table.source is not None
    assert table.source.sheet == "Patients"
    assert main(["describe", "book.xlsx"]) == 2
    assert "'Notes', 'Patients'" in " ".join(capsys.readouterr().err.split())
    assert main(["describe", "book.xlsx", "--sheet", "Patients", "--quasi", "age,sex"]) == 0
    assert "Sheet read: 'Patients'." in capsys.readouterr().out
    assert "sheet: Patients" in (tmp_path / "book.recipe.yaml").read_text(encoding="utf-8")
    recipe = ["run", "book.recipe.yaml", "--ledger", "ledger.sqlite"]
    assert main(recipe) == 0
    capsys.readouterr()
    assert main(["check", "book-release", "--original", "book.xlsx", "--sheet", "Patients"]) == 0
    assert main(["measure", "book.xlsx", "book-release"]) == 0
    assert (
        main(["check", "book.xlsx", "--sheet", "Patients", "--quasi", "sex", "--require", "k-anonymity k=2"])
        == 0
    )
    assert main(["measure", "book.xlsx", "book.xlsx", "--sheet", "Nowhere"]) == 2


def test_one_sheet_with_contents_is_read_wherever_it_is(tmp_path):
    place = tmp_path / "book.xlsx"
    workbook(place, Sheet1=[], Data=[["age"], [3], [4]], Sheet3=[])
    table = sd.read(place)
    assert table.frame.to_dict(as_series=False) == {"age": [3, 4]}
    assert table.source is not None
    assert table.source.sheet == "Data"
    assert isinstance(table.frame, pl.DataFrame)
