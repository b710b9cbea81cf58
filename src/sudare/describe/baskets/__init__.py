"""Baskets: an immutable list of sets of items, and which items are sensitive for whom."""

from sudare.deprecated import moved_names

__getattr__ = moved_names("sudare.describe.baskets", {"Baskets": "sudare.describe.baskets.baskets"})
