"""Checking k-anonymity and l-diversity: Sudare beside pycanon, and how both grow with the rows.

A ratio compares work on the same pandas frame, given as it is; what Sudare converts and codes of it each time is in its time. "raw" is the table as it is (most blocks are single rows), "k=10" the same
table after Sudare's Mondrian, where k is not trivial (l is 1 on Adult all the same: the agreement on l is a weak
check there, the twins of the unit tests are the strong one). Both must find the same k and l: pycanon rounds
entropy l down to a whole number and leaves out rows with missing values, so the tables have none. anjana has
no check of its own (it calls pycanon).
"""

from __future__ import annotations

from typing import Any

from data import (  # type: ignore[import-not-found]  # beside this script
    HAS_ADULT,
    HOSPITAL_QUASI,
    HOSPITAL_SENSITIVE,
    NAME,
    NO_ADULT,
    hospital_complete,
    shared_table,
)
from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Measurement,
    Report,
    growth,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

_RULES = ("k", "distinct l", "entropy l")
_SIZES = (10_000, 100_000, 1_000_000)
_PATIENCE = 60.0
"""A rival is left out where it is expected to take more seconds than this."""


def main() -> None:
    report = Report("check_speed", __doc__)
    if not HAS_ADULT:
        report.note(NO_ADULT)
    _beside(report)
    for rule in _RULES:
        _growing(report, rule)
    report.save()


def sudare(table: str, rule: str, rows: int = 0, *, pandas: bool = True) -> Case:
    """A check by Sudare, from a frame to the verdict."""
    import sudare as sd

    frame, quasi, sensitive = _frame(table, rows, pandas=pandas)
    requirement = {
        "k": sd.KAnonymity(10),
        "distinct l": sd.LDiversity(2),
        "entropy l": sd.LDiversity(2, kind="entropy"),
    }[rule]

    roles: dict[str, list[str]] = (
        {"quasi": quasi} if rule == "k" else {"quasi": quasi, "sensitive": [sensitive]}
    )

    def work() -> Any:
        return requirement.check(frame, **roles)

    return Case(work, lambda verdict: {"reached": verdict.reached})


def pycanon(table: str, rule: str, rows: int = 0) -> Case:
    """The same figure by pycanon."""
    from pycanon import anonymity

    frame, quasi, sensitive = _frame(table, rows, pandas=True)
    work = {
        "k": lambda: anonymity.k_anonymity(frame, quasi),
        "distinct l": lambda: anonymity.l_diversity(frame, quasi, [sensitive]),
        "entropy l": lambda: anonymity.entropy_l_diversity(frame, quasi, [sensitive]),
    }[rule]
    return Case(work, lambda reached: {"reached": float(reached)})


def _frame(table: str, rows: int, *, pandas: bool) -> tuple[Any, list[str], str]:
    import sudare as sd

    if table == "hospital":
        made = hospital_complete(rows)
        return (made.to_pandas() if pandas else made), HOSPITAL_QUASI, HOSPITAL_SENSITIVE
    shared = shared_table()
    if table == "raw":
        return shared.frame, shared.quasi, shared.sensitive
    release = sd.anonymize(shared.described(ranges=True), sd.KAnonymity(10), seed=0)
    return release.table.frame.to_pandas(), shared.quasi, shared.sensitive


_SMALL = (
    "On 30,162 rows in few blocks this rule takes pycanon little more than pandas' group-by, while Sudare first codes the columns "
    "of the pandas frame; at 10^5 rows and more the ratio is in the tens."
)


def _beside(report: Report) -> None:
    rows = []
    for table in ("raw", "k=10"):
        for rule in _RULES:
            ours, theirs = (measure_into(report, case, table=table, rule=rule) for case in (sudare, pycanon))
            reached = f"{ours.facts['reached']:.4g}"
            rows.append(
                [f"{table}, {rule}", *_shown(ours), *_shown(theirs), reached, *_ratio(rule, ours, theirs)]
            )
            report.ratio(
                f"pycanon / Sudare, {NAME}, {table}, {rule}", theirs.median, ours.median, "tens", why=_SMALL
            )
    columns = ["table, rule", "Sudare", "cpu", "peak", "pycanon", "cpu", "peak", "reached", "ratio", "of cpu"]
    report.table(f"{NAME}: median seconds and peak memory from one pandas frame", columns, rows)


def _growing(report: Report, rule: str) -> None:
    rows: list[list[str]] = []
    ours: list[Measurement] = []
    expected = 0.0
    for size in _SIZES:
        ours.append(measure_into(report, sudare, table="hospital", rule=rule, rows=size, pandas=False))
        same_frame = measure_into(report, sudare, table="hospital", rule=rule, rows=size)
        beside = ["-", "-", f"about {expected:,.0f} s", ""]
        if expected < _PATIENCE:
            theirs = measure_into(report, pycanon, table="hospital", rule=rule, rows=size)
            beside = [*_shown(theirs)[:2], *_ratio(rule, same_frame, theirs)]
            report.ratio(
                f"pycanon / Sudare, hospital {size:,} rows, {rule}", theirs.median, same_frame.median, "tens"
            )
            expected = theirs.median
        expected *= 10
        rows.append([f"{size:,}", *_shown(ours[-1]), *_shown(same_frame)[:2], *beside])
    columns = ["rows", "Sudare", "cpu", "peak", "from pandas", "cpu", "pycanon", "cpu", "ratio", "of cpu"]
    report.table(f"hospital x {len(HOSPITAL_QUASI)} quasi-identifiers, {rule}", columns, rows)
    slopes = growth(_SIZES, [each.median for each in ours])
    report.note(f"Sudare grows as n^{' and n^'.join(f'{slope:.2f}' for slope in slopes)}.")


def _shown(measured: Measurement) -> list[str]:
    return [seconds(measured.median), seconds(measured.cpu), megabytes(measured.peak_mb)]


def _ratio(rule: str, ours: Measurement, theirs: Measurement) -> list[str]:
    """Theirs over ours in time and in processor time, after making sure that both found the same."""
    found, expected = ours.facts["reached"], theirs.facts["reached"]
    # exp of an entropy may lie a rounding below the whole number that pycanon truncates to, or above
    same = abs(int(found + 1e-9) - expected) < 1e-9 or (
        rule == "entropy l" and abs(found - expected - 1) < 1e-9
    )
    if not same:
        raise RuntimeError(f"Sudare found {rule} = {found}, pycanon {expected}: one of them is wrong.")
    return [f"{theirs.median / ours.median:,.1f}", f"{theirs.cpu / ours.cpu:,.1f}"]


if __name__ == "__main__":
    main()
