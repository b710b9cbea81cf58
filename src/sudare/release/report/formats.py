"""Figures as readers see them."""

from __future__ import annotations

import math

UNKNOWN = "–"
"""What could not be computed."""


def share(value: float) -> str:
    """A share in percent, never rounded to nothing or to everything.

    >>> share(0.2), share(0.00001), share(0.0), share(0.99999), share(0.1444)
    ('20%', '<0.1%', '0%', '>99.9%', '14.4%')
    """
    if not math.isfinite(value):
        return UNKNOWN
    if 0 < value < 0.001:
        return "<0.1%"
    if 0.999 < value < 1:
        return ">99.9%"
    return f"{round(value * 100, 1) + 0.0:.1f}".removesuffix(".0") + "%"  # + 0.0: no minus zero


def figure(value: float) -> str:
    """A number with few digits: whole ones grouped by thousands.

    >>> figure(36968.0), figure(6.92521), figure(2), figure(0.123456), figure(1e20)
    ('36,968', '6.925', '2', '0.1235', '1e+20')
    """
    if not math.isfinite(value):
        return UNKNOWN
    if abs(value) < 1e15 and float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.1f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
