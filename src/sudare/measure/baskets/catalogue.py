"""The measures of baskets: name, range and meaning of each, and how to compute them together.

They are separate from those of tables because they cover other data; the definition of a measure is the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sudare.measure.baskets import association, frequencies, users
from sudare.measure.baskets.pair import basket_pair
from sudare.measure.catalogue import Measure, require_measures

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTED = (
    Measure("util1", users.util1, applies="baskets"),
    Measure(
        "util2",
        frequencies.util2,
        applies="baskets",
        largest=math.inf,
    ),
    Measure(
        "rule_distance",
        association.rule_distance,
        applies="baskets",
    ),
)
BASKET_MEASURES: dict[str, Measure] = {each.name: each for each in _LISTED}


def measure_baskets(before: Any, after: Any, names: Iterable[str] | None = None) -> dict[str, float]:
    """Several measures of baskets at once: the named ones, or all."""
    pair = basket_pair(before, after)
    chosen = list(BASKET_MEASURES) if names is None else list(names)
    require_basket_measures(chosen)
    return {name: BASKET_MEASURES[name].compute(pair.before, pair) for name in chosen}


def require_basket_measures(names: Iterable[str]) -> None:
    """Refuse, in one sentence, a measure that does not exist for baskets."""
    require_measures(names, BASKET_MEASURES, "baskets")
