"""A release folder and killed or competing processes: what they leave is swept, and nothing is half there."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cases.places import PROJECT
from tests.cases.staging import content, fill, names, refuses, release, whole

from sudare.errors import OutputError
from sudare.release import staging
from sudare.release.staging import staged_folder


def sweep(parent):
    """What the next release beside it does first: temporary folders that killed processes left go."""
    with staging._locked_parent(parent):
        staging._sweep(parent)


def test_sweep_leaves_the_living_and_the_strangers(tmp_path):
    (tmp_path / ".sudare-mine").mkdir()
    (tmp_path / ".sudare-mine" / "notes").write_text("mine")
    (tmp_path / ".sudare-file").write_text("mine")
    (tmp_path / ".sudare-born-dead").mkdir()
    (tmp_path / ".sudare-link").symlink_to(".sudare-mine")
    with staged_folder(tmp_path / "out") as folder:
        assert not (tmp_path / ".sudare-born-dead").exists()
        before = names(tmp_path)
        sweep(tmp_path)
        assert names(tmp_path) == before
        fill(folder)
    assert names(tmp_path) == [".sudare-file", ".sudare-link", ".sudare-mine", "out"]


def test_a_strangers_lock_is_not_waited_for_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "_PATIENCE_SECONDS", 0.1)
    with staging._locked_parent(tmp_path):
        refuses(tmp_path / "out", "locked by another program")


def play(scene, target):
    """Run a scene of this file in a fresh interpreter, where forking and killing harm nobody."""
    done = subprocess.run(
        [sys.executable, __file__, scene, str(target)],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_of_several_processes_one_wins(tmp_path):
    told = play("race", tmp_path / "deep" / "out")
    assert sorted(told) == [0, 3, 3, 3]
    found = content(tmp_path / "deep" / "out")
    assert found == whole(found["public/data.csv"])
    assert names(tmp_path / "deep") == ["out"]


def test_killed_in_the_body(tmp_path):
    play("killed_in_the_body", tmp_path / "out")
    [left] = names(tmp_path)
    assert left.startswith(".sudare-out-")
    sweep(tmp_path)
    assert names(tmp_path) == []


def test_killed_between_the_renames(tmp_path):
    release(tmp_path / "out")
    play("killed_between_the_renames", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    refuses(tmp_path / "out", "already exists and is not empty")  # its sweep has put the old one back
    assert content(tmp_path / "out") == whole("old")
    assert names(tmp_path) == ["out"]


def test_killed_at_random_moments_of_overwriting(tmp_path):
    target = tmp_path / "out"
    release(target)
    assert play("killed_at_random", target) == "whole each time"
    sweep(tmp_path)
    assert names(tmp_path) == ["out"]


def race(target):
    def compete():
        with staged_folder(target) as folder:
            fill(folder, str(os.getpid()))
            time.sleep(0.2)

    children = [fork(compete) for _ in range(4)]
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def killed_in_the_body(target):
    def work():
        with staged_folder(target) as folder:
            fill(folder)
            os.kill(os.getpid(), signal.SIGKILL)

    return os.waitpid(fork(work), 0)[1]


def killed_between_the_renames(target):
    real = Path.rename

    def rename(self, goal):
        if self.name == "content":
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, goal)

    def work():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "rename", rename)
            release(target, "new", overwrite=True)

    return os.waitpid(fork(work), 0)[1]


def killed_at_random(target):
    def work():
        while True:
            release(target, "new", overwrite=True)

    for _ in range(40):
        child = fork(work)
        time.sleep(random.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sweep(target.parent)
        if content(target) not in {"old": whole("old"), "new": whole("new")}.values():
            return f"broken: {content(target)}"
    return "whole each time"


def fork(work):
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except OutputError:
        code = 3
    finally:
        os._exit(code)


if __name__ == "__main__":
    scenes = [race, killed_in_the_body, killed_between_the_renames, killed_at_random]
    scene = {each.__name__: each for each in scenes}[sys.argv[1]]
    sys.stdout.write(json.dumps(scene(Path(sys.argv[2]))))
