"""Files that fuzzing found to bring the program down, or to make it say more than a sentence (benchmarks/robustness)."""

import json
import os
import re
import sqlite3
import zipfile
from contextlib import closing
from typing import Any
from uuid import uuid4

import polars as pl
import pytest
import xlsxwriter  # type: ignore[import-untyped]
from tests.cases.hostile import PARQUET_OF_MINUS_VALUES, SPSS_WITH_A_NAME_TWICE, sentence

import sudare as sd
from sudare.anonymize.baskets.generalize import GeneralizeItems
from sudare.api import anonymize, read
from sudare.assess.baskets.km_anonymity import KmAnonymity
from sudare.assess.catalogue import REQUIREMENTS
from sudare.describe.baskets.baskets import Baskets
from sudare.describe.baskets.sources import read_baskets
from sudare.describe.hierarchy.makers import Intervals, LevelsFile
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.errors import DescriptionError, InputError, ParameterError, SudareError
from sudare.formats.data import read_data
from sudare.read.source import no_panic
from sudare.release.ledger.ledger import Ledger
from sudare.release.recipe.table import Recipe
from sudare.verify.verify import verify_release

RECIPE = """\
version: 1
source: {path: patients.csv}
columns:
  age: {role: quasi, hierarchy: {type: intervals, width: 5}}
  disease: {role: sensitive}
requirements: [{type: k-anonymity, k: 2}]
output: {folder: release, reports: []}
"""


# Recipes


