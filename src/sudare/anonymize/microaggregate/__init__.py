"""Microaggregation: groups of at least k alike records, each replaced by its group's centroid.

`mdav vmdav mhm mil optimal_1d best` take plain arrays (X, k) and give group numbers; X is used as it is given
(`standardized` brings its columns to one scale). `loss` is SSE / SST; `lower_bound` proves
what no partition can go below. `Microaggregate` is the method for tables.
"""

from sudare.anonymize.microaggregate.arrays import loss, standardized
from sudare.anonymize.microaggregate.best import best
from sudare.anonymize.microaggregate.bounds import nearest_bound
from sudare.anonymize.microaggregate.certificate import Certificate, lower_bound
from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.mhm import mhm
from sudare.anonymize.microaggregate.one_column import mil, optimal_1d
from sudare.anonymize.microaggregate.vmdav import vmdav

__all__ = [
    "Certificate",
    "best",
    "loss",
    "lower_bound",
    "mdav",
    "mhm",
    "mil",
    "nearest_bound",
    "optimal_1d",
    "standardized",
    "vmdav",
]
