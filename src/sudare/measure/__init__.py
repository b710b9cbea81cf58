"""Measure: what a release has lost. Each measure has a direction, a range and a meaning.

>>> import polars as pl
>>> from sudare.describe.table import Table
>>> before = Table.from_frame(pl.DataFrame({"age": [20, 29, 60, 70]})).describe(quasi=["age"])
>>> after = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "[60, 70]", "[60, 70]"]})
>>> round(loss(before, after), 4)
0.19
"""

from sudare.measure.baskets import (
    BASKET_MEASURES,
    BasketPair,
    FrequencyChange,
    UserLoss,
    basket_pair,
    compare_rules,
    frequency_change,
    measure_baskets,
    rule_distance,
    rules,
    user_loss,
    util1,
    util2,
)
from sudare.measure.catalogue import MEASURES, Measure, all, measure  # noqa: A004  # the public name
from sudare.measure.compare import Comparison, compare
from sudare.measure.distributions import (
    by_column,
    correlation_change,
    hellinger,
    marginal_tv,
    mean_change,
    pairwise_tv,
    quantile_change,
    variance_change,
)
from sudare.measure.information import InformationLoss, ild
from sudare.measure.losses import (
    average_block,
    cm,
    column_errors,
    column_losses,
    dis,
    dm,
    entropy_loss,
    gcp,
    loss,
    ncp,
    sse_ratio,
    suppressed,
)
from sudare.measure.models import model_loss, pmse
from sudare.measure.pair import Pair, pair_of

__all__ = [
    "BASKET_MEASURES",
    "MEASURES",
    "BasketPair",
    "Comparison",
    "FrequencyChange",
    "InformationLoss",
    "Measure",
    "Pair",
    "UserLoss",
    "all",
    "average_block",
    "basket_pair",
    "by_column",
    "cm",
    "column_errors",
    "column_losses",
    "compare",
    "compare_rules",
    "correlation_change",
    "dis",
    "dm",
    "entropy_loss",
    "frequency_change",
    "gcp",
    "hellinger",
    "ild",
    "loss",
    "marginal_tv",
    "mean_change",
    "measure",
    "measure_baskets",
    "model_loss",
    "ncp",
    "pair_of",
    "pairwise_tv",
    "pmse",
    "quantile_change",
    "rule_distance",
    "rules",
    "sse_ratio",
    "suppressed",
    "user_loss",
    "util1",
    "util2",
    "variance_change",
]
