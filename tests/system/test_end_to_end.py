"""The whole job from a file to a verified release: formats, encodings, what is public and what is not."""

import hashlib
import io
import json
import re
import sqlite3
import subprocess
import sys

import polars as pl
import pytest
import yaml
from tests.system.conftest import PATIENTS, RECIPE, child_environment, listing

import sudare as sd
from sudare.formats.data import read_data
from sudare.release.recipe.table import Recipe
from sudare.verify.verify import verify_release

KEY = "correct horse battery staple"
PUBLIC_KEYS = {
    "format",
    "sudare",
    "created",
    "data",
    "columns",
    "requirements",
    "method",
    "verdicts",
    "losses",
}


# What is public


def everything_in(folder):
    """All bytes of all files below, in one."""
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def released_table(folder):
    about = json.loads((folder / "public/manifest.json").read_text(encoding="utf-8"))["data"]
    return read_data(
        folder / "public" / about["file"], about["format"], escape_formulas=about["escape_formulas"]
    )


def test_the_folder_of_a_release(demonstration):
    release = demonstration / "release"
    assert sorted(listing(release)) == [
        "internal",
        "internal/manifest.json",
        "internal/recipe.yaml",
        "internal/report.html",
        "internal/rows.parquet",
        "public",
        "public/data.csv",
        "public/manifest.json",
        "public/report.html",
    ]
    findings = verify_release(release)
    assert findings == verify_release(release / "public")
    assert [finding.requirement["type"] for finding in findings] == [
        "unchanged-files",
        "no-identifiers",
        "k-anonymity",
        "l-diversity",
    ]
    assert all(finding.holds for finding in findings)


def test_nothing_public_identifies(demonstration):
    public = everything_in(demonstration / "release/public").decode()
    table = pl.read_csv(demonstration / "patients.csv", infer_schema=False)
    for column in ("patient_id", "name"):
        for value in table[column].unique():
            assert value not in public
        assert (
            column not in json.loads((demonstration / "release/public/manifest.json").read_text())["columns"]
        )


def test_nothing_public_leads_to_the_input(demonstration):
    public = everything_in(demonstration / "release/public").decode()
    digest = hashlib.sha256((demonstration / "patients.csv").read_bytes()).hexdigest()
    internal = json.loads((demonstration / "release/internal/manifest.json").read_text())
    for secret in (digest, digest[:12], str(demonstration), "patients.csv", internal["run"]):
        assert secret not in public


def test_reports_need_no_network(demonstration):
    for kind in ("public", "internal"):
        html = (demonstration / f"release/{kind}/report.html").read_text()
        assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", html)
        assert not re.search(r"@import|url\(\s*[\"']?(?:https?:)?//", html)
        assert "<svg" in html


def test_the_internal_manifest(demonstration):
    manifest = json.loads((demonstration / "release/internal/manifest.json").read_text())
    digest = hashlib.sha256((demonstration / "patients.csv").read_bytes()).hexdigest()
    assert manifest["input"]["sha256"] == digest
    assert manifest["input"]["rows"] == 300
    assert manifest["sudare"] == sd.__version__
    assert {"python", "polars", "numpy"} <= set(manifest["machine"])
    assert {"read", "anonymize", "check", "measure", "write", "verify"} <= set(manifest["seconds"])
    assert all(verdict["holds"] for verdict in manifest["verdicts"])
    assert all(finding["holds"] for finding in manifest["verified"])
    assert 0 < manifest["losses"]["loss"] < 1
    assert manifest["secure_randomness"] is True
    assert {"before", "after"} == set(manifest["risk"])
    kept = (demonstration / "release/internal/recipe.yaml").read_text(encoding="utf-8")
    assert Recipe.parse(kept) == Recipe.load(demonstration / "recipe.yaml")
    assert manifest["recipe"] == Recipe.parse(kept).to_dict()


def test_the_public_manifest(demonstration):
    manifest = json.loads((demonstration / "release/public/manifest.json").read_text())
    assert set(manifest) >= PUBLIC_KEYS
    assert not {"input", "recipe", "risk", "run", "seconds", "machine"} & set(manifest)


