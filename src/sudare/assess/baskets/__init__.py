"""Models for baskets: no sensitive item can be inferred (rho-uncertainty), no user singled out (k^m-anonymity)."""
