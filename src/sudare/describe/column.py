"""Column: what is known about one column of a table, and whether its values bear that out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudare.errors import DescriptionError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from sudare.describe.hierarchy.catalogue import HierarchyMaker
    from sudare.describe.kinds import Kind, MissingPolicy, Role
    from sudare.mechanism.protocol import Mechanism


@dataclass(frozen=True)
class Column:
    """What is known about one column."""

    name: str
    kind: Kind
    role: Role = "insensitive"
    hierarchy: HierarchyMaker | None = None
    missing: MissingPolicy = "own"
    described: bool = False
    """False while nobody has given it a role: it would be published unchanged, and the release warns."""
    mechanism: Mechanism | None = None
    """How the values were randomized, which is public; None: they were not."""


def check_column(column: Column, series: pl.Series) -> None:
    """Stop where the values are not what the description says, one sentence a breach."""
    if column.missing == "reject" and series.null_count() > 0:
        raise DescriptionError(
            f"Column '{column.name}' has {series.null_count()} missing values but its policy is "
            "'reject'; fill them, or choose 'own' (a value of its own) or 'drop' (rows left out)."
        )
    if column.kind == "numeric" and not series.dtype.is_numeric():
        raise DescriptionError(
            f"Column '{column.name}' is called numeric but holds {series.dtype}; "
            "convert it to numbers or call it nominal or string."
        )
    if series.dtype.is_float() and series.is_infinite().any():
        raise DescriptionError(
            f"Column '{column.name}' holds infinite numbers, which have no range; "
            "replace them by the largest sensible value or by missing."
        )
    if column.kind == "date" and not series.dtype.is_temporal():
        raise DescriptionError(
            f"Column '{column.name}' is called a date but holds {series.dtype}; "
            "convert it to dates (YYYY-MM-DD) or call it string."
        )
    if column.role == "weight":
        _check_weight(column.name, series)


def check_weights(names: Sequence[str]) -> None:
    """Stop where several columns are weights."""
    if len(names) > 1:
        raise DescriptionError(
            f"Columns '{names[0]}' and '{names[1]}' are both weights, but a record has one; name one weight column and "
            "describe the others as insensitive."
        )


def check_choice(name: str, what: str, given: str, allowed: tuple[str, ...]) -> None:
    """Stop where a description is none of the words there are."""
    if given not in allowed:
        raise DescriptionError(
            f"Column '{name}': {given!r} is not a {what}; {did_you_mean(str(given), allowed)}"
        )


def _check_weight(name: str, series: pl.Series) -> None:
    """Stop where a weight is no number of people. A missing one counts as 1, which is cautious; if all are, there are none."""
    if not series.dtype.is_numeric():
        raise DescriptionError(f"Column '{name}' is a weight but holds {series.dtype}; a weight is a number.")
    known = series.drop_nulls().drop_nans() if series.dtype.is_float() else series.drop_nulls()
    wrong = known.filter(known <= 0)
    if len(wrong) or (len(series) and not len(known)):
        held = wrong[0] if len(wrong) else "missing values only"
        raise DescriptionError(
            f"Column '{name}' is a weight but holds {held}; a weight is a positive number, of the people that a record "
            "stands for: correct it, or describe the column as insensitive."
        )
