"""How much the frequencies of items changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.table import to_native
from sudare.display import AFTER, BEFORE, shown_words
from sudare.measure.baskets.pair import basket_pair

if TYPE_CHECKING:
    from sudare.describe.table import NativeKind
    from sudare.words.sentence import Language

_MOST_SHOWN = 1000
"""Altair refuses charts with more than 5,000 rows, and nobody can distinguish that many points."""


def util2(before: Any, after: Any) -> float:
    """Divergence of item frequencies: KL(D || D0) in nats.

    util2 = sum over items i with D(i) > 0 of D(i) log(D(i) / D0(i)), where D and D0 are the normalized frequencies
    after and before (undated paper on personalized rho-uncertainty, equation 3). Items gone from D count 0, so a
    release without any item has util2 = 0 (and util1 = 1). 0 … ∞; infinite if the release has an item that the
    original does not have, as after generalization.

    >>> round(util2([["a", "b"], ["a", "c"]], [["a"], ["a", "c"]]), 4)
    0.2877
    """
    pair = basket_pair(before, after)
    counts, counts_before = pair.after.supports(), pair.before.supports()
    present = counts > 0
    if not present.any():
        return 0.0
    if (counts_before[present] == 0).any():
        return float("inf")
    share = counts[present] / counts.sum()
    share_before = counts_before[present] / counts_before.sum()
    return max(0.0, float(np.sum(share * np.log(share / share_before))))


@dataclass(frozen=True, eq=False)
class FrequencyChange:
    """Frequencies of items before and after."""

    items: pl.DataFrame
    """What `frame` contains, as a polars frame."""
    given_as: NativeKind = "polars"
    """The kind of frame in which the original baskets were given."""

    @property
    def frame(self) -> Any:
        """`item`, `before` and `after` (number of baskets that have it), `lost` (share of these), most frequent first.

        A frame of the kind in which the original was given.
        """
        return to_native(self.items, self.given_as)

    def chart(self, language: Language | None = None) -> Any:
        """Rank-frequency plot (Altair, logarithmic): items by their frequency before, and their frequency after.

        If there are many items, only some are shown, evenly spaced on the logarithmic axis.
        """
        import altair as alt

        # A log axis has no zero, so an item that is gone is drawn at half a basket.
        ranked = self.items.with_row_index("rank", offset=1).with_columns(pl.col("item").cast(pl.String))
        if ranked.height > _MOST_SHOWN:
            ranked = ranked[
                np.unique(np.geomspace(1, ranked.height, _MOST_SHOWN).round().astype(np.int64)) - 1
            ]
        long = ranked.unpivot(
            ["before", "after"], index=["rank", "item"], variable_name="data", value_name="baskets"
        )
        shown = long.with_columns(pl.col("baskets").cast(pl.Float64).clip(0.5).alias("height"))
        words = shown_words(language)
        named = {part: words(f"frequencies.{part}") for part in ("before", "after")}
        shown = shown.with_columns(pl.col("data").replace(named))
        scale = alt.Scale(domain=list(named.values()), range=[BEFORE, AFTER])
        return (
            alt.Chart(shown)
            .mark_circle(size=18, opacity=0.6)
            .encode(
                x=alt.X("rank:Q", title=words("frequencies.ranks"), scale=alt.Scale(type="log", nice=False)),
                y=alt.Y(
                    "height:Q", title=words("frequencies.baskets"), scale=alt.Scale(type="log", nice=False)
                ),
                color=alt.Color("data:N", title=None, scale=scale, sort=list(named.values())),
                tooltip=["item:N", "data:N", "baskets:Q"],
            )
            .properties(width=480, height=260)
        )

    def __repr__(self) -> str:
        gone = self.items.filter((pl.col("before") > 0) & (pl.col("after") == 0)).height
        return f"FrequencyChange({shown_words()('frequencies.repr', items=self.items.height, gone=gone)})"


def frequency_change(before: Any, after: Any) -> FrequencyChange:
    """The frequency of every item before and after.

    >>> frequency_change([["a", "b"], ["a", "c"]], [["a"], ["a", "c"]])
    FrequencyChange(3 items, 1 of them gone)
    """
    pair = basket_pair(before, after)
    names = list(pair.before.items)
    mixed = not all(isinstance(name, str) for name in names) and not all(
        isinstance(name, int) for name in names
    )
    counts, counts_before = pair.after.supports(), pair.before.supports()
    frame = pl.DataFrame(
        [
            pl.Series("item", [str(name) for name in names] if mixed else names),
            pl.Series("before", counts_before),
            pl.Series("after", counts),
            pl.Series("lost", (counts_before - counts) / np.maximum(counts_before, 1)),
        ]
    )
    return FrequencyChange(
        frame.filter((pl.col("before") > 0) | (pl.col("after") > 0)).sort(
            ["before", "item"], descending=[True, False]
        ),
        pair.before.given_as,
    )