def laughs():
    """Nine lists of ten aliases each: a thousand million values in some hundred bytes."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: 2001-99-99", "Line 1: '2001-99-99' cannot be read as 'timestamp'"),
        ("a:\n  b: !!int x", "Line 2: 'x' cannot be read as 'int'"),
        ("a: !!float x", "'float'"),
        ("a: !!bool x", "'bool'"),
        ("a: !!int ''", "'int'"),
        ("a: !!timestamp x", "'timestamp'"),
        ("a: !!set x", "expected a mapping"),
        (f"a: {'9' * 5000}", "'int'"),
        ("[" * 100_000, "nested deeper than 100 levels"),
        ("{a: " * 3_000, "nested deeper than 100 levels"),
        ("- " * 3_000, "nested deeper than 100 levels"),
        ("a: &a [*a]", "'a' contains itself"),
        ("source: &a {path: *a}", "'a' contains itself"),
        (laughs(), "more than 1,000,000 values"),
    ],
    ids=lambda value: value[:20],
)
def test_recipe_that_overwhelms_its_parser(text, part):
    with pytest.raises(InputError) as error:
        Recipe.parse(text)
    assert part in sentence(error)


def test_aliases_are_welcome():
    text = RECIPE.replace("{role: sensitive}", "&plain {role: sensitive}\n  cost: *plain")
    assert Recipe.parse(text).columns["cost"].role == "sensitive"


def test_column_named_by_a_negative_number():
    with pytest.raises(ParameterError) as error:
        Recipe.parse(RECIPE.replace("  disease:", "  -1:"))
    assert "-1" in sentence(error)


@pytest.mark.parametrize("text", ["", " ", ":"])
def test_entry_without_a_name(text):
    with pytest.raises(ParameterError, match="is not a known requirement") as error:
        REQUIREMENTS.build(text)
    sentence(error)


def test_long_values_are_quoted_in_part():
    for given in (f"role: {'x' * 9_000}", f"role: [{'y, ' * 3_000}y]"):
        with pytest.raises(ParameterError) as error:
            Recipe.parse(RECIPE.replace("role: sensitive", given))
        assert "disease.role" in sentence(error)


# Hierarchies


@pytest.mark.parametrize("values", [[1, 20, 300], [0.5, 20.25], [-(2**62), 2**62]])
@pytest.mark.parametrize(
    "given", [{"width": 1e300}, {"width": 1e30, "origin": -1e300}, {"width": 7, "origin": 1e25}]
)
def test_intervals_beyond_all_integers(values, given):
    column = pl.Series(values)
    try:
        tree = Intervals(**given).build(column, "age")
    except SudareError:
        return
    assert len(set(tree.leaf_of(column).tolist())) == len(values)


@pytest.mark.parametrize(
    "change",
    [
        {"parent": [2.5, 2, 2]},
        {"parent": [float("inf"), 2, 2]},
        {"parent": [2**32 + 2, 2, 2]},
        {"level": [0, 0, None]},
        {"level": [False, False, True]},
        {"parent": {"a": 1}},
    ],
    ids=str,
)
def test_stored_hierarchy_of_other_numbers(tmp_path, change):
    stored = {"parent": [2, 2, 2], "level": [0, 0, 1], "labels": ["a", "b", "*"], **change}
    (tmp_path / "h.json").write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(DescriptionError) as error:
        Hierarchy.load(tmp_path / "h.json")
    sentence(error)


def test_stored_hierarchy_nested_without_end(tmp_path):
    (tmp_path / "h.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError) as error:
        Hierarchy.load(tmp_path / "h.json")
    sentence(error)


# Texts


@pytest.mark.parametrize(
    "encoding",
    ["idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "hex", "a\0b", "\udcff"],
)
def test_encoding_of_no_file(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\nx\\q,\xff\n")
    for call in (
        lambda: read(path, encoding=encoding),
        lambda: read_baskets(path, encoding=encoding),
        lambda: read_baskets(path, encoding=encoding, layout="long"),
        lambda: LevelsFile(path, encoding=encoding).build(pl.Series(["x"]), "x"),
    ):
        with pytest.raises(InputError, match="known") as error:
            call()
        sentence(error)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, f"[[{'9' * 5_000}]]", f'["a"]\n[{"9" * 5_000}]\n'], ids=["deep", "long", "line"]
)
def test_json_that_python_refuses(tmp_path, text):
    path = tmp_path / "baskets.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is not valid JSON in line") as error:
        read_baskets(path)
    sentence(error)


@pytest.mark.parametrize(
    ("refusal", "why", "in_japanese"),
    [
        (RecursionError, "lists nested too deeply", "入れ子が深すぎます"),
        (ValueError, "a number of thousands of digits", "数千桁"),
    ],
)
def test_why_python_refuses_json_is_said_in_either_language(tmp_path, monkeypatch, refusal, why, in_japanese):
    def refuse(_):
        raise refusal

    (tmp_path / "baskets.json").write_text("[]", encoding="utf-8")
    monkeypatch.setattr(json, "loads", refuse)
    with pytest.raises(InputError, match=f"is not valid JSON in line 1 .{why}") as error:
        read_baskets(tmp_path / "baskets.json")
    assert in_japanese in error.value.into("ja")


# Files of other libraries


class PanicException(BaseException):  # the name that libraries in Rust give it
    """As pyo3 makes it: no Exception."""


def test_reader_that_panics(tmp_path, monkeypatch, capfd):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")

    def panics(*given, **options):
        os.write(2, b"thread '<unnamed>' panicked at src/lib.rs:1:1\n")
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(pl, "read_parquet", panics)
    with pytest.raises(InputError, match="cannot be read as a file of the format 'parquet'") as error:
        read(tmp_path / "a.parquet")
    sentence(error)
    with pytest.raises(InputError, match="cannot be read as the parquet file of a release"):
        read_data(tmp_path / "a.parquet", "parquet", escape_formulas=True)
    assert capfd.readouterr() == ("", "")


def test_words_of_others_come_through(capfd):
    with no_panic():
        os.write(2, b"the disk is hot\n")
    assert capfd.readouterr().err == "the disk is hot\n"
    with pytest.raises(KeyboardInterrupt), no_panic():
        os.write(2, b"the disk is hot\n")
        raise KeyboardInterrupt
    assert capfd.readouterr().err == "the disk is hot\n"


@pytest.mark.parametrize("content", [b",", b",,\n", b"a,a\n1,2\n", b""])
def test_released_data_of_which_no_columns_are_left(tmp_path, content):
    (tmp_path / "data.csv").write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as the csv file of a release") as error:
        read_data(tmp_path / "data.csv", "csv", escape_formulas=True)
    sentence(error)


def test_ledger_whose_schema_is_damaged(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Ledger(path).append("started", str(uuid4()), {})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    path.write_bytes(path.read_bytes().replace(b"PRIMARY KEY AUTOINCREMENT", b"PRIMARY `KEY AUTOINCREMEN"))
    with pytest.raises(InputError, match="is damaged") as error:
        Ledger(path).entries()
    sentence(error)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("items", [1, 2], dtype=pl.Duration("us")),
        pl.Series("items", [b"\xff", None]),
        pl.Series("items", [{"a": 1}, {"a": 2}]),
        pl.Series("items", [[[1]], [[2]]]),
    ],
    ids=lambda column: str(column.dtype),
)
@pytest.mark.parametrize("layout", [None, "sets", "long"])
def test_items_of_types_that_have_no_text(column, layout):
    with pytest.raises(InputError) as error:
        read_baskets(pl.DataFrame([pl.Series("id", ["a", "b"]), column]), layout=layout)
    assert "The items have the type" in sentence(error) or "does not fit the layout" in sentence(error)


# Numbers at the end of their types

N = 24
EXTREMES = {
    "beyond int64": pl.Series([2**64 - 1 - n for n in range(N)], dtype=pl.UInt64),
    "end of int64": pl.Series([2**63 - 1 - n for n in range(N)]),
    "begin of int64": pl.Series([-(2**63) + n for n in range(N)]),
    "int128": pl.Series([2**100 + n for n in range(N)], dtype=pl.Int128),
    "int8": pl.Series([-128 + 11 * n for n in range(N)], dtype=pl.Int8),
    "widest floats": pl.Series([(-1) ** n * 1.7e308 for n in range(N)]),
    "smallest floats": pl.Series([n * 5e-324 for n in range(N)]),
    "durations": pl.Series(range(N), dtype=pl.Duration("us")),
}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "generalization", "microaggregation", "full-domain"])
@pytest.mark.parametrize("name", EXTREMES)
def test_numbers_at_the_end_of_their_type(tmp_path, name, method):
    """A release that verifies, or one sentence; warnings are errors here."""
    frame = pl.DataFrame(
        {"number": EXTREMES[name], "group": [n % 5 for n in range(N)], "disease": list("abcd") * 6}
    )
    try:
        table = read(frame).describe(quasi=["number", "group"], sensitive=["disease"])
        anonymize(table, "k-anonymity k=2", method=method).write(
            tmp_path / "release", reports=[], format="excel" if method == "mondrian" else "csv"
        )
    except SudareError as error:
        assert "\n" not in str(error)  # noqa: PT017  # either is well
    else:
        assert all(finding.holds for finding in verify_release(tmp_path / "release" / "public"))


def test_more_quantiles_than_rows():
    few = Intervals(quantiles=10**12).build(pl.Series([3, 1, 2]), "age")
    assert few == Intervals(quantiles=3).build(pl.Series([3, 1, 2]), "age")


# Workbooks


def workbook(path, *, cell=(1, 0), change=lambda name, content: content):
    """A small workbook with one more cell, its members changed."""
    with xlsxwriter.Workbook(path.with_suffix(".whole")) as book:
        sheet = book.add_worksheet("stays")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, "x"])
        sheet.write(*cell, "y")
        book.add_worksheet("other").write(0, 0, "c")
    with zipfile.ZipFile(path.with_suffix(".whole")) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return path


def test_workbook_whose_directory_only_its_library_reads(tmp_path):
    path = workbook(tmp_path / "a.xlsx")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"PK\x01\x02", b"PK\x01\x03", 1))
    with pytest.raises(InputError, match="cannot be read as a file of the format 'excel'"):
        sd.read(path)


def test_workbook_with_a_cell_in_the_far_corner(tmp_path):
    path = workbook(tmp_path / "a.xlsx", cell=(1_048_575, 16_383))
    with pytest.raises(InputError, match="extends to row 1,048,576 and column XFD") as error:
        read(path)
    sentence(error)
    assert read(path, sheet="other").rows == 0


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'r="B2"', b'r="B2147483648"', "row 2,147,483,648 and column B"),
        (b'r="B2"', b"r = 'b" + b"9" * 300 + b"'", "row 999,999,999,999 and column B"),
        (b'<row r="2"', b'<row r="2147483648"', "row 2,147,483,648 and column B"),
        (b'r="B2"', b'r="ZZZZZZZZ2"', "column ZZZZZZZZ"),
        (b'r="B2"', b'r="GNaN2"', "row 2 and column GNAN"),
    ],
)
def test_workbook_with_a_cell_beyond_every_sheet(tmp_path, old, new, told):
    path = workbook(
        tmp_path / "a.xlsx",
        change=lambda name, content: content.replace(old, new) if name.endswith("sheet1.xml") else content,
    )
    with pytest.raises(InputError, match=f"extends to row .*{told.split(' and ')[-1]}") as error:
        read(path)
    assert told in sentence(error)


@pytest.mark.parametrize("member", ["xl/sharedStrings.xml", "xl/styles.xml"])
def test_workbook_that_claims_too_much(tmp_path, member):
    def boast(name, content):
        return re.sub(rb'ount="[0-9]+"', b'ount="2147483648"', content) if name == member else content

    with pytest.raises(InputError, match="cannot be read as a file of the format 'excel'") as error:
        read(workbook(tmp_path / "a.xlsx", change=boast))
    sentence(error)


def test_sentences_have_one_line():
    assert str(InputError("'a\nb\x1b[2J\u2028' is none.")) == "'a\\nb\\x1b[2J\\u2028' is none."


def test_sentences_are_no_pages():
    given = str(InputError(f"'{'a' * 100_000}' is none; choose another."))
    assert len(given) < 1500
    assert given.endswith("is none; choose another.")


# Baskets


def test_more_baskets_asked_than_any_integer(tmp_path):
    baskets = read_baskets([["a", "b"], ["a"], ["b"]])
    release = anonymize(baskets, "km-anonymity k=9223372036854775808 m=2", method="item-suppression")
    assert not any(release.baskets)


def test_more_items_known_than_any_basket_has():
    baskets = Baskets.from_lists([["bread", "milk"], ["bread", "milk"], ["milk"], ["milk"]])
    tree = sd.hierarchy.tree({"food": ["bread", "milk"]})
    for m in (2, 10**6):
        release: Any = anonymize(baskets, KmAnonymity(2, m=m), method=GeneralizeItems(hierarchy=tree))
        assert release.holds
        assert release.released.sets() == baskets.sets()


@pytest.mark.parametrize("reader", [read, read_baskets])
def test_a_name_longer_than_names_may_be(reader):
    with pytest.raises(InputError) as raised:
        reader("9" * 500 + ".txt")
    assert "too long" in sentence(raised)


def test_more_neighbors_than_any_integer():
    table = sd.read(pl.DataFrame({"age": range(40)})).describe(
        quasi=["age"], hierarchies={"age": sd.hierarchy.intervals(width=5, nested=[2, 10**30])}
    )
    assert sd.anonymize(table, sd.KAnonymity(20)).holds


def test_a_sensitive_item_of_thousands_of_digits():
    baskets = sd.read_baskets([["1", "2"], ["2", "3"]])
    assert baskets.describe(sensitive=["9" * 5000], unknown="ignore").is_described


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (PARQUET_OF_MINUS_VALUES, "people.parquet", "cannot be read as a file of the format 'parquet'"),
        (SPSS_WITH_A_NAME_TWICE, "people.sav", "column 'name' is duplicated"),
    ],
)
def test_what_fuzzing_found_in_other_formats(data, name, told, tmp_path):
    """Polars would end the process, which no test could survive; pyreadstat would warn and rename."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as raised:
        read(tmp_path / name)
    assert told in sentence(raised)
