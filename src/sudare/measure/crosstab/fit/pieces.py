"""A column of numbers on pieces finer than its bins: what is released there tells more than the counts of wide bins.

A bin of several numbers has no noise of its own: how often its records are released elsewhere depends on where in the
bin they were. So the column alone is reconstructed on the pieces, from released counts that are as fine. This gives
the margin of the column (the sums over each bin), and the matrix of its bins in tables with other columns (the average
over the pieces, weighted by the reconstruction). Both agree: the matrix applied to the margin gives the expected
released counts of the pieces, summed over the bins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.contract import Transition
from sudare.measure.crosstab.fit.iterate import Iterated, iterate

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

_LEAST = 1e-9
"""Weight of an empty piece, in average pieces: a bin that was estimated as empty still needs a column."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """One column on its pieces."""

    matrix: Floats
    """Pr(released there | original in this piece), [fine released cell, piece]."""
    released_bin: Integers
    """Bin of each fine released cell."""
    original_bin: Integers
    """Bin of each piece."""
    bins: int
    counts: Floats
    """Released records in each fine released cell."""

    @cached_property
    def alone(self) -> Transition:
        """The column by itself."""
        return Transition((self.matrix,))

    @cached_property
    def found(self) -> Iterated:
        """The column reconstructed on its pieces, from an even start."""
        return iterate(self.alone, self.counts[None, :], np.ones((self.matrix.shape[1], 1)))

    @cached_property
    def weights(self) -> Floats:
        """Estimated records of each piece."""
        return self.found.estimate.ravel()

    @cached_property
    def margin(self) -> Floats:
        """Estimated records of each bin."""
        return self.summed(self.weights)

    def summed(self, weights: Floats) -> Floats:
        """Records of each bin, from those of its pieces."""
        return np.bincount(self.original_bin, weights, minlength=self.bins)

    def binned(self, weights: Floats) -> Floats:
        """[released bin, original bin] if the originals of a bin are distributed over its pieces like this."""
        rows = np.zeros((self.bins, len(weights)))
        np.add.at(rows, self.released_bin, self.matrix)
        share = np.zeros((len(weights), self.bins))
        least = _LEAST * max(float(weights.sum()), 1.0) / len(weights)
        share[np.arange(len(weights)), self.original_bin] = np.maximum(weights, least)
        total = share.sum(axis=0)
        # A bin outside the range has no originals: its column is the identity and applies to nothing.
        found: Floats = np.where(
            total > 0, rows @ (share / np.where(total > 0, total, 1.0)), np.eye(self.bins)
        )
        return found

    def drawn(self, released: Floats, weights: Floats, random: np.random.Generator) -> Pieces:
        """The same column with another release: the records of each released bin, drawn to its fine cells.

        `weights` are the originals that the release comes from. Given the bin, the fine cell of a released record has
        the chances of the expected fine counts.
        """
        expected = self.matrix @ weights + _LEAST
        counts = np.zeros(len(expected))
        for number, records in enumerate(released):
            inside = np.flatnonzero(self.released_bin == number)
            if len(inside):
                chances = expected[inside] / expected[inside].sum()
                counts[inside] = random.multinomial(round(float(records)), chances)
        return replace(self, counts=counts)
