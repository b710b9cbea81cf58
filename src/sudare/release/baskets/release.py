"""Release of baskets: anonymized baskets with their evidence, in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sudare.display import html_block, html_list, html_losses, html_warnings, paragraph, said, shown_words
from sudare.measure.compare import Figures
from sudare.release.folder import AnyRelease

if TYPE_CHECKING:
    from sudare.assess.baskets.adversary import BasketVerdict
    from sudare.describe.baskets.baskets import Baskets
    from sudare.read.baskets.codes import Item
    from sudare.release.baskets.kind import BasketKind


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BasketRelease(AnyRelease):
    """Released baskets with their evidence, in memory."""

    original: Baskets
    """The baskets as they were (never written)."""
    released: Baskets
    """What is published of each basket, in the order of the original."""
    verdicts: tuple[BasketVerdict, ...]
    """One for each requirement, on the released baskets beside the original."""

    @property
    def kind(self) -> BasketKind:
        """Baskets."""
        from sudare.release.baskets.kind import BASKETS

        return BASKETS

    @cached_property
    def published(self) -> Baskets:
        """The released baskets in the order in which they are published."""
        places = self.rows_of_original
        return self.released if places is None else self.released.take(places)

    @cached_property
    def baskets(self) -> list[frozenset[Item]]:
        """The released sets, in the order in which they are published."""
        return self.published.sets()

    @property
    def alike(self) -> bool:
        """Whether the released items are those of the original, not groups of them."""
        return self.released.items == self.original.items

    @property
    def risk_after(self) -> dict[str, float]:
        """What each requirement limits, as the release has it: risks from 0 to 1."""
        return dict(verdict.risk for verdict in self.verdicts if verdict.risk is not None)

    def figures(self) -> Figures:
        """The risks its requirements limit, and its losses; of groups of items there are none."""
        losses = self.losses if self.alike else dict.fromkeys(self.kind.measures)
        return Figures(self.risk_after, losses, self.kind.name, self.original)

    def __repr__(self) -> str:
        words = shown_words()
        size = words("basket_release.baskets", baskets=len(self.released))
        losses = ", ".join(f"{name} {value:.4f}" for name, value in self.losses.items())
        holds = words("basket_release.holds" if self.holds else "basket_release.fails")
        return said("BasketRelease", [part for part in (size, losses, holds) if part])

    def _repr_html_(self) -> str:
        """Verdicts, losses and the first released baskets without their users; nothing of the original."""
        words = shown_words()
        size = words(
            "basket_release.title",
            entries=self.released.entries,
            original=self.original.entries,
            baskets=len(self.released),
        )
        return html_block(
            paragraph(words("fact", name="BasketRelease", value=size), bold=True),
            html_list(verdict.marked for verdict in self.verdicts),
            html_losses(self.losses),
            html_warnings(self.warnings),
            self.published.html_head(ids=False),
        )
