"""The available experiments, and each in small."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sudare.experiments.baskets import baskets
from sudare.experiments.crosstab import crosstab
from sudare.experiments.diversity_suitability import diversity_suitability
from sudare.experiments.ild_adult import ild_adult
from sudare.experiments.mhm_paths import mhm_paths
from sudare.experiments.mil import mil

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sudare.experiments.result import Experiment
    from sudare.progress import Progress

EXPERIMENTS: dict[str, Callable[..., Experiment]] = {
    "crosstab": crosstab,
    "diversity-suitability": diversity_suitability,
    "ild-adult": ild_adult,
    "baskets": baskets,
    "mil": mil,
    "mhm-paths": mhm_paths,
}
QUICK: dict[str, Callable[..., Experiment]] = {
    "crosstab": partial(crosstab, ks=(2, 10), sizes=(1_000, 10_000), bins=(4, 8), seeds=2),
    "diversity-suitability": partial(
        diversity_suitability, names=("data1", "data3"), levels=1, effort="fast"
    ),
    "ild-adult": partial(ild_adult, largest=20),
    "baskets": partial(
        baskets,
        repetitions=1,
        sampled_repetitions=1,
        rhos=(0.3, 0.5, 0.7),
        shares=(0.05, 0.2, 0.8),
        risks=(0.05, 0.1),
    ),
    "mil": partial(mil, sizes=(100, 1_000, 10_000), seeds=1, drawn_seeds=3),
    "mhm-paths": partial(mhm_paths, sizes=(1_000, 4_000), ks=(3, 10), seeds=1, cut_ks=(5, 20)),
}
"""Each experiment with fewer settings and repetitions: under a minute on one core."""
_QUICK_NOTE = (
    "**A quick run**: fewer settings and repetitions than the page of evidence has, so that it takes less than a minute. It shows "
    "that everything works; its figures are rough, and an expectation that does not hold here may hold there."
)


def repeat(name: str, data: Path | None, progress: Progress, *, quick: bool = False) -> Experiment:
    """The outcome of an experiment, in full or in small; the page of a quick run says that it is one."""
    if not quick:
        return EXPERIMENTS[name](data, progress)
    outcome = QUICK[name](data, progress)
    return replace(outcome, title=f"{outcome.title} (quick run)", notes=(_QUICK_NOTE, *outcome.notes))
