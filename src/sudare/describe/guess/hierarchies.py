"""The hierarchy that is likely to suit a quasi-identifier, as a mapping for a recipe."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from sudare.describe.conversion import Unit
    from sudare.describe.guess.topics import Topic
    from sudare.describe.guess.values import Values
    from sudare.describe.kinds import Kind

_AGE_WIDTH = 5
_COARSER: dict[str | None, tuple[str, ...]] = {
    "month": ("month", "quarter", "year", "decade"),
    "year": ("year", "decade"),
}
"""Levels of dates of which the day is not known."""
_INTERVALS = 20
_MOST_INTERVALS = 2.0**50
"""Floating point cannot number more intervals exactly."""
_SMALLEST, _LARGEST = 1e-300, 1e300


def suggested_hierarchy(
    values: Values, kind: Kind, topic: Topic | None, unit: Unit | None = None
) -> dict[str, object] | None:
    """The mapping of a hierarchy for these values; None if only the method can choose the ranges.

    `unit` is how exact dates are that were written as texts.
    """
    if kind == "date" and unit in _COARSER:
        return {"type": "dates", "levels": list(_COARSER[unit])}
    if kind == "date" or values.is_iso_text:
        return {"type": "dates"}
    if kind == "set" or values.series.dtype == pl.Time:
        return None  # times of day become ranges
    if kind == "numeric" and (
        (is_age := topic is not None and topic.key == "age") or len(values.numbers) > 2
    ):
        width = _AGE_WIDTH if is_age else _round_width(values)
        fits = width is not None and _reach(values) / width < _MOST_INTERVALS
        return {"type": "intervals", "width": width} if fits else None
    if kind == "string" and (values.is_code or (topic is not None and topic.key == "postal code")):
        return {"type": "mask"}
    return {"type": "suppress"}


def _reach(values: Values) -> float:
    """The largest distance of the numbers from zero; infinite if one of them is."""
    if values.has_infinite:
        return math.inf
    return (
        max(abs(float(end)) for end in (values.numbers[0], values.numbers[-1]))
        if len(values.numbers)
        else 0.0
    )


def _round_width(values: Values) -> float | int | None:
    """The smallest of 1, 2, 5, 10 (times a power of ten) that cuts the bulk of the range into at most twenty intervals.

    The bulk excludes the outermost hundredth of the records on either side: an outlier should not decide.
    Integers get a width of at least 2: with 1 the first level would generalize nothing. Ranges at the
    limits of floating point have no round width.
    """
    wanted = (values.bulk or values.spread) / _INTERVALS
    if not _SMALLEST <= wanted <= _LARGEST:
        return None
    power = 10.0 ** math.floor(math.log10(wanted))
    # The last step is slightly too large, so that a rounding error in the logarithm cannot miss it.
    width = next((step * power for step in (1, 2, 5) if step * power >= wanted * (1 - 1e-9)), 10 * power)
    return max(2, round(width)) if values.is_whole else float(f"{width:.1g}")
