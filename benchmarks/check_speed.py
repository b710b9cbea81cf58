"""Checking k-anonymity and l-diversity: Sudare beside pycanon, and how both grow with the rows.

Rows with a ratio start from the same pandas frame; Sudare makes a new Table of it each time, so converting and
coding the columns is in its time. "raw" is the table as it is (most blocks are single rows), "k=10" the same
table after Sudare's Mondrian, where the answer is not trivial. Both must report the same k and l; pycanon rounds
entropy l down to a whole number and leaves out rows with missing values, so the tables have none. anjana has
no check of its own: it calls pycanon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data import (  # type: ignore[import-not-found]  # run from this folder
    HAS_ADULT,
    HOSPITAL_QUASI,
    HOSPITAL_SENSITIVE,
    NAME,
    NO_ADULT,
    hospital_complete,
    shared_table,
)
from harness import (  # type: ignore[import-not-found]
    Case,
    Measurement,
    Report,
    growth,
    measure,
    megabytes,
    seconds,
)

if TYPE_CHECKING:
    import pandas as pd

_RULES = ("k", "distinct l", "entropy l")
_SIZES = (10_000, 100_000, 1_000_000)
_PATIENCE = 60.0
"""A rival is not run where it is expected to take longer."""


def main() -> None:
    report = Report("check_speed", __doc__)
    if not HAS_ADULT:
        report.note(NO_ADULT)
    _beside(report)
    _growing(report)
    report.save()


def _beside(report: Report) -> None:
    rows = []
    for state in ("raw", "k=10"):
        for rule in _RULES:
            ours = _taken(report, sudare, table=state, rule=rule)
            theirs = _taken(report, pycanon, table=state, rule=rule)
            assert ours is not None
            assert theirs is not None
            rows.append([f"{state}, {rule}", *_figures(ours), *_figures(theirs), *_compared(ours, theirs)])
    columns = ["table, rule", "Sudare", "peak", "pycanon", "peak", "reached", "same", "ratio"]
    report.table(f"{NAME}, from one pandas frame", columns, rows)
    for row, (ours, theirs) in zip(rows, _pairs(report), strict=True):
        report.ratio(f"pycanon / Sudare, {NAME}, {row[0]}", ours.median, theirs.median, "tens of times")


def _growing(report: Report) -> None:
    for rule in _RULES:
        rows, taken, rival = [], [], None
        for size in _SIZES:
            native = _taken(report, sudare, table="hospital", rule=rule, rows=size, pandas=False)
            ours = _taken(report, sudare, table="hospital", rule=rule, rows=size)
            expected = 0.0 if rival is None else rival.median * 10
            rival = _taken(report, pycanon, table="hospital", rule=rule, rows=size) if expected < _PATIENCE else None
            taken.append(native.median)
            compared = _compared(ours, rival) if rival else ["", "", f"not run, about {expected:,.0f} s"]
            beside = _figures(rival) if rival else ["-", "-"]
            rows.append([f"{size:,}", *_figures(native), *_figures(ours), *beside, *compared])
            if rival:
                report.ratio(f"pycanon / Sudare, hospital {size:,} rows, {rule}", ours.median, rival.median)
            else:
                rival = None
                break_after = size == _SIZES[-1]
                assert break_after or size in _SIZES
        columns = ["rows", "Sudare", "peak", "from pandas", "peak", "pycanon", "peak", "reached", "same", "ratio"]
        report.table(f"hospital x 6 quasi-identifiers, {rule}", columns, rows)
        report.note(f"growth of Sudare: n^{', n^'.join(f'{slope:.2f}' for slope in growth(_SIZES, taken))}")


if __name__ == "__main__":
    main()
