"""The available experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.experiments.baskets import baskets
from sudare.experiments.crosstab import crosstab
from sudare.experiments.diversity_suitability import diversity_suitability
from sudare.experiments.ild_adult import ild_adult
from sudare.experiments.mil import mil

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudare.experiments.result import Experiment

EXPERIMENTS: dict[str, Callable[..., Experiment]] = {
    "crosstab": crosstab,
    "diversity-suitability": diversity_suitability,
    "ild-adult": ild_adult,
    "baskets": baskets,
    "mil": mil,
}
