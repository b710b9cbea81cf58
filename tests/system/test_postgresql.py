"""A real PostgreSQL server, started for these tests in a folder of their own where Debian's is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from datetime import date
from pathlib import Path

import polars as pl
import pytest

import sudare as sd
from sudare.errors import InputError, OutputError
from sudare.formats import database
from sudare.read.source import load

PASSWORD = "s3cret-Pa55"
SECONDS = 60


def program(name):
    """The newest of Debian's versions, else whatever is on the path."""
    versions = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    newest = sorted(versions, key=lambda path: float(path.parts[-3]))
    return str(newest[-1]) if newest else shutil.which(name)


def unprivileged():
    """The user to start the server as, for it refuses to run as root; None for the present one."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL refuses to run as root, and there is no other user")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def server():
    """Address of a running server, with the user `tester`, whose password is asked for."""
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    if initdb is None or pg_ctl is None:
        pytest.skip("PostgreSQL (initdb, pg_ctl) is not installed on this machine")
    user = unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="sudare-pg-", dir="/tmp"))  # short: sockets have short names
    port = free_port()

    def run(*command):
        identity = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        return subprocess.run(
            command,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
            **identity,
        ).returncode

    data = str(folder / "data")
    try:
        (folder / "password").write_text(PASSWORD)
        if user is not None:
            for path in (folder, folder / "password"):
                os.chown(path, user.pw_uid, user.pw_gid)
        made = run(
            initdb, "-D", data, "-U", "tester", "-A", "scram-sha-256",
            f"--pwfile={folder / 'password'}", "-E", "UTF8", "--no-sync",
        )  # fmt: skip
        if made != 0:
            pytest.skip("initdb cannot make a PostgreSQL cluster on this machine")
        settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -F"
        if run(pg_ctl, "-D", data, "-o", settings, "-w", "-t", "30", "-l", str(folder / "log"), "start") != 0:
            pytest.skip("the PostgreSQL server does not start on this machine")
        yield f"postgresql://tester:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            run(pg_ctl, "-D", data, "-m", "immediate", "-w", "-t", "20", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def filled(server):
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with dbapi.connect(server, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA clinic")
        cursor.execute(
            'CREATE TABLE clinic."Patients; DROP" (id int, zip text, cost numeric(10, 2), born date, '
            "alive boolean, key uuid, tags text[], note varchar(9))"
        )
        cursor.execute(
            "INSERT INTO clinic.\"Patients; DROP\" VALUES (1, '00123', 1.50, '1980-01-02', true, "
            "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', ARRAY['x', 'y'], '東京'), "
            "(2, '', NULL, NULL, NULL, NULL, NULL, NULL)"
        )
    return server


def test_the_only_table(filled):
    frame, facts = load(filled)
    assert frame.rows() == [
        (1, "00123", 1.5, date(1980, 1, 2), True, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", ["x", "y"], "東京"),
        (2, "", None, None, None, None, None, None),
    ]
    assert frame["cost"].dtype == pl.Float64
    assert facts.format == "postgresql"
    assert facts.name.endswith("/postgres#clinic.Patients; DROP")
    assert facts.name.startswith("postgresql://tester@127.0.0.1:")
    assert PASSWORD not in repr(facts)
    assert load(filled, table="clinic.Patients; DROP")[1] == facts


def test_a_query(filled):
    frame, facts = load(
        filled.replace("postgresql:", "postgres:"), query="SELECT 7 AS a, 'x' AS b WHERE true"
    )
    assert frame.rows() == [(7, "x")]
    assert facts.name.endswith("#query")
    assert load(filled, query="SELECT 7 AS a WHERE false")[0].shape == (0, 1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"table": "nope"}, "has no table 'nope'"),
        ({"table": 'x"; DROP SCHEMA clinic CASCADE; --'}, "has no table"),
        ({"query": "SELEC"}, 'syntax error at or near "SELEC"'),
        ({"query": "SELECT * FROM nope"}, 'relation "nope" does not exist'),
        ({"query": "SELECT 1/0"}, "division by zero"),
        ({"query": "SELECT 1; SELECT 2"}, "multiple commands"),
        ({"query": 'DELETE FROM clinic."Patients; DROP"'}, "read-only transaction"),
        ({"query": "SELECT 3.5::numeric::money AS m"}, "'m' has the type money"),
        ({"query": "SELECT '1 day'::interval AS i"}, "'i' has the type interval"),
        ({"query": "SELECT '10.0.0.1'::inet AS i"}, "'i' has the type inet"),
    ],
)
def test_mistakes_are_one_sentence(filled, options, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        load(filled, **options)
    assert "\n" not in str(caught.value)
    assert PASSWORD not in str(caught.value)
    assert load(filled)[0].height == 2


def test_refused_connections_never_show_the_password(server):
    wrong = server.replace(PASSWORD, "wr0ng-Pa55")
    for address, sentence in [
        (wrong, "did not accept the user name or password"),
        (server.replace("/postgres", "/absent"), "no such database"),
        (f"postgresql://tester:wr0ng-Pa55@127.0.0.1:{free_port()}/postgres", "no server answers there"),
        ("postgresql://tester:wr0ng-Pa55@127.0.0.1:port/postgres", "address was not accepted"),
    ]:
        with pytest.raises(InputError, match=sentence) as caught:
            load(address, table="t")
        error = caught.value
        assert "Pa55" not in str(error)
        assert error.__cause__ is None
        assert error.__suppress_context__


# -- releases written to a table


def released(rows=30):
    frame = pl.DataFrame(
        {
            "年齢": [20 + row % 3 for row in range(rows)],
            "disease": [("flu", 'co"ld', None)[row % 3] for row in range(rows)],
            "cost": [None if row == 4 else row * 0.1 for row in range(rows)],
            "seen": [date(2020, 1, 1 + row % 9) for row in range(rows)],
            "alive": [row % 2 == 0 for row in range(rows)],
        }
    )
    table = sd.read(frame).describe(
        quasi=["年齢"], sensitive=["disease"], insensitive=["cost", "seen", "alive"]
    )
    return sd.anonymize(table, sd.KAnonymity(3), method="mondrian", seed=1)


def test_a_release_is_written_in_one_transaction(filled, tmp_path, monkeypatch):
    release = released()
    written = release.write(tmp_path / "out", database=filled, table="clinic.released", reports=[])
    assert all(finding.holds for finding in written.findings)
    frame, _ = load(filled, table="clinic.released")
    assert frame.sort(frame.columns).equals(release.frame.select(frame.columns).sort(frame.columns))
    for place in (tmp_path / "out").rglob("*.*"):
        assert PASSWORD.encode() not in place.read_bytes()
    with pytest.raises(OutputError, match=r"already has a table 'released'") as told:
        release.write(tmp_path / "b", database=filled, table="clinic.released", reports=[])
    assert PASSWORD not in str(told.value)
    release.write(tmp_path / "out", database=filled, table="clinic.released", overwrite=True, reports=[])
    monkeypatch.setattr(database, "_same", lambda found, frame: False)
    for name, overwrite in (("clinic.released", True), ("fresh", False)):
        with pytest.raises(OutputError, match="is not the one that was written"):
            release.write(tmp_path / "c", database=filled, table=name, overwrite=overwrite, reports=[])
    assert not (tmp_path / "b").exists()
    assert not (tmp_path / "c").exists()
    assert load(filled, table="clinic.released")[0].height == 30
    with pytest.raises(InputError, match="has no table 'fresh'"):
        load(filled, table="fresh")


def test_a_schema_that_does_not_exist_is_one_sentence(filled, tmp_path):
    with pytest.raises(OutputError, match=r"cannot be written to 'postgresql://tester@.*nowhere") as told:
        released().write(tmp_path / "out", database=filled, table="nowhere.t", reports=[])
    assert PASSWORD not in str(told.value)
    assert not (tmp_path / "out").exists()
