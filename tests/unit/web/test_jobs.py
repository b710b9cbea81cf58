"""Jobs in real processes: from a file to a release, cancel, limits, and a server that is killed."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.web.conftest import API, RECIPE, Client

from sudare.release.ledger.ledger import Ledger
from sudare.verify.verify import verify_release
from sudare.web.application import application
from sudare.web.jobs import Job, Jobs, jobs_of
from sudare.web.projects import Projects, write_json
from sudare.web.settings import Limits

pytestmark = pytest.mark.slow


@pytest.fixture
def running(app, settings):
    """A client of a server whose jobs are started."""
    client = Client(app, settings.token)
    with client.http:
        yield client


def start(client, place, **given):
    """A new job; its address."""
    answer = client("POST", f"{place}/jobs", json=given)
    assert answer.status_code == 202, answer.text
    return answer.headers["location"].removeprefix(API)


def done(client, place, **given):
    """A job that is done."""
    job = client.ended(start(client, place, **given))
    assert job["state"] == "done", job
    return job


def folder_of(settings, address):
    """The folder of a job by its address."""
    _, _, project, _, job = address.split("/")
    return settings.root / "projects" / project / "jobs" / job


def test_from_a_file_to_a_release(running, settings):
    place = running.project()
    assert done(running, place, kind="profile")["result"] == {"kind": "table", "rows": 40}
    profile = running("GET", f"{place}/profile").json()
    assert [one["column"] for one in profile["guesses"]] == ["age", "ill"]
    assert "path: people.csv" in running("GET", f"{place}/recipe").text
    values = running("GET", f"{place}/columns/age/values?limit=2").json()
    assert values == {
        "items": [{"value": "20", "rows": 8}, {"value": "21", "rows": 8}],
        "next": "2",
        "distinct": 5,
    }
    assert running("GET", f"{place}/columns/nothing/values").json()["type"] == "urn:sudare:description"
    preview = running(
        "POST",
        f"{place}/columns/ill/hierarchy-preview",
        json={"type": "tree", "mapping": {"all": ["a", "c"]}},
    )
    assert preview.json()["uncovered"] == [{"value": "b", "rows": 20}]
    assert preview.json()["unused"] == ["c"]
    assert preview.json()["tree"]["nodes"][0]["rows"] == 20
    steps = running("POST", f"{place}/columns/age/hierarchy-preview", json={"type": "intervals", "width": 5})
    assert steps.json()["tree"]["nodes"][0]["rows"] == 40
    attack = {"type": "csv", "path": "/etc/passwd"}
    assert running("POST", f"{place}/columns/ill/hierarchy-preview", json=attack).status_code == 403

    tag = running("GET", f"{place}/recipe").headers["etag"]
    running(
        "PUT",
        f"{place}/recipe",
        content=RECIPE.replace(", reports: []", "").encode(),
        headers={"If-Match": tag},
    )
    study = done(running, place, kind="assess")["result"]["study"]
    assert study["feasible"]
    japanese = running("GET", f"{place}/jobs?lang=ja").json()["items"]
    assert japanese[0]["kind"] == "assess"
    candidate = done(running, place, kind="run")
    assert all(finding["holds"] for finding in candidate["result"]["findings"])
    again = running("GET", f"{place}/jobs/{candidate['id']}?lang=ja").json()
    sentences = zip(candidate["result"]["findings"], again["result"]["findings"], strict=True)
    assert all(one["sentence"] != other["sentence"] for one, other in sentences)
    other = done(running, place, kind="run", recipe=RECIPE.replace("k: 2", "k: 8"))
    compared = running("GET", f"{place}/comparison").json()
    assert {one["release"] for one in compared["candidates"]} == {candidate["id"], other["id"]}
    frame = running("GET", f"{place}/candidates/{candidate['id']}/report/internal")
    assert frame.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert frame.headers["content-type"].startswith("text/html")
    assert running("GET", f"{place}/candidates/{other['id']}/report/public").status_code == 404

    events = running("GET", f"{place}/jobs/{candidate['id']}/events").text
    assert "event: progress" in events
    assert events.endswith('event: state\ndata: {"state": "done"}\n\nevent: idle\ndata: {}\n\n')
    later = running("GET", f"{place}/jobs/{candidate['id']}/events", headers={"Last-Event-ID": "9999"}).text
    assert "event: progress" not in later

    asked = running("POST", f"{place}/releases", json={"candidate": candidate["id"]})
    release = running.ended(asked.headers["location"].removeprefix(API))
    assert release["state"] == "done", release
    archive = running("GET", f"{place}/releases/{release['id']}/public.zip")
    with zipfile.ZipFile(io.BytesIO(archive.content)) as packed:
        assert sorted(packed.namelist()) == ["data.csv", "manifest.json", "report.html"]
        assert str(settings.root).encode() not in b"".join(packed.read(name) for name in packed.namelist())
    folder = folder_of(settings, f"{place}/jobs/{release['id']}") / "release"
    assert all(finding.holds for finding in verify_release(folder))
    assert [entry.event for entry in Ledger(settings.ledger).entries()] == ["started", "released"]
    told = running("GET", "/ledger")
    assert told.json()["intact"]
    assert str(settings.root) not in told.text
    # All that a client was told has no path of the server.
    for address in (place, f"{place}/jobs", f"{place}/candidates", f"{place}/releases", f"{place}/profile"):
        assert str(settings.root) not in running("GET", address).text
    assert running("DELETE", f"{place}/candidates/{other['id']}").status_code == 204
    assert len(running("GET", f"{place}/candidates").json()["items"]) == 1


def test_a_candidate_that_was_changed_is_not_released(running, settings):
    place = running.project()
    running("PUT", f"{place}/recipe", content=RECIPE.encode())
    done(running, place, kind="profile")
    candidate = done(running, place, kind="run")
    data = folder_of(settings, f"{place}/jobs/{candidate['id']}") / "release" / "public" / "data.csv"
    data.write_text(data.read_text() + "20,a\n")
    asked = running("POST", f"{place}/releases", json={"candidate": candidate["id"]})
    release = running.ended(asked.headers["location"].removeprefix(API))
    assert release["state"] == "failed"
    assert release["problem"]["type"] == "urn:sudare:guarantee"
    assert not (folder_of(settings, f"{place}/jobs/{release['id']}") / "release").exists()
    assert [entry.event for entry in Ledger(settings.ledger).entries()] == ["started", "failed"]


def test_baskets_are_released_too(running):
    place = running.project(
        "milk bread\nmilk bread\nmilk bread beer\nbread beer\nbread beer\nmilk beer\n" * 3
    )
    running("PUT", f"{place}/source", json={"baskets": True})
    assert done(running, place, kind="profile")["result"] == {"kind": "baskets", "rows": 18}
    candidate = done(running, place, kind="run")
    asked = running("POST", f"{place}/releases", json={"candidate": candidate["id"]})
    release = running.ended(asked.headers["location"].removeprefix(API))
    assert release["state"] == "done", release


def test_an_upload_that_is_no_table_is_one_sentence_and_the_project_stays(running):
    place = running.project("\x00\x01\x02\x03" * 100)
    job = running.ended(start(running, place, kind="profile"))
    assert job["state"] == "failed"
    assert job["problem"]["type"] == "urn:sudare:input"
    assert "/" not in job["problem"]["detail"]
    assert running("GET", place).status_code == 200


def test_a_file_that_cannot_be_read_is_called_as_its_user_calls_it(running):
    place = running.project("\x89PNG")
    running("PUT", f"{place}/data?filename=patients.csv", content=b"\x89PNG\r\n\x1a\nxxxx")
    job = running.ended(start(running, place, kind="profile"))
    assert job["problem"]["detail"].startswith("'patients.csv' is an image")


def test_tables_have_limits(settings):
    limits = Limits(rows=30, disk_reserve=0)
    client = Client(application(replace(settings, limits=limits)), settings.token)
    with client.http:
        job = client.ended(start(client, client.project(), kind="profile"))
        assert job["problem"]["detail"] == "The table has 40 rows, more than the 30 that the server takes."


def worker_of(folder):
    """The process of a job that runs; never 0, which would be all of ours."""
    worker = Job(folder).worker()
    assert worker
    return worker


SLOW = "v,ill\n" + "".join(f"{row * 7919 % 100_003},{row % 7}\n" for row in range(60_000))
SLOW_RECIPE = RECIPE.replace("age", "v").replace(
    "requirements", "method: {type: generalization, effort: thorough}\nrequirements"
)


def wait_for(said, seconds=60.0):
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_cancel_ends_a_run_within_four_seconds_and_the_ledger_says_so(running, settings):
    place = running.project(SLOW)
    running("PUT", f"{place}/recipe", content=SLOW_RECIPE.encode())
    address = start(running, place, kind="run")
    folder = folder_of(settings, address)
    ledger = folder.parent.parent / "ledger.sqlite"
    wait_for(lambda: ledger.exists() and Ledger(ledger).entries())
    began = time.monotonic()
    assert running("DELETE", address).status_code == 202
    job = running.ended(address)
    assert time.monotonic() - began < 4.5
    assert job["state"] == "canceled", job
    assert not (folder / "release").exists()
    assert not list(folder.glob(".sudare-*"))
    assert [entry.event for entry in Ledger(ledger).entries()] == ["started", "cancelled"]


def test_a_worker_that_does_not_listen_is_killed(running, settings):
    """As a kernel that is being compiled: it never reports, so only SIGKILL ends it."""
    place = running.project(SLOW)
    running("PUT", f"{place}/recipe", content=SLOW_RECIPE.encode())
    address = start(running, place, kind="run")
    folder = folder_of(settings, address)
    ledger = folder.parent.parent / "ledger.sqlite"
    wait_for(lambda: ledger.exists() and Ledger(ledger).entries())
    os.kill(worker_of(folder), signal.SIGSTOP)
    began = time.monotonic()
    running("DELETE", address)
    assert running.ended(address)["state"] == "canceled"
    assert 2.5 < time.monotonic() - began < 4.5
    assert not list(folder.glob(".sudare-*"))
    assert [entry.event for entry in Ledger(ledger).entries()] == ["started", "cancelled"]


def test_a_worker_killed_from_outside_is_lost(running, settings):
    place = running.project(SLOW)
    running("PUT", f"{place}/recipe", content=SLOW_RECIPE.encode())
    address = start(running, place, kind="run")
    folder = folder_of(settings, address)
    ledger = folder.parent.parent / "ledger.sqlite"
    wait_for(lambda: ledger.exists() and Ledger(ledger).entries())
    os.kill(worker_of(folder), signal.SIGKILL)
    job = running.ended(address)
    assert job["state"] == "lost"
    assert "ended from outside" in job["problem"]["detail"]
    assert [entry.event for entry in Ledger(ledger).entries()] == ["started", "failed"]


@pytest.mark.parametrize(
    ("limits", "said"), [(Limits(memory=1_000_000), "memory"), (Limits(seconds=0.01), "longer")]
)
def test_jobs_have_limits(settings, limits, said):
    client = Client(application(replace(settings, limits=replace(limits, disk_reserve=0))), settings.token)
    with client.http:
        place = client.project(SLOW)
        client("PUT", f"{place}/recipe", content=SLOW_RECIPE.encode())
        job = client.ended(start(client, place, kind="run"))
        assert job["state"] in {"failed", "canceled"}
        if job["state"] == "failed":
            assert said in job["problem"]["detail"]


def served(root, port):
    """A server as users start it, and the client that its address makes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sudare.cli", "serve", "--root", str(root), "--no-warm", "--json", "--port", str(port), "--disk", "0",
         "--ledger", str(root / "ledger.sqlite")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    printed = ""
    while not printed.endswith("}\n"):
        printed += process.stdout.readline()
    return process, json.loads(printed)["address"]


