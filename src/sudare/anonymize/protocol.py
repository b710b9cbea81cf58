"""The interface of every method: parameters with an `apply` that maps one table to another."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from sudare.errors import ParameterError
from sudare.progress import SILENT
from sudare.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table
    from sudare.progress import Progress


@dataclass(frozen=True, eq=False)
class Outcome:
    """A transformed table and where its rows come from."""

    table: Table
    rows: npt.NDArray[np.int64] | None
    """For each row of the outcome, the row of the input it was made from (never published); None where rows were not made from
    single rows, as those of synthetic data."""
    notes: tuple[str, ...] = ()
    """Sentences for the report: what was done, in figures."""
    warnings: tuple[str, ...] = ()
    """Sentences for the custodian: what to look at before handing over."""


@dataclass(frozen=True, eq=False)
class Context:
    """What a method receives in addition to the table."""

    requirements: tuple[Requirement, ...] = ()
    """What the release must satisfy; methods that do not form groups leave this to the final check."""
    random: Randomness = field(default_factory=Randomness)
    """The only source of random numbers, except for the key of `Pseudonymize`, which no seed may make repeatable."""
    progress: Progress = SILENT
    """Where long computations report their progress; its `update` raises if the user cancels."""


class Traits(NamedTuple):
    """What other layers need to know about a method, so that none of them has to check its class.

    Each trait is an attribute of the method with that name (or a property, if it depends on parameters). A method that
    does not declare one has the default given here, which promises nothing.
    """

    reorders: bool = False
    """Whether the position of a record in the release reveals nothing about its position in the input."""
    minimizes: str | None = None
    """The measure it minimizes, by which two of its releases are compared."""
    bound_visits: float = 3e7
    """How many rows each search for the lower bound on that measure may look at: about a third of a second."""
    generalizes: bool = False
    """Whether every quasi-identifier cell that it changes becomes a range or a hierarchy value that covers the
    original, so that bounds on generalization are valid."""
    replaces: tuple[str, ...] | None = None
    """Columns whose cells it replaces with other values without generalizing them; None: possibly any."""
    keeps_rows: bool = False
    """Whether it never leaves out a record."""
    private_fields: tuple[str, ...] = ()
    """Parameters that the public part of a release does not disclose."""
    phases: Mapping[str, float] = MappingProxyType({})
    """Weights of the phases that `apply` opens, if it opens several; used for a progress bar of the whole job."""


def traits_of(method: object) -> Traits:
    """The traits that a method declares, with defaults for the others."""
    found: dict[str, Any] = {
        name: getattr(method, name, default) for name, default in Traits._field_defaults.items()
    }
    return Traits(**found)


class Anonymizer(Protocol):
    """A method: a frozen parameter class that can be applied, with the `Traits` that it declares.

    `apply` never changes its input, draws whatever must stay secret only from `context.random` (only `Pseudonymize`
    takes its key from `secrets`), calls `context.progress.update` often during long work, and raises `InfeasibleError`
    if it cannot meet the requirements it is meant to meet.
    """

    def apply(self, table: Table, context: Context) -> Outcome:
        """Transform a table."""


def same_rows(table: Table, *notes: str) -> Outcome:
    """The outcome of a method that keeps every row in its place."""
    return Outcome(table, np.arange(table.rows, dtype=np.int64), notes)


def some_rows(table: Table, rows: npt.NDArray[np.int64], *notes: str) -> Outcome:
    """The outcome of a method that keeps or reorders rows."""
    return Outcome(table.take(rows), rows, notes)


def present_columns(table: Table, names: Sequence[str]) -> list[str]:
    """The named columns, which must exist."""
    for name in names:
        table.column(name)
    return list(names)


def numeric_columns(table: Table, names: Sequence[str], method: str) -> list[str]:
    """The named columns, which must be numeric."""
    for name in present_columns(table, names):
        if not table.frame[name].dtype.is_numeric():
            raise ParameterError(
                "anonymize.simple.not_numeric", method=method, column=name, dtype=table.frame[name].dtype
            )
    return list(names)
