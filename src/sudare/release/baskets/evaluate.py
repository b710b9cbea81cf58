"""Evaluate a release of baskets: its losses, with progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.measure.baskets import BasketPair, measure_baskets
from sudare.measure.baskets.association import TooManySetsError
from sudare.measure.baskets.catalogue import chosen_basket_measures
from sudare.measure.catalogue import in_turn
from sudare.release.warnings import ReleaseWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.describe.baskets.baskets import Baskets
    from sudare.progress import Progress


def measured(
    before: Baskets, after: Baskets, names: Sequence[Any] | None, progress: Progress
) -> tuple[dict[str, float], tuple[str, ...]]:
    """The losses asked for; of all of them, those that can be computed, and a warning about the others.

    Generalized items are other items: what the measures of baskets compare is no longer there, and none applies.
    """
    chosen = chosen_basket_measures(names)
    if after.items != before.items:
        return {}, ()
    pair = BasketPair(before, after)
    warnings = []

    def compute(name: str) -> dict[str, float]:
        try:
            return measure_baskets(before, pair, [name])
        except TooManySetsError as error:  # baskets so alike that their rules cannot be counted
            if names is not None:
                raise
            warnings.append(ReleaseWarning("baskets.unmeasured", measure=name, why=error.why))
            return {}

    return in_turn(chosen, progress, compute), tuple(warnings)
