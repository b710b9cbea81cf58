"""The whole job of a recipe, of a table or of baskets: read, anonymize, write, verify, enter into the ledger."""

from __future__ import annotations

import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sudare.progress import SILENT, Progress
from sudare.release.ledger.ledger import Ledger
from sudare.release.staging import check_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sudare.release.folder import Written
    from sudare.release.recipe.base import AnyRecipe

R = TypeVar("R")


def run_recipe(
    recipe: AnyRecipe,
    anonymize: Callable[..., R],
    write: Callable[..., Written[R]],
    *,
    folder: str | Path | None = None,
    overwrite: bool | None = None,
    language: str | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> Written[R]:
    """Do what a recipe says: `anonymize` makes the release of what was read, `write` writes and verifies it.

    The ledger has the start of the run before any work and its end after; a run that was killed shows as started only.
    """
    output = recipe.output.replaced(
        folder=str(Path(folder).absolute()) if folder else None, overwrite=overwrite, language=language
    )
    check_target(Path(output.folder), overwrite=output.overwrite)
    book, number = ledger or Ledger(), str(uuid.uuid4())
    shown = progress or SILENT
    book.append("started", number, {"source": _shown_source(recipe.address), "folder": output.folder})
    with book.failures(number):
        shown.start("read", 1)
        seconds: dict[str, float] = {}
        with timed(seconds, "read"):
            described = recipe.read()
        shown.update(1)
        release: Any = anonymize(
            described,
            *recipe.requirements,
            method=recipe.method,
            measures=recipe.measures,
            seed=seed,
            progress=shown,
        )
        release.seconds.update(seconds)
        written = write(release, output, recipe=recipe, run=number, progress=shown)
    book.append(
        "released",
        number,
        {
            "folder": str(written.folder),
            "rows": written.rows,
            "data_sha256": written.manifest["data"]["sha256"],
            "verdicts": [finding.sentence for finding in written.findings],
        },
    )
    return written


@contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Note how long a phase took; one that fails is not noted."""
    started = time.perf_counter()
    yield
    seconds[phase] = time.perf_counter() - started


def _shown_source(path: str) -> str:
    """The source's name without anything a database address may hide."""
    return path.partition("://")[0] + "://…" if "://" in path else Path(path).name
