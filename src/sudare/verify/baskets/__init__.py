"""The independent verifier of releases of baskets."""
