"""Hierarchy by masking characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from sudare.describe.hierarchy.making import distinct, grow, refuse
from sudare.errors import ErrorSentence
from sudare.parameters import Annotated, Field, parameters

if TYPE_CHECKING:
    from sudare.describe.hierarchy.tree import Hierarchy

_FILLER = "_"


@parameters
class Mask:
    """Texts masked from the last character to the first.

    Values are first padded with "_" to one width w, on the left unless specified otherwise. The node of a
    value at level j is its first w - j characters and j stars, so there are w levels and the root is all stars:
    a value with j stars costs j / w. The leaf itself is released as the unpadded original.
    """

    width: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Number of characters; that of the longest value if not given."""
    pad: Literal["left", "right"] = "left"
    """Side on which shorter values are padded; left aligns numbers by their last digit."""
    character: Annotated[str, Field(min_length=1, max_length=1)] = "*"
    """Character that replaces a masked one."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The tree of the prefixes of the column's values."""
        text = distinct(values, column)["text"]
        lengths = text.str.len_chars()
        width = self.width or max([1, *lengths.top_k(1)])
        if len(longer := text.filter(lengths > width)):
            raise refuse(longer, column, ErrorSentence("describe.mask.narrow", width=width))
        if self.pad == "left":
            padded = text.str.pad_start(width, _FILLER)
        else:
            padded = text.str.pad_end(width, _FILLER)
        order = pl.DataFrame({"padded": padded, "text": text}).sort("padded", "text")
        stars = [order["padded"].str.head(width - j) + self.character * j for j in range(1, width)]
        return grow([order["text"], *stars], values, column, root=self.character * width, collapse=False)
