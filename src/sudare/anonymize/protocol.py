"""What every method is: parameters with an `apply` that maps a table to another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from sudare.progress import SILENT
from sudare.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """What a method is given beside the table."""

    requirements: tuple[Requirement, ...] = ()
    """What the release must satisfy; methods that do not form groups leave it to the final check."""
    random: Randomness = field(default_factory=Randomness)
    """The only source of random numbers, but for the key of `Pseudonymize`, which no seed may make repeatable."""
    progress: Progress = SILENT
    """Where long work says how far it is; its `update` raises when the user cancels."""


class Traits(NamedTuple):
    """What other layers need to know of a method, so that none of them asks for its class.

    Each is an attribute of the method of that name (or a property, where it depends on parameters); a method that does not
    declare one has the value here, which promises nothing.
    """

    reorders: bool = False
    """Whether the place of a record in the release says nothing about its place in the input."""
    minimizes: str | None = None
    """The measure that it makes small, by which two of its releases are compared."""
    generalizes: bool = False
    """Whether every cell of a quasi-identifier that it changes becomes a range or a value of the hierarchy that covers the
    original, so that bounds on generalization hold."""
    replaces: tuple[str, ...] | None = None
    """Columns whose cells it replaces by other values, where it does not generalize; None: possibly any."""
    keeps_rows: bool = False
    """Whether no record is ever left out."""
    private_fields: tuple[str, ...] = ()
    """Parameters that the public part of a release does not tell."""
    phases: Mapping[str, float] = MappingProxyType({})
    """Weights of the phases that `apply` opens, where it opens several: what a bar of the whole job goes by."""


def traits_of(method: object) -> Traits:
    """The traits that a method declares, and the defaults of the others."""
    found: dict[str, Any] = {
        name: getattr(method, name, default) for name, default in Traits._field_defaults.items()
    }
    return Traits(**found)


class Anonymizer(Protocol):
    """A method: a frozen parameter class that can be applied, with the `Traits` that it declares.

    `apply` never changes its input, draws what must stay secret only from `context.random` (`Pseudonymize` alone takes
    its key from `secrets`), calls `context.progress.update` often on anything long, and raises `InfeasibleError` when it
    cannot reach the requirements it is meant to reach.
    """

    def apply(self, table: Table, context: Context) -> Outcome:
        """Transform a table."""


def same_rows(table: Table, *notes: str) -> Outcome:
    """The outcome of a method that keeps every row in its place."""
    return Outcome(table, np.arange(table.rows, dtype=np.int64), notes)


def some_rows(table: Table, rows: npt.NDArray[np.int64], *notes: str) -> Outcome:
    """The outcome of a method that keeps or reorders rows."""
    return Outcome(table.take(rows), rows, notes)
