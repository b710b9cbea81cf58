"""Worker: what a job does, in a process of its own, from its folder alone.

The lock of the folder is held as long as the worker lives: whoever wants to know whether it does, tries the lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import zipfile
from collections.abc import Callable  # noqa: TC003  # of a mapping that is made here
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from sudare.errors import CancelledError, InputError, SudareError
from sudare.progress import Plan
from sudare.web.events import Recorder
from sudare.web.problems import sentence_in, told, unexpected
from sudare.web.projects import Project, as_json, now, read_json, write_json, write_whole
from sudare.web.values import count_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.describe.table import Table
    from sudare.progress import Progress
    from sudare.release.recipe.base import AnyRecipe
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language

LOCK, RESULT, EVENTS = "lock", "result.json", "events.jsonl"
_UNPACKED = 10
"""How much larger than an upload may be what it unpacks to."""


def main(folder: Path, connections: Mapping[str, str], ready: int | None = None) -> None:
    """Do the job of a folder and write its result; `ready` is a pipe that is told when the lock is held."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)  # waits: the server may be trying it at this moment
    os.pwrite(lock, f"{os.getpid():<20}".encode(), 0)  # of one length, so that there is never half a number
    recorder = Recorder(folder / EVENTS)

    def cancel(*_: object) -> None:
        recorder.canceled = True

    signal.signal(signal.SIGTERM, cancel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if ready is not None:
        os.write(ready, b".")
        os.close(ready)
    if not (folder / RESULT).exists():  # a server that was killed while it started this may start it again
        write_json(folder / RESULT, {**_result(folder, connections, recorder), "ended": now()})
    recorder.close()
    os.close(lock)


def _result(folder: Path, connections: Mapping[str, str], recorder: Recorder) -> dict[str, Any]:
    """How the job ended."""
    try:
        job = read_json(folder / "job.json")
        most = job["limits"]["upload_bytes"] * _UNPACKED
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing more is an error, which has a sentence
        recorder.update(0.0)
        work: Callable[..., dict[str, Any]] = _WORK[job["kind"]]
        return {"state": "done", "result": work(folder, job, connections, recorder)}
    except CancelledError:
        return {"state": "canceled"}
    except SudareError as error:
        return {"state": "failed", "problem": _by_label(told(error), Project(folder.parent.parent))}
    except MemoryError:
        return {"state": "failed", "problem": told(InputError("web.jobs.memory"))}
    except Exception as error:  # noqa: BLE001  # a fault of ours ends the job, and the log has its place
        problem = unexpected(error)
        return {
            "state": "failed",
            "problem": {"en": problem, "ja": {**problem, **unexpected_in_japanese(problem)}},
        }


def _by_label(problem: dict[str, dict[str, Any]], project: Project) -> dict[str, dict[str, Any]]:
    """A problem that calls the upload by the name that the user knows."""
    source = project.source or {}
    if source.get("kind") != "upload":
        return problem
    own = Path(project.confinement(()).place).name
    return {
        language: {**one, "detail": str(one["detail"]).replace(own, source["label"])}
        for language, one in problem.items()
    }


def unexpected_in_japanese(problem: dict[str, Any]) -> dict[str, Any]:
    """The words of a fault in the other language, with the same identifier."""
    from sudare.errors import ErrorSentence

    return {
        "title": ErrorSentence("web.kinds.fault").into("ja"),
        "detail": ErrorSentence("web.fault", number=problem["id"]).into("ja"),
    }


def _profile(
    folder: Path, job: dict[str, Any], connections: Mapping[str, str], progress: Progress
) -> dict[str, Any]:
    """Read the data once, keep them with their types, and guess what the columns are."""
    from sudare.read.baskets.sniff import looks_like_baskets
    from sudare.read.options import Source
    from sudare.release.recipe.draft import draft_of

    project = Project(folder.parent.parent)
    source = project.source or {}
    options = dict(source.get("options", {}))
    as_baskets = bool(options.pop("baskets", False))
    allowed = tuple(Path(one) for one in job["allowed"])
    address = _address(project, source, connections, allowed)
    plan = Plan(progress, {"read": 3, "guess": 2})
    with plan.phase("read") as step:
        _refuse_large_archive(address, job["limits"])
        is_file = source["kind"] != "connection"
        already = None
        if not as_baskets and not (is_file and looks_like_baskets(address, ())):
            frame, facts = Source.of(path=address, **options).load()
            _check_size(frame, job["limits"])
            facts = _renamed(facts, source["label"])
            already = (frame, facts)
            _keep_typed(project, frame, facts)
            count_values(project, frame, step)
    with plan.phase("guess") as step:
        draft = draft_of(
            address, options, language=job["language"], folder=project.folder, baskets=already is None,
            already=already, progress=step,
        )  # fmt: skip
    field = "source" if "source" in draft.recipe else "baskets"
    # Tables and queries of a database are said where the source is chosen.
    drafted = {name: value for name, value in draft.recipe[field].items() if name not in {"table", "query"}}
    draft.recipe[field] = {**drafted, "path": source["label"]}
    draft.recipe["output"] = {**draft.recipe["output"], "folder": "release"}
    found = {"kind": draft.kind, **draft.to_dict(), "source": source["label"]}
    write_json(project.folder / "profile.json", as_json(found))
    if project.recipe_text() is None:
        place = folder / "draft.yaml"
        draft.write(place, overwrite=True)
        project.write_recipe(place.read_text(encoding="utf-8"))
    return {"kind": draft.kind, "rows": found.get("rows", found.get("baskets"))}


def _address(
    project: Project, source: Mapping[str, Any], connections: Mapping[str, str], allowed: Sequence[Path]
) -> str:
    """Where the data really are."""
    if source["kind"] == "connection":
        try:
            return connections[source["label"]]
        except KeyError:
            raise InputError("web.no_connection", name=source["label"]) from None
    return project.confinement(allowed).place


def _renamed(facts: Any, label: str) -> Any:
    """The facts of the source under the name that the user knows."""
    from dataclasses import replace

    return replace(facts, name=label)


def _refuse_large_archive(address: str, limits: Mapping[str, Any]) -> None:
    """Refuse a file whose parts unpack to far more than was sent."""
    if not Path(address).is_file() or not zipfile.is_zipfile(address):
        return
    with zipfile.ZipFile(address) as archive:
        if sum(one.file_size for one in archive.infolist()) > limits["upload_bytes"] * _UNPACKED:
            raise InputError("web.jobs.unpacked")


def _check_size(frame: Any, limits: Mapping[str, Any]) -> None:
    """Refuse a table with more than the server takes."""
    import polars as pl

    if frame.height > limits["rows"]:
        raise InputError("web.jobs.rows", rows=frame.height, most=limits["rows"])
    if frame.width > limits["columns"]:
        raise InputError("web.jobs.columns", columns=frame.width, most=limits["columns"])
    for series in frame.iter_columns():
        longest = series.str.len_chars().max() if series.dtype == pl.String else 0
        if (longest or 0) > limits["cell"]:
            raise InputError("web.jobs.cell", column=series.name, most=limits["cell"])


def _keep_typed(project: Project, frame: Any, facts: Any) -> None:
    """Keep a table with its types: later jobs do not parse it again."""
    new = project.folder / ".new-table.parquet"
    frame.write_parquet(new, compression="lz4")
    new.chmod(0o600)
    new.replace(project.folder / "table.parquet")
    write_json(project.folder / "facts.json", facts.told())


def data_of(project: Project, recipe: AnyRecipe) -> Any:
    """The described data of a recipe: from the typed copy where there is one."""
    table = typed_table(project)
    describe = getattr(recipe, "describe", None)
    return recipe.read() if table is None or describe is None else describe(table)


def typed_table(project: Project) -> Table | None:
    """The typed copy of a project's table."""
    import polars as pl

    from sudare.describe.table import Table
    from sudare.read.source import SourceFacts

    place, facts = project.folder / "table.parquet", read_json(project.folder / "facts.json")
    if facts is None or not place.is_file():
        return None
    return Table.from_frame(pl.read_parquet(place, glob=False), source=SourceFacts(**facts))


def _recipe(folder: Path, job: Mapping[str, Any]) -> AnyRecipe:
    """The recipe of the job, confined once more: what it names may have become a link meanwhile."""
    text = (folder / "recipe.yaml").read_text(encoding="utf-8")
    allowed = tuple(Path(one) for one in job["allowed"])
    return Project(folder.parent.parent).parsed(text, allowed, folder / "release")


def _assess(
    folder: Path, job: dict[str, Any], connections: Mapping[str, str], progress: Progress
) -> dict[str, Any]:
    """The study of the data under the recipe's requirements."""
    from sudare.api import assess

    del connections
    recipe = _recipe(folder, job)
    plan = Plan(progress, {"read": 1, "assess": 9})
    with plan.phase("read"):
        data = data_of(Project(folder.parent.parent), recipe)
    with plan.phase("assess") as step:
        study: Any = assess(data, *recipe.requirements, progress=step, **recipe.assess_options(data))
    return _both(lambda language: {"study": _in_language(study, language).to_dict()})


def _run(
    folder: Path, job: dict[str, Any], connections: Mapping[str, str], progress: Progress
) -> dict[str, Any]:
    """A candidate: a whole release, verified, in the job's folder."""
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.run import run

    del connections
    project, recipe = Project(folder.parent.parent), _recipe(folder, job)
    ledger = Ledger(project.folder / "ledger.sqlite")
    written = run(
        recipe,
        described=data_of(project, recipe),
        ledger=ledger,
        number=job["run"],
        progress=progress,
    )
    manifest = written.manifest
    return _both(
        lambda language: {
            "rows": written.rows,
            "findings": _findings(written.findings, language),
            "losses": manifest["losses"],
            "risk": manifest["risk"],
            "warnings": [sentence_in(warning, language) for warning in written.release.warnings],
        }
    )


def _promote(
    folder: Path, job: dict[str, Any], connections: Mapping[str, str], progress: Progress
) -> dict[str, Any]:
    """A candidate becomes a release: verified again, copied, entered into the ledger, its public part packed."""
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.promote import promote

    del connections
    project = Project(folder.parent.parent)
    candidate = project.jobs / job["candidate"]
    recipe = _recipe(candidate, {**job, "candidate": None})
    plan = Plan(progress, {"read": 1, "verify": 4, "write": 1})
    with plan.phase("read"):
        original = data_of(project, recipe)
    with plan.phase("verify") as step:
        ledger = None if job["ledger"] is None else Path(job["ledger"])
        promoted = promote(
            candidate / "release",
            folder / "release",
            original=original,
            ledger=Ledger(ledger),
            number=job["run"],
            progress=step,
        )
    with plan.phase("write"):
        pack(folder / "release" / "public", folder / "public.zip")
    return _both(
        lambda language: {
            "candidate": job["candidate"],
            "findings": _findings(promoted.findings, language),
            "data_sha256": promoted.manifest["data"]["sha256"],
        }
    )


def _both(told: Callable[[Language], dict[str, Any]]) -> dict[str, Any]:
    """A result in both languages, as JSON has it: who reads it chooses."""
    made: dict[str, Any] = as_json({"en": told("en"), "ja": told("ja")})
    return made


def _in_language(study: Any, language: Language) -> Any:
    return study.in_language(language) if hasattr(study, "in_language") else study


def _findings(findings: Sequence[Finding], language: Language) -> list[dict[str, Any]]:
    return [{**one.__dict__, "sentence": sentence_in(one.sentence, language)} for one in findings]


def pack(public: Path, archive: Path) -> None:
    """An archive of the public part and nothing else, there wholly or not at all."""
    new = archive.with_name(f".new-{archive.name}")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as made:
        for file in sorted(public.iterdir()):
            made.write(file, file.name)
    new.chmod(0o600)
    new.replace(archive)


def _warm(
    folder: Path, job: dict[str, Any], connections: Mapping[str, str], progress: Progress
) -> dict[str, Any]:
    """Compile the listed kernels that have no machine code yet, at low priority."""
    from sudare.kernels.core.entries import entries

    del folder, job, connections
    os.nice(10)
    wanted = [entry for entry in entries().seconds if not entry.is_kept()]
    progress.start("compiling", max(len(wanted), 1))
    for done, entry in enumerate(wanted, start=1):
        entry.compile()
        progress.update(done)
    return {"compiled": len(wanted)}


_WORK: dict[str, Callable[..., dict[str, Any]]] = {
    "profile": _profile,
    "assess": _assess,
    "run": _run,
    "promote": _promote,
    "warm": _warm,
}
KINDS = tuple(_WORK)
"""What a job can be."""


def save_recipe(folder: Path, text: str) -> None:
    """Keep the recipe of a job beside it."""
    write_whole(folder / "recipe.yaml", text.encode())


def settle(folder: Path, result: dict[str, Any]) -> None:
    """Write how a job ended whose worker cannot, unless it did."""
    if not (folder / RESULT).exists():
        with contextlib.suppress(FileNotFoundError):
            write_json(folder / RESULT, result)


def dumped(raw: Any) -> str:
    """A recipe that came as JSON, as the YAML that projects keep."""
    return yaml.safe_dump(raw, sort_keys=False, allow_unicode=True)
