"""Runs that are killed, canceled, or meet another run in the same folder.

The runs are processes forked from a nursery, an interpreter that has imported everything (this file run as a
script): ten starts of Python would take longer than what they test.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.system.conftest import child_environment, listing, one_sentence

from sudare.release.ledger.ledger import Ledger
from sudare.verify.verify import verify_release

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")

STEPS = [("run", "anonymize"), ("folder", "manifest_of"), ("table.kind", "verify_release")]


class Nursery:
    """Starts runs that wait inside one step, for ever or until a file appears."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []
        self._process: Any = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**child_environment(folder), "PYTHONPATH": str(Path(__file__).parents[2])},
            text=True,
        )

    def start(self, job, step, *arguments, mark="ready", until="never"):
        told = str(self.folder / f"run{len(self.running)}")
        number = self._ask(
            "start", job=str(job), step=step, arguments=arguments, mark=mark, until=until, told=told
        )
        run = Run(self, number, Path(told))
        self.running.append(run)
        return run

    def wait(self, number):
        return self._ask("wait", number=number)

    def close(self):
        for run in self.running:
            run.end()
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _ask(self, question, **values):
        print(json.dumps([question, values]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


class Run:
    """One run: its process id, its exit code once it has ended, what it said."""

    def __init__(self, nursery, number, told):
        self._nursery = nursery
        self._told = told
        self.number = number
        self.code = None

    def reached(self, mark):
        """Wait until it is inside its step."""
        deadline = time.monotonic() + 60
        while not mark.exists():
            assert time.monotonic() < deadline, f"The run did not reach its step: {self.said()}"
            time.sleep(0.01)
        mark.unlink()
        return self

    def send(self, which):
        os.kill(self.number, which)
        return self.ended()

    def ended(self):
        if self.code is None:
            self.code = self._nursery.wait(self.number)
        return self.code

    def end(self):
        if self.code is None:
            self.send(signal.SIGKILL)

    def said(self):
        return self._told.with_suffix(".out").read_text(), self._told.with_suffix(".err").read_text()


@pytest.fixture(scope="module")
def nursery(tmp_path_factory):
    made = Nursery(tmp_path_factory.mktemp("nursery"))
    yield made
    made.close()


def events():
    return [entry.event for entry in Ledger().entries()]


@pytest.mark.parametrize("step", STEPS[1:], ids=[name for _, name in STEPS[1:]])
def test_kill_in_the_middle_of_a_run(job, command, nursery, step):
    before = listing(job)
    run = nursery.start(job, step, "run", "recipe.yaml").reached(job / "ready")
    assert run.send(signal.SIGKILL) == -signal.SIGKILL
    assert not (job / "release").exists()
    ledger = Ledger()
    assert ledger.verify() == []
    assert events() == ["started"]
    assert len(ledger.unfinished()) == 1
    [left] = [path for path in job.iterdir() if path.name not in before and "ledger" not in path.name]
    assert left.name.startswith(".sudare-release-")
    command.done("run", "recipe.yaml")
    assert events() == ["started", "started", "released"]
    assert not left.exists()
    assert all(finding.holds for finding in verify_release(job / "release"))


def test_kill_while_a_release_is_replaced(job, command, nursery):
    command.done("run", "recipe.yaml")
    before = listing(job)
    run = nursery.start(job, STEPS[2], "run", "recipe.yaml", "--overwrite").reached(job / "ready")
    run.send(signal.SIGKILL)
    after = listing(job)
    assert {name: after[name] for name in before} == before
    command.done("run", "recipe.yaml", "--overwrite")
    assert sorted(listing(job)) == sorted(before)


@pytest.mark.parametrize("step", STEPS, ids=[name for _, name in STEPS])
def test_ctrl_c(job, command, nursery, step):
    before = listing(job)
    run = nursery.start(job, step, "run", "recipe.yaml").reached(job / "ready")
    assert run.send(signal.SIGINT) == 130
    out, err = run.said()
    assert out == ""
    assert one_sentence(err) == "Canceled; nothing was written."
    assert listing(job) == before
    assert events() == ["started", "cancelled"]
    assert Ledger().verify() == []


def test_ctrl_c_with_json(job, command, nursery):
    run = nursery.start(job, STEPS[0], "run", "recipe.yaml", "--json").reached(job / "ready")
    assert run.send(signal.SIGINT) == 130
    out, err = run.said()
    assert json.loads(out) == {"error": one_sentence(err), "exit_code": 130}


def test_two_runs_into_one_folder(job, command, nursery):
    """Each waits until the other has written its files too; exactly one may move in."""
    runs = [
        nursery.start(job, STEPS[2], "run", "recipe.yaml", mark="first", until="second"),
        nursery.start(job, STEPS[2], "run", "recipe.yaml", mark="second", until="first"),
    ]
    codes = [run.ended() for run in runs]
    assert sorted(codes) == [0, 2], [run.said() for run in runs]
    sentence = one_sentence(runs[codes.index(2)].said()[1])
    assert "already exists" in sentence or "meanwhile" in sentence
    assert all(finding.holds for finding in verify_release(job / "release"))
    assert [path.name for path in job.iterdir() if path.name.startswith(".sudare")] == []
    assert sorted(events()) == ["failed", "released", "started", "started"]
    assert Ledger().verify() == []


def test_reader_of_the_output_that_goes_away(job):
    """As in `sudare schema | head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "sudare.cli", "schema"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        env=child_environment(job),
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (0, "")


def serve():
    """The nursery: forks a run for each `start`, gives the exit code of one for each `wait`."""
    import sudare.cli.run_command
    import sudare.release.recipe.table
    import sudare.release.table.kind  # noqa: F401  # with all they import, so that the forks need not

    for line in sys.stdin:
        question, values = json.loads(line)
        if question == "wait":
            answer = os.waitstatus_to_exitcode(os.waitpid(values["number"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                os._exit(play(**values))
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


def play(*, job, step, arguments, mark, until, told):
    """One run, in a fork."""
    import importlib

    from sudare.cli import main

    for descriptor, suffix in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{told}.{suffix}", os.O_WRONLY | os.O_CREAT), descriptor)
    os.environ["SUDARE_LEDGER"] = f"{job}/ledger.sqlite"
    os.chdir(job)
    module = importlib.import_module(f"sudare.release.{step[0]}")
    wrapped = getattr(module, step[1])

    def slow(*given, **options):
        Path(mark).touch()
        while not Path(until).exists():
            time.sleep(0.01)
        return wrapped(*given, **options)

    setattr(module, step[1], slow)
    code = 99
    try:
        code = main(arguments)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve()
