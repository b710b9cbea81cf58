"""What a release of baskets has lost: items, frequencies, association rules, and who bears the loss."""

from sudare.measure.baskets.association import compare_rules, rule_distance, rules
from sudare.measure.baskets.catalogue import BASKET_MEASURES, measure_baskets
from sudare.measure.baskets.frequencies import FrequencyChange, frequency_change, util2
from sudare.measure.baskets.pair import BasketPair, basket_pair
from sudare.measure.baskets.users import UserLoss, user_loss, util1

__all__ = [
    "BASKET_MEASURES",
    "BasketPair",
    "FrequencyChange",
    "UserLoss",
    "basket_pair",
    "compare_rules",
    "frequency_change",
    "measure_baskets",
    "rule_distance",
    "rules",
    "user_loss",
    "util1",
    "util2",
]
