"""A release folder appears whole or not at all: targets, overwriting, full and read-only disks."""

import errno
import os
import random
import stat
import subprocess
from pathlib import Path

import polars as pl
import pytest
from tests.cases.staging import content, fill, names, refuses, release, whole

from sudare.errors import CancelledError, OutputError
from sudare.release import staging
from sudare.release.staging import staged_folder


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own; call it with mount options. Only root may mount."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(options):
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError:
            pytest.skip("no mount command here")
        if done.returncode:
            pytest.skip("mounting a tmpfs is not permitted here")
        return place

    yield mount
    if place.is_mount():
        subprocess.run(["umount", str(place)], check=True)


def test_the_folder_appears_at_the_end(tmp_path):
    target = tmp_path / "out"
    with staged_folder(target) as folder:
        assert list(folder.iterdir()) == []
        assert folder.parent.name.startswith(".sudare-out-")
        assert folder.parent.parent == tmp_path
        fill(folder)
        assert not target.exists()
    assert content(target) == whole("new")
    assert names(tmp_path) == ["out"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o777 & ~umask


def test_every_file_and_folder_is_synced_before_the_rename(tmp_path, monkeypatch):
    synced = []
    real = os.fsync

    def record(descriptor):
        synced.append((os.fstat(descriptor).st_ino, (tmp_path / "out").exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    release(tmp_path / "out")
    wanted = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    assert {path.stat().st_ino for path in wanted} <= {inode for inode, there in synced if not there}
    assert synced[-1] == (tmp_path.stat().st_ino, True)


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyboardInterrupt(), CancelledError("stop"), SystemExit(1)]
)
def test_an_exception_leaves_nothing(tmp_path, error):
    with pytest.raises(type(error)) as caught, staged_folder(tmp_path / "a" / "b" / "out") as folder:
        fill(folder)
        raise error
    assert caught.value is error
    assert names(tmp_path) == []


def test_missing_parents_are_made(tmp_path):
    release(tmp_path / "a" / "b" / "out")
    assert content(tmp_path / "a" / "b" / "out") == whole("old")
    assert names(tmp_path / "a" / "b") == ["out"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "out").mkdir()
    release(tmp_path / "out")
    assert content(tmp_path / "out") == whole("old")


def test_a_relative_path_and_a_symbolic_link(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release(Path("out"))
    (tmp_path / "link").symlink_to("out")
    release(Path("link"), "new", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "out") == whole("new")


def test_two_releases_side_by_side_in_one_process(tmp_path):
    with staged_folder(tmp_path / "a") as first, staged_folder(tmp_path / "b") as second:
        fill(first)
        fill(second)
    assert names(tmp_path) == ["a", "b"]


def test_a_taken_target_is_refused_before_the_work(tmp_path):
    release(tmp_path / "out")
    refuses(tmp_path / "out", "already exists and is not empty")
    assert content(tmp_path / "out") == whole("old")


def test_a_target_taken_meanwhile_is_refused_at_the_rename(tmp_path):
    with (
        pytest.raises(OutputError, match="already exists and is not empty"),
        staged_folder(tmp_path / "out") as folder,
    ):
        fill(folder)
        release(tmp_path / "out", "quicker")
    assert content(tmp_path / "out") == whole("quicker")
    assert names(tmp_path) == ["out"]


def test_a_strangers_file_between_check_and_rename_is_not_lost(tmp_path, monkeypatch):
    real = staging._is_overwritten

    def late(target, *, overwrite):
        answer = real(target, overwrite=overwrite)
        if any(tmp_path.glob(".sudare-*")):  # not on entry
            target.mkdir()
            (target / "mine.txt").write_text("mine")
        return answer

    monkeypatch.setattr(staging, "_is_overwritten", late)
    with pytest.raises(OutputError, match="filled by another program"):
        release(tmp_path / "out")
    assert content(tmp_path / "out") == {"mine.txt": "mine"}
    assert names(tmp_path) == ["out"]


def test_overwrite_replaces_a_release(tmp_path):
    release(tmp_path / "out")
    (tmp_path / "out" / "public" / "report.html").write_text("of the old one")
    release(tmp_path / "out", "new", overwrite=True)
    assert content(tmp_path / "out") == whole("new")
    assert names(tmp_path) == ["out"]


def test_overwrite_never_takes_other_files(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.doc").write_text("years of work")
    refuses(tmp_path / "out", "not a release", overwrite=True)
    assert content(tmp_path / "out") == {"thesis.doc": "years of work"}


def test_a_failing_body_keeps_the_old_release(tmp_path):
    release(tmp_path / "out")
    with pytest.raises(RuntimeError), staged_folder(tmp_path / "out", overwrite=True) as folder:
        fill(folder)
        raise RuntimeError
    assert content(tmp_path / "out") == whole("old")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["rename", "sync"])
def test_a_failing_swap_puts_the_old_release_back(tmp_path, monkeypatch, error, step):
    release(tmp_path / "out")
    failed: list[Path] = []
    real_rename, real_sync = Path.rename, staging._sync

    def rename(self, target):
        if step == "rename" and self.name == "content" and not failed:
            failed.append(self)
            raise error
        return real_rename(self, target)

    def sync(path):
        if step == "sync" and path == tmp_path:
            failed.append(path)
            raise error
        real_sync(path)

    monkeypatch.setattr(Path, "rename", rename)
    monkeypatch.setattr(staging, "_sync", sync)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        release(tmp_path / "out", "new", overwrite=True)
    assert failed
    assert content(tmp_path / "out") == whole("old")
    assert names(tmp_path) == ["out"]


def test_target_is_a_file(tmp_path):
    (tmp_path / "out").write_text("mine")
    refuses(tmp_path / "out", "is a file", overwrite=True)
    refuses(tmp_path / "out" / "deeper", "part of its path is a file")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("name", ["x" * 300, "a/" * 3000 + "out", "表" * 100], ids=range(3))
def test_path_too_long(tmp_path, name):
    refuses(tmp_path / "parent" / name, "longer than the file system allows")
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_character_no_path_may_hold(tmp_path, name):
    refuses(tmp_path / name, "contains a character that is not allowed in a path")


@pytest.mark.parametrize("name", ["x" * 255, "表" * 85, "a b'\"*[?]", "\udcff"], ids=range(4))
def test_long_and_odd_names_that_are_allowed(tmp_path, name):
    release(tmp_path / name)
    assert names(tmp_path) == [name]


def test_parent_not_writable(tmp_path, small_disk):
    if os.geteuid():
        parent = tmp_path / "closed"
        parent.mkdir(mode=0o555)
    else:
        parent = small_disk("size=64k,ro")
    refuses(parent / "out", "its folder is not writable")
    refuses(parent / "new" / "out", "its folder is not writable")
    assert names(parent) == []


def test_disk_full(small_disk):
    disk = small_disk("size=256k")
    release(disk / "old")
    frame = pl.DataFrame({"a": [random.random() for _ in range(100_000)]})
    writers = [
        lambda folder: (folder / "big").write_bytes(bytes(10**6)),
        lambda folder: frame.write_csv(folder / "big.csv"),
        lambda folder: frame.write_parquet(folder / "big.parquet"),  # tells it without an errno
    ]
    for write in writers:
        with (
            pytest.raises(OutputError, match="the disk is full") as caught,
            staged_folder(disk / "out") as folder,
        ):
            write(folder)
        assert "\n" not in str(caught.value)
        assert names(disk) == ["old"]
    assert content(disk / "old") == whole("old")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_disk_full_without_a_disk(tmp_path, number):
    with pytest.raises(OutputError, match="the disk is full"), staged_folder(tmp_path / "out") as folder:
        fill(folder)
        raise OSError(number, os.strerror(number))
    assert names(tmp_path) == []


def test_disk_full_at_the_sync(tmp_path, monkeypatch):
    def full(_path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(staging, "_sync", full)
    with pytest.raises(OutputError, match="the disk is full"):
        release(tmp_path / "out")
    assert names(tmp_path) == []
