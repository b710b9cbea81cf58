"""Files that appear whole, labels, limits, tokens, connections; errors without folders; events; the archive."""

from __future__ import annotations

import json
import zipfile

import pytest

from sudare import errors
from sudare.web.events import Recorder, events_of, last_event
from sudare.web.problems import kind_of_error, problem, without_folders
from sudare.web.projects import Projects, write_whole
from sudare.web.settings import digest_of, read_connections, read_tokens, secret_of
from sudare.web.worker import pack


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    place = tmp_path / "a.json"
    write_whole(place, b"one")
    with pytest.raises(TypeError):
        write_whole(place, "two")  # type: ignore[arg-type]  # on purpose
    assert place.read_bytes() == b"one"
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_what_a_killed_server_left_is_swept(settings):
    projects = Projects(settings)
    projects.prepare()
    (projects.root / ".gone-1").mkdir()
    (projects.root / ".new-1").mkdir()
    kept = projects.make("a", "owner")
    projects.sweep()
    assert [folder.name for folder in projects.root.iterdir()] == [kept.id]


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        (errors.ParameterError, "parameter", 422),
        (errors.DescriptionError, "description", 422),
        (errors.InputError, "input", 422),
        (errors.InfeasibleError, "infeasible", 409),
        (errors.GuaranteeError, "guarantee", 409),
        (errors.OutputError, "output", 409),
        (errors.CancelledError, "canceled", 409),
        (errors.SudareError, "error", 422),
    ],
)
def test_every_kind_of_error_is_a_kind_of_problem(error, kind, status):
    made = error("hint.language", given="'fr'")
    assert kind_of_error(made) == (kind, status)
    english, japanese = problem(made, "en"), problem(made, "ja")
    assert english["title"] == error.summary
    assert english["type"] == f"urn:sudare:{kind}"
    assert japanese["detail"] != english["detail"]


def test_sentences_lose_folders_and_keep_the_rest():
    assert without_folders("'/srv/a b/x.csv' has 1/2 and a/b") == "'/srv/a b/x.csv' has 1/2 and a/b".replace(
        "/srv/", ""
    )
    assert without_folders("「/srv/data/x.csv」です") == "「x.csv」です"
    assert (
        without_folders("see https://example.com/a/b and 2026/11/20")
        == "see https://example.com/a/b and 2026/11/20"
    )


def test_tokens_are_read_line_by_line(tmp_path):
    place = tmp_path / "tokens"
    place.write_text(f"# users\nann {digest_of('a')}\nbob {digest_of('b').upper()} # of the board\n\n")
    assert read_tokens(place) == {"ann": digest_of("a"), "bob": digest_of("b")}
    for text in (
        "",
        "ann",
        "ann abc",
        f"a/b {digest_of('a')}",
        f"ann {digest_of('a')}\nann {digest_of('b')}",
    ):
        place.write_text(text)
        with pytest.raises(errors.InputError) as refused:
            read_tokens(place)
        assert digest_of("a") not in str(refused.value)
    with pytest.raises(errors.InputError):
        read_tokens(tmp_path / "absent")


def test_connections_have_names_and_their_addresses_are_not_repeated():
    assert read_connections(["a=postgresql://u:p@h/d"]) == {"a": "postgresql://u:p@h/d"}
    for given in ("postgresql://u:s3cret@h/d", "a=mysql://u:s3cret@h", "a b=postgresql://u:s3cret@h/d"):
        with pytest.raises(errors.ParameterError) as refused:
            read_connections([given])
        assert "s3cret" not in str(refused.value)


def test_the_secret_is_made_once_for_its_owner(tmp_path):
    first = secret_of(tmp_path)
    assert len(first) == 32
    assert secret_of(tmp_path) == first
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_settings_do_not_show_their_secrets(settings):
    assert settings.token not in repr(settings)


def test_progress_is_appended_at_most_five_times_a_second(tmp_path):
    recorder = Recorder(tmp_path / "events.jsonl")
    recorder.start("read", 1000)
    for done in range(1000):
        recorder.update(done)
    recorder.close()
    found = list(events_of(tmp_path / "events.jsonl"))
    assert len(found) == 1
    assert found[0][1]["phase"] == "read"
    with (tmp_path / "events.jsonl").open("a") as file:
        file.write('{"phase": "half')
    assert len(list(events_of(tmp_path / "events.jsonl"))) == 1
    assert last_event(tmp_path / "events.jsonl") == found[0][1]
    assert last_event(tmp_path / "absent") is None


def test_a_canceled_recorder_raises(tmp_path):
    recorder = Recorder(tmp_path / "events.jsonl")
    recorder.canceled = True
    with pytest.raises(errors.CancelledError):
        recorder.update(0)
    recorder.close()


def test_the_archive_has_the_public_part_alone(tmp_path):
    for part in ("public", "internal"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "manifest.json").write_text(json.dumps(part))
    pack(tmp_path / "public", tmp_path / "public.zip")
    with zipfile.ZipFile(tmp_path / "public.zip") as made:
        assert made.namelist() == ["manifest.json"]
        assert json.loads(made.read("manifest.json")) == "public"
