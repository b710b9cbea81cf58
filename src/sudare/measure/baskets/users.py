"""Who bears the loss: how much of each user's basket is gone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.table import to_native
from sudare.display import AFTER, shown_words
from sudare.measure.baskets.pair import basket_pair

if TYPE_CHECKING:
    from sudare.describe.table import NativeKind

_BINS = 10


def util1(before: Any, after: Any) -> float:
    """Share of items suppressed: entries of the original that are no longer in their basket, over all of them.

    util1 = sum |B - B'| / sum |B|. 0 … 1; 0 for baskets without any item. A generalized item counts as gone from its
    basket. (Seed paper 004, equation 2.)

    >>> util1([["a", "b"], ["a", "c"]], [["a"], ["a", "c"]])
    0.25
    """
    pair = basket_pair(before, after)
    total = pair.before.entries
    return 1.0 - int(pair.kept.sum()) / total if total else 0.0


@dataclass(frozen=True, eq=False)
class UserLoss:
    """The loss of each user, and how unevenly it is spread."""

    users: pl.DataFrame
    """What `frame` contains, as a polars frame."""
    given_as: NativeKind = "polars"
    """The kind of frame in which the original baskets were given."""

    @property
    def frame(self) -> Any:
        """`basket` (its number, from 0), `id` if users are known, `items`, `lost`, `share` (lost over items; 0 for an empty basket).

        A frame of the kind in which the original was given. It describes individual users and is not for publication.
        """
        return to_native(self.users, self.given_as)

    @cached_property
    def untouched(self) -> float:
        """Share of the users with items who lose none."""
        return self._mean(pl.col("lost") == 0)

    @cached_property
    def emptied(self) -> float:
        """Share of the users with items who lose all of them."""
        return self._mean(pl.col("lost") == pl.col("items"))

    @cached_property
    def mean(self) -> float:
        """Mean share lost, over users with items: each user counts the same, however long the basket."""
        return self._mean(pl.col("share"))

    @cached_property
    def gini(self) -> float:
        """Gini coefficient of the lost items over users with items: 0 if all lose the same, near 1 if one loses all."""
        lost = np.sort(self._having["lost"].to_numpy())
        total = lost.sum()
        if total == 0:
            return 0.0
        ranks = np.arange(1, len(lost) + 1)
        return float(2 * (ranks * lost).sum() / (len(lost) * total) - (len(lost) + 1) / len(lost))

    @property
    def by_length(self) -> Any:
        """`items` (length of the original basket), `users`, `share` (of their items that are gone)."""
        return to_native(self.lengths, self.given_as)

    @cached_property
    def lengths(self) -> pl.DataFrame:
        """What `by_length` contains, as a polars frame."""
        grouped = self._having.group_by("items").agg(
            pl.len().alias("users"), (pl.col("lost").sum() / pl.col("items").sum()).alias("share")
        )
        return grouped.sort("items")

    def chart(self) -> Any:
        """Histogram (Altair) of the share lost by users who lose anything: how many users lose how much."""
        import altair as alt

        # Most users lose nothing: their bar would dwarf all others, so the title gives their number instead.
        shares = self._having.filter(pl.col("lost") > 0)["share"].to_numpy()
        users, edges = np.histogram(shares, bins=_BINS, range=(0.0, 1.0))
        labels = [f"{low:.0%}-{high:.0%}" for low, high in pairwise(edges)]
        words = shown_words()
        return (
            alt.Chart(
                pl.DataFrame({"lost": labels, "users": users}),
                title=words("users.title", untouched=self.untouched),
            )
            .mark_bar(color=AFTER)
            .encode(
                x=alt.X("lost:N", title=words("users.share"), sort=None),
                y=alt.Y("users:Q", title=words("users.users")),
                tooltip=["lost:N", "users:Q"],
            )
            .properties(width=480, height=220)
        )

    @cached_property
    def _having(self) -> pl.DataFrame:
        return self.users.filter(pl.col("items") > 0)

    def _mean(self, expression: pl.Expr) -> float:
        if self._having.is_empty():
            return 0.0
        return float(self._having.select(expression.cast(pl.Float64).mean()).item())

    def __repr__(self) -> str:
        figures = {"untouched": self.untouched, "emptied": self.emptied, "mean": self.mean, "gini": self.gini}
        return f"UserLoss({shown_words()('users.repr', **figures)})"


def user_loss(before: Any, after: Any) -> UserLoss:
    """The loss of each user.

    >>> user_loss([["a", "b"], ["a", "c"], []], [["a"], ["a", "c"], []])
    UserLoss(50.0% of users lose nothing, 0.0% everything; mean 25.0%, Gini 0.50)
    """
    pair = basket_pair(before, after)
    lengths = pair.before.lengths
    lost = lengths - pair.kept
    columns = [pl.Series("basket", np.arange(len(lengths)))]
    if pair.before.ids is not None:
        columns.append(pair.before.ids.alias("id"))
    share = lost / np.maximum(lengths, 1)
    columns += [pl.Series("items", lengths), pl.Series("lost", lost), pl.Series("share", share)]
    return UserLoss(pl.DataFrame(columns), pair.before.given_as)
