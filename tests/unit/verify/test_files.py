"""The independent verifier: releases on disk and the faults of their files."""

import hashlib
import json
from typing import Any

import pytest
from tests.cases.verify import COLUMNS

from sudare.errors import InputError
from sudare.verify.verify import verify_release

# Releases on disk


@pytest.fixture
def release(tmp_path):
    """A function that writes a small release and gives its folder; changes go into the manifest."""

    def write(folder="", **changes):
        place = tmp_path / "release" / folder
        place.mkdir(parents=True)
        data = place / "data.csv"
        data.write_text("age,sex,disease\n3*,F,flu\n3*,F,cold\n4*,M,flu\n4*,M,cold\n", encoding="utf-8")
        manifest: dict[str, Any] = {
            "format": 1,
            "data": {
                "file": "data.csv",
                "format": "csv",
                "sha256": hashlib.sha256(data.read_bytes()).hexdigest(),
                "rows": 4,
                "escape_formulas": True,
            },
            "columns": {"name": {"role": "identifier", "kind": "string"}, **COLUMNS},
            "requirements": [
                {"type": "k-anonymity", "k": 2},
                {"type": "l-diversity", "l": 2.0, "kind": "entropy", "c": None, "sensitive": None},
            ],
            "hierarchies": {},
        }
        for key, value in changes.items():
            target = manifest["data"] if key in manifest["data"] and key != "format" else manifest
            target[key] = value
        (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return tmp_path / "release"

    return write


@pytest.mark.parametrize("folder", ["", "public"])
def test_release_holds(release, folder):
    findings = verify_release(release(folder))
    assert [finding.requirement["type"] for finding in findings] == [
        "unchanged-files",
        "no-identifiers",
        "k-anonymity",
        "l-diversity",
    ]
    assert all(finding.holds for finding in findings)
    assert findings[0].sentence.startswith("The file data.csv matches the manifest (4 rows, SHA-256 ")


def test_file_that_can_no_longer_be_read(release):
    folder = release()
    (folder / "data.csv").write_bytes(b"")
    (finding,) = verify_release(folder)
    assert not finding.holds
    assert finding.sentence.endswith(", and it can no longer be read.")


def test_changed_cell_is_found(release):
    folder = release()
    data = folder / "data.csv"
    data.write_text(data.read_text().replace("4*,M,cold", "5*,M,cold"))
    unchanged, _, k, _ = verify_release(folder)
    assert not unchanged.holds
    assert "SHA-256" in unchanged.sentence
    assert (k.holds, k.violating_rows) == (False, 2)


def test_wrong_row_count_and_columns_are_found(release):
    columns = {name: about for name, about in COLUMNS.items() if name != "sex"}
    unchanged, identifiers, *_ = verify_release(
        release(rows=5, columns={**columns, "zip": {"role": "quasi", "kind": "string"}})
    )
    assert not unchanged.holds
    assert unchanged.sentence == (
        "The file data.csv does not match the manifest: it has 4 rows instead of 5, "
        "and it lacks the column zip, and it has the unknown column sex."
    )
    assert not identifiers.holds


def test_identifier_in_the_file_is_found(release):
    columns = {**COLUMNS, "sex": {"role": "identifier", "kind": "string"}}
    _, identifiers, *_ = verify_release(release(columns=columns))
    assert identifiers.sentence == "The data still contain the identifier sex."


def test_missing_folder_and_manifest(tmp_path):
    with pytest.raises(InputError, match=r"^There is no folder .*nowhere; give the folder"):
        verify_release(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"contains no manifest\.json"):
        verify_release(tmp_path)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe\x00", b"", b"[" * 100_000])
def test_broken_json(release, content):
    folder = release()
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(InputError, match="is not valid JSON; restore it"):
        verify_release(folder)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"format": 2},
            "has format 2, but this version of Sudare reads formats up to 1; install a newer Sudare",
        ),
        ({"format": "1"}, "has no valid 'format'"),
        ({"format": True}, "has no valid 'format'"),
        ({"data": []}, "has no valid 'data'"),
        (
            {"data": {"file": "data.csv", "format": "dbf"}},
            "gives the data format 'dbf', which is none of csv,",
        ),
        ({"rows": "4"}, "has no valid 'rows'"),
        ({"columns": {"age": "quasi"}}, "has no valid 'columns' entry for 'age'"),
        ({"requirements": ["k"]}, "has a requirement that is not a JSON object"),
        ({"requirements": None}, "has no valid 'requirements'"),
        ({"file": "gone.csv"}, "that the manifest names does not exist; restore it"),
        ({"file": "../../data.csv"}, "outside its own folder"),
        ({"file": "/etc/passwd"}, "outside its own folder"),
        ({"file": "a\0b"}, "outside its own folder"),
        ({"file": "x/../data.csv"}, "outside its own folder"),
        ({"file": ""}, "outside its own folder"),
    ],
)
def test_faults_of_the_manifest(release, changes, sentence):
    with pytest.raises(InputError) as caught:
        verify_release(release(**changes))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_manifest_that_is_no_object(release):
    folder = release()
    (folder / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match="is not a JSON object"):
        verify_release(folder)
