"""Measure: what a release has lost, each measure with its direction, range and meaning.

>>> import polars as pl
>>> from sudare.describe.table import Table
>>> before = Table.from_frame(pl.DataFrame({"age": [20, 29, 60, 70]})).describe(quasi=["age"])
>>> after = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "[60, 70]", "[60, 70]"]})
>>> round(loss(before, after), 4)
0.19
"""

from sudare.measure.catalogue import MEASURES, Measure, all, measure  # noqa: A004  # sd.measure.all is the public name
from sudare.measure.generalization import average_block, column_losses, dis, dm, gcp, loss, suppressed
from sudare.measure.pair import Pair, pair_of

__all__ = [
    "MEASURES",
    "Measure",
    "Pair",
    "all",
    "average_block",
    "column_losses",
    "dis",
    "dm",
    "gcp",
    "loss",
    "measure",
    "pair_of",
    "suppressed",
]
