"""Twins of ILD that visit every pair in plain Python, and the values they are asked about."""

import math

import pytest
from hypothesis import settings
from hypothesis import strategies as st

FAST = settings(max_examples=40, deadline=None)


POWERS = st.sampled_from([0.5, 1, 2, 2.0, 3, 4.5])


LETTERS = st.none() | st.sampled_from([*"abcdef"])


# --- the twin ------------------------------------------------------------------------------------------------------


def amount(values, distance, p):
    """I_p: the sum over ordered pairs."""
    return math.fsum(distance(one, other) ** p for one in values for other in values)


def with_missing(distance, reach):
    """Missing is 0 from missing and `reach` from everything else."""

    def whole(one, other):
        if one is None or other is None:
            return 0.0 if one is other else reach
        return distance(one, other)

    return whole


def agrees(found, before, after, distance, p):
    """The library's amounts and loss are the twin's."""
    was, now = amount(before, distance, p), amount(after, distance, p)
    assert found.before == pytest.approx(was, rel=1e-9, abs=1e-9)
    if was == 0:
        assert float(found) == 0
        assert found.note
    else:
        assert found.after == pytest.approx(now, rel=1e-9, abs=1e-9 * was)
        assert float(found) == pytest.approx((was - now) / was, rel=1e-9, abs=1e-9)
        assert found.note is None
        assert found.interval is None
        assert found.way in {"closed form", "distinct values"}


def levenshtein(one, other):
    """The textbook's table."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        above, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]
