"""Subsets of baskets: their supports, inferences from them, and suppression."""
