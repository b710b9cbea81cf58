"""Plain twins of the models of baskets: every subset of every basket, counted by going through all baskets."""

from fractions import Fraction
from itertools import combinations


def known_sets(basket, most):
    for size in range(1, min(len(basket), len(basket) if most is None else most) + 1):
        yield from (frozenset(chosen) for chosen in combinations(sorted(basket, key=str), size))


def unsafe_adversaries(released, originals, sensitive, rho, most=None):
    """All (user, Q, e) above rho; `rho` a Fraction, `sensitive` one set for each user."""
    found = []
    items = set().union(*originals) if originals else set()
    support = {}

    def supp(chosen):
        if chosen not in support:
            support[chosen] = sum(chosen <= basket for basket in released)
        return support[chosen]

    for user, basket in enumerate(originals):
        for known in known_sets(basket, most):
            base = supp(known)
            if base:
                found += [
                    (user, known, item)
                    for item in sorted((set(sensitive[user]) & items) - known, key=str)
                    if Fraction(supp(known | {item}), base) > rho
                ]
    return found


def rare_sets(released, k, most):
    occurring = {known for basket in released for known in known_sets(basket, most)}
    return {known for known in occurring if sum(known <= basket for basket in released) < k}
