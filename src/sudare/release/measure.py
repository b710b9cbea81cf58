"""Measure a written release, or two files, again: what was lost, of a table or of baskets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sudare.errors import ParameterError
from sudare.measure.baskets import BASKET_MEASURES, frequency_change, measure_baskets
from sudare.measure.baskets.catalogue import require_basket_measures
from sudare.measure.baskets.pair import BasketPair
from sudare.measure.catalogue import (
    MEASURES,
    chosen_measures,
    in_turn,
    known_measure,
    measure,
    nothing_to_tell,
)
from sudare.measure.losses import column_losses
from sudare.release.plots import loss_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sudare.measure.catalogue import Measure
    from sudare.measure.pair import Pair
    from sudare.progress import Progress
    from sudare.words.sentence import Language


class Measured(NamedTuple):
    """Losses, the measures they are of, and their chart."""

    losses: dict[str, float]
    measures: Mapping[str, Measure]
    chart: Callable[[Language], Any]


def measure_again(pair: Pair | BasketPair, names: Sequence[str] | None, progress: Progress) -> Measured:
    """The named measures, or all that apply; one that was named and does not apply is refused."""
    if isinstance(pair, BasketPair):
        return _of_baskets(pair, names, progress)
    chosen = chosen_measures(names)
    apply = [name for name in chosen if known_measure(name).tells(pair)]
    silent = next((name for name in chosen if name not in apply), None)
    if names and silent is not None:
        raise ParameterError("release.measure.does_not_apply", why=nothing_to_tell(known_measure(silent)))
    losses = in_turn(apply, progress, lambda name: measure(pair.before, pair, [name]))
    return Measured(
        losses, MEASURES, lambda language: loss_chart(losses, column_losses(pair.before, pair), language)
    )


def _of_baskets(pair: BasketPair, names: Sequence[str] | None, progress: Progress) -> Measured:
    require_basket_measures(names or ())
    chosen = list(BASKET_MEASURES if names is None else names)
    losses = in_turn(chosen, progress, lambda name: measure_baskets(pair.before, pair, [name]))
    return Measured(
        losses, BASKET_MEASURES, lambda language: frequency_change(pair.before, pair).chart(language)
    )
