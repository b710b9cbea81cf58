"""The experiments there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.experiments.ild_adult import ild_adult
from sudare.experiments.mil import mil

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudare.experiments.result import Experiment

EXPERIMENTS: dict[str, Callable[..., Experiment]] = {"ild-adult": ild_adult, "mil": mil}
