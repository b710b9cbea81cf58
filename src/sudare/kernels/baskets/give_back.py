"""Restore suppressed items if that is safe, as long as the item frequencies do not deviate too much.

With n of o entries of each item and N of N0 entries in total, the divergence of frequencies is

    KL(D || D0) = sum (n/N) log((n/N) / (o/N0)) = S/N + log(N0/N),  S = sum n log(n/o),

so the effect of one more entry follows directly from S and N.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.baskets.change import subsets_with
from sudare.kernels.baskets.suppress import excess
from sudare.kernels.core.jit import inlined, lean


@inlined
def _log_share(now, before):
    return now * np.log(now / before) if now > 0 else 0.0


@inlined
def _divergence(log_shares, now, before):
    return log_shares / now + np.log(before / now) if now > 0 else 0.0


@lean
def sum_log_shares(counts, original):
    """S = sum n log(n/o)."""
    log_shares = 0.0
    for code in range(len(counts)):
        log_shares += _log_share(counts[code], original[code])
    return log_shares


@lean
def divergence(entries):
    """KL(D || D0) of the frequencies; 0 if there are no entries."""
    return _divergence(sum_log_shares(entries.counts, entries.original), entries.total[0], entries.total[1])


@lean
def give_back(subsets, entries, support, order, most, over, under, k, scratch):
    """Restore suppressed items, in order, wherever nothing becomes unsafe; returns how many.

    An item is restored if that lowers the divergence, or leaves it at `most` or below. Unsafe means, with k = 0,
    an inference above over / under; otherwise a set that occurs, but fewer than k times.
    """
    counts, original, total, found = entries.counts, entries.original, entries.total, scratch.found
    given = 0
    log_shares = sum_log_shares(counts, original)
    for place in range(len(order)):
        position = order[place]
        if entries.alive[position]:
            continue
        row, code = entries.owner[position], subsets.codes[position]
        after = log_shares - _log_share(counts[code], original[code])
        after += _log_share(counts[code] + 1, original[code])
        then = _divergence(after, total[0] + 1, total[1])
        if then > most and then > _divergence(log_shares, total[0], total[1]):
            continue
        listed = subsets_with(subsets, entries.alive, row, position, scratch)
        if k > 0:
            safe = _stay_frequent(support, found, listed, k)
        else:
            safe = _stay_uncertain(subsets, support, code, found, listed, over, under)
        if safe:
            for entry in range(listed):
                support[found[entry]] += 1
            entries.alive[position] = True
            counts[code] += 1
            total[0] += 1
            given += 1
            log_shares = after
    return given


@lean
def _stay_uncertain(subsets, support, code, found, listed, over, under):
    needs = subsets.needs
    for entry in range(listed):
        joint = found[entry]
        if subsets.sizes[joint] < 2 or needs[joint] == 0:
            continue
        for item in range(subsets.sizes[joint]):
            if (needs[joint] >> np.uint32(item)) & np.uint32(1):
                known = np.int64(support[subsets.below[joint, item]]) + (subsets.items[joint, item] != code)
                if excess(np.int64(support[joint]) + 1, known, over, under) > 0:
                    return False
    return True


@lean
def _stay_frequent(support, found, listed, k):
    for entry in range(listed):  # noqa: SIM110  # numba knows no generators here
        if support[found[entry]] + 1 < k:
            return False
    return True
