"""Plain twins of the models of baskets: every subset of every basket, counted by going through all baskets."""

import math
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


def plain_suppressor(originals, sensitive, rho, words, most=None, rank=None):
    """Algorithm 1 line by line, and whether rounding decided between two items of equal F.

    Items are numbers; `words` are the random words that choose baskets; of items with equal F and
    equal Ns, the first is suppressed, in the order of sets by `rank`.
    The sets Q of a user are gone through in the order of their largest item, then the next largest, …, until none is unsafe.
    """
    released = [set(basket) for basket in originals]
    total_before = sum(map(len, originals))
    before = {item: sum(item in basket for basket in originals) for item in set().union(*originals)}
    used, rounded = 0, False

    def supp(chosen):
        return sum(chosen <= basket for basket in released)

    def suppress_once(user, known):
        nonlocal used, rounded
        base = supp(known)
        if base == 0:
            return False
        total = sum(map(len, released))
        best, values = None, []
        unsafe = [
            tuple(sorted(known | {item}))
            for item in sensitive[user] - known
            if Fraction(supp(known | {item}), base) > rho
        ]
        for joint in sorted(unsafe, key=rank):
            (inferred,) = set(joint) - known
            above = supp(set(joint)) - rho * base
            for item in joint:
                count = math.ceil(above if item == inferred else above / (1 - rho))
                now = sum(item in basket for basket in released)
                share = now / total
                value = share * math.log(share / (before[item] / total_before)) / count
                values.append((value, now, before[item], count))
                if best is None or value > best[0] or (value == best[0] and count < best[1]):
                    best = (value, count, joint, item)
        if best is None:
            return False
        most_valued, count, joint, item = best
        # With nothing suppressed yet, every F is exactly 0.
        near = [one for one in values if abs(one[0] - most_valued) <= 1e-9 * abs(most_valued) + 1e-12]
        rounded |= total < total_before and len(set(near)) > 1
        having = [row for row, basket in enumerate(released) if set(joint) <= basket]
        for taken in range(count):
            pick = taken + words[used] % (len(having) - taken)
            used += 1
            row, having[pick] = having[pick], having[taken]
            released[row].remove(item)
        return True

    longest = max(map(len, originals), default=0)
    changed = True
    while changed:
        changed = False
        for size in range(1, min(longest, longest if most is None else most) + 1):
            for user, basket in enumerate(originals):
                sets = sorted(combinations(sorted(basket), size), key=lambda chosen: chosen[::-1])
                unsafe = True
                while unsafe:
                    unsafe = False
                    for chosen in sets:
                        while suppress_once(user, frozenset(chosen)):
                            unsafe = changed = True
    return released, rounded
