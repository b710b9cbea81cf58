"""People with several rows: requirements count rows, and a column shows that fewer people are behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.assess.block_requirements import KAnonymity
from sudare.assess.requirement import blocks_of
from sudare.describe.column import encode
from sudare.describe.guess.judgment import columns_of_people
from sudare.words.sentence import Sentence, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table


def quasi_warnings(table: Table, requirements: Sequence[Requirement]) -> tuple[str, ...]:
    """That every requirement holds and protects nothing, because no column is a quasi-identifier."""
    return (Sentence("no_quasi"),) if requirements and not table.names("quasi") else ()


def people_warnings(table: Table, requirements: Sequence[Requirement]) -> tuple[str, ...]:
    """That requirements count rows, where a column shows that people have several, and how many blocks of the table fall short."""
    rows = np.arange(table.rows)
    return tuple(
        found.sentence(Sentence, "people") for found in repeated_people(table, table, rows, requirements)
    )


@dataclass(frozen=True)
class RepeatedPeople:
    """A column by which several rows are of one person."""

    column: str
    rows: int
    people: int
    """Its different values."""
    k: int
    """The largest k that is asked for, or 2."""
    blocks: int | None
    """Blocks of equal quasi-identifiers; None where there are none, or where they are noise."""
    below: int | None
    """Blocks with fewer than k of its values."""
    columns: tuple[str, ...] = ()
    """All columns that repeat, where others do so besides."""

    def sentence(self, made: type[Sentence], key: str) -> Sentence:
        """One sentence, with the blocks where they are known."""
        figures: dict[str, Any] = {"column": self.column, "rows": self.rows, "people": self.people}
        number = "many" if self.columns else "one"
        if self.columns:
            figures["columns"] = enumerated(self.columns)
        if self.blocks is None:
            return made(f"{key}.{number}.rows", **figures)
        return made(f"{key}.{number}.blocks", **figures, below=self.below, blocks=self.blocks, k=self.k)


def repeated_people(
    original: Table, released: Table, rows: npt.NDArray[np.int64] | None, requirements: Sequence[Requirement]
) -> Iterator[RepeatedPeople]:
    """The column of the original that repeats most among the released rows, with the names of others that do.

    Columns are left out if every block has k of their values nevertheless. `rows` has, for each released row, its row in the
    original; None if they do not correspond.
    """
    found = list(_repeated(original, released, rows, requirements))
    if found:
        worst = max(found, key=lambda one: (one.below or 0, -one.people))
        names = tuple(one.column for one in found)
        yield replace(worst, columns=names if len(names) > 1 else ())


def _repeated(
    original: Table, released: Table, rows: npt.NDArray[np.int64] | None, requirements: Sequence[Requirement]
) -> Iterator[RepeatedPeople]:
    k = max([one.k for one in requirements if isinstance(one, KAnonymity)], default=2)
    noisy = any(released.column(name).mechanism is not None for name in released.names("quasi"))
    for name in columns_of_people(original):
        people = original.frame[name]
        if people.n_unique() == len(people):
            continue
        people = people if rows is None else people[rows]
        distinct = people.n_unique()
        if distinct == len(people):
            continue
        if rows is None or noisy or not released.names("quasi"):
            yield RepeatedPeople(name, len(people), distinct, k, None, None)
            continue
        blocks, codes = blocks_of(released), encode(people).codes.astype(np.int64)
        most = int(codes.max()) + 1
        pairs = np.unique(blocks.labels.astype(np.int64) * most + codes)
        held = np.bincount(pairs // most, minlength=blocks.count)
        below = int((held < k).sum())
        if below:  # otherwise every block has k people too
            yield RepeatedPeople(name, len(people), distinct, k, blocks.count, below)
