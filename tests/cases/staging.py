"""Small releases written through a staged folder, and what is then there."""

import json

import pytest

from sudare.errors import OutputError
from sudare.release.staging import staged_folder


def manifest(text="new"):
    """As much of a manifest as says that a folder is a release."""
    data = {"file": "data.csv", "sha256": text}
    return json.dumps({"format": 1, "kind": "table", "sudare": "1", "data": data})


def fill(folder, text="new"):
    (folder / "public").mkdir()
    (folder / "public" / "manifest.json").write_text(manifest(text))
    (folder / "public" / "data.csv").write_text(text)


def release(target, text="old", **options):
    with staged_folder(target, **options) as folder:
        fill(folder, text)


def content(target):
    return {str(path.relative_to(target)): path.read_text() for path in target.rglob("*") if path.is_file()}


def whole(text):
    return {"public/manifest.json": manifest(text), "public/data.csv": text}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refuses(target, words, **options):
    """The release is refused with one sentence, on entry: the body is never reached."""
    with pytest.raises(OutputError, match=words) as caught, staged_folder(target, **options):
        pytest.fail("the work was started")
    assert "\n" not in str(caught.value)
