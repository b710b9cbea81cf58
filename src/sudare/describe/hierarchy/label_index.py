"""From the texts of a column to the nodes with these labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.describe.hierarchy.checks import What, some_of
from sudare.describe.text import as_text
from sudare.errors import DescriptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


class LabelIndex:
    """Node numbers by label; if two nodes share a label, it refers to the lower one; None is missing."""

    def __init__(self, labels: Sequence[str | None]) -> None:
        lowest: dict[str, int] = {}
        self._missing = -1
        for node, label in enumerate(labels):
            if label is None:
                self._missing = node
            else:
                lowest.setdefault(label, node)
        self._names = pl.Enum(list(lowest))
        # Missing values map to the position after the last name.
        self._nodes = np.array([*lowest.values(), self._missing], dtype=np.int32)

    def knows(self, given: pl.Series) -> bool:
        """Whether every text of a column is a label."""
        texts = as_text(given).drop_nulls().unique()
        return not texts.cast(self._names, strict=False).null_count()

    def places(self, given: pl.Series, what: What) -> npt.NDArray[np.int32]:
        """The node of each text; a text without a node is a `DescriptionError` about values or labels."""
        text = as_text(given)
        places = text.cast(self._names, strict=False).to_physical().cast(pl.Int32)
        if given.dtype.is_decimal():  # as people write prices: 1.50
            written = given.cast(pl.String).cast(self._names, strict=False).to_physical().cast(pl.Int32)
            places = places.fill_null(written)
        unknown = text.filter(places.is_null() & text.is_not_null())
        if len(unknown):
            raise DescriptionError(
                f"describe.hierarchy.uncovered.{what}", column=given.name, values=some_of(unknown, what)
            )
        if text.null_count() and self._missing < 0:
            raise DescriptionError("describe.hierarchy.uncovered.missing", column=given.name)
        nodes: npt.NDArray[np.int32] = self._nodes[places.fill_null(len(self._nodes) - 1).to_numpy()]
        return nodes
