"""A column of numbers on pieces finer than its bins: what is released there tells more than the counts of wide bins.

A bin of several numbers has no noise of its own: how often its records are released elsewhere depends on where in the
bin they were. So the column alone is reconstructed on the pieces, from released counts that are as fine. This gives
the margin of the column (the sums over each bin), and the matrix of its bins in tables with other columns (the average
over the pieces, weighted by the reconstruction). Both agree: the matrix applied to the margin gives the expected
released counts of the pieces, summed over the bins.

G^2 of many pieces is soon as small as chance makes it, and says little about their sums: EM that stops there is often
too flat for wide bins, and EM that goes on is too rough for narrow ones. So it is rehearsed: releases are drawn from
the pieces that either finds, all ways to stop are tried on them, and the one is taken whose bins are, at worst, least
farther from the known original than the best way's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.contract import Transition
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.iterate import Iterated, iterate
from sudare.randomness import repeatable

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

_WAYS = (0, 200, 1_000)
"""Steps of EM that are tried; 0 stops by the rule `fit`."""
_DRAWS = 3
_LARGEST = 100_000
"""Cells of the matrix up to which the steps are rehearsed; more pieces are stopped by the rule `fit`."""
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
    steps: int | None = None
    """Steps of EM, 0 for the rule `fit`; rehearsed if left out."""

    @cached_property
    def alone(self) -> Transition:
        """The column by itself."""
        return Transition((self.matrix,))

    @cached_property
    def found(self) -> Iterated:
        """The column reconstructed on its pieces."""
        return self.after(self.chosen)

    @cached_property
    def chosen(self) -> int:
        """Steps of EM, 0 for the rule `fit`."""
        if self.steps is not None:
            return self.steps
        if self.matrix.size > _LARGEST or self.counts.sum() < 1:
            return _WAYS[0]
        # Any fixed seed will do: nothing here is secret, and the same release must give the same table.
        random = repeatable(2)
        apart = np.zeros((2, len(_WAYS)))
        for row, way in zip(apart, (_WAYS[0], _WAYS[-1]), strict=True):
            weights = self.after(way).estimate.ravel()
            for _ in range(_DRAWS):
                original = random.multinomial(round(float(weights.sum())), weights / weights.sum())
                released = draw(self.alone, original[:, None].astype(np.float64), random)
                again = replace(self, counts=released.ravel())
                truth = self.summed(original.astype(np.float64))
                row += [np.abs(self.summed(again.after(one).estimate.ravel()) - truth).sum() for one in _WAYS]
        regret = ((apart + 1.0) / (apart.min(axis=1, keepdims=True) + 1.0)).max(axis=0)
        return _WAYS[int(np.argmin(regret))]

    def after(self, steps: int) -> Iterated:
        """EM from even pieces: this many plain steps, or until the release is explained if 0."""
        even, counts = np.ones((self.matrix.shape[1], 1)), self.counts[None, :]
        if steps == 0:
            return iterate(self.alone, counts, even)
        found = iterate(self.alone, counts, even, stop="none", limit=steps, accelerate=False)
        return replace(found, met=True)

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
        return np.bincount(self.original_bin, weights, minlength=self.bins).astype(np.float64)

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
        return replace(self, counts=counts, steps=self.chosen)
