"""Places that cannot be written and runs that break midway: nothing lost, nothing half-written."""

import gc
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from tests.system.conftest import PATIENTS, RECIPE, listing, one_sentence

from sudare.anonymize.mondrian import Mondrian
from sudare.cli import main
from sudare.release.ledger.ledger import Ledger

NOBODY = 65534


def events():
    return [entry.event for entry in Ledger().entries()]


def test_unreadable_file():
    with public_place() as place:
        # Libraries are imported while the rights to read them are there.
        others = ["--out", str(place / "before"), "--ledger", str(place / "before.sqlite")]
        assert main(["run", str(place / "recipe.yaml"), *others]) == 0
        (place / "patients.csv").chmod(0)
        with without_rights():
            assert "not permitted to read" in said(2, ["run", str(place / "recipe.yaml")])
            assert "not permitted to read" in said(2, ["describe", str(place / "patients.csv")])
        (place / "recipe.yaml").chmod(0)
        with without_rights():
            assert "Permission denied" in said(2, ["run", str(place / "recipe.yaml")])
        assert not (place / "release").exists()


# Places


@pytest.mark.parametrize("content", ["notes.txt", "public/data.csv"])
def test_folder_that_exists(job, fails, content):
    place = job / "release" / content
    place.parent.mkdir(parents=True)
    place.write_text("mine", encoding="utf-8")
    assert "already exists" in fails(2, "run", "recipe.yaml")
    assert "not a release" in fails(2, "run", "recipe.yaml", "--overwrite")


def test_folder_that_is_a_file(job, fails):
    (job / "release").write_text("mine", encoding="utf-8")
    assert "is a file" in fails(2, "run", "recipe.yaml")
    assert "is a file" in fails(2, "run", "recipe.yaml", "--overwrite")
    assert "a part of its path is a file" in fails(2, "run", "recipe.yaml", "--out", "release/below")


def test_a_release_is_replaced_only_when_asked(job, command, fails):
    command.done("run", "recipe.yaml")
    assert "already exists" in fails(2, "run", "recipe.yaml")
    # When the second run fails, the first release stays as it was.
    fails(1, "run", "recipe.yaml", "--overwrite", "--require", "k-anonymity k=61")
    command.done("run", "recipe.yaml", "--overwrite", "--require", "k-anonymity k=20")
    assert "(asked: 20)" in command.done("check", "release")


def test_folder_that_is_not_writable():
    with public_place() as place:
        locked = place / "locked"
        locked.mkdir()
        locked.chmod(0o555)
        recipe = str(place / "recipe.yaml")
        with without_rights():
            assert "not writable" in said(2, ["run", recipe, "--out", str(locked / "release")])
            assert "not writable" in said(2, ["run", recipe, "--out", str(locked / "new" / "release")])
            assert "not permitted" in said(2, ["demo", "--out", str(locked / "demo")])
            draft = ["describe", str(place / "patients.csv"), "--out", str(locked / "recipe.yaml")]
            assert "not permitted" in said(2, draft)
        assert list(locked.iterdir()) == []


def test_ledger_that_is_read_only():
    with public_place() as place:
        book = place / "ledger.sqlite"
        Ledger(book)
        book.chmod(0o444)
        with without_rights():
            sentence = said(2, ["run", str(place / "recipe.yaml"), "--ledger", str(book)])
            assert "cannot be opened for writing" in sentence
        assert not (place / "release").exists()


@pytest.mark.parametrize(
    "content", [b"not a database at all, only words " * 50, b"SQLite format 3\x00" + b"x" * 200]
)
def test_ledger_that_is_none(job, fails, content):
    (job / "other").write_bytes(content)
    fails(2, "run", "recipe.yaml", "--ledger", "other")
    fails(2, "run", "recipe.yaml", "--ledger", "patients.csv/ledger")
    fails(2, "ledger", "--ledger", "other")


def test_draft_is_not_overwritten_unasked(job, fails):
    (job / "patients.recipe.yaml").write_text("mine", encoding="utf-8")
    assert "--overwrite" in fails(2, "describe", "patients.csv")


def test_demonstration_is_not_overwritten_unasked(job, fails):
    assert "earlier demonstration" in fails(2, "demo", "--out", ".")


# Runs that break


