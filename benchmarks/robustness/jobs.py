"""A small job in a folder of its own, started as a process, and what must be true of its folder whatever happened to it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMMAND = (sys.executable, "-m", "sudare.cli")
_FILES = {"public/data.csv", "public/manifest.json", "internal/manifest.json", "internal/recipe.yaml"}


class BrokenPromiseError(AssertionError):
    """Something that must never happen did."""


@dataclass(frozen=True)
class Job:
    """A folder with the table, the recipe, the ledger, and perhaps the release."""

    folder: Path
    nursery: Any
    """Who starts the runs."""

    @classmethod
    def made(
        cls, folder: Path, nursery: Any, *, rows: int = 300, reports: str = "[]", data_format: str = "csv"
    ) -> Job:
        """A hospital of some rows with the demonstration's recipe."""
        from sudare.formats.data import write_data
        from sudare.read.examples.hospital import hospital
        from sudare.release.demo import _recipe_text

        folder.mkdir(parents=True, exist_ok=True)
        write_data(hospital(rows), folder / "patients.csv", format="csv")
        text = _recipe_text("en").replace(
            "  language: en", f"  language: en\n  reports: {reports}\n  format: {data_format}"
        )
        (folder / "recipe.yaml").write_text(text, encoding="utf-8")
        return cls(folder, nursery)

    @property
    def release(self) -> Path:
        """The folder to appear."""
        return self.folder / "release"

    @property
    def book(self) -> Path:
        """The ledger."""
        return self.folder / "ledger.sqlite"

    def arguments(self, *options: str) -> list[str]:
        """`run` of the recipe."""
        return ["run", str(self.folder / "recipe.yaml"), "--ledger", str(self.book), *options]

    def start(self, *options: str) -> Any:
        """The run as a fork of the nursery."""
        return self.nursery.start(*self.arguments(*options))

    def process(self, *options: str, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        """The run as a process from its start; `before`: words before the command, such as those of strace."""
        return subprocess.Popen(
            [*before, *_COMMAND, *self.arguments(*options)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
        )  # fmt: skip

    def done(self, *options: str) -> None:
        """A run that must succeed."""
        run = self.start(*options)
        run.wait()
        promise(run.code == 0, f"a run that must succeed ended with {run.code}: {run.said()[1][-500:]}")

    def events(self) -> list[str]:
        """What the ledger says happened."""
        return [entry.event for entry in self.ledger().entries()] if self.book.exists() else []

    def ledger(self) -> Any:
        """The ledger, opened as every run does."""
        from sudare.release.ledger.ledger import Ledger

        return Ledger(self.book)

    def leftovers(self) -> list[Path]:
        """Temporary folders beside the release."""
        return sorted(self.folder.glob(".sudare-*"))

    def check_release(self, place: Path | None = None) -> str:
        """The release is whole: every file there, hashes and guarantees recomputed; the run that made it."""
        import json

        from sudare.verify.verify import verify_release

        folder = place or self.release
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        promise(names >= _FILES, f"{folder.name} holds only {sorted(names)}")
        broken = [finding.sentence for finding in verify_release(folder / "public") if not finding.holds]
        promise(not broken, f"{folder.name} does not verify: {broken}")
        public, internal = (
            json.loads((folder / kind / "manifest.json").read_text("utf-8"))
            for kind in ("public", "internal")
        )
        promise(public["data"] == internal["data"], "the two manifests speak of different data")
        digest = hashlib.sha256((folder / "public" / "data.csv").read_bytes()).hexdigest()
        promise(internal["data"]["sha256"] == digest, "the data are not those of the manifest")
        return str(internal["run"])

    def check_ledger(self) -> None:
        """The chain is whole, and a run ends at most once."""
        if not self.book.exists():
            return
        book = self.ledger()
        promise(book.verify() == [], f"the ledger is damaged: {book.verify()}")
        ends = [entry.run for entry in book.entries() if entry.event != "started"]
        promise(len(ends) == len(set(ends)), "a run ended twice")

    def check_strangers(self) -> None:
        """Nothing lies about but what is ours."""
        names = {path.name for path in self.folder.iterdir()}
        known = {
            "patients.csv",
            "recipe.yaml",
            "release",
            "ledger.sqlite",
            "ledger.sqlite.key",
            "ledger.sqlite-wal",
            "ledger.sqlite-shm",
        }
        strange = {name for name in names - known if not name.startswith(".sudare-release-")}
        promise(not strange, f"there is also {sorted(strange)}")


def listing(folder: Path) -> dict[str, str]:
    """Every file below with its hash."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def promise(holds: bool, sentence: str) -> None:
    """Give up the case when something is not as promised."""
    if not holds:
        raise BrokenPromiseError(sentence)


@contextlib.contextmanager
def noting(broken: list[str], what: str) -> Iterator[None]:
    """Keep a broken promise among the figures and go on: the page counts them, and the script ends with an error."""
    try:
        yield
    except BrokenPromiseError as error:
        broken.append(f"{what}: {error}")
        print(f"BROKEN {broken[-1]}", flush=True)


def environment() -> dict[str, str]:
    """For a child: no colors, a narrow terminal."""
    return {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}


def one_sentence(told: str) -> str:
    """What a run said that failed: one line of ours."""
    promise(
        told.startswith("sudare: ")
        and told.count("\n") == 1
        and told.rstrip()[-1] in ".?"
        and "Traceback" not in told,
        f"not one sentence: {told[-600:]!r}",
    )
    return told.removeprefix("sudare: ").rstrip("\n")
