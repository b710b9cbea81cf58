"""The measures of baskets: name, range and meaning of each, and how to compute them together.

They are separate from those of tables because they cover other data; the definition of a measure is the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sudare.measure.baskets import association, frequencies, users
from sudare.measure.baskets.pair import basket_pair
from sudare.measure.catalogue import Measure, given_parameters, known_measure, measure_label
from sudare.parameters import Annotated, Catalogue, Field, parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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


@parameters
class RuleParameters:
    """Which association rules are compared."""

    support: Annotated[float, Field(gt=0, le=1)] = association.SUPPORT
    """Smallest share of the baskets that contain the rule."""
    confidence: Annotated[float, Field(gt=0, le=1)] = association.CONFIDENCE
    """Smallest confidence of a rule."""
    top: Annotated[int, Field(ge=1)] = association.TOP
    """Number of rules with the highest support."""


BASKET_MEASURE_PARAMETERS: Catalogue[Any] = Catalogue("measure of baskets", {"rule_distance": RuleParameters})
"""The measures of baskets that take parameters, as a text or as a mapping."""


def measure_baskets(
    before: Any, after: Any, names: Iterable[str | Mapping[str, Any]] | None = None
) -> dict[str, float]:
    """Several measures of baskets at once: the named ones, or all.

    A measure with parameters is a text or a mapping, such as "rule_distance top=50", and its result is under its text.
    """
    pair = basket_pair(before, after)
    return {
        label: known_measure(label, BASKET_MEASURES).compute(
            pair.before, pair, **given_parameters(label, BASKET_MEASURE_PARAMETERS)
        )
        for label in chosen_basket_measures(names)
    }


def chosen_basket_measures(names: Iterable[str | Mapping[str, Any]] | None) -> list[str]:
    """The named measures, which must be of baskets, as texts with their parameters; or all."""
    if names is None:
        return list(BASKET_MEASURES)
    labels = (measure_label(one, BASKET_MEASURES, BASKET_MEASURE_PARAMETERS, "baskets") for one in names)
    return list(dict.fromkeys(labels))
