"""Methods for baskets: suppress items, or generalize them over a hierarchy."""
