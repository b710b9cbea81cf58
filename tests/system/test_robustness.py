"""Short turns of `make robustness`: some hundred spoiled files and hostile tables, some kills, runs over one another, locked places."""

# mypy: disable-error-code="import-not-found"

import json
import os
import subprocess
import sys

import pytest
from tests.cases.benchmark_scripts import ROBUSTNESS, importable

SLOW_TO_LOAD = {"recipe-assess", "stata", "sas", "released-data"}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


@pytest.fixture(scope="module")
def scripts():
    with importable(ROBUSTNESS) as folder:
        yield folder


@pytest.fixture(scope="module")
def nursery(scripts):
    from jobs import environment
    from nursery import Nursery

    with Nursery(environment()) as made:
        yield made


def test_three_hundred_spoiled_files(scripts, tmp_path):
    """In a process of its own: a library may bring it down. The same files every time, unless a seed is added."""
    from fuzz_targets import TARGETS

    names = [name for name in TARGETS if name not in SLOW_TO_LOAD]
    command = [sys.executable, str(scripts / "fuzz.py"), "--cases", "300", "--folder", str(tmp_path / "fuzz")]
    done = subprocess.run([*command, "--targets", *names], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_hundred_and_fifty_hostile_tables_counted_again(scripts, tmp_path):
    """In this process: the kernels are loaded. The same tables every time; 20 s of them at most, on a busy machine."""
    from recount_fuzz import Run

    run = Run(tmp_path / "recount", 5)
    run.until(150, tmp_path / "place")
    assert not run.done["found"], run.done["found"]
    states = [state for one in run.done["methods"].values() for state in one]
    assert states.count("released") == len(run.done["methods"]) == 20
    assert sum(run.done["refusals"].values()) < 45


def test_fuzzing_ends_after_its_processor_time(scripts, tmp_path):
    command = [
        sys.executable,
        str(scripts / "fuzz.py"),
        "--cases",
        "9999",
        "--folder",
        str(tmp_path / "fuzz"),
    ]
    done = subprocess.run(
        [*command, "--targets", "hierarchy-json", "--processor-minutes", "0.02"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads((tmp_path / "fuzz" / "done.json").read_text(encoding="utf-8"))
    assert 1.2 <= told["processor"] < 10
    assert 0 < told["cases"]["hierarchy-json"] < 9999
    assert told["warming"] > 0


@pytest.mark.parametrize(
    ("way", "delay"), [("new folder", 0.4), ("overwrite", 0.8), ("overwrite", 1.2), ("new parents", 1.0)]
)
def test_kill_at_some_moment(nursery, tmp_path, way, delay):
    from kill import one_kill

    one_kill(tmp_path / "job", nursery, way, "fork", delay)


def test_two_runs_over_one_release(nursery, tmp_path):
    """Two runs into a new folder are in test_fault_processes."""
    from jobs import Job
    from together import last_wins

    last_wins(Job.made(tmp_path / "job", nursery), 2)


def test_release_that_may_not_be_moved(scripts, tmp_path):
    import readonly
    from jobs import Job, environment
    from nursery import Nursery

    before = readonly.FEELING if os.geteuid() == 0 else ()
    if before and not readonly.can_drop_rights():
        pytest.skip("root feels permissions only without its rights, which need setpriv to be dropped")
    with Nursery(environment(), before=before) as ordinary:
        job = Job.made(tmp_path / "job", ordinary)
        assert "not writable" in readonly.old_release_locked(job)
        for place in (job.release, *job.release.iterdir()):
            place.chmod(0o755)  # pytest removes it


def test_files_that_may_not_grow(nursery, tmp_path):
    import readonly

    broken: list[str] = []
    found = readonly.limited_files(tmp_path / "job", nursery, broken, (8_000,))
    assert not broken
    assert found != {"8000 bytes": "released"}
