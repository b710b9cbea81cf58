"""Whatever a client sends to whatever route: never a fault of ours, always a problem that has the form of all."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from tests.unit.web.conftest import API, RECIPE

from sudare.release.recipe.parts import parse_yaml
from sudare.web.projects import write_json

ROUNDS = 12
"""Calls of each route and method."""
ODD: list[Any] = [
    None, True, 0, -1, 10**30, 1e308, "", " ", "\0", "../..", "*", "a" * 3000, "患者", "\u202e", "{}", "k-anonymity k=2",
    "csv path=/etc/passwd", [], [[]], {}, {"type": "tree", "mapping": {"a": []}}, {"type": "mask"}, {"type": []},
    {"path": "/etc/passwd"}, {"": {"": None}}, ["a", 1, None],
]  # fmt: skip


def spoiled(random, content):
    """A copy with some of its parts replaced, removed or renamed."""
    made = copy.deepcopy(content)
    for _ in range(random.randint(1, 3)):
        part = made
        while isinstance(part, dict | list) and part:
            key = random.choice(list(part) if isinstance(part, dict) else range(len(part)))
            if random.random() < 0.5 or not isinstance(part[key], dict | list) or not part[key]:
                match random.randint(0, 3):
                    case 0 if isinstance(part, dict):
                        part[str(random.choice(ODD))] = part.pop(key)
                    case 1:
                        del part[key]
                    case _:
                        part[key] = random.choice(ODD)
                break
            part = part[key]
    return made


@pytest.fixture
def bodies():
    recipe = parse_yaml(RECIPE, "recipe")
    return [
        recipe,
        {"kind": "run", "recipe": recipe},
        {"kind": "profile"},
        {"name": "a", "members": ["owner"]},
        {"path": "a.csv", "connection": "b", "example": "hospital", "rows": 100, "missing": ["x"]},
        {"example": "hospital", "rows": 100},
        {"candidate": "0" * 16},
        {"type": "intervals", "width": 5},
        {"type": "tree", "mapping": {"all": ["a", "b"]}},
        {"columns": {"age": {"hierarchy": {"type": "dates"}}}, "measures": ["loss"], "about": {"title": "t"}},
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_call_is_a_fault(client, settings, bodies, seed):
    chance = random.Random(seed)
    place = client.project()
    folder = settings.root / "projects" / place.rpartition("/")[2]
    client("PUT", f"{place}/recipe", content=RECIPE.encode())
    job = client("POST", f"{place}/jobs", json={"kind": "run"}).json()["id"]
    write_json(folder / "profile.json", {"kind": "table"})
    known = {"project_id": place.rpartition("/")[2], "job_id": job, "candidate_id": job, "release_id": job, "name": "age",
             "step": "undo", "what": "methods", "made": "candidates", "part": "public"}  # fmt: skip
    paths = client("GET", "/openapi.json").json()["paths"]
    for route, methods in paths.items():
        for method in methods:
            if method == "delete" and route == f"{API}/projects/{{project_id}}":
                continue
            if route.endswith("/events"):
                continue  # streams until the job ends
            for _ in range(ROUNDS):
                address = route.removeprefix(API)
                for name, value in known.items():
                    given = (
                        value
                        if chance.random() < 0.9
                        else chance.choice(["x", "%00", "0" * 16, "..%2f", "患者"])
                    )
                    address = address.replace(f"{{{name}}}", given)
                content = (
                    spoiled(chance, chance.choice(bodies)) if chance.random() < 0.9 else chance.choice(ODD)
                )
                query = {
                    name: chance.choice(["", "1", "-1", "a", "\0", "9" * 30, "ja"])
                    for name in ("limit", "cursor", "filename", "risk", "lang")
                    if chance.random() < 0.4
                }
                answer = client(method.upper(), address, json=content, params=query)
                assert answer.status_code < 500, (method, address, content, query, answer.text)
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == "application/problem+json"
                    assert answer.json()["type"].startswith("urn:sudare:")
                    assert str(settings.root) not in answer.text
