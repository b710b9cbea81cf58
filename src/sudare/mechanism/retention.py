"""Retention-replacement: keep a value, or replace it with one drawn independently of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sudare.errors import ErrorSentence
from sudare.mechanism.protocol import Scalar
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.mechanism.protocol import Draw
    from sudare.randomness import Randomness

_BLOCK = 1 << 14


@parameters
class Retention:
    """A value v is kept with probability p, else it is replaced by u with probability pi_u (v itself included).

    `A[v, v] = p + (1 - p) pi_v`, `A[u, v] = (1 - p) pi_u`. With `r_v = (1 - p) pi_v / (p + (1 - p) pi_v)` the rate is the
    product of the two smallest r; for the uniform distribution on d values `((1 - p) / (1 + (d - 1) p))^2`.
    Local epsilon `-log min r`.

    >>> round(Retention(keep=0.5, values=("F", "M")).rate(), 6)
    0.111111
    """

    keep: Annotated[float, Field(ge=0, lt=1)]
    """Probability p that a value is kept."""
    values: Annotated[tuple[Scalar, ...], Field(min_length=1)]
    """All possible values, known without looking at the data; null stands for a missing value."""
    distribution: tuple[Annotated[float, Field(ge=0)], ...] | None = None
    """Probability pi of each value as a replacement, in the order of `values`; uniform if omitted."""

    @model_validator(mode="after")
    def _whole(self) -> Retention:
        if len(set(map(repr, self.values))) < len(self.values):
            raise ValueError(ErrorSentence("mechanism.retention.repeated"))
        if self.distribution is None:
            return self
        if len(self.distribution) != len(self.values):
            raise ValueError(
                ErrorSentence(
                    "mechanism.retention.count",
                    probabilities=len(self.distribution),
                    values=len(self.values),
                )
            )
        if not math.isclose(math.fsum(self.distribution), 1, rel_tol=0, abs_tol=1e-9):
            raise ValueError(ErrorSentence("mechanism.retention.sum", sum=math.fsum(self.distribution)))
        return self

    def replacement(self) -> npt.NDArray[np.float64]:
        """`pi`: the probability of each value as a replacement."""
        if self.distribution is None:
            return np.full(len(self.values), 1 / len(self.values))
        return np.array(self.distribution) / math.fsum(self.distribution)

    def matrix(self) -> npt.NDArray[np.float64]:
        """`A[released, original]`; every column sums to 1."""
        size = len(self.values)
        return self.keep * np.eye(size) + (1 - self.keep) * self.replacement()[:, None]

    def _odds(self) -> npt.NDArray[np.float64]:
        """`r_v`, ascending."""
        replaced = (1 - self.keep) * self.replacement()
        odds = np.zeros(len(replaced))
        np.divide(replaced, self.keep + replaced, out=odds, where=replaced > 0)
        return np.sort(odds)

    def rate(self) -> float:
        """Product of the two smallest r; 1 for a single value."""
        return float(self._odds()[:2].prod()) if len(self.values) > 1 else 1.0

    def epsilon(self) -> float:
        """`-log min r`."""
        least = float(self._odds()[0]) if len(self.values) > 1 else 1.0
        return -math.log(least) if least > 0 else math.inf

    def randomize(
        self,
        values: npt.NDArray[np.float64],
        random: Randomness,
        *,
        draw: Draw = "inverse",  # noqa: ARG002  # one way
    ) -> npt.NDArray[np.float64]:
        """The released codes (positions in `values`) for the original codes."""
        released = np.array(values, dtype=np.float64)
        ends = np.cumsum(self.replacement())[:-1]
        for start in range(0, len(released), _BLOCK):
            part = released[start : start + _BLOCK]
            # One random number decides both: below p the value is kept; the rest of [0, 1), rescaled, selects the
            # replacement.
            drawn = (random.uniform(len(part)) - self.keep) / (1 - self.keep)
            replaced = (
                np.floor(drawn * len(self.values))
                if self.distribution is None
                else ends.searchsorted(drawn, "right")
            )
            np.copyto(part, np.minimum(replaced, len(self.values) - 1), where=drawn >= 0)
        return released
