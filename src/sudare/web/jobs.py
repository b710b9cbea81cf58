"""Jobs: the queue, and what is known of a job from its folder.

    queued    not launched yet
    running   launched
    done, failed, canceled, lost    as result.json says

The worker writes the result. Where nobody holds the lock any more and there is none, the worker was killed: the server writes
that it was canceled, that it exceeded a limit, or else that it is lost, and enters the end into the ledger. Nothing else is
kept, so a server that was killed and started again finds the same.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import signal
import threading
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sudare.errors import InputError, SudareError
from sudare.release.ledger.ledger import Ledger
from sudare.web.events import last_event
from sudare.web.launcher import launch
from sudare.web.problems import RefusedError, absent, conflict, log_fault, told, too_large
from sudare.web.projects import Project, check_disk, is_id, new_id, now, read_json, write_json
from sudare.web.worker import EVENTS, LOCK, RESULT, save_recipe, settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.web.projects import Projects
    from sudare.web.settings import Settings

State = Literal["queued", "running", "done", "failed", "canceled", "lost"]
ENDED = frozenset({"done", "failed", "canceled", "lost"})
"""States that do not change any more."""
KILL_AFTER = 3.0
"""Seconds between SIGTERM and SIGKILL."""
_TICK = 0.1


@dataclass(frozen=True)
class Job:
    """A job by its folder."""

    folder: Path

    @property
    def id(self) -> str:
        """Its identifier, the name of its folder."""
        return self.folder.name

    @property
    def project(self) -> Project:
        """Its project."""
        return Project(self.folder.parent.parent)

    @property
    def about(self) -> dict[str, Any]:
        """What job.json holds."""
        found = read_json(self.folder / "job.json")
        if not isinstance(found, dict):
            raise absent()
        return found

    @property
    def result(self) -> dict[str, Any] | None:
        """How it ended; None if it has not."""
        found = read_json(self.folder / RESULT)
        return found if isinstance(found, dict) else None

    @property
    def state(self) -> State:
        """Its state, from the folder alone."""
        if (result := self.result) is not None:
            return result["state"]  # type: ignore[no-any-return]  # one of ours
        # Nobody may hold the lock at this moment: the server is about to write how it ended.
        return "running" if (self.folder / "launched").exists() or self.worker() is not None else "queued"

    def worker(self) -> int | None:
        """The process that holds the lock, 0 if it has not said yet which; None if nobody does."""
        try:
            lock = os.open(self.folder / LOCK, os.O_RDWR)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            said = os.pread(lock, 20, 0).strip()
            return int(said) if said.isdigit() else 0
        else:
            return None
        finally:
            os.close(lock)

    def told(self) -> dict[str, Any]:
        """What clients are told of the job."""
        about, result = self.about, self.result or {}
        state = self.state
        return {
            "id": self.id,
            "kind": about["kind"],
            "state": state,
            "created": about["created"],
            "by": about["by"],
            "candidate": about["candidate"],
            "progress": last_event(self.folder / EVENTS) if state == "running" else None,
        } | {"ended": result.get("ended")}

    def full(self, language: str) -> dict[str, Any]:
        """The same with the result, or the problem in a language."""
        result = self.result or {}
        problem, found = result.get("problem"), result.get("result")
        return {
            **self.told(),
            "result": found[language] if isinstance(found, dict) and found.keys() == {"en", "ja"} else found,
            "problem": None if problem is None else problem.get(language, problem["en"]),
        }


class Jobs:
    """The queue of a server: what waits is started in its order, and what runs is watched."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._settings: Settings = projects.settings
        self._lock = threading.RLock()
        self._waiting: list[Job] = []
        self._running: dict[Job, float] = {}
        """Jobs under way, and since when."""
        self._told: dict[Job, float] = {}
        """Jobs that were told to stop, and when they will be killed."""
        self._reasons: dict[Job, dict[str, Any]] = {}
        """How a job ends that is killed for a limit."""
        self._stop = threading.Event()
        self._news = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Find what an earlier server left, and watch from now on."""
        for project in self._projects.every():
            for job in jobs_of(project):
                if job.result is None:
                    self._find(job)
        self._waiting.sort(key=lambda job: str(job.about["created"]))
        self._thread = threading.Thread(target=self._watch, name="jobs", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; workers go on, and are found again."""
        self._stop.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join()

    def add(
        self,
        project: Project,
        kind: str,
        *,
        user: str,
        recipe: str | None = None,
        candidate: str | None = None,
        key: str | None = None,
        language: str = "en",
    ) -> tuple[Job, bool]:
        """A new job at the end of the queue, or the one that the same key made; whether it is new."""
        body = json.dumps([kind, recipe, candidate])
        digest = hashlib.sha256(body.encode()).hexdigest()
        with self._lock:
            if key is not None and (known := self._made_with(project, key, user)) is not None:
                if known.about["body"] != digest:
                    raise conflict("web.jobs.other_body")
                return known, False
            limits = self._settings.limits
            check_disk(project.folder, limits)
            open_jobs = [job for job in (*self._waiting, *self._running) if job.project == project]
            if len(open_jobs) >= limits.queued:
                raise too_large("web.jobs.queue", most=limits.queued)
            job = Job(project.jobs / new_id())
            making = project.jobs / f".new-{job.id}"
            making.mkdir(mode=0o700)
            ledger = self._settings.ledger
            about = {
                "kind": kind,
                "created": now(),
                "by": user,
                "candidate": candidate,
                "key": key,
                "body": digest,
                "run": str(uuid.uuid4()),
                "language": language,
                "limits": asdict(limits),
                "allowed": [str(one) for one in self._settings.allowed],
                "ledger": None if ledger is None else str(ledger),
            }
            write_json(making / "job.json", about)
            if recipe is not None:
                save_recipe(making, recipe)
            making.rename(job.folder)
            self._waiting.append(job)
        self._news.set()
        return job, True

    def cancel(self, job: Job) -> None:
        """End a job: what waits at once, what runs when it next reports, or after three seconds by force."""
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                settle(job.folder, {"state": "canceled", "ended": now()})
                return
            if job.state in ENDED:
                raise conflict("web.jobs.ended")
            self._tell(job, {"state": "canceled"})
        self._news.set()

    def end_of(self, project: Project) -> None:
        """End all jobs of a project that is about to be removed, and wait for that."""
        for job in jobs_of(project):
            if job.state not in ENDED:
                with contextlib.suppress(RefusedError):
                    self.cancel(job)
        deadline = time.monotonic() + KILL_AFTER + 2
        while any(job.worker() is not None for job in jobs_of(project)) and time.monotonic() < deadline:
            time.sleep(_TICK)

    def is_idle(self) -> bool:
        """Whether nothing waits and nothing runs."""
        with self._lock:
            return not self._waiting and not self._running

    def _made_with(self, project: Project, key: str, user: str) -> Job | None:
        for job in jobs_of(project):
            if (about := job.about).get("key") == key and about["by"] == user:
                return job
        return None

    def _find(self, job: Job) -> None:
        """A job without a result that an earlier server knew."""
        with contextlib.suppress(SudareError):
            if job.state == "queued":
                self._waiting.append(job)
            else:
                self._running[job] = time.monotonic()

    def _watch(self) -> None:
        while not self._stop.is_set():
            self._news.clear()
            try:
                self._look()
            except Exception as error:  # noqa: BLE001  # one broken folder must not stop all others
                log_fault("watch", error)
            self._news.wait(_TICK if self._running or self._waiting else None)

    def _look(self) -> None:
        """One round: end what has ended, kill what must be, start what may."""
        with self._lock:
            running = list(self._running)
        for job in running:
            self._look_at(job)
        with self._lock:
            start = []
            while self._waiting and len(self._running) < self._settings.limits.jobs:
                job = self._waiting.pop(0)
                self._running[job] = time.monotonic()
                start.append(job)
        for job in start:
            self._launch(job)

    def _launch(self, job: Job) -> None:
        if not job.folder.exists():  # its project was removed
            self._running.pop(job, None)
            return
        launch(job.folder, self._settings.connections)
        # Only now: a server that is killed before starts it again, and the worker that comes second finds the result.
        with contextlib.suppress(FileNotFoundError):
            (job.folder / "launched").touch(mode=0o600)

    def _look_at(self, job: Job) -> None:
        worker = job.worker()
        if worker is None:
            with self._lock:
                self._running.pop(job, None)
                self._told.pop(job, None)
                reason = self._reasons.pop(job, None)
            self._ended(job, reason)
            return
        if worker == 0:
            return  # the next round knows it
        limits = self._settings.limits
        if job not in self._reasons:
            if memory_of(worker) > limits.memory_bytes:
                self._tell(
                    job, {"state": "failed", "problem": told(InputError("web.jobs.memory"))}, at_once=True
                )
            elif time.time() - _began(job) > limits.seconds:
                self._tell(job, {"state": "failed", "problem": told(InputError("web.jobs.time"))})
        deadline = self._told.get(job)
        if deadline is not None:
            # Again each time: it may have been told before it had a handler.
            _signal(worker, signal.SIGKILL if time.monotonic() > deadline else signal.SIGTERM)

    def _tell(self, job: Job, reason: dict[str, Any], *, at_once: bool = False) -> None:
        """Ask a worker to stop."""
        self._reasons.setdefault(job, reason)
        self._told.setdefault(job, time.monotonic() + (0 if at_once else KILL_AFTER))
        self._running.setdefault(job, time.monotonic())
        worker = job.worker()
        if worker:
            _signal(worker, signal.SIGTERM)

    def _ended(self, job: Job, reason: dict[str, Any] | None) -> None:
        """Finish what a worker that was killed could not: result, ledger, half a folder."""
        if not job.folder.exists() or job.result is not None:
            return
        result = reason or {"state": "lost", "problem": told(InputError("web.jobs.lost"))}
        with contextlib.suppress(SudareError):
            self._enter(job, result["state"])
        for left in job.folder.glob(".sudare-*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in job.folder.glob(".new-*"):
            left.unlink(missing_ok=True)
        settle(job.folder, {**result, "ended": now()})

    def _enter(self, job: Job, state: str) -> None:
        """The end of a run, in the ledger that has its beginning."""
        about = job.about
        if about["kind"] == "run":
            place: Path | None = job.project.folder / "ledger.sqlite"
        elif about["kind"] == "promote":
            place = self._settings.ledger
        else:
            return
        if place is not None and not place.exists():
            return
        ledger = Ledger(place)
        entries = ledger.entries(run=about["run"])
        if entries and all(entry.event == "started" for entry in entries):
            if state == "canceled":
                ledger.append("cancelled", about["run"], {})
            else:
                ledger.append("failed", about["run"], {"reason": state})


def jobs_of(project: Project) -> Iterator[Job]:
    """All jobs of a project, in no order."""
    try:
        names = os.listdir(project.jobs)  # noqa: PTH208  # names only
    except FileNotFoundError:
        return
    for name in names:
        if is_id(name):
            yield Job(project.jobs / name)


def job_of(project: Project, given: str) -> Job:
    """One job of a project."""
    job = Job(project.jobs / given)
    if not is_id(given) or not (job.folder / "job.json").is_file():
        raise absent()
    return job


def in_order(project: Project, kinds: Sequence[str] = ()) -> list[Job]:
    """Jobs of a project, the latest first."""
    found = [(job.about, job) for job in jobs_of(project)]
    chosen = [(about, job) for about, job in found if not kinds or about["kind"] in kinds]
    return [job for _, job in sorted(chosen, key=_by_age, reverse=True)]


def _by_age(found: tuple[Mapping[str, Any], Job]) -> tuple[str, str]:
    return str(found[0]["created"]), found[1].id


def memory_of(process: int) -> int:
    """Bytes of memory that a process holds; 0 if it is gone, or where the system does not tell."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _began(job: Job) -> float:
    """When a worker began, which a new server has not seen."""
    try:
        return (job.folder / "launched").stat().st_mtime
    except FileNotFoundError:
        return time.time()


def _signal(process: int, number: signal.Signals) -> None:
    """Signal a worker: asked to stop it alone, killed with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        if number == signal.SIGKILL:
            os.killpg(process, number)
        else:
            os.kill(process, number)


def warm_up(settings: Settings) -> Job | None:
    """Compile kernels in the background after the first start, beside the queue; the job, or None if nothing is left to do."""
    from sudare.kernels.core.entries import entries

    if all(entry.is_kept() for entry in entries().seconds):
        return None
    job = Job(settings.root / "service" / "jobs" / new_id())
    job.folder.mkdir(mode=0o700, parents=True)
    write_json(job.folder / "job.json", {"kind": "warm", "limits": asdict(settings.limits)})
    launch(job.folder, {})
    return job


def end_now(job: Job) -> None:
    """End a job that nobody waits for."""
    worker = job.worker()
    if worker:
        _signal(worker, signal.SIGKILL)
