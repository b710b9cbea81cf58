"""Places that cannot be written or read, and disks that are full: one sentence, exit code 2, nothing half-written.

Read-only and full disks are small file systems in memory (mounting them needs root). For permissions, which root does not
feel, root's right to override them is dropped (setpriv). A broken promise is kept among the figures (`broken`), and the
script ends with an error.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobs import Job, environment, listing, noting, one_sentence, promise  # type: ignore[import-not-found]  # beside this script
from nursery import Nursery  # type: ignore[import-not-found]  # beside this script
from stored import save  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FEELING = (
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
)
_BROKEN = "a promise was broken"
_SIZES = (4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_LARGEST = (2_000, 8_000, 20_000, 60_000, 1_000_000)
_FORMATS = ("csv", "parquet", "arrow", "excel")
_LIMIT = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0})); from sudare.cli import main; sys.exit(main())"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=_SIZES, help="kilobytes of the full disks")
    asked = parser.parse_args()
    broken: list[str] = []
    figures: dict[str, Any] = {"broken": broken}
    with tempfile.TemporaryDirectory() as name, Nursery(environment()) as nursery:
        folder = Path(name)
        with Nursery(environment(), before=FEELING if os.geteuid() == 0 else ()) as ordinary:
            for what, play in PLACES.items():
                figures[what] = _played(what, play, folder / "job", ordinary, broken)
        if _can_mount(folder):
            figures["read-only disk"] = _played(
                "read-only disk", read_only_disk, folder / "job", nursery, broken
            )
            figures["read-only ledger disk"] = _played(
                "read-only ledger disk", read_only_ledger, folder / "job", nursery, broken
            )
            for form in _FORMATS:
                figures[f"full disk, {form}"] = full_disks(folder / "job", nursery, form, asked.sizes, broken)
        else:
            figures["full and read-only disks"] = "not tried: this user may not mount"
        figures["largest file allowed"] = limited_files(folder / "job", nursery, broken)
    save("readonly", figures)
    for what, outcome in figures.items():
        print(f"{what}: {outcome}")
    return 1 if broken else 0


def _played(what: str, play: Callable[[Job], str], folder: Path, nursery: Nursery, broken: list[str]) -> str:
    job = Job.made(folder, nursery)
    sentence = _BROKEN
    try:
        with noting(broken, what):
            sentence = play(job)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=False)
        shutil.rmtree(folder)
    print(f"{what}: {sentence}", flush=True)
    return sentence


def refused(job: Job, *arguments: str) -> str:
    """A command that must fail and must change nothing but the ledger; its sentence."""
    before = _seen(job)
    run = job.nursery.start(*arguments)
    run.wait()
    out, told = run.said()
    promise(run.code == 2, f"exit code {run.code}: {out[-300:]} {told[-2000:]}")
    promise(_seen(job) == before, f"something was written: {sorted(set(_seen(job)) ^ set(before))}")
    job.check_ledger()
    promise(set(job.events()) <= {"started", "failed", "released"}, f"the ledger says {job.events()}")
    return _without(one_sentence(told), job.folder)


def _seen(job: Job) -> dict[str, str]:
    return {name: digest for name, digest in listing(job.folder).items() if "ledger.sqlite" not in name} | {
        f"{path.relative_to(job.folder)}/": "" for path in job.folder.rglob("*") if path.is_dir()
    }


def _without(sentence: str, folder: Path) -> str:
    return sentence.replace(f"{folder}/", "…/").replace(str(folder), "…")


def _locked(job: Job, *more: Path) -> list[str]:
    """The arguments of a run whose ledger can be written; the job's folder and `more` cannot."""
    (job.folder / "books").mkdir()
    for place in (*more, job.folder):
        place.chmod(0o555)
    return ["run", str(job.folder / "recipe.yaml"), "--ledger", str(job.folder / "books" / "ledger.sqlite")]


def parent_not_writable(job: Job) -> str:
    """The parent of the release cannot be written."""
    return refused(job, *_locked(job))


def parents_to_be_made(job: Job) -> str:
    """Nor can parents be made there."""
    return refused(job, *_locked(job), "--out", str(job.folder / "a" / "b" / "release"))


def old_release_in_locked_folder(job: Job) -> str:
    """An old release in a parent that cannot be written."""
    job.done()
    return refused(job, *_locked(job), "--overwrite")


def old_release_locked(job: Job) -> str:
    """An old release that cannot be written in a parent that can."""
    job.done()
    for place in (job.release / "public", job.release / "internal", job.release):
        place.chmod(0o555)
    return refused(job, *job.arguments("--overwrite"))


def table_not_readable(job: Job) -> str:
    """The table may not be read."""
    (job.folder / "patients.csv").chmod(0)
    return refused(job, *job.arguments())


