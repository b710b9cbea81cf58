"""Distances between rows: columns are compared one by one and combined."""

from __future__ import annotations

from typing import Annotated, Protocol, Self, runtime_checkable

from sudare.describe.distance.line import Euclid
from sudare.describe.distance.space import ColumnDistance
from sudare.errors import ErrorSentence
from sudare.parameters import Field, model_validator, parameters

Order = Annotated[float, Field(ge=1, allow_inf_nan=True)]


@runtime_checkable
class RowDistance(Protocol):
    """(sum w_a d_a^q)^(1/q) over columns a; the largest w_a d_a for q = infinity."""

    @property
    def order(self) -> float:
        """The q."""

    def of_column(self, name: str) -> ColumnDistance | None:
        """The distance of one column; None selects it by the column's kind."""

    def weight_of(self, name: str) -> float | None:
        """The weight of one column; None gives every column equal influence."""

    def named(self) -> list[str]:
        """The columns that it names; if empty, it applies to all."""


@parameters
class Product:
    """sqrt(sum w_a d_a^2) over columns a, or with another order than 2.

    Default weights are w_a = 1 / I_2(column a) of the original, so that every column has equal influence; a column
    whose values are all equal has weight 0.
    """

    distances: dict[str, ColumnDistance] = Field(default_factory=dict)
    """Distance of each column; columns left out are not compared, unless no distances are given."""
    weights: dict[str, float] = Field(default_factory=dict)
    """Weight of each column; 0 excludes it."""
    order: Order = 2.0
    """q: 1 adds the distances, 2 is Euclidean, infinity takes the largest."""

    @model_validator(mode="after")
    def _not_negative(self) -> Self:
        for name, weight in self.weights.items():
            if not weight >= 0:
                raise ValueError(ErrorSentence("describe.distance.weight", name=name, weight=weight))
        return self

    def of_column(self, name: str) -> ColumnDistance | None:
        """The distance of one column."""
        return self.distances.get(name)

    def weight_of(self, name: str) -> float | None:
        """The weight of one column; 0 if others have weights and it has none."""
        return self.weights.get(name, 0.0) if self.weights else None

    def named(self) -> list[str]:
        """The columns that it names."""
        return list(self.distances)


@parameters
class Minkowski:
    """The p-norm of numeric rows, without scaling columns: order 1 is Manhattan, 2 Euclidean, infinity Chebyshev."""

    order: Order = 2.0
    """The p of the norm."""

    def of_column(self, name: str) -> ColumnDistance:  # noqa: ARG002  # numbers only
        """Euclidean, which is |x - y| on one column."""
        return Euclid()

    def weight_of(self, name: str) -> float:  # noqa: ARG002  # no weights
        """Always 1."""
        return 1.0

    def named(self) -> list[str]:
        """All columns."""
        return []
