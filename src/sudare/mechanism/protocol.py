"""The protocol that every mechanism implements, and the fields that number mechanisms share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from sudare.errors import ErrorSentence
from sudare.mechanism.grid import finest_grid
from sudare.parameters import Annotated, Field

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.randomness import Randomness

Draw = Literal["inverse", "retry"]
"""How a bounded value is drawn: `inverse`, a uniform number through the inverse CDF; `retry`, redraw until it fits."""

Scalar = str | int | float | bool | None
"""A value that a manifest can store; None is missing."""

Low = Annotated[float, Field(description="Least value of the range, known without looking at the data.")]
High = Annotated[float, Field(description="Greatest value of the range, known without looking at the data.")]
Grid = Annotated[
    Annotated[float, Field(gt=0)] | None,
    Field(description="Released numbers are rounded to low + grid, low + 2 grid, …; none: as drawn."),
]
Flip = Annotated[
    Annotated[float, Field(gt=0, le=0.5)] | None,
    Field(
        description="Chance that missing is released as a number, and a number as missing; none: never missing."
    ),
]
Ranks = Annotated[
    tuple[Scalar, ...] | None,
    Field(description="Values of an ordinal column, lowest first: what is randomized is their rank from 0."),
]


@runtime_checkable
class Mechanism(Protocol):
    """How one column is randomized, record by record and independently of the other columns; all of it is public.

    `A[x, v]` is the probability (density) that the original value v is released as x.
    """

    def rate(self) -> float:
        """`inf over u, v, u', v' of A[u', v] A[v', u] / (A[u', u] A[v', v])`: 1 hides everything, 0 nothing."""

    def epsilon(self) -> float:
        """Local differential privacy: `sup over x, u, v of log(A[x, v] / A[x, u])`, or an upper bound of it."""

    def randomize(
        self, values: npt.NDArray[np.float64], random: Randomness, *, draw: Draw = "inverse"
    ) -> npt.NDArray[np.float64]:
        """The released values for the original ones: numbers, or for retention codes (positions in `values`)."""


@runtime_checkable
class NumberMechanism(Mechanism, Protocol):
    """A mechanism for numbers; dates are days since 1970, ordinal values their ranks."""

    @property
    def low(self) -> float:
        """Smallest value."""

    @property
    def high(self) -> float:
        """Largest value."""

    @property
    def grid(self) -> float | None:
        """Step of the released numbers."""

    @property
    def flip(self) -> float | None:
        """Probability that missing and present are exchanged; the number for a missing cell is uniform on the range."""

    @property
    def values(self) -> tuple[Scalar, ...] | None:
        """Ordinal values in order; the numbers are their ranks."""

    def cumulative(
        self, v: npt.ArrayLike, x: npt.ArrayLike, *, strict: bool = False
    ) -> npt.NDArray[np.float64]:
        """`Pr(released <= x | original v)`, broadcast over both; `strict`: `< x`.

        Rounding to the grid is included. With a flip it is the distribution given that a number is released.
        """

    def cumulative_missing(self, x: npt.ArrayLike, *, strict: bool = False) -> npt.NDArray[np.float64]:
        """`Pr(released <= x | original missing, released as a number)`: uniform on the range, then rounded."""


def check_range(low: float, high: float, grid: float | None, values: tuple[Scalar, ...] | None) -> None:
    """Raise a one-sentence ValueError unless low < high and the grid and the ranks fit the range."""
    if not low < high:
        raise ValueError(ErrorSentence("mechanism.range", low=low, high=high))
    if grid is not None:
        steps = (high - low) / grid
        if abs(steps - round(steps)) > 1e-6 * max(1.0, math.sqrt(steps)) or round(steps) < 1:
            raise ValueError(ErrorSentence("mechanism.grid", grid=grid, low=low, high=high))
        if grid < (finest := finest_grid(low, high)):
            raise ValueError(
                ErrorSentence("mechanism.fine_grid", grid=grid, low=low, high=high, finest=finest)
            )
    if values is not None and (low != 0 or high != len(values) - 1 or grid != 1):
        raise ValueError(ErrorSentence("mechanism.ranks", count=len(values), last=len(values) - 1))