def recipe_not_readable(job: Job) -> str:
    """Nor may the recipe."""
    (job.folder / "recipe.yaml").chmod(0)
    return refused(job, *job.arguments())


def ledger_not_writable(job: Job) -> str:
    """The ledger cannot be written."""
    job.done("--out", str(job.folder / "first"))
    for path in job.folder.glob("ledger.sqlite*"):
        path.chmod(0o444)
    return refused(job, *job.arguments())


def draft_not_writable(job: Job) -> str:
    """`sudare describe` into a locked folder."""
    _locked(job)
    return refused(job, "describe", str(job.folder / "patients.csv"), "--out", str(job.folder / "draft.yaml"))


def demo_not_writable(job: Job) -> str:
    """`sudare demo` into a locked folder."""
    _locked(job)
    return refused(job, "demo", "--rows", "300", "--out", str(job.folder / "demo"))


PLACES: dict[str, Callable[[Job], str]] = {
    "parent not writable": parent_not_writable,
    "parents to be made": parents_to_be_made,
    "old release, parent not writable": old_release_in_locked_folder,
    "old release not writable": old_release_locked,
    "table not readable": table_not_readable,
    "recipe not readable": recipe_not_readable,
    "ledger not writable": ledger_not_writable,
    "draft not writable": draft_not_writable,
    "demonstration not writable": demo_not_writable,
}


def read_only_disk(job: Job) -> str:
    """A file system mounted read-only, where not even root writes."""
    with disk(job.folder / "disk", "1m") as place:
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        return refused(job, *job.arguments("--out", str(place / "release")))


def read_only_ledger(job: Job) -> str:
    """The ledger on such a file system."""
    with disk(job.folder / "disk", "1m") as place:
        job.nursery.start(
            *job.arguments("--ledger", str(place / "ledger.sqlite"), "--out", str(job.folder / "first"))
        ).wait()
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        return refused(job, *job.arguments("--ledger", str(place / "ledger.sqlite")))


def full_disks(
    folder: Path, nursery: Nursery, form: str, sizes: tuple[int, ...], broken: list[str]
) -> dict[str, str]:
    """Disks of growing size: the run fails with a sentence until it fits, and then the release is whole."""
    found = {}
    for size in sizes:
        job = Job.made(folder, nursery, rows=600, reports="[]", data_format=form)
        found[f"{size} kB"] = _BROKEN
        with noting(broken, f"full disk, {form}, {size} kB"), disk(job.folder / "disk", f"{size}k") as place:
            run = job.start("--out", str(place / "release"))
            run.wait()
            if run.code == 0:
                if form == "csv":
                    job.check_release(place / "release")
                sentence = "released"
            else:
                promise(run.code == 2, f"exit code {run.code}: {run.said()[1][-2000:]}")
                promise(not any(place.iterdir()), f"left on the full disk: {list(place.rglob('*'))}")
                sentence = _without(one_sentence(run.said()[1]), job.folder)
            job.check_ledger()
            found[f"{size} kB"] = sentence
        shutil.rmtree(folder)
    print(f"full disk, {form}: {found}", flush=True)
    return found


def limited_files(
    folder: Path, nursery: Nursery, broken: list[str], sizes: tuple[int, ...] = _LARGEST
) -> dict[str, str]:
    """No file may grow beyond a limit (ulimit -f)."""
    found = {}
    for size in sizes:
        job = Job.made(folder, nursery)
        command = [sys.executable, "-c", _LIMIT.format(size), *job.arguments()]
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
        found[f"{size} bytes"] = _BROKEN
        with noting(broken, f"largest file of {size} bytes"):
            if result.returncode == 0:
                job.check_release()
                found[f"{size} bytes"] = "released"
            else:
                promise(result.returncode == 2, f"exit code {result.returncode}: {result.stderr[-2000:]}")
                promise(not job.release.exists() and not job.leftovers(), "something was left")
                found[f"{size} bytes"] = _without(one_sentence(result.stderr), job.folder)
        shutil.rmtree(folder)
    return found


def can_drop_rights() -> bool:
    """Whether root can be made to feel permissions here."""
    if shutil.which("setpriv") is None:
        return False
    return subprocess.run([*FEELING, "true"], capture_output=True, check=False).returncode == 0


def _can_mount(folder: Path) -> bool:
    try:
        with disk(folder / "try", "64k"):
            return True
    except (subprocess.CalledProcessError, FileNotFoundError):
        return False


@contextlib.contextmanager
def disk(place: Path, size: str) -> Iterator[Path]:
    """A file system of its own in memory."""
    place.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=True, capture_output=True
    )
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        place.rmdir()


if __name__ == "__main__":
    sys.exit(main())