@pytest.mark.parametrize("by", ["file", "variable"])
def test_the_key_of_pseudonyms_is_nowhere(job, edit, command, monkeypatch, by):
    monkeypatch.setenv("CLINIC_KEY", KEY)
    (job / "clinic.key").write_text(KEY, encoding="utf-8")
    option = "key_file: clinic.key" if by == "file" else "key_variable: CLINIC_KEY"
    edit(
        "method: {type: mondrian}",
        f"method: [{{type: mondrian}}, {{type: pseudonyms, columns: name, {option}}}]",
    )
    edit("reports: []", "reports: [public, internal]")
    command.done("run", "recipe.yaml")
    released = pl.read_csv(job / "release/public/data.csv", infer_schema=False)
    assert released["name"].n_unique() == 60
    assert released["name"].str.contains("^[0-9a-f]{32}$").all()
    whole = everything_in(job / "release")
    assert KEY.encode() not in whole
    assert KEY.encode() not in (job / "ledger.sqlite").read_bytes()
    public = everything_in(job / "release/public")
    for secret in (b"Person0", b"clinic.key", b"CLINIC_KEY", str(job).encode()):
        assert secret not in public


def test_the_address_of_a_database_keeps_its_password(job, command):
    text = RECIPE.replace("path: patients.csv", "path: 'postgresql://me:hunter2@127.0.0.1:1/db', table: t")
    (job / "recipe.yaml").write_text(text, encoding="utf-8")
    result = command("run", "recipe.yaml")
    assert result.code == 2
    assert "hunter2" not in result.err
    assert b"hunter2" not in (job / "ledger.sqlite").read_bytes()


# Formats and encodings


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "excel"])
def test_formats(job, edit, command, form):
    edit("reports: []", f"reports: [], format: {form}")
    digest = hashlib.sha256((job / "patients.csv").read_bytes()).hexdigest()
    command.done("run", "recipe.yaml")
    command.done("check", "release")
    frame = released_table(job / "release")
    assert frame.columns == ["age", "sex", "zip", "disease"]
    assert frame.height == 60
    assert sorted(frame["disease"]) == sorted(line.split(",")[4] for line in PATIENTS.split()[1:])
    assert hashlib.sha256((job / "patients.csv").read_bytes()).hexdigest() == digest


def japanese(rows=60):
    head = "氏名,年齢,性別,郵便番号,病名\n"
    return head + "".join(
        f"山田{n}郎,{20 + n * 7 % 60},{'男女'[n % 2]},{n % 20 * 37:07},{('風邪', '肺炎', '髙血圧①')[n % 3]}\n"
        for n in range(rows)
    )


@pytest.mark.parametrize("encoding", ["cp932", "utf-8-sig", "euc_jp", "utf-16"])
def test_japanese(command, tmp_path, encoding):
    text = japanese() if encoding != "euc_jp" else japanese().replace("髙", "高").replace("①", "")
    (tmp_path / "患者.csv").write_text(text, encoding=encoding)
    command.done("describe", "患者.csv", "--lang", "ja", "--require", "k-anonymity k=4")
    draft = Recipe.load(tmp_path / "患者.recipe.yaml")
    columns = ["氏名", "年齢", "性別", "郵便番号", "病名"]
    assert {name: part.role for name, part in draft.parts_of(columns).items()} == {
        "氏名": "identifier",
        "年齢": "quasi",
        "性別": "quasi",
        "郵便番号": "quasi",
        "病名": "sensitive",
    }
    command.done("run", "患者.recipe.yaml", "--out", "公開")
    released = released_table(tmp_path / "公開")
    assert released.columns == ["年齢", "性別", "郵便番号", "病名"]
    assert set(released["病名"]) == {line.split(",")[4] for line in text.split()[1:]}
    report = (tmp_path / "公開/public/report.html").read_text(encoding="utf-8")
    assert 'lang="ja"' in report
    assert "山田" not in everything_in(tmp_path / "公開/public").decode()
    command.done("check", "公開")