def free_port():
    """A port that nobody uses."""
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Remote(Client):
    """The same over the network."""

    def __init__(self, address):
        import httpx2

        base, _, token = address.partition("?token=")
        self.http: Any = httpx2.Client(
            base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=30
        )


def test_a_server_killed_in_the_middle_loses_nothing(tmp_path):
    root, port = tmp_path / "root", free_port()
    process, address = served(root, port)
    client = Remote(address)
    place = client.project(SLOW)
    client("PUT", f"{place}/recipe", content=RECIPE.replace("age", "v").encode())
    running, waiting = start(client, place, kind="run"), start(client, place, kind="profile")
    wait_for(lambda: client("GET", running).json()["state"] == "running")
    process.kill()
    process.wait()
    process.stdout.close()
    client.http.close()
    process, address = served(root, port)
    client = Remote(address)
    try:
        assert client("GET", running).json()["state"] in {"running", "done"}
        assert client.ended(running)["state"] == "done"
        assert client.ended(waiting)["state"] == "done"
        assert len(client("GET", f"{place}/candidates").json()["items"]) == 1
        ledger = root / "projects" / place.rpartition("/")[2] / "ledger.sqlite"
        assert [entry.event for entry in Ledger(ledger).entries()] == ["started", "released"]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()
        client.http.close()


