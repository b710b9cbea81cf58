"""Distances between texts, computed by rapidfuzz."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.errors import DescriptionError
from sudare.parameters import parameters


@parameters
class Levenshtein:
    """Number of insertions, deletions and substitutions between two texts."""

    def space(self, cells: ColumnCells) -> TextSpace:
        """The space of the cells' texts."""
        from rapidfuzz.distance import Levenshtein as Scorer

        return TextSpace(cells, Scorer.distance)


@parameters
class NormalizedLevenshtein:
    """Levenshtein distance divided by the length of the longer text, in [0, 1]."""

    def space(self, cells: ColumnCells) -> TextSpace:
        """The space of the cells' texts."""
        from rapidfuzz.distance import Levenshtein as Scorer

        return TextSpace(cells, Scorer.normalized_distance, reach=1.0)


@parameters
class DamerauLevenshtein:
    """Like Levenshtein, but swapping two adjacent letters counts as one edit."""

    def space(self, cells: ColumnCells) -> TextSpace:
        """The space of the cells' texts."""
        from rapidfuzz.distance import DamerauLevenshtein as Scorer

        return TextSpace(cells, Scorer.distance)


@parameters
class Hamming:
    """Number of positions at which two texts of equal length differ."""

    def space(self, cells: ColumnCells) -> TextSpace:
        """The space of the cells' texts, which must all have the same length."""
        from rapidfuzz.distance import Hamming as Scorer

        texts, _, _ = cells.texts()
        other = next((text for text in texts if len(text) != len(texts[0])), None)
        if other is not None:
            raise DescriptionError(
                "describe.distance.lengths_differ", column=cells.name, one=texts[0], other=other
            )
        return TextSpace(cells, Scorer.distance)


class TextSpace(Space):
    """Texts with a scorer."""

    def __init__(self, cells: ColumnCells, scorer: Any, reach: float | None = None) -> None:
        self._texts, self.before, self.after = cells.texts()
        self._scorer = scorer
        self.size = len(self._texts)
        original = np.unique(self.before[self.before >= 0])
        longest = max((len(self._texts[code]) for code in original), default=0)
        self.reach = float(max(longest, 1)) if reach is None else reach

    def between(self, one: Codes, other: Codes) -> Floats:
        """The score of every pair; for a full block, computed at once."""
        from rapidfuzz import process

        if one.ndim == 2 and one.shape[1] == 1 and other.ndim == 2 and other.shape[0] == 1:
            rows = [self._texts[code] for code in one[:, 0]]
            columns = [self._texts[code] for code in other[0]]
            return process.cdist(rows, columns, scorer=self._scorer, dtype=np.float64, workers=-1)
        first, second = np.broadcast_arrays(one, other)
        queries = [self._texts[code] for code in first.ravel()]
        choices = [self._texts[code] for code in second.ravel()]
        found = process.cpdist(queries, choices, scorer=self._scorer, dtype=np.float64, workers=-1)
        return found.reshape(first.shape)
