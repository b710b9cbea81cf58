"""A measurement that a script cannot do without: taken, kept in its report, or the end of the script."""

from __future__ import annotations

from typing import Any

from harness import Measurement, Report, measure  # type: ignore[import-not-found]  # beside this script


def measure_into(report: Report, case: Any, **options: Any) -> Measurement:
    """Measure a case as `harness.measure` does and keep it in the report; one that takes longer than its limit is an error."""
    found = measure(case, **options)
    if found is None:
        raise RuntimeError(f"{case.__name__} took longer than its limit with {options}")
    report.measurements.append(found)
    return found
