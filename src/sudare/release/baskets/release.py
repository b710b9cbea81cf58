"""Release of baskets: anonymized baskets with their evidence, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sudare.display import html_block, html_list, html_table, paragraph, said
from sudare.progress import Progress, shows_progress

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.anonymize.baskets.protocol import BasketAnonymizer
    from sudare.describe.baskets.baskets import Baskets
    from sudare.read.baskets.codes import Item
    from sudare.release.folder import Written


@dataclass(frozen=True, eq=False)
class BasketRelease:
    """Released baskets with their evidence, in memory."""

    original: Baskets
    """The baskets as they were (never written)."""
    released: Baskets
    """The baskets as they are published, in the same order."""
    requirements: tuple[Any, ...]
    methods: tuple[BasketAnonymizer, ...]
    verdicts: tuple[Any, ...]
    """One for each requirement, on the released baskets beside the original."""
    losses: dict[str, float]
    """Value of each measure."""
    notes: tuple[str, ...]
    """What the methods did, in figures."""
    warnings: tuple[str, ...]
    """What the custodian should look at."""
    secure: bool
    """False when a seed made the random choices repeatable: for tests only."""
    seconds: dict[str, float] = field(default_factory=dict)

    @cached_property
    def baskets(self) -> list[frozenset[Item]]:
        """The released sets, in order."""
        return self.released.sets()

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds for verdict in self.verdicts)

    @property
    def alike(self) -> bool:
        """Whether the released items are those of the original, not groups of them."""
        return self.released.items == self.original.items

    @shows_progress
    def write(
        self, folder: str | Path, *, progress: Progress | None = None, **output: Any
    ) -> Written[BasketRelease]:
        """Write the release, verified from the written file beside the original; nothing is left on failure.

        `output` takes the fields of a recipe's output: layout, language, reports, overwrite.
        """
        from sudare.release.baskets.write import write_basket_folder
        from sudare.release.recipe.baskets import BasketOutput

        return write_basket_folder(self, BasketOutput.into(folder, **output), progress=progress)

    def __repr__(self) -> str:
        losses = ", ".join(f"{name} {value:.4f}" for name, value in self.losses.items())
        holds = "holds" if self.holds else "does not hold"
        return said(
            "BasketRelease", [part for part in (f"{len(self.released):,} baskets", losses, holds) if part]
        )

    def _repr_html_(self) -> str:
        """Verdicts, losses and the first released baskets without their users; nothing of the original."""
        return html_block(
            paragraph(
                f"BasketRelease: {self.released.entries:,} of {self.original.entries:,} entries in "
                f"{len(self.released):,} baskets",
                bold=True,
            ),
            html_list(verdict.marked for verdict in self.verdicts),
            html_table(["loss", "value"], list(self.losses.items())) if self.losses else "",
            html_list(f"! {warning}" for warning in self.warnings),
            self.released.html_head(ids=False),
        )