def test_language_of_the_reports(job, edit, command):
    edit("reports: []", "reports: [public, internal]")
    command.done("run", "recipe.yaml", "--out", "ja", "--lang", "ja")
    command.done("run", "recipe.yaml", "--out", "en")
    for kind in ("public", "internal"):
        assert re.search("[ぁ-ん]", (job / f"ja/{kind}/report.html").read_text(encoding="utf-8"))
        assert not re.search("[ぁ-ん]", (job / f"en/{kind}/report.html").read_text(encoding="utf-8"))


def test_sqlite(job, edit, command):
    rows = [line.split(",") for line in PATIENTS.split()[1:]]
    with sqlite3.connect(job / "clinic.sqlite") as connection:
        connection.execute("CREATE TABLE patient (name TEXT, age INTEGER, sex TEXT, zip TEXT, disease TEXT)")
        connection.executemany("INSERT INTO patient VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    edit("path: patients.csv", "path: clinic.sqlite, table: patient")
    command.done("run", "recipe.yaml", "--seed", "1")
    text = RECIPE.replace(
        "path: patients.csv", "path: 'sqlite:///clinic.sqlite', query: select * from patient"
    )
    (job / "query.yaml").write_text(text, encoding="utf-8")
    command.done("run", "query.yaml", "--seed", "1", "--out", "query")
    said = text.replace("select * from patient", '"select * from patient -- Password=hunter2"')
    (job / "said.yaml").write_text(
        said.replace("reports: []", "reports: [public, internal]"), encoding="utf-8"
    )
    command.done("run", "said.yaml", "--seed", "1", "--out", "said")
    assert "Password=…" in (job / "said/internal/recipe.yaml").read_text(encoding="utf-8")
    assert b"hunter2" not in everything_in(job / "said")
    (job / "file.yaml").write_text(RECIPE, encoding="utf-8")
    command.done("run", "file.yaml", "--seed", "1", "--out", "file")
    data = {(job / folder / "public/data.csv").read_bytes() for folder in ("release", "query", "file")}
    assert len(data) == 1


@pytest.fixture
def typed(monkeypatch):
    """Give a text to standard input."""

    def give(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))

    return give


def test_standard_input_to_standard_output(job, edit, command, typed):
    edit("path: patients.csv", "path: '-'")
    typed(PATIENTS)
    out = command.done("run", "recipe.yaml", "--stdout")
    assert out == (job / "release/public/data.csv").read_text(encoding="utf-8")
    manifest = json.loads((job / "release/internal/manifest.json").read_text())
    assert manifest["input"]["name"] == "stdin"
    assert manifest["input"]["sha256"] == hashlib.sha256(PATIENTS.encode()).hexdigest()


