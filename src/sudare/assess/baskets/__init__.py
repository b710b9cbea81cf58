"""Models of baskets: what nobody may infer (rho-uncertainty), whom nobody may single out (k^m-anonymity)."""
