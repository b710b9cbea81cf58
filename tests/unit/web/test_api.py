"""The routes of `/api/v1`: what they answer, and what they refuse. Jobs stay queued here; `test_jobs.py` runs them."""

from __future__ import annotations

import json
import stat
from dataclasses import replace

import pytest
from tests.unit.web.conftest import API, RECIPE, Client

from sudare.anonymize.catalogue import METHODS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.web.application import application
from sudare.web.settings import Limits


def kind(answer):
    """The kind of a problem, which has the form that all have."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    content = answer.json()
    assert content["status"] == answer.status_code
    assert content["title"]
    assert content["detail"]
    return content["type"].removeprefix("urn:sudare:")


def test_the_interface_describes_itself(client):
    described = client("GET", "/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    for place in (
        "/catalogue/{what}/{name}", "/projects", "/projects/{project_id}/data", "/projects/{project_id}/source",
        "/projects/{project_id}/profile", "/projects/{project_id}/columns/{name}/values",
        "/projects/{project_id}/columns/{name}/hierarchy-preview", "/projects/{project_id}/recipe",
        "/projects/{project_id}/jobs/{job_id}/events", "/projects/{project_id}/candidates",
        "/projects/{project_id}/comparison", "/projects/{project_id}/releases/{release_id}/public.zip", "/ledger",
        "/health",
    ):  # fmt: skip
        assert f"{API}{place}" in described["paths"]


@pytest.mark.parametrize("name", [*REQUIREMENTS, *METHODS])
def test_every_entry_has_a_schema(client, name):
    what = "requirements" if name in REQUIREMENTS.entries else "methods"
    schema = client("GET", f"/catalogue/{what}/{name}").json()
    assert schema["properties"]["type"] == {"const": name}
    assert schema["title"]


def test_catalogues_are_listed_in_both_languages(client):
    for what in ("requirements", "methods", "hierarchies", "measures"):
        english = client("GET", f"/catalogue/{what}").json()["items"]
        japanese = client("GET", f"/catalogue/{what}?lang=ja").json()["items"]
        assert [one["name"] for one in english] == [one["name"] for one in japanese]
        assert all(one["about"] != other["about"] for one, other in zip(english, japanese, strict=True))
        assert client("GET", f"/catalogue/{what}/{english[0]['name']}").status_code == 200
    assert kind(client("GET", "/catalogue/methods/nothing")) == "absent"
    assert kind(client("GET", "/catalogue/measures/nothing")) == "absent"
    assert kind(client("GET", "/catalogue/secrets")) == "request"


def test_projects_are_made_changed_listed_and_removed(client):
    made = client("POST", "/projects", json={"name": "../患者\x00 2026"})
    assert made.status_code == 201
    project = made.json()
    assert project["name"] == "患者 2026"
    assert made.headers["location"] == f"{API}/projects/{project['id']}"
    place = f"/projects/{project['id']}"
    assert client("GET", place).json() == project
    assert client("PATCH", place, json={"name": "other"}).json()["name"] == "other"
    assert client("GET", "/projects").json()["items"][0]["name"] == "other"
    assert client("DELETE", place).status_code == 204
    assert kind(client("GET", place)) == "absent"
    assert client("GET", "/projects").json() == {"items": [], "next": None}


def test_lists_are_told_in_parts(client):
    made = {client("POST", "/projects", json={"name": str(number)}).json()["id"] for number in range(5)}
    found, cursor = [], None
    while True:
        answer = client(
            "GET", "/projects", params={"limit": 2} | ({} if cursor is None else {"cursor": cursor})
        ).json()
        found += [one["id"] for one in answer["items"]]
        cursor = answer["next"]
        if cursor is None:
            break
    assert found == sorted(made)
    assert kind(client("GET", "/projects?limit=201")) == "request"
    assert kind(client("GET", "/projects?cursor=nothing")) == "parameter"


@pytest.mark.parametrize(
    ("method", "place", "given", "status"),
    [
        ("GET", "/nothing", {}, 404),
        ("PUT", "/projects", {}, 405),
        ("POST", "/projects", {"json": {}}, 422),
        ("POST", "/projects", {"json": {"name": "a", "owner": "eve"}}, 422),
        ("POST", "/projects", {"content": b"{"}, 422),
        ("POST", "/projects", {"json": {"name": ["a"]}}, 422),
    ],
)  # fmt: skip
def test_what_the_framework_refuses_is_a_problem_too(client, method, place, given, status):
    answer = client(method, place, **given)
    assert answer.status_code == status
    kind(answer)
    if status == 422:
        assert answer.json()["errors"][0]["pointer"].startswith("/body")


def test_values_are_not_repeated_by_problems(client):
    answer = client("POST", "/projects", json={"name": {"secret": "SECRET-VALUE"}})
    assert "SECRET-VALUE" not in answer.text


@pytest.mark.parametrize(
    "given",
    ["..%2f..%2fsecret", "0123", "0123456789ABCDEF", ".gone-1", "a" * 5000, "%00", "日本"],
)
def test_no_identifier_becomes_a_path(client, given):
    place = client.project()
    for address in (f"/projects/{given}", f"{place}/jobs/{given}", f"{place}/releases/{given}/public.zip"):
        for method in ("GET", "DELETE"):
            answer = client(method, address)
            assert answer.status_code in {404, 405}, (method, address)
            kind(answer)
    assert client("GET", place).status_code == 200


def test_projects_of_others_are_not_there(team):
    place = team["ann"].project()
    made = team["ann"]("GET", place).json()
    assert made["owner"] == "ann"
    for method, address, given in (
        ("GET", place, {}),
        ("PATCH", place, {"json": {"name": "mine"}}),
        ("DELETE", place, {}),
        ("GET", f"{place}/recipe", {}),
        ("PUT", f"{place}/data?filename=a.csv", {"content": b"a"}),
        ("POST", f"{place}/jobs", {"json": {"kind": "profile"}}),
        ("GET", f"{place}/releases", {}),
    ):
        assert team["bob"](method, address, **given).status_code == 404, (method, address)
    assert team["bob"]("GET", "/projects").json()["items"] == []
    assert kind(team["ann"]("PATCH", place, json={"members": ["nobody"]})) == "parameter"
    assert team["ann"]("PATCH", place, json={"members": ["bob"]}).json()["members"] == ["bob"]
    assert team["bob"]("GET", place).status_code == 200
    assert kind(team["bob"]("DELETE", place)) == "forbidden"
    assert kind(team["bob"]("PATCH", place, json={"members": ["bob", "eve"]})) == "forbidden"
    assert team["eve"]("GET", place).status_code == 404


def test_folders_are_for_their_owner_alone(client, settings):
    client.project()
    for place in (settings.root, *settings.root.rglob("*")):
        assert not stat.S_IMODE(place.stat().st_mode) & 0o077, place


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a\\患者.CSV", "患者.CSV"),
        ("<script>alert(1)</script>.csv", "script>.csv"),
        ("..", "unnamed"),
        ("-", "unnamed"),
        ("a\nb.csv", "ab.csv"),
        ("x" * 390 + ".csv", "x" * 200),
        ("postgresql:host", "postgresql:host"),
    ],
)
def test_the_name_of_a_file_is_only_a_label(client, settings, name, label):
    place = client.project()
    answer = client("PUT", f"{place}/data", params={"filename": name}, content=b"a,b\n1,2\n")
    assert answer.json()["source"]["label"] == label
    kept = [file.name for file in settings.root.rglob("data/*")]
    assert kept == ["upload.csv"]


def test_uploads_have_limits(settings):
    app = application(replace(settings, limits=Limits(upload_bytes=1000, disk_reserve=0)))
    client = Client(app, settings.token)
    place = client.project()
    large = b"x" * 1001
    for content in (large, iter([large[:600], large[:600]])):
        answer = client("PUT", f"{place}/data?filename=b.csv", content=content)
        assert (answer.status_code, kind(answer)) == (413, "too-large")
    assert kind(client("PUT", f"{place}/data?filename=b.csv", content=b"")) == "parameter"
    assert client("GET", place).json()["source"]["label"] == "people.csv"
    assert not list(settings.root.rglob(".new-*"))


def test_a_full_disk_is_told(settings):
    client = Client(application(replace(settings, limits=Limits(disk_reserve=10**18))), settings.token)
    answer = client("POST", "/projects", json={"name": "a"})
    assert (answer.status_code, kind(answer)) == (507, "disk-full")


def test_projects_and_queues_have_limits(settings):
    client = Client(
        application(replace(settings, limits=Limits(projects=1, queued=1, disk_reserve=0))), settings.token
    )
    place = client.project()
    assert kind(client("POST", "/projects", json={"name": "b"})) == "too-large"
    assert client("POST", f"{place}/jobs", json={"kind": "profile"}).status_code == 202
    assert kind(client("POST", f"{place}/jobs", json={"kind": "profile"})) == "too-large"


def test_sources_are_chosen_by_name(settings, tmp_path):
    (tmp_path / "shared" / "table.csv").write_text("a\n1\n")
    given = replace(settings, connections={"hospital": "postgresql://ann:s3cret@db/x"})
    client = Client(application(given), settings.token)
    place = client.project()

    def choose(**source):
        return client("PUT", f"{place}/source", json=source)

    answer = choose(path="table.csv", delimiter=";")
    assert answer.json()["source"] == {"kind": "path", "label": "table.csv", "options": {"delimiter": ";"}}
    assert str(tmp_path) not in answer.text
    assert kind(choose(path="../ledger.sqlite")) == "forbidden"
    assert kind(choose(path="/etc/passwd")) == "forbidden"
    answer = choose(connection="hospital", table="patients")
    assert answer.json()["source"]["label"] == "hospital"
    assert "s3cret" not in "".join(
        file.read_text("utf-8", "replace") for file in settings.root.rglob("*.json")
    )
    assert kind(choose(connection="other")) == "forbidden"
    assert kind(choose(connection="hospital", query="select 1")) == "forbidden"
    assert kind(choose(connection="hospital", example="hospital")) == "parameter"
    assert choose(example="hospital", rows=100).json()["source"]["label"] == "patients.csv"
    assert choose(encoding="cp932").json()["source"]["options"] == {"encoding": "cp932"}
    empty = client("POST", "/projects", json={"name": "empty"}).json()["id"]
    assert kind(client("PUT", f"/projects/{empty}/source", json={})) == "parameter"


def test_a_recipe_is_changed_only_by_who_has_read_it(client):
    place = f"{client.project()}/recipe"
    assert kind(client("GET", place)) == "absent"
    first = client("PUT", place, content=RECIPE.encode())
    assert first.text == RECIPE
    tag = first.headers["etag"]
    other = RECIPE.replace("k: 2", "k: 3")
    assert client("PUT", place, content=other.encode()).status_code == 428
    assert client("PUT", place, content=other.encode(), headers={"If-Match": '"old"'}).status_code == 412
    assert client("GET", place).text == RECIPE
    second = client("PUT", place, content=other.encode(), headers={"If-Match": tag})
    assert second.text == other
    assert client("POST", f"{place}/undo", headers={"If-Match": tag}).status_code == 412
    assert client("POST", f"{place}/undo").text == RECIPE
    assert kind(client("POST", f"{place}/undo")) == "conflict"
    assert client("POST", f"{place}/redo").text == other
    assert kind(client("POST", f"{place}/redo")) == "conflict"
    assert client("GET", place, headers={"Accept": "application/json"}).json()["requirements"][0]["k"] == 3


def test_a_patch_keeps_comments_and_ends_what_was_undone(client, settings):
    place = f"{client.project()}/recipe"
    assert kind(client("PATCH", place, json={"order": "keep"})) == "absent"
    client("PUT", place, content=RECIPE.encode())
    patched = client("PATCH", place, json={"columns": {"age": {"kind": "numeric"}}, "order": "keep"})
    assert patched.text.startswith("# the comment stays\n")
    assert "numeric" in patched.text
    assert client("POST", f"{place}/undo").text == RECIPE
    client("PATCH", place, json={"requirements": [{"type": "k-anonymity", "k": 4}]})
    assert kind(client("POST", f"{place}/redo")) == "conflict"
    assert kind(client("PATCH", place, json={"columns": None})) == "parameter"
    assert (
        kind(client("PATCH", place, content=b"[]", headers={"Content-Type": "application/json"})) == "input"
    )
    assert len(list(settings.root.rglob("history/*.yaml"))) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "input"),
        ("a: [", "input"),
        ("- 1", "input"),
        (RECIPE.replace("k: 2", "k: 0"), "parameter"),
        (RECIPE.replace("k-anonymity", "k-anonimity"), "parameter"),
        (RECIPE.replace("role: quasi", "role: nothing"), "parameter"),
        ("[" * 200, "input"),
    ],
)
def test_a_wrong_recipe_is_not_kept(client, text, expected):
    place = f"{client.project()}/recipe"
    assert kind(client("PUT", place, content=text.encode())) == expected
    assert kind(client("PUT", place, content=b"\xff\xfe")) == "input"
    assert client("GET", place).status_code == 404


def test_a_recipe_may_come_as_json_and_needs_data(client):
    place = f"{client.project()}/recipe"
    content = {
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "requirements": [{"type": "k-anonymity", "k": 2}],
    }
    answer = client("PUT", place, json=content, headers={"Accept": "application/json"})
    assert answer.json() == content
    assert client("GET", f"{place}/schema").json()["title"] == "Recipe"
    empty = client("POST", "/projects", json={"name": "empty"}).json()["id"]
    assert kind(client("PUT", f"/projects/{empty}/recipe", json=content)) == "conflict"
    assert kind(client("POST", f"/projects/{empty}/jobs", json={"kind": "profile"})) == "conflict"


def test_jobs_are_queued_once_for_a_key(client):
    place = client.project()
    jobs = f"{place}/jobs"
    assert kind(client("POST", jobs, json={"kind": "run"})) == "conflict"
    client("PUT", f"{place}/recipe", content=RECIPE.encode())
    key = {"Idempotency-Key": "one"}
    first = client("POST", jobs, json={"kind": "run"}, headers=key)
    assert first.status_code == 202
    assert first.json()["state"] == "queued"
    assert client("POST", jobs, json={"kind": "run"}, headers=key).json()["id"] == first.json()["id"]
    assert kind(client("POST", jobs, json={"kind": "assess"}, headers=key)) == "conflict"
    assert kind(client("POST", jobs, json={"kind": "profile", "recipe": RECIPE})) == "parameter"
    assert kind(client("POST", jobs, json={"kind": "shell"})) == "request"
    assert kind(client("POST", jobs, json={"kind": "run", "seed": 1})) == "request"
    assert len(client("GET", jobs).json()["items"]) == 1
    where = first.headers["location"].removeprefix(API)
    assert client("GET", f"{where}/recipe").text == RECIPE
    assert client("DELETE", where).json()["state"] == "canceled"
    assert kind(client("DELETE", where)) == "conflict"
    events = client("GET", f"{where}/events").text
    assert events == 'event: state\ndata: {"state": "canceled"}\n\nevent: idle\ndata: {}\n\n'


def test_before_there_is_anything_lists_are_empty(client):
    place = client.project()
    assert kind(client("GET", f"{place}/profile")) == "absent"
    assert kind(client("GET", f"{place}/columns/age/values")) == "conflict"
    assert client("GET", f"{place}/candidates").json() == {"items": [], "next": None}
    assert client("GET", f"{place}/releases").json() == {"items": [], "next": None}
    assert kind(client("GET", f"{place}/comparison")) == "conflict"
    assert kind(client("POST", f"{place}/releases", json={"candidate": "0" * 16})) == "absent"
    ledger = client("GET", "/ledger").json()
    assert ledger["items"] == []
    assert ledger["intact"]


def test_a_fault_of_ours_tells_an_identifier_alone(client, settings, monkeypatch, capsys):
    place = client.project()
    (settings.root / "projects" / place.rpartition("/")[2] / "project.json").write_text('{"owner": "owner"}')
    answer = client("GET", place)
    assert (answer.status_code, kind(answer)) == (500, "fault")
    told = capsys.readouterr().err
    assert answer.json()["id"] in told
    assert str(settings.root) not in told + answer.text
    assert "members" not in json.dumps(answer.json())


def test_halves_of_signs_and_numbers_without_end_are_no_fault(client):
    place = client.project()
    half = b'{"columns": {"age": {"role": "quasi"}, "ill\\ud800": {"role": "drop"}}, "requirements": ["k-anonymity k=2"]}'
    headers = {"Content-Type": "application/json"}
    for method, address, content in (
        ("PUT", f"{place}/recipe", half),
        ("POST", f"{place}/jobs", b'{"kind": "run", "recipe": ' + half + b"}"),
        ("PUT", f"{place}/source", b'{"delimiter": "\\ud800"}'),
        ("POST", "/projects", b'{"name": "\\ud800"}'),
        ("POST", "/projects", b'{"name": ' + b"[" * 100_000),
        ("POST", "/projects", b'{"name": 1e999}'),
    ):
        answer = client(method, address, content=content, headers=headers)
        assert answer.status_code in {201, 400, 422}, answer.text
    endless = RECIPE.replace("role: quasi", "role: quasi, missing_values: [.inf, .nan]")
    if client("PUT", f"{place}/recipe", content=endless.encode()).status_code == 200:
        found = client("GET", f"{place}/recipe", headers={"Accept": "application/json"}).json()
        assert found["columns"]["age"]["missing_values"] == [None, None]
