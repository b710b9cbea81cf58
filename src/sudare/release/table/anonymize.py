"""Run, for tables: `anonymize` works in memory, `run` from a recipe to a written release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sudare.advise.defaults import default_methods
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.pipeline import apply_all, methods_of
from sudare.anonymize.protocol import Context, traits_of
from sudare.assess.catalogue import REQUIREMENTS, requirements_of
from sudare.assess.noise import way_out
from sudare.assess.pk_anonymity import asked_k
from sudare.assess.requirement import Requirement, table_of
from sudare.describe.blur import refuse_blurred
from sudare.describe.text import has_no_text
from sudare.errors import (
    DescriptionError,
    GuaranteeError,
    InfeasibleError,
)
from sudare.measure.catalogue import measure
from sudare.measure.generalization import column_losses
from sudare.measure.pair import Pair
from sudare.progress import SILENT, Progress, shows_progress
from sudare.randomness import Randomness
from sudare.release.recipe.table import Recipe
from sudare.release.run import run_recipe, timed
from sudare.release.table.ambiguous import labels_like_values
from sudare.release.table.release import Release
from sudare.release.table.write import write_release
from sudare.release.warnings import ReleaseWarning
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sudare.anonymize.protocol import Anonymizer, Outcome
    from sudare.describe.table import Table
    from sudare.release.folder import Written
    from sudare.release.ledger.ledger import Ledger

_TOO_LARGE = ((("sensitive", "insensitive"), 1e150, "squares"), (("quasi",), 4e307, "differences"))
"""Roles, the largest number, and what of a larger one overflows."""
_NAMED = 5
"""Labels that a warning names."""

_ROLE_NAMES = {"quasi": "a quasi-identifier", "sensitive": "sensitive"}


def anonymize(
    table: Table,
    *requirements: Requirement | str,
    method: Anonymizer | str | Sequence[Anonymizer | str] | None = None,
    measures: Sequence[str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Transform a table until every requirement holds, check it, and measure what was lost.

    `method` is one method or several in order (when left out Randomize for Pk-anonymity, else Mondrian). Requirements and methods may also be
    given as on the command line, such as "k-anonymity k=5". A `seed` makes the random choices
    repeatable, for tests only: the release is then marked as not secure. Raises `GuaranteeError` when a
    requirement does not hold on the result.
    """
    original = table_of(table)
    asked = requirements_of(requirements, REQUIREMENTS)
    _check_given(original, asked)
    methods = list(default_methods(asked)) if method is None else methods_of(method, METHODS)
    random = Randomness(seed)
    seconds: dict[str, float] = {}
    with timed(seconds, "anonymize"):
        outcome = apply_all(methods, original, Context(asked, random, progress or SILENT))
    if outcome.table.rows == 0:
        raise InfeasibleError(
            "No row is left to release; loosen the requirement or the policy on missing values."
        )
    with timed(seconds, "check"):
        verdicts = tuple(requirement.check(outcome.table) for requirement in asked)
    for requirement, verdict in zip(asked, verdicts, strict=True):
        if not verdict.holds:
            raise GuaranteeError(
                f"{verdict.explanation} Nothing is released: {way_out(requirement, original)}."
            )
    pair = Pair(original, outcome.table, outcome.rows)
    with timed(seconds, "measure"):
        losses = measure(original, pair, measures)
        by_column = column_losses(original, pair)
    return Release(
        original=original,
        table=outcome.table,
        rows_of_original=outcome.rows,
        requirements=asked,
        methods=tuple(methods),
        verdicts=verdicts,
        losses=losses,
        column_losses=by_column,
        notes=outcome.notes,
        warnings=(
            *_warnings(original, random),
            *_of_outcome(original, outcome, methods, asked),
            *outcome.warnings,
        ),
        secure=random.secure,
        seconds=seconds,
    )


@shows_progress
def run(
    recipe: Recipe | str | Path,
    *,
    folder: str | Path | None = None,
    overwrite: bool | None = None,
    language: str | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> Written[Release]:
    """Read, describe, anonymize, write, verify and enter into the ledger: the whole job of a recipe.

    The folder appears whole and verified, or not at all. The ledger has the start of the run before any work
    and its end after; a run that was killed shows as started only.
    """
    return run_recipe(
        recipe if isinstance(recipe, Recipe) else Recipe.load(recipe),
        anonymize,
        write_release,
        folder=folder,
        overwrite=overwrite,
        language=language,
        seed=seed,
        ledger=ledger,
        progress=progress,
    )


def _check_given(table: Table, requirements: Sequence[Requirement]) -> None:
    if table.rows == 0:
        raise DescriptionError("The table has no rows, so there is nothing to release; check the source.")
    if requirements and not table.names("quasi"):
        raise DescriptionError(
            "No column is a quasi-identifier, so the requirements protect nothing; describe some with quasi=[…]."
        )
    _refuse_incomparable(table)
    for roles, largest, why in _TOO_LARGE:
        for name in table.names(*roles):
            numbers = table.frame[name]
            if numbers.dtype.is_float() and (numbers.abs() > largest).any():
                raise DescriptionError(
                    f"Column '{name}' holds numbers beyond {largest:g}, whose {why} are no numbers any more; give them in a "
                    "greater unit."
                )
    refuse_blurred(table)


def _refuse_incomparable(table: Table) -> None:
    """Sets, records and bytes are released as they are or dropped; objects of Python fit into no file."""
    for column in table.columns:
        dtype = table.frame[column.name].dtype
        if dtype == pl.Object:
            raise DescriptionError(
                f"Column '{column.name}' holds Python objects, which no file can hold; turn them into texts, or leave the "
                "column out."
            )
        if column.role in {"quasi", "sensitive"} and has_no_text(dtype):
            raise DescriptionError(
                f"Column '{column.name}' holds {dtype} and cannot be {_ROLE_NAMES[column.role]}, for such values are not "
                "compared; turn each into one text, call the column insensitive or identifier, or read the items with "
                "sd.read_baskets."
            )


def _warnings(table: Table, random: Randomness) -> Iterator[str]:
    if table.undescribed:
        yield ReleaseWarning("table.undescribed", columns=enumerated(table.undescribed))
    if not random.secure:
        yield ReleaseWarning("table.seed")


def _of_outcome(
    original: Table, outcome: Outcome, methods: Sequence[Anonymizer], requirements: Sequence[Requirement]
) -> Iterator[str]:
    """What only all methods together tell."""
    noisy = any(column.mechanism is not None for column in outcome.table.columns)
    reordered = any(traits_of(one).reorders for one in methods)
    if noisy and not reordered and asked_k(requirements) is not None:
        yield ReleaseWarning("table.in_order")
    for name, labels in labels_like_values(original, outcome.table, outcome.rows):
        quoted = enumerated(f"'{label}'" for label in labels[:_NAMED])
        yield ReleaseWarning("table.ambiguous", column=name, labels=quoted)
