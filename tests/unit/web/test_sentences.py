"""Every sentence of the server is said by a case here, in both languages, by what raises it."""

from __future__ import annotations

import contextlib
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sudare.errors import SudareError
from sudare.web import problems, worker
from sudare.web.api import data
from sudare.web.api.common import page
from sudare.web.application import _rule, alone, application, serve
from sudare.web.confine import Confined, check_parsed, confined, real_place
from sudare.web.guard import Guard
from sudare.web.jobs import Jobs
from sudare.web.projects import Projects, check_disk
from sudare.web.settings import Limits, read_connections, read_tokens
from sudare.words.sentence import Sentence, in_language, loaded

KEYS = [key for key in loaded("errors", "en") if key.startswith("web.")]
TO = Confined("people.csv", "/data/upload.csv", ())
OUT = Path("/out")
SCOPE = {"headers": [(b"host", b"evil")], "method": "GET", "path": "/", "query_string": b""}


class Case:
    """What a server would be asked, one method for each sentence; its name is the key."""

    def __init__(self, settings, tmp_path):
        self.settings, self.folder = settings, tmp_path
        self.projects = Projects(settings)
        self.projects.prepare()
        self.project = self.projects.make("a", "ann")
        self.jobs = Jobs(self.projects)

    def absent(self):
        self.projects.get("../..", "ann")

    def only_owner(self):
        self.project.change(members=["bob"])
        self.projects.owned(self.project.id, "bob")

    def disk_full(self):
        check_disk(self.folder, Limits(disk_reserve=10**18))

    def too_many_projects(self):
        Projects(replace(self.settings, limits=Limits(projects=1, disk_reserve=0))).make("b", "ann")

    def no_source(self):
        self.project.confinement(())

    def no_connection(self):
        worker._address(self.project, {"kind": "connection", "label": "hospital"}, {}, ())

    def connection(self):
        read_connections(["a b=postgresql://x"])

    def cursor(self):
        page([], 10, "a", str, str)

    def confine_file(self):
        real_place("/etc/passwd", (self.folder,))

    def confine_source(self):
        confined({"source": {"path": "/etc/passwd"}}, TO, OUT)

    def confine_of_source(self):
        confined({"source": {"query": "select 1"}}, TO, OUT)

    def confine_database(self):
        confined({"output": {"database": "sqlite:///x"}}, TO, OUT)

    def confine_never(self):
        confined({"method": [{"key_variable": "HOME"}]}, TO, OUT)

    def confine_deep(self):
        nested: Any = []
        for _ in range(200):
            nested = [nested]
        with pytest.raises(SudareError):
            check_parsed(nested, TO, OUT)
        confined({"method": nested}, TO, OUT)

    def history_first(self):
        self.project.step(-1)

    def history_last(self):
        self.project.write_recipe("a")
        self.project.step(1)

    def recipe_changed(self):
        self.project.write_recipe("a")
        self.project.write_recipe("b", '"other"')

    def recipe_tag_needed(self):
        self.project.write_recipe("a")
        self.project.write_recipe("b", must=True)

    def source_one(self):
        data.chosen(self.project, self.settings, data.GivenSource(path="a", example="hospital"))

    def source_query(self):
        given = replace(self.settings, connections={"a": "sqlite:///x"})
        data.chosen(self.project, given, data.GivenSource(connection="a", query="select 1"))

    def jobs_unpacked(self):
        with zipfile.ZipFile(self.folder / "a.xlsx", "w") as made:
            made.writestr("a", "x" * 1000)
        worker._refuse_large_archive(str(self.folder / "a.xlsx"), {"upload_bytes": 10})

    def jobs_rows(self):
        worker._check_size(pl.DataFrame({"a": [1, 2]}), asdict(Limits(rows=1)))

    def jobs_columns(self):
        worker._check_size(pl.DataFrame({"a": [1], "b": [1]}), asdict(Limits(columns=1)))

    def jobs_cell(self):
        worker._check_size(pl.DataFrame({"a": ["xxx"]}), asdict(Limits(cell=2)))

    def jobs_queue(self):
        jobs = Jobs(Projects(replace(self.settings, limits=Limits(queued=0, disk_reserve=0))))
        jobs.add(self.project, "profile", user="ann")

    def jobs_ended(self):
        job, _ = self.jobs.add(self.project, "profile", user="ann")
        self.jobs.cancel(job)
        self.jobs.cancel(job)

    def jobs_other_body(self):
        self.jobs.add(self.project, "profile", user="ann", key="a")
        self.jobs.add(self.project, "assess", user="ann", key="a")

    def tokens_unreadable(self):
        read_tokens(self.folder / "absent")

    def _tokens(self, text):
        (self.folder / "tokens").write_text(text)
        read_tokens(self.folder / "tokens")

    def tokens_line(self):
        self._tokens("ann")

    def tokens_twice(self):
        self._tokens(f"ann {'0' * 64}\nann {'1' * 64}")

    def tokens_none(self):
        self._tokens("# nobody")

    def serve_taken(self):
        with alone(self.settings), alone(self.settings):
            pass

    def serve_port(self):
        serve(replace(self.settings, port=1, host="192.0.2.1"), lambda: None)

    def guard_host(self):
        Guard(application(self.settings), self.settings)._check_place(SCOPE, {"host": "evil"})

    def guard_origin(self):
        scope = {**SCOPE, "headers": [(b"host", b"localhost")]}
        Guard(application(self.settings), self.settings)._check_place(
            scope, {"host": "localhost", "origin": "http://evil"}
        )


