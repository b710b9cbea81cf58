"""The ledger under fire: several processes at once, and kill -9 at random moments.

The children are forked from a fresh small interpreter (this file run as a script): the tests' own process
may have threads, and twenty starts of Python would cost more than what they test.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from sudare.release.ledger.ledger import Ledger

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


def test_eight_processes_of_fifty_appends(tmp_path):
    path = tmp_path / "ledger.sqlite"
    assert play("crowd", path) == {"failed": 0}
    ledger = Ledger(path)
    assert ledger.verify() == []
    entries = ledger.entries()
    assert [entry.number for entry in entries] == list(range(1, 401))
    for process in range(8):
        steps = [entry.details["step"] for entry in entries if entry.details["process"] == process]
        assert steps == list(range(50))


def test_what_was_acknowledged_survives_twenty_kills(tmp_path):
    path = tmp_path / "ledger.sqlite"
    answer = play("kills", path)
    ledger = Ledger(path)
    assert ledger.verify() == []
    chains = {entry.number: entry.chain for entry in ledger.entries()}
    assert answer["acknowledged"]
    for number, chain in answer["acknowledged"]:
        assert chains[number] == chain
    # Each kill may leave one entry that was committed and not yet acknowledged, never more.
    assert len(chains) <= len(answer["acknowledged"]) + 20
    assert ledger.append("started", str(uuid4()), {}).number == len(chains) + 1


def test_a_kill_while_the_ledger_is_made(tmp_path):
    play("births", tmp_path)
    folders = list(tmp_path.iterdir())
    assert len(folders) == 20
    for folder in folders:
        ledger = Ledger(folder / "ledger.sqlite")
        before = len(ledger.entries())
        assert ledger.append("started", str(uuid4()), {}).number == before + 1
        assert ledger.verify() == []


def play(scene, path):
    result = subprocess.run(
        [sys.executable, __file__, scene, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def crowd(path):
    """Eight processes make and fill one ledger; the first moment, when none exists, is shared too."""
    children = [fork(lambda process=process: fill(path, process)) for process in range(8)]
    return {"failed": sum(os.waitpid(child, 0)[1] != 0 for child in children)}


def fill(path, process):
    ledger = Ledger(path)
    for step in range(50):
        ledger.append("started", str(uuid4()), {"process": process, "step": step})


def kills(path):
    """Twenty writers, one after the other, each killed at a random moment; what they acknowledged."""
    acknowledged = []
    for _ in range(20):
        reader, writer = os.pipe()
        child = fork(lambda writer=writer: write_and_tell(path, writer))
        os.close(writer)
        time.sleep(random.uniform(0.0, 0.15))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(reader, encoding="ascii") as told:
            acknowledged += [json.loads(line) for line in told]
    return {"acknowledged": acknowledged}


def write_and_tell(path, writer):
    ledger = Ledger(path)
    while True:
        entry = ledger.append("started", str(uuid4()), {"text": "x" * random.randrange(5000)})
        os.write(writer, f"{json.dumps([entry.number, entry.chain])}\n".encode())


def births(parent):
    """Twenty writers, each of a new ledger, killed within the first moments of it."""
    for number in range(20):
        folder = parent / str(number)
        folder.mkdir()
        child = fork(lambda folder=folder: fill(folder / "ledger.sqlite", 0))
        time.sleep(random.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return {}


def fork(work):
    child = os.fork()
    if child:
        return child
    random.seed()  # not the numbers of the parent again
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    scenes = {"crowd": crowd, "kills": kills, "births": births}
    sys.stdout.write(json.dumps(scenes[sys.argv[1]](Path(sys.argv[2]))))
