"""Hierarchy of ordered groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import AfterValidator, BeforeValidator

from sudare.describe.hierarchy.making import ROOT
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.describe.text import scalar_text
from sudare.errors import ErrorSentence
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    import polars as pl


def _texts(given: Any) -> Any:
    """The items of a list as texts (YAML reads 1 and true as other types)."""
    if not isinstance(given, list | tuple):
        return given
    return tuple(scalar_text(item) if isinstance(item, int | float) else item for item in given)


Values = Annotated[Sequence[str | float], Field(min_length=1), BeforeValidator(_texts), AfterValidator(tuple)]
Factor = Annotated[int, Field(ge=2)]
Sizes = Annotated[Sequence[Annotated[int, Field(ge=1)]], AfterValidator(tuple)]
Groups = Annotated[Sequence[Values], AfterValidator(tuple)]


@parameters
class Order:
    """Consecutive values of an ordinal column in groups, labeled by their ends: "low … medium".

    With one number, that many neighbors form a group, that many groups form a group of the next level, and so on
    up to the root; with a list of sizes or of groups there is one level of groups below the root.
    """

    values: Values
    """All values, lowest first."""
    groups: Factor | Sizes | Groups = 2
    """How many neighbors form a group; or the size of each group; or the groups themselves."""

    @model_validator(mode="after")
    def _whole(self) -> Order:
        value, count = Counter(self.values).most_common(1)[0]
        if count > 1:
            raise ValueError(ErrorSentence("describe.order.repeated", value=value, count=count))
        if isinstance(self.groups, int):
            return self
        listed = [value for group in self.groups if not isinstance(group, int) for value in group]
        if listed and listed != list(self.values):
            raise ValueError(ErrorSentence("describe.order.groups_differ"))
        total = sum(_size(group) for group in self.groups)
        if total != len(self.values):
            raise ValueError(
                ErrorSentence("describe.order.groups_count", total=total, values=len(self.values))
            )
        return self

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The tree of the ordered groups, which must cover the column's values."""
        names = [scalar_text(value) for value in self.values]
        levels = [names]
        if isinstance(self.groups, int):
            size = self.groups
            while size < len(names):
                levels.append(_labels(names, [size] * (len(names) // size + 1)))
                size *= self.groups
        else:
            levels.append(_labels(names, [_size(group) for group in self.groups]))
        rows = [[*row, ROOT] for row in zip(*levels, strict=True)]
        return Hierarchy.from_levels(rows, column).build(values, column)


def _size(group: int | Sequence[object]) -> int:
    return group if isinstance(group, int) else len(group)


def _labels(values: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """The label of every value's group; groups are consecutive and have these sizes (the last may be smaller)."""
    labels: list[str] = []
    for size in sizes:
        group = values[len(labels) : len(labels) + size]
        if group:
            labels += [group[0] if len(group) == 1 else f"{group[0]} … {group[-1]}"] * len(group)
    return labels