SAID = sorted(name for name in vars(Case) if not name.startswith("_"))
BY_REQUEST = {
    "web.no_such_user", "web.no_profile", "web.no_recipe", "web.recipe.patch", "web.upload.too_large", "web.upload.empty",
    "web.upload.broken", "web.values.nested", "web.jobs.no_recipe", "web.releases.no_candidate",
    "web.releases.under_way", "web.jobs.memory", "web.jobs.time", "web.jobs.lost", "web.status.unauthorized",
    "web.status.too_large", "web.serve.extra", "web.serve.host", "web.serve.no_folder",
}  # fmt: skip
"""Sentences of routes, limits and the command: `test_api.py`, `test_jobs.py` and `test_serve_command.py` raise them."""


@pytest.mark.parametrize("name", SAID)
def test_a_sentence_is_said_in_both_languages(name, settings, tmp_path):
    case = Case(settings, tmp_path)
    with pytest.raises(SudareError) as refused, contextlib.suppress(SystemExit):
        getattr(case, name)()
    sentence = refused.value.sentence
    assert isinstance(sentence, Sentence)
    assert sentence.key == "web." + next(
        key.removeprefix("web.") for key in KEYS if key.removeprefix("web.").replace(".", "_") == name
    )
    english, japanese = (problems.problem(refused.value, language) for language in ("en", "ja"))
    assert english["detail"] != japanese["detail"]
    assert english["title"] != japanese["title"]


@pytest.mark.parametrize("status", sorted(problems._STATUS))
def test_statuses_are_told_in_both_languages(status):
    assert problems.of_status(status, "en")["detail"] != problems.of_status(status, "ja")["detail"]


@pytest.mark.parametrize("kind", ["missing", "extra_forbidden"])
def test_fields_are_told_in_both_languages(kind):
    said = _rule({"type": kind})
    assert in_language(said, "en") != in_language(said, "ja")


def test_a_fault_is_told_in_both_languages(capsys):
    english, japanese = (problems.unexpected(ValueError("secret"), language) for language in ("en", "ja"))
    assert english["detail"] != japanese["detail"]
    assert "secret" not in capsys.readouterr().err
    assert worker.unexpected_in_japanese(japanese)["detail"] == japanese["detail"]


def test_no_sentence_is_forgotten():
    said = {key for key in KEYS if key.removeprefix("web.").replace(".", "_") in SAID}
    told = {key for key in KEYS if key.startswith(("web.kinds.", "web.status.", "web.field."))}
    assert set(KEYS) - said - told - BY_REQUEST == {"web.fault"}
