"""Column: what is known about one column of a table, and whether its values agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sudare.errors import DescriptionError, did_you_mean, shown

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
    """False until a role is given: the column would be published unchanged, and the release warns about it."""
    mechanism: Mechanism | None = None
    """How the values were randomized, which is public; None if they were not."""


def check_column(column: Column, series: pl.Series) -> None:
    """Raise a one-sentence error if the values do not match the description."""
    if column.missing == "reject" and series.null_count() > 0:
        count = series.null_count()
        raise DescriptionError(
            f"describe.column.missing.{'one' if count == 1 else 'many'}", column=column.name, count=count
        )
    if column.kind == "numeric" and not series.dtype.is_numeric():
        raise DescriptionError("describe.column.not_numeric", column=column.name, dtype=series.dtype)
    if series.dtype.is_float() and series.is_infinite().any():
        raise DescriptionError("describe.column.infinite", column=column.name)
    if column.kind == "date" and not series.dtype.is_temporal():
        raise DescriptionError("describe.column.not_a_date", column=column.name, dtype=series.dtype)
    if column.role == "weight":
        _check_weight(column.name, series)


def check_weights(names: Sequence[str]) -> None:
    """Raise an error if several columns are weights."""
    if len(names) > 1:
        raise DescriptionError("describe.weight.two", one=names[0], other=names[1])


def check_choice(
    name: str, what: Literal["kind", "missing_policy"], given: str, allowed: tuple[str, ...]
) -> None:
    """Raise an error if a description is not one of the allowed words."""
    if given not in allowed:
        raise DescriptionError(
            f"describe.column.not_a_{what}",
            column=name,
            given=shown(given),
            hint=did_you_mean(str(given), allowed),
        )


def _check_weight(name: str, series: pl.Series) -> None:
    """Raise an error if a weight is not a number of people or all are missing; a missing one counts as 1 (cautious)."""
    if not series.dtype.is_numeric():
        raise DescriptionError("describe.weight.not_a_number", column=name, dtype=series.dtype)
    known = series.drop_nulls().drop_nans() if series.dtype.is_float() else series.drop_nulls()
    wrong = known.filter(known <= 0)
    if len(wrong):
        raise DescriptionError("describe.weight.not_positive", column=name, value=wrong[0])
    if len(series) and not len(known):
        raise DescriptionError("describe.weight.all_missing", column=name)
