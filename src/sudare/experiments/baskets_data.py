"""The data of the experiment `baskets`: BMS click streams, and which items are sensitive for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.describe.baskets.sources import read_baskets
from sudare.experiments.result import needed_file

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from sudare.describe.baskets.baskets import Baskets

DATASETS = ("BMS-WebView-1", "BMS-WebView-2")
_FLIPPED = 0.01
_SHORT = 5


def load_bms(data: Path | None, name: str, *, short: bool) -> Baskets:
    """All baskets of a data set, or those with at most 5 items (54,737 and 58,044)."""
    baskets = read_baskets(needed_file(data, "bms", f"{name}.txt"))
    return baskets.take(np.flatnonzero(baskets.lengths <= _SHORT)) if short else baskets


def sampled(baskets: Baskets, share: float, random: np.random.Generator) -> Baskets:
    """A random sample of the baskets, in order."""
    count = max(1, round(share * len(baskets)))
    return baskets.take(np.sort(random.permutation(len(baskets))[:count]))


def with_sensitive(baskets: Baskets, kind: str, share: float, random: np.random.Generator) -> Baskets:
    """Baskets with sensitive items as in the paper.

    fixed: a share of the items, for all. personalized: a share of the items for each user. personalized+: a share
    of items likely to be sensitive, each flipped with probability 1 % for each user and item. fixed+: sensitive for all
    if it is in personalized+ for anyone.
    """
    users, items = len(baskets), len(baskets.items)
    chosen = max(1, round(share * items))
    if kind == "fixed":
        return baskets.describe(sensitive=_names(baskets, np.sort(random.permutation(items)[:chosen])))
    if kind == "personalized":
        order = random.random((users, items), dtype=np.float32)
        table = order <= np.partition(order, chosen - 1, axis=1)[:, chosen - 1 : chosen]
        return baskets.describe(sensitive=table)
    likely = np.zeros(items, dtype=np.bool_)
    likely[random.permutation(items)[:chosen]] = True
    table = (random.random((users, items), dtype=np.float32) < _FLIPPED) ^ likely
    if kind == "personalized+":
        return baskets.describe(sensitive=table)
    return baskets.describe(sensitive=_names(baskets, np.flatnonzero(table.any(axis=0))))


def _names(baskets: Baskets, codes: npt.NDArray[np.int64]) -> list[str | int]:
    return [baskets.items[code] for code in codes]
