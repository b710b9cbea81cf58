"""A server in this process, whose jobs stay queued unless a test starts them; clients of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sudare.web.application import application
from sudare.web.settings import Limits, Settings, digest_of

HOST = "http://127.0.0.1:8080"
API = "/api/v1"


class Client:
    """A program that uses the interface with a token."""

    def __init__(self, app, token, **headers):
        self.http: Any = TestClient(
            app,
            base_url=HOST,
            headers={"Authorization": f"Bearer {token}", **headers},
            raise_server_exceptions=False,
        )

    def __call__(self, method, place, **given):
        return self.http.request(method, f"{API}{place}", **given)

    def project(self, text=None):
        """A new project with a table; its address."""
        place = f"/projects/{self('POST', '/projects', json={'name': 'people'}).json()['id']}"
        assert (
            self("PUT", f"{place}/data?filename=people.csv", content=(text or TABLE).encode()).status_code
            == 200
        )
        return place

    def ended(self, place, seconds=120.0):
        """A job when it has ended."""
        deadline = time.monotonic() + seconds
        while (job := self("GET", place).json())["state"] in {"queued", "running"}:
            assert time.monotonic() < deadline, job
            time.sleep(0.05)
        return job


TABLE = "age,ill\n" + "".join(f"{20 + row % 5},{'ab'[row % 2]}\n" for row in range(40))
RECIPE = """\
# the comment stays
version: 1
source: {path: people.csv}
columns:
  age: {role: quasi}
  ill: {role: sensitive}
requirements: [{type: k-anonymity, k: 2}]
output: {folder: release, reports: []}
"""


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "shared").mkdir()
    return Settings(
        root=tmp_path / "root",
        allowed=(tmp_path / "shared",),
        ledger=tmp_path / "ledger.sqlite",
        limits=Limits(disk_reserve=0),
    )


@pytest.fixture
def app(settings):
    return application(settings)


@pytest.fixture
def client(app, settings):
    return Client(app, settings.token)


@pytest.fixture
def team(settings):
    """A server of three users, behind a proxy; a client for each."""
    tokens = {name: digest_of(f"token of {name}") for name in ("ann", "bob", "eve")}
    app = application(replace(settings, tokens=tokens, hosts=("sudare.example",), secure=True))
    return {name: Client(app, f"token of {name}") for name in tokens}
