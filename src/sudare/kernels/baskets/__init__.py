"""Subsets of baskets: their supports, the inferences from them, suppression."""
