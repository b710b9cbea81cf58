"""Microaggregation: groups of at least k similar records, each replaced with its group's centroid.

`mdav vmdav mhm mil optimal_1d best` take plain arrays (X, k) and return group numbers; X is used as given
(`standardized` brings its columns to one scale). `loss` is SSE / SST; `lower_bound` proves a lower bound on the SSE
of any partition. `Microaggregate` is the method for tables.
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
