"""Run: the whole job of a recipe, of a table or of baskets: read, anonymize, write, verify, enter into the ledger."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sudare.errors import redact
from sudare.progress import Plan, Progress, shows_progress
from sudare.release.anonymize import anonymize
from sudare.release.folder import write_folder
from sudare.release.ledger.ledger import Head, Ledger
from sudare.release.recipe.base import AnyRecipe
from sudare.release.recipe.load import load_recipe
from sudare.release.staging import check_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sudare.release.folder import AnyRelease, Written
    from sudare.release.recipe.base import AnyOutput


@shows_progress
def run(
    recipe: AnyRecipe | str | Path,
    *,
    folder: str | Path | None = None,
    overwrite: bool | None = None,
    language: str | None = None,
    output: Mapping[str, Any] | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    described: Any = None,
    number: str | None = None,
    progress: Progress | None = None,
) -> Written[AnyRelease]:
    """Read, describe, anonymize, write, verify and enter into the ledger: the whole job of a recipe.

    `output` has other values for fields of the recipe's output, such as format, encoding, database and table. `described` is
    what `recipe.read()` returns, for callers that have read the data already. `number` is the UUID of the run in the ledger, for
    callers that may have to enter its end themselves because they kill the process.

    The recipe says itself whether it is about a table or about baskets. The folder appears whole and verified, or not at
    all. The ledger has the start of the run before any work and its end after; a run that was killed shows as started only.
    """
    asked = recipe if isinstance(recipe, AnyRecipe) else load_recipe(recipe)
    placed = asked.output.replaced(
        folder=str(Path(folder).absolute()) if folder else None,
        overwrite=overwrite,
        language=language,
        **(output or {}),
    )

    def made(plan: Plan) -> AnyRelease:
        with plan.phase("read"):
            data = asked.read() if described is None else described
        with plan.phase("anonymize") as step:
            release = anonymize(
                data,
                *asked.requirements,
                method=asked.method or None,
                measures=asked.measures,
                order=asked.order,
                seed=seed,
                progress=step,
            )
            if (effort := asked.second_effort) is not None:
                from sudare.release.retry import tried_again

                release = tried_again(release, effort, seed=seed, progress=step)
            release = asked.finished(release, step)
        release.seconds["read"] = plan.seconds["read"]
        return cast("AnyRelease", release)

    plan = Plan(progress, {"read": 2, "anonymize": 12, "write": 8})
    return entered(asked, placed, made, ledger, plan, number)


def entered(
    asked: AnyRecipe,
    output: AnyOutput,
    made: Callable[[Plan], AnyRelease],
    ledger: Ledger | None,
    plan: Plan,
    number: str | None = None,
) -> Written[AnyRelease]:
    """Write what `made` returns, verified, and enter its start, and its end or failure, into the ledger."""
    check_target(Path(output.folder), overwrite=output.overwrite)
    output.check_place()
    book, number = ledger or Ledger(), number or str(uuid.uuid4())
    begun = book.append("started", number, {"source": _shown_source(asked.address), "folder": output.folder})
    with book.failures(number):
        release = made(plan)
        with plan.phase("write") as step:
            written = write_folder(
                release,
                output,
                # The recipe that is kept is the one that was run, with what the command line changed.
                recipe=asked.model_copy(update={"output": output}),
                run=number,
                head=str(Head(begun.number, begun.chain)),
                progress=step,
            )
    told = [finding.sentence for finding in written.findings]
    book.enter_release(number, written.manifest, written.folder, told)
    return written


def _shown_source(path: str) -> str:
    """The source's name without anything a database address may hide."""
    shown = redact(path)
    return shown.partition("://")[0] + "://…" if "://" in shown else Path(shown).name