def test_standard_output_is_only_the_data(job, edit):
    """In a pipe, as a process of its own."""
    edit("path: patients.csv", "path: '-'")
    done = subprocess.run(
        [sys.executable, "-m", "sudare.cli", "run", "recipe.yaml", "--stdout"],
        input=PATIENTS.encode(),
        capture_output=True,
        cwd=job,
        env=child_environment(job),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (job / "release/public/data.csv").read_bytes()


def test_describe_of_standard_input(job, command, typed):
    typed(PATIENTS)
    command.done("describe", "-", "--out", "draft.yaml")
    assert yaml.safe_load((job / "draft.yaml").read_text())["source"]["path"] == "-"


# Cells


@pytest.mark.parametrize("form", ["csv", "tsv", "excel", "parquet"])
def test_cells_that_a_spreadsheet_would_execute(job, edit, command, form):
    evil = ["=1+1", "+cmd|'/c calc'!A0", "-2+3", "@SUM(A1)"]
    lines = [f"P{n},{20 + n % 10},{'MF'[n % 2]},{n:05},{evil[n % 4]}\n" for n in range(60)]
    (job / "patients.csv").write_text("name,age,sex,zip,disease\n" + "".join(lines), encoding="utf-8")
    edit("reports: []", f"reports: [], format: {form}")
    command.done("run", "recipe.yaml")
    command.done("check", "release")
    [data] = (job / "release/public").glob("data.*")
    assert set(released_table(job / "release")["disease"]) == set(evil)
    if form in {"csv", "tsv"}:
        sign = "," if form == "csv" else "\t"
        cells = [
            cell for line in data.read_text().splitlines()[1:] for cell in line.replace('"', "").split(sign)
        ]
        assert not [cell for cell in cells if cell[:1] in {"=", "+", "-", "@"}]


def test_cells_are_left_alone_when_told(job, edit, command):
    (job / "patients.csv").write_text(PATIENTS.replace("flu", "=flu"), encoding="utf-8")
    edit("reports: []", "reports: [], escape_formulas: false")
    command.done("run", "recipe.yaml")
    command.done("check", "release")
    assert ",=flu" in (job / "release/public/data.csv").read_text()


def test_missing_values(job, edit, command):
    lines = PATIENTS.splitlines()
    for row in range(1, 61, 3):
        cells = lines[row].split(",")
        cells[1 + row % 4] = "NA"
        lines[row] = ",".join(cells)
    (job / "patients.csv").write_text("\n".join(lines), encoding="utf-8")
    edit("path: patients.csv", "path: patients.csv, missing: ['', NA]")
    command.done("run", "recipe.yaml")
    command.done("check", "release")
    released = released_table(job / "release")
    assert released.height == 60
    assert "NA" not in (job / "release/public/data.csv").read_text()


def test_rows_with_missing_values_are_dropped_when_told(job, edit, command):
    (job / "patients.csv").write_text(PATIENTS.replace(",flu\n", ",\n"), encoding="utf-8")
    edit("disease: {role: sensitive}", "disease: {role: sensitive, missing: drop}")
    command.done("run", "recipe.yaml")
    assert released_table(job / "release").height == 45
    command.done("check", "release")


def test_leading_zeros_stay(job, edit, command):
    edit("zip: {role: quasi, hierarchy: {type: mask}}", "zip: {role: insensitive}")
    command.done("run", "recipe.yaml")
    released = released_table(job / "release")
    assert sorted(released["zip"]) == sorted(line.split(",")[3] for line in PATIENTS.split()[1:])


# Seeds


def test_a_seed_repeats_and_is_flagged(job, edit, command):
    edit(
        "method: {type: mondrian}",
        "method: [{type: sampling, share: 0.8}, {type: mondrian}, {type: shuffling}]",
    )
    for folder in ("one", "two"):
        command.done("run", "recipe.yaml", "--out", folder, "--seed", "11")
    command.done("run", "recipe.yaml", "--out", "other", "--seed", "12")
    command.done("run", "recipe.yaml", "--out", "free")
    data = {
        folder: (job / folder / "public/data.csv").read_bytes() for folder in ("one", "two", "other", "free")
    }
    assert data["one"] == data["two"]
    assert len(set(data.values())) == 3
    for folder, secure in (("one", False), ("free", True)):
        for kind in ("internal", "public"):
            manifest = json.loads((job / folder / kind / "manifest.json").read_text())
            assert manifest["secure_randomness"] is secure
            assert any("seed" in warning for warning in manifest["warnings"]) is not secure


def test_the_table_and_the_recipe_are_untouched(job, command):
    before = listing(job)
    command.done("run", "recipe.yaml")
    after = listing(job)
    assert {name: after[name] for name in before} == before


# Python


def test_the_same_from_python(job, command):
    table = sd.read(job / "patients.csv").describe(
        identifier=["name"],
        quasi=["age", "sex", "zip"],
        sensitive=["disease"],
        hierarchies={
            "zip": sd.hierarchy.mask(),
            "age": sd.hierarchy.intervals(width=5),
            "sex": sd.hierarchy.suppress(),
        },
    )
    release = sd.anonymize(table, sd.KAnonymity(5), sd.LDiversity(2), seed=1)
    written = release.write(job / "python", reports=[])
    assert all(finding.holds for finding in written.findings)
    command.done("run", "recipe.yaml", "--seed", "1")
    assert written.data.read_bytes() == (job / "release/public/data.csv").read_bytes()
