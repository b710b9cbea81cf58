"""What the system tests share: the command called in this process, a small table, and folders listed."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from sudare.cli import main
from sudare.release.demo import demo

ENVIRONMENT = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}

PATIENTS = "name,age,sex,zip,disease\n" + "".join(
    f"Person{number:03},{20 + number * 7 % 60},{'MF'[number % 2]},{number * 37 % 900:05},"
    f"{('flu', 'cold', 'ulcer', 'asthma')[number % 4]}\n"
    for number in range(60)
)

RECIPE = """\
version: 1
source: {path: patients.csv}
columns:
  name: {role: identifier}
  age: {role: quasi, hierarchy: {type: intervals, width: 5}}
  sex: {role: quasi, hierarchy: {type: suppress}}
  zip: {role: quasi, hierarchy: {type: mask}}
  disease: {role: sensitive}
requirements: [{type: k-anonymity, k: 5}, {type: l-diversity, l: 2}]
method: {type: mondrian}
output: {folder: release, reports: []}
"""


def changed(recipe, path, value):
    """A recipe with one thing changed, or taken away where the value is None."""
    made = json.loads(json.dumps(recipe))
    place = made
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return made


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


class Command:
    """`sudare` in this process: exit code, standard output and standard error of a call."""

    def __init__(self, capsys):
        self._capsys = capsys

    def __call__(self, *arguments):
        self._capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        told = self._capsys.readouterr()
        return Result(code, told.out, told.err)

    def done(self, *arguments):
        """Call it for something that must work; its standard output."""
        result = self(*arguments)
        assert result.code == 0, result
        assert result.err == ""
        return result.out

    def refused(self, code, *arguments):
        """Call it for something that must not work; the one sentence it says."""
        result = self(*arguments)
        assert result.code == code, result
        assert result.out == ""
        return one_sentence(result.err)


def one_sentence(err):
    """What follows `sudare: `; exactly one line that ends as a sentence does."""
    assert err.startswith("sudare: "), err
    assert err.count("\n") == 1, err
    assert err.endswith("\n"), err
    assert "Traceback" not in err
    sentence = err.removeprefix("sudare: ").rstrip("\n")
    assert sentence[-1] in ".?", sentence
    return sentence


def listing(folder):
    """Every file and folder below with its content, to compare before and after."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(Path(folder).rglob("*"))
        if not path.name.startswith("ledger.sqlite")
    }


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """The command in an empty folder of its own, with a terminal of 80 columns and a ledger of its own."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


@pytest.fixture
def job(command, tmp_path):
    """The folder with a table of 60 rows and its recipe, without reports."""
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    (tmp_path / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def edit(job):
    """Replace a piece of the recipe that is there once."""

    def change(old, new):
        text = (job / "recipe.yaml").read_text(encoding="utf-8")
        assert text.count(old) == 1
        (job / "recipe.yaml").write_text(text.replace(old, new), encoding="utf-8")

    return change


def child_environment(folder):
    """The environment of a child process: as in the fixture, with the ledger in the folder."""
    return {**os.environ, **ENVIRONMENT, "SUDARE_LEDGER": str(folder / "ledger.sqlite")}


@pytest.fixture
def fails(command, job):
    """Call a command that must fail and must change nothing but the ledger; its sentence."""

    def call(code, *arguments):
        before = listing(job)
        sentence = command.refused(code, *arguments)
        assert listing(job) == before
        return sentence

    return call


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory):
    """The demonstration with 300 rows, reports included."""
    folder = tmp_path_factory.mktemp("demonstration")
    demo(folder, rows=300, language="en", overwrite=False)
    return folder