def test_a_job_that_a_killed_server_had_started_is_not_started_again(settings):
    """Killed between starting the worker and saying so: the lock is held, the mark is not there yet."""
    projects = Projects(settings)
    projects.prepare()
    job, _ = Jobs(projects).add(projects.make("a", "owner"), "assess", user="owner", recipe="a")
    holding = (
        "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print('.', flush=True); "
        "time.sleep(60)"
    )
    place = str(job.folder / "lock")
    holder = subprocess.Popen([sys.executable, "-c", holding, place], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    holder.stdout.read(1)
    assert job.worker() == 0
    after = Jobs(projects)
    after.start()
    time.sleep(0.3)
    assert str(job.state) == "running"
    assert not (job.folder / "events.jsonl").exists()
    holder.kill()
    holder.wait()
    holder.stdout.close()
    wait_for(lambda: job.state == "lost")
    after.stop()


def test_a_restart_sees_what_was_lost_meanwhile(settings):
    projects = Projects(settings)
    projects.prepare()
    project = projects.make("a", "owner")
    before = Jobs(projects)
    lost, _ = before.add(project, "assess", user="owner", recipe="a")
    ended, _ = before.add(project, "assess", user="owner", recipe="b")
    (lost.folder / "launched").touch()
    (lost.folder / ".sudare-release-12345678").mkdir()
    write_json(ended.folder / "result.json", {"state": "done"})
    assert (lost.state, ended.state) == ("running", "done")
    after = Jobs(projects)
    after.start()
    wait_for(lambda: lost.state == "lost")
    after.stop()
    assert {job.state for job in jobs_of(project)} == {"lost", "done"}
    assert not list(lost.folder.glob(".sudare-*"))


def test_a_source_that_became_a_link_is_not_read(running, settings, tmp_path):
    shared = settings.allowed[0] / "table.csv"
    shared.write_text("a,b\n1,2\n")
    (tmp_path / "secret.csv").write_text("secret,b\n1,2\n")
    place = running.project()
    assert running("PUT", f"{place}/source", json={"path": "table.csv"}).status_code == 200
    shared.unlink()
    shared.symlink_to(tmp_path / "secret.csv")
    job = running.ended(start(running, place, kind="profile"))
    assert job["problem"]["type"] == "urn:sudare:forbidden"
    assert running("GET", f"{place}/profile").status_code == 404


def test_named_databases_are_read_and_their_addresses_stay_with_the_server(settings, tmp_path):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(tmp_path / "clinic.db")) as database, database:
        database.execute("CREATE TABLE stays (age INTEGER, ill TEXT)")
        database.executemany(
            "INSERT INTO stays VALUES (?, ?)", [(20 + row % 5, "ab"[row % 2]) for row in range(40)]
        )
        database.execute("CREATE TABLE other (a INTEGER)")
    given = replace(settings, connections={"clinic": f"sqlite:///{tmp_path}/clinic.db"})
    client = Client(application(given), settings.token)
    with client.http:
        place = f"/projects/{client('POST', '/projects', json={'name': 'a'}).json()['id']}"
        client("PUT", f"{place}/source", json={"connection": "clinic", "table": "stays"})
        assert done(client, place, kind="profile")["result"] == {"kind": "table", "rows": 40}
        text = client("GET", f"{place}/recipe").text
        assert "path: clinic\n" in text
        candidate = done(client, place, kind="run")
        assert all(finding["holds"] for finding in candidate["result"]["findings"])
    kept = [file for file in settings.root.rglob("*") if file.is_file() and file.name != "manifest.json"]
    assert not [file for file in kept if b"clinic.db" in file.read_bytes()]
