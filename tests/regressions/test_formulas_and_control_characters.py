"""What a spreadsheet would run is escaped and comes back exactly; what commands a terminal is shown, not sent."""

import csv
import json
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudare as sd
from sudare.cli import main
from sudare.errors import InputError
from sudare.formats.data import escaped, read_data, unescaped, write_data

RISKY = [
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠x", "\n=1", "\t=1", "\r=1", "\r\n=1",
    ";=1+1", ",=1+1", "a;=1+1", "a,@x", "a;＝1", "a\n=1", "a\t-1+1",
]  # fmt: skip
DELIMITERS = ";,\t\r\n"
CELLS = st.text(alphabet="=+-@＝＋－＠';,\t\r\n ab1.", max_size=12)


def runs(text):
    """Whether a spreadsheet with any delimiter would find a formula in a cell."""
    parts = re.split(f"[{DELIMITERS}]", text)
    number = re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)", text)
    return not number and (
        any(part[:1] in set("=+-@＝＋－＠") for part in parts) or text[:1] in set("\t\r\n")
    )


@pytest.mark.parametrize("text", RISKY)
def test_it_is_escaped(text):
    cell = escaped(pl.Series("a", [text]))[0]
    assert runs(text)
    assert not runs(cell)


@given(st.lists(st.none() | CELLS, min_size=1))
def test_it_comes_back_exactly(cells):
    series = pl.Series("a", cells, dtype=pl.String)
    there = escaped(series)
    assert unescaped(there).equals(series, null_equal=True)
    assert not any(runs(cell) for cell in there.drop_nulls())


@pytest.mark.parametrize("form", ["csv", "tsv", "excel"])
def test_files_come_back_exactly(tmp_path, form):
    frame = pl.DataFrame({"=a;=b": [*RISKY, "'", "a;'b", "-5", None], "b": ["x"] * (len(RISKY) + 4)})
    if form == "excel":  # which knows no carriage returns
        frame = frame.filter(~pl.col("=a;=b").str.contains("\r").fill_null(False))
    write_data(frame, tmp_path / "data", format=form)
    assert read_data(tmp_path / "data", form, escape_formulas=True).equals(frame)


def test_a_release_of_an_earlier_version_is_read_as_it_was_written(tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n\"x,'y\",'=z\n")
    frame = read_data(tmp_path / "data.csv", "csv", escape_formulas=True, escaped_inside=False)
    assert frame.rows() == [("x,'y", "=z")]


ITEMS = [["=cmd", "a"], ["=cmd", "a"], ["-1+1", "'b", "c;=d"], ["-1+1", "'b", "c;=d"], ["-5"], ["-5"]]


@pytest.mark.parametrize("layout", ["long", "sets", "lines", "json", "lists"])
def test_baskets_are_escaped_and_verified(tmp_path, layout):
    baskets = sd.read_baskets(ITEMS)
    release = sd.anonymize(baskets, sd.KmAnonymity(2, 2), method=sd.SuppressItems())
    written = release.write(tmp_path / "out", layout=layout)
    if written.data.suffix == ".csv":
        with written.data.open(newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not any(runs(cell) for cell in cells)
    assert main(["check", str(tmp_path / "out")]) == 0
    from sudare.verify.baskets.check import reopen_baskets

    (tmp_path / "original.json").write_text(json.dumps(ITEMS))
    _, found = reopen_baskets(str(tmp_path / "original.json"), tmp_path / "out")
    assert [sorted(map(str, basket)) for basket in found.lists()] == [sorted(basket) for basket in ITEMS]


HOSTILE = "a\u202eb\u2066c\x1b[31md\u200ee\ufefff\u061cg\x9bh"


def test_nothing_commands_a_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({HOSTILE: [1, 2], "b": [f"x{HOSTILE}", "y"]}).write_csv("p.csv")
    name = f"{HOSTILE}.csv"
    (tmp_path / name).write_text("a,b\n1,2\n")
    assert main(["describe", "p.csv"]) == 0
    assert main(["describe", name]) == 0
    assert main(["describe", f"missing{HOSTILE}.csv"]) == 2
    assert main(["describe", f"missing{HOSTILE}.csv", "--lang", "ja"]) == 2
    assert main([HOSTILE]) == 2
    assert main(["crosstab", "p.csv", "--by", f"b,{HOSTILE}"]) == 0
    assert main(["catalogue", HOSTILE, "--json"]) == 2
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\ufeff\x1b\x9b]", text)
    assert "\\u202e" in said.out.replace("\n", "")
    assert "\\u202e" in said.err


def test_an_error_shows_them():
    assert "\\u202e" in str(InputError("read.source.no_file", path="\u202ea"))