def test_method_that_returns_a_wrong_table(job, fails, monkeypatch):
    apply = Mondrian.apply

    def one_cell_changed(*given):
        outcome = apply(*given)
        frame = outcome.table.frame
        ages = ["alone", *frame["age"].cast(pl.String).to_list()[1:]]
        wrong = outcome.table.changed(frame.with_columns(pl.Series("age", ages)), outcome.table.columns)
        return replace(outcome, table=wrong)

    monkeypatch.setattr(Mondrian, "apply", one_cell_changed)
    assert "Nothing is released" in fails(1, "run", "recipe.yaml")
    assert events() == ["started", "failed"]


def test_files_that_do_not_hold_what_was_asked(job, fails, monkeypatch):
    """The check in memory is content, the one from the written files is not."""
    from sudare.formats.data import write_data

    def one_row_less(frame, path, **options):
        write_data(frame.slice(1), path, **options)

    monkeypatch.setattr("sudare.release.table.kind.write_data", one_row_less)
    assert "Nothing was released" in fails(1, "run", "recipe.yaml")
    assert events() == ["started", "failed"]


def test_writer_that_breaks(job, command, monkeypatch):
    """Not the user's mistake: a code of its own, one sentence, nothing left behind, and the ledger has it."""
    monkeypatch.setattr("sudare.release.folder.manifest_of", lambda *given, **options: 1 / 0)
    before = listing(job)
    assert "ZeroDivisionError" in command.refused(3, "run", "recipe.yaml")
    assert listing(job) == before
    assert events() == ["started", "failed"]


@pytest.mark.parametrize(
    "target", ["sudare.release.table.kind.write_data", "sudare.release.folder._write_json"]
)
def test_disk_that_is_full_when_patched(job, fails, monkeypatch, target):
    def full(*given, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(target, full)
    assert "disk is full" in fails(2, "run", "recipe.yaml")
    assert events() == ["started", "failed"]


# A writer that failed leaves its file to the garbage collector, which warns (xlsxwriter).
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "excel"])
def test_disk_that_is_full(job, fails, edit, form):
    edit("reports: []", f"reports: [], format: {form}")
    rows = "".join(
        f"P{number},{number * 7 % 90},{'MF'[number % 2]},{number * 37 % 90000:05},{number}-{os.urandom(40).hex()}\n"
        for number in range(2_000)
    )
    (job / "patients.csv").write_text(f"name,age,sex,zip,disease\n{rows}", encoding="utf-8")
    with small_disk(job / "disk", "64k") as disk:
        sentence = fails(2, "run", "recipe.yaml", "--out", "disk/release")
        assert tells_of_a_full_disk(sentence)
        assert ".sudare-" not in sentence  # the temporary folder is not the user's concern
        assert list(disk.iterdir()) == []
    assert events() == ["started", "failed"]


def test_disk_of_the_ledger_that_is_full(job, fails):
    with small_disk(job / "disk", "8k"):
        assert "disk/ledger.sqlite" in fails(2, "run", "recipe.yaml", "--ledger", "disk/ledger.sqlite")


def test_disk_of_the_demonstration_that_is_full(job, command):
    with small_disk(job / "disk", "64k") as disk:
        assert tells_of_a_full_disk(command.refused(2, "demo", "--out", "disk/demo", "--rows", "5000"))
        assert [str(path) for path in disk.rglob("*") if path.is_file()] == []


def tells_of_a_full_disk(sentence):
    return "disk is full" in sentence or "no space left on the disk" in sentence


@contextmanager
def small_disk(place, size):
    """A file system of some kilobytes; skips where this user may not mount one."""
    place.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if os.geteuid() != 0 or mount is None or umount is None:
        pytest.skip("mounting a small disk needs root")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no small disk can be mounted here ({made.stderr.decode().strip()})")
    try:
        yield place
    finally:
        gc.collect()  # a writer that failed may still hold its file open
        subprocess.run([umount, "--lazy", str(place)], check=True)


@contextmanager
def public_place():
    """A folder with table and recipe that every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        place = Path(name)
        place.chmod(0o777)
        (place / "patients.csv").write_text(PATIENTS, encoding="utf-8")
        (place / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
        patch.setenv("SUDARE_LEDGER", str(place / "books" / "ledger.sqlite"))
        (place / "books").mkdir()
        (place / "books").chmod(0o777)
        yield place


@contextmanager
def without_rights():
    """As a user who is not root, for whom permissions count."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def said(code, arguments):
    """The sentence of a call that must fail, without pytest's capture (its files are not this user's)."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        found = main(arguments)
    assert (found, out.getvalue()) == (code, ""), err.getvalue()
    return one_sentence(err.getvalue())
