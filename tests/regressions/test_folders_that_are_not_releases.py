"""Folders that only look like ours: a planted leftover renames nothing, and --overwrite deletes no file of others."""

import json
import os
import random

import pytest
from tests.cases.staging import content, manifest, names, refuses, release, whole

import sudare as sd
from sudare.release import staging


def plant(parent, name, target, *, lock="file"):
    """A leftover as a killed process leaves it between its two renames, but naming a target of its own choice."""
    folder = parent / name
    (folder / "content").mkdir(parents=True)
    (folder / "old").mkdir()
    (folder / "old" / "evil").write_text("evil")
    if lock == "file":
        (folder / "lock").write_bytes(os.fsencode(target))
    elif lock == "link":
        (parent / "elsewhere").write_bytes(os.fsencode(target))
        (folder / "lock").symlink_to(parent / "elsewhere")
    else:
        os.mkfifo(folder / "lock")
    return folder


@pytest.mark.parametrize(
    ("name", "target"),
    [
        (".sudare-x-abcdefgh", "../moved"),
        (".sudare-x-abcdefgh", "/tmp/sudare-planted-by-a-test"),
        (".sudare-x-abcdefgh", "deeper/x"),
        (".sudare-x-abcdefgh", ".."),
        (".sudare-x-abcdefgh", "other"),
        (".sudare-x-abcdefgh-abcdefgh", "x"),
        (".sudare-x", "x"),
    ],
)
def test_a_planted_leftover_moves_nothing(tmp_path, name, target):
    parent = tmp_path / "parent"
    (parent / "deeper").mkdir(parents=True)
    planted = plant(parent, name, target)
    release(parent / "out")
    assert content(planted)["old/evil"] == "evil"
    assert names(tmp_path) == ["parent"]
    assert names(parent) == [name, "deeper", "out"]


@pytest.mark.parametrize("lock", ["link", "pipe"])
def test_a_lock_that_is_not_a_file_is_not_read(tmp_path, lock):
    planted = plant(tmp_path, ".sudare-x-abcdefgh", "x", lock=lock)
    release(tmp_path / "out")
    assert (planted / "old" / "evil").exists()
    assert not (tmp_path / "x").exists()


def test_a_leftover_of_another_user_stays(tmp_path, monkeypatch):
    planted = plant(tmp_path, ".sudare-x-abcdefgh", "x")
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    release(tmp_path / "out")
    assert (planted / "old" / "evil").exists()
    assert not (tmp_path / "x").exists()


def test_a_leftover_of_ours_is_still_put_back(tmp_path):
    plant(tmp_path, ".sudare-x-abcdefgh", "x")
    release(tmp_path / "out")
    assert content(tmp_path / "x") == {"evil": "evil"}
    assert names(tmp_path) == ["out", "x"]


def test_a_kill_before_the_name_was_written_leaves_nothing(tmp_path):
    (tmp_path / ".sudare-x-abcdefgh").mkdir()
    (tmp_path / ".sudare-x-abcdefgh" / "lock").touch()
    release(tmp_path / "out")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "not JSON",
        "[]",
        json.dumps({"name": "a web app", "icons": []}),
        json.dumps({"format": 1, "kind": "song", "sudare": "1", "data": {}}),
        json.dumps({"format": True, "kind": "table", "sudare": "1", "data": {}}),
        json.dumps({"format": 99, "kind": "table", "sudare": "1", "data": {}}),
        json.dumps({"format": 1, "kind": ["table"], "sudare": "1", "data": {}}),
    ],
)
@pytest.mark.parametrize("place", ["manifest.json", "public/manifest.json", "internal/manifest.json"])
def test_a_manifest_of_another_program_is_not_a_release(tmp_path, text, place):
    path = tmp_path / "out" / place
    path.parent.mkdir(parents=True)
    path.write_text(text)
    refuses(tmp_path / "out", "not a release", overwrite=True)
    assert content(tmp_path / "out") == {place: text}


def test_one_manifest_of_ours_does_not_excuse_another(tmp_path):
    release(tmp_path / "out")
    (tmp_path / "out" / "internal").mkdir()
    (tmp_path / "out" / "internal" / "manifest.json").write_text("{}")
    refuses(tmp_path / "out", "not a release", overwrite=True)


@pytest.mark.parametrize(
    "place",
    ["thesis.doc", "public/notes.txt", "internal/data.csv", "public/deeper/x", "public/report.html/x"],
)
def test_a_file_of_others_in_a_release_is_kept(tmp_path, place):
    release(tmp_path / "out")
    mine = tmp_path / "out" / place
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("years of work")
    refuses(tmp_path / "out", "which Sudare did not write", overwrite=True)
    assert content(tmp_path / "out") == {**whole("old"), place: "years of work"}


def test_a_link_in_a_release_is_not_ours(tmp_path):
    release(tmp_path / "out")
    (tmp_path / "out" / "public" / "report.html").symlink_to(tmp_path / "elsewhere")
    refuses(tmp_path / "out", "which Sudare did not write", overwrite=True)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "public").symlink_to(tmp_path / "out" / "public")
    refuses(tmp_path / "linked", "not a release", overwrite=True)


def test_the_list_has_every_file_that_is_written(tmp_path):
    """A file that the list forgets would make every release of ours impossible to overwrite."""
    chance = random.Random(1)
    frame = sd.hospital(200)
    table = sd.read(frame).describe(
        identifier=["patient_id", "name"], quasi=["sex", "zip"], sensitive=["disease"],
        insensitive=["birth_date", "nationality", "admission", "length_of_stay", "cost"],
    )  # fmt: skip
    for chosen in ("csv", "tsv", "parquet", "arrow", "excel"):
        for _ in range(2):
            sd.anonymize(table, sd.KAnonymity(2)).write(tmp_path / "t", format=chosen, overwrite=True)
            assert staging.unknown_file(tmp_path / "t") is None
    baskets = sd.read_baskets([chance.sample("abcdef", 3) for _ in range(30)])
    private = baskets.describe(sensitive=[["a"] if "a" in items else [] for items in baskets.lists()])
    for layout in ("lines", "json", "long", "lists", "sets"):
        for _ in range(2):
            released = sd.anonymize(private, sd.RhoUncertainty(0.9), method=sd.SuppressItems())
            released.write(tmp_path / "b", layout=layout, overwrite=True)
            assert staging.is_release(tmp_path / "b")
            assert staging.unknown_file(tmp_path / "b") is None


def test_an_older_manifest_without_a_kind_is_of_a_table(tmp_path):
    release(tmp_path / "out")
    older = {name: value for name, value in json.loads(manifest()).items() if name != "kind"}
    (tmp_path / "out" / "public" / "manifest.json").write_text(json.dumps(older))
    release(tmp_path / "out", "new", overwrite=True)
    assert content(tmp_path / "out") == whole("new")
