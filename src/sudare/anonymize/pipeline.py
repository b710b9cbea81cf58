"""Several methods in sequence, run as one: rows with missing values are dropped first, identifiers last."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Anonymizer, Context, Outcome, traits_of
from sudare.anonymize.simple.identifiers import RemoveIdentifiers
from sudare.describe.conversion import formats_of
from sudare.describe.kinds import UNRELEASED_ROLES
from sudare.describe.table import Table
from sudare.errors import ParameterError, SudareError
from sudare.parameters import require_made
from sudare.progress import Plan
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.parameters import Catalogue

M = TypeVar("M")


def methods_of(given: Any, catalogue: Catalogue[M]) -> list[M]:
    """One or several methods in order, each an instance (also of the caller's own class) or as the catalogue knows it."""
    listed: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    for one in listed:
        require_made(one)
    return [one if hasattr(one, "apply") else catalogue.build(one) for one in listed]


def apply_all(methods: Sequence[Anonymizer], table: Table, context: Context) -> Outcome:
    """Apply methods in order and trace every released row back to its original."""
    current, kept, notes = without_missing(table)
    notes[:0] = [
        Note("dates", column=column.name, format=", ".join(formats_of(column.format)))
        for column in table.columns
        if column.format is not None and column.role not in UNRELEASED_ROLES
    ]
    rows: npt.NDArray[np.int64] | None = kept
    warnings: list[str] = []
    every = [*methods, RemoveIdentifiers()]
    plan = Plan(
        context.progress, {str(place): 1.0 if place < len(methods) else 0.01 for place in range(len(every))}
    )
    for place, method in enumerate(every):
        if not current.rows and place < len(methods):
            continue  # nothing is left to work on: such a release is refused
        with plan.phase(str(place), shown="anonymize", inner=traits_of(method).phases) as step:
            outcome = _applied(method, current, replace(context, progress=step))
        current = outcome.table
        rows = None if rows is None or outcome.rows is None else rows[outcome.rows]
        notes.extend(outcome.notes)
        warnings.extend(outcome.warnings)
    return Outcome(current, rows, tuple(notes), tuple(warnings))


def _applied(method: Anonymizer, table: Table, context: Context) -> Outcome:
    """The outcome of a method, checked: it may be a third-party method, and later steps rely on its rows and roles."""
    name = type(method).__name__
    try:
        outcome = method.apply(table, context)
    except SudareError:
        raise
    except Exception as error:
        if type(method).__module__.startswith("sudare."):
            raise
        raise ParameterError(
            "anonymize.own_method.failed", method=name, kind=type(error).__name__, why=str(error)
        ) from error
    if not isinstance(outcome, Outcome) or not isinstance(outcome.table, Table):
        raise ParameterError("anonymize.own_method.no_outcome", method=name, kind=type(outcome).__name__)
    if outcome.rows is not None:
        _require_rows(table, outcome, outcome.rows, name)
    added = next((name for name in outcome.table.frame.columns if name not in table.frame.columns), None)
    if added is not None:
        raise ParameterError("anonymize.own_method.new_column", method=name, column=added)
    for column in table.columns:
        role = column.role
        if role in {"quasi", "sensitive", "drop"} and column.name in outcome.table.frame.columns:
            after = outcome.table.column(column.name).role
            if after != role:
                raise ParameterError(
                    "anonymize.own_method.changed_role",
                    method=name,
                    column=column.name,
                    role=role,
                    after=after,
                )
    _require_as_drawn(table, outcome, method)
    return outcome


def _require_rows(table: Table, outcome: Outcome, given: Any, name: str) -> None:
    """Stop where rows come from nowhere, or several from one."""
    rows = np.asarray(given)
    inside = rows.dtype.kind in "iu" and rows.shape == (outcome.table.rows,)
    if not inside or (len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < table.rows):
        raise ParameterError(
            "anonymize.own_method.no_source", method=name, rows=outcome.table.rows, last=table.rows - 1
        )
    taken = np.zeros(table.rows, dtype=np.bool_)
    taken[rows] = True
    if np.count_nonzero(taken) < len(rows):
        raise ParameterError("anonymize.own_method.copies", method=name)


def _require_as_drawn(before: Table, outcome: Outcome, method: Anonymizer) -> None:
    """Check that released numbers stay as their mechanism drew them; otherwise nothing could be estimated from them."""
    after = outcome.table
    for column in before.columns:
        if column.mechanism is None or column.name not in after.frame.columns:
            continue
        other = after.frame[column.name]
        # Rows that are unrelated to the given ones are not as they were drawn.
        one = None if outcome.rows is None else before.frame[column.name][outcome.rows]
        unchanged = one is not None and one.dtype == other.dtype and one.equals(other)
        if not unchanged or after.column(column.name).mechanism != column.mechanism:
            raise ParameterError(
                "anonymize.own_method.changed_noise", method=type(method).__name__, column=column.name
            )


def without_missing(table: Table) -> tuple[Table, np.ndarray[tuple[int], np.dtype[np.int64]], list[str]]:
    """The table without rows whose missing values must be dropped, the rows that remain, and a note if any were."""
    names = [column.name for column in table.columns if column.missing == "drop"]
    rows = np.arange(table.rows, dtype=np.int64)
    if not names:
        return table, rows, []
    keep = np.logical_and.reduce([table.frame[name].is_not_null().to_numpy() for name in names])
    if keep.all():
        return table, rows, []
    note = Note("missing", rows=int((~keep).sum()), columns=enumerated(names))
    return table.take(rows[keep]), rows[keep], [note]
