"""A workbook of others never takes more memory than its size allows, whichever command reads it."""

import json
import resource
import subprocess
import sys
import zipfile

import polars as pl
import pytest
import xlsxwriter  # type: ignore[import-untyped]
from tests.cases.workbooks import ods_cell, ods_row, write_ods, write_xlsb

import sudare as sd
from sudare.cli import main
from sudare.errors import InputError
from sudare.formats.data import read_data
from sudare.read.source import load


def changed(path, part, change):
    """The workbook with one part changed."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return path


@pytest.fixture
def release(tmp_path):
    frame = pl.DataFrame({"age": [30, 30, 40, 40], "ill": list("abab")})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    sd.anonymize(table, sd.KAnonymity(2)).write(tmp_path / "out", format="excel")
    return tmp_path / "out"


def far(xml):
    return xml.replace(b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')


def wide_without_places(xml):
    return xml.replace(
        b"</sheetData>",
        b"<row>"
        + b"<c><v>1</v></c>" * 16000
        + b"</row>"
        + b"<row/>" * 10**6
        + b"<row><c/></row></sheetData>",
    )


def swelling(xml):
    return xml.replace(b"</sheetData>", b'<row r="9"><c r="A9"/></row>' * 9_000_000 + b"</sheetData>")


CHANGES = {
    "far": (far, "extends to row 1,048,576"),
    "implied": (wide_without_places, "extends to row"),
    "swelling": (swelling, "more than 200 MB"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_check_refuses_it_in_one_sentence(release, change, capsys):
    make, words = CHANGES[change]
    data = changed(release / "public" / "data.xlsx", "xl/worksheets/sheet1.xml", make)
    with pytest.raises(InputError, match=words):
        read_data(data, "excel", escape_formulas=True)
    with pytest.raises(InputError, match=words):
        load(data)
    assert main(["check", str(data), "--quasi", "age", "--require", "k-anonymity k=2"]) == 2
    assert words in capsys.readouterr().err
    assert main(["check", str(release)]) == 1  # another file than the manifest's, and unreadable
    manifest = release / "public" / "manifest.json"
    from sudare.verify.manifest import file_digest

    for path in (manifest, release / "internal" / "manifest.json"):
        content = json.loads(path.read_text())
        content["data"]["sha256"] = file_digest(data)
        path.write_text(json.dumps(content))
    assert main(["check", str(release)]) == 2
    assert words in capsys.readouterr().err


def test_a_number_of_records_that_no_sheet_has(release):
    data = changed(
        release / "public" / "data.xlsx",
        "xl/workbook.xml",
        lambda xml: xml.replace(b"$A$5", b"$A$900000000000"),
    )
    with pytest.raises(InputError, match="cannot be read"):
        read_data(data, "excel", escape_formulas=True)


def test_a_part_that_claims_to_be_small(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        book.add_worksheet().write_row(0, 0, ["a", "b"])
    path = changed(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml", swelling)
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("xl/worksheets/sheet1.xml")
    content = path.read_bytes().replace(info.file_size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        load(path)


def test_memory_is_limited(tmp_path):
    """As many cells as a small workbook may span: four gigabytes of address space are enough to read or refuse them."""
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write(99_000, 99, 1)
    limit = 4 << 30
    script = "import sys; from sudare.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", script, "check", "a.xlsx", "--quasi", "a", "--require", "k-anonymity k=1"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    assert done.returncode in {0, 1, 2}, done.stderr
    assert "Traceback" not in done.stderr


def test_real_sheets_are_read(tmp_path):
    frame = pl.DataFrame({"a": range(20_000), "b": ["x"] * 20_000})
    frame.write_excel(tmp_path / "a.xlsx")
    assert load(tmp_path / "a.xlsx")[0].equals(frame)


def rows_of(*texts):
    return [ods_row([ods_cell(text) for text in line]) for line in texts]


def test_open_document_and_binary_workbooks_are_read(tmp_path):
    nothing = ods_row([ods_cell("", 16384)], 1_048_000)  # as a spreadsheet writes it after the last row
    rows = [*rows_of(("age", "ill")), ods_row([ods_cell("30"), ods_cell("a")], 2), nothing]
    assert sd.read(write_ods(tmp_path / "few.ods", rows)).frame.rows() == [("30", "a"), ("30", "a")]
    cells = [(0, 0, "age"), (0, 1, "ill"), (1, 0, "30"), (1, 1, "a")]
    assert sd.read(write_xlsb(tmp_path / "few.xlsb", cells)).frame.rows() == [("30", "a")]


HOSTILE = {
    "repeated.ods": lambda path: write_ods(path, [ods_row([ods_cell("x", 16384)], 1_048_576)]),
    "far.ods": lambda path: write_ods(
        path, [*rows_of("x"), ods_row([ods_cell("")], 1_048_000), ods_row([ods_cell("", 16000), ods_cell("z")])]
    ),
    "cut.ods": lambda path: write_ods(path, ['<table:table-row table:number-rows-repeated="9999999">', ods_cell("x", 2**31)], end="<"),
    "other.ods": lambda path: write_ods(
        path, [*rows_of("x"), '</table:table><table:table table:name="more">', ods_row([ods_cell("x", 9999)], 999_999)]
    ),
    "far.xlsb": lambda path: write_xlsb(path, [(0, 0, "x"), (1_048_575, 16_383, "y")]),
    "outside.xlsb": lambda path: write_xlsb(path, [(0, 0, "x"), (2**32 - 1, 0, "y")]),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_repeated_and_far_cells_of_other_workbooks_are_refused(name, tmp_path, capsys):
    path = HOSTILE[name](tmp_path / name)
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match=r"extends to row .* too many to read"):
        sd.read(path)
    assert main(["describe", str(path), "--out", str(tmp_path / "recipe.yaml")]) == 2
    assert "extends to row" in capsys.readouterr().err.replace("\n", " ")
    assert sorted(file.name for file in tmp_path.iterdir()) == [name]
