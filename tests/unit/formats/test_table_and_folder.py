"""A table of a database and the release folder appear together or not at all, whatever fails."""

import contextlib
import errno
import sqlite3
from pathlib import Path

import polars as pl
import pytest

import sudare as sd
from sudare.errors import OutputError
from sudare.formats import database


def release(first=0):
    frame = pl.DataFrame({"age": [first + row % 3 for row in range(30)], "ill": ["a", "b"] * 15})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    return sd.anonymize(table, sd.KAnonymity(3), seed=1)


def ages(place):
    with contextlib.closing(sqlite3.connect(place)) as connection:
        return sorted(row[0] for row in connection.execute("SELECT age FROM released"))


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def fail_to_rename(monkeypatch):
    """Renaming the finished content fails, as where somebody has just made the target; all other renames work."""
    rename = Path.rename

    def renamed(self, target):
        if self.name == "content":
            raise OSError(errno.ENOTEMPTY, "taken")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", renamed)


def fail_to_commit(monkeypatch, told):
    """The database refuses the commit; at this moment the folder already has its name."""
    connected = database._connection

    class Refusing:
        def __init__(self, connection):
            self._connection = connection

        def __getattr__(self, name):
            return getattr(self._connection, name)

        def commit(self):
            told.append(sorted(path.name for path in told[0].iterdir()) if told[0].exists() else None)
            raise RuntimeError("disk I/O error")

    @contextlib.contextmanager
    def connecting(address):
        with connected(address) as connection:
            yield Refusing(connection)

    monkeypatch.setattr(database, "_connection", connecting)


@pytest.mark.parametrize("failing", ["rename", "commit"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_neither_is_left_if_the_other_fails(tmp_path, monkeypatch, failing, overwrite):
    place, folder = tmp_path / "out.sqlite", tmp_path / "out"
    address = f"sqlite:///{place}"
    if overwrite:
        release().write(folder, database=address, table="released", reports=[])
    before = files(tmp_path)
    told = [folder]
    if failing == "rename":
        fail_to_rename(monkeypatch)
    else:
        fail_to_commit(monkeypatch, told)
    with pytest.raises(OutputError):
        release(100).write(folder, database=address, table="released", reports=[], overwrite=overwrite)
    assert files(tmp_path) == before
    assert list(tmp_path.glob(".sudare*")) == []
    if failing == "commit":
        assert told[1:] == [["internal", "public"]]
    if overwrite:
        assert set(ages(place)) == {0, 1, 2}
        assert all(finding.holds for finding in sd.verify_release(folder))
    else:
        assert not folder.exists()
        assert not place.exists()


def test_both_are_there_if_nothing_fails(tmp_path):
    place, folder = tmp_path / "out.sqlite", tmp_path / "out"
    for first in (0, 100):
        release(first).write(
            folder, database=f"sqlite:///{place}", table="released", reports=[], overwrite=first > 0
        )
        assert set(ages(place)) == {first, first + 1, first + 2}
        assert list(tmp_path.glob(".sudare*")) == []
