"""Round edges over a range, for tables without chosen bins."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

from sudare.describe.text import day_of

MOST = 8
_YEARS = (1, 2, 5, 10, 20, 25, 50, 100, 250, 500, 1000)
_STEPS = (1.0, 2.0, 2.5, 5.0)


def round_edges(low: float, high: float, *, dates: bool = False, whole: bool = False) -> list[Any]:
    """Edges of about 8 round bins or fewer from low to high; with `dates` (in days since 1970), of whole years.

    >>> round_edges(0, 120, whole=True)
    [0, 20, 40, 60, 80, 100, 120]
    """
    if dates:
        return _of_years(low, high)
    least = (high - low) / MOST
    power = 10.0 ** math.floor(math.log10(least))
    step = next(
        factor * power
        for factor in (*_STEPS, *(10 * one for one in _STEPS))
        if factor * power >= least * (1 - 1e-9) and (not whole or (factor * power).is_integer())
    )
    inside = [
        float(f"{place * step:.12g}") for place in range(math.ceil(low / step), math.floor(high / step) + 1)
    ]
    # A sliver at an end would be an almost empty bin.
    edges = [low, *(edge for edge in inside if low + step / 4 < edge < high - step / 4), high]
    return [int(edge) for edge in edges] if whole else edges


def _of_years(low: float, high: float) -> list[Any]:
    first, last = day_of(low), day_of(high)
    span = last.year - first.year + 1
    if span < MOST // 2:  # too short for years
        steps = [low + (high - low) * place / 6 for place in range(7)]
        return sorted({day_of(day) for day in steps})
    step = next((years for years in _YEARS if span / years <= MOST), _YEARS[-1])
    inside = (date(year, 1, 1) for year in range(first.year, last.year + 1) if year % step == 0 and year > 0)
    return [first, *(day for day in inside if first < day < last), last]
