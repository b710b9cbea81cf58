"""Checking k-anonymity and l-diversity: Sudare beside pycanon, and how both grow with the rows.

A ratio compares work on the same pandas frame, given as it is; what Sudare converts and codes of it each time is in its
time. "Check alone" is a later call in the same process; "import and check" is a fresh process from the import of the
library, with pandas and the frame loaded before, to the first verdict. "raw" is the table as it is (most blocks are single
rows), "k=10" the same table after Sudare's Mondrian, where k is not trivial (l is 1 on Adult all the same: the agreement on l is a weak
check there, the twins of the unit tests are the strong one). Both must find the same k and l: pycanon rounds
entropy l down to a whole number and leaves out rows with missing values, so the tables have none. anjana has
no check of its own (it calls pycanon).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
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
    _fresh(report)
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
_LOADING = (
    "Loading takes Sudare longer than checking: pydantic, which validates its parameters, and the words of the verdict. pycanon has "
    "nothing to load beside pandas."
)
_FRESH = """
import json, sys, time
import pandas as pd
frame, quasi = pd.read_pickle(sys.argv[1]), json.loads(sys.argv[2])
busy, began = time.process_time(), time.perf_counter()
{work}
print(json.dumps([time.perf_counter() - began, time.process_time() - busy, float(reached)]))
"""
_CHECKS = {
    "Sudare": "import sudare as sd\nreached = sd.KAnonymity(10).check(frame, quasi=quasi).reached",
    "pycanon": "from pycanon import anonymity\nreached = anonymity.k_anonymity(frame, quasi)",
}
_PROCESSES = 7


def _beside(report: Report) -> None:
    rows = []
    for table in ("raw", "k=10"):
        for rule in _RULES:
            ours, theirs = (measure_into(report, case, table=table, rule=rule) for case in (sudare, pycanon))
            reached = f"{ours.facts['reached']:.4g}"
            rows.append(
                [f"{table}, {rule}", *_shown(ours), *_shown(theirs), reached, *_ratio(rule, ours, theirs)]
            )
            what = f"pycanon / Sudare, {NAME}, {table}, {rule}, check alone"
            report.ratio(what, theirs.cpu, ours.cpu, "at least 10", why=_SMALL)
    columns = ["table, rule", "Sudare", "cpu", "peak", "pycanon", "cpu", "peak", "reached", "ratio", "of cpu"]
    report.table(f"{NAME}: check alone, median seconds and peak memory from one pandas frame", columns, rows)


def _fresh(report: Report) -> None:
    """Import and first check of k in processes of their own."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for table in ("raw", "k=10"):
            path = Path(folder) / f"{table}.pickle"
            frame, quasi, _ = _frame(table, 0, pandas=True)
            frame.to_pickle(path)
            found: dict[str, list[list[float]]] = {name: [] for name in _CHECKS}
            for turn in range(_PROCESSES + 1):
                for name, work in _CHECKS.items():
                    command = [sys.executable, "-c", _FRESH.format(work=work), str(path), json.dumps(quasi)]
                    done = subprocess.run(command, check=True, capture_output=True, text=True)
                    if turn:
                        found[name].append(json.loads(done.stdout))
            if len({run[2] for runs in found.values() for run in runs}) != 1:
                raise RuntimeError(f"Sudare and pycanon found different k: {found}")
            middle = {
                name: [statistics.median(run[at] for run in runs) for at in (0, 1)]
                for name, runs in found.items()
            }
            ours, theirs = middle["Sudare"], middle["pycanon"]
            ratios = [f"{one / other:,.1f}" for one, other in zip(theirs, ours, strict=True)]
            rows.append([f"{table}, k", *map(seconds, [*ours, *theirs]), *ratios])
            what = f"pycanon / Sudare, {NAME}, {table}, k, import and check"
            report.ratio(what, theirs[1], ours[1], "at least 10", why=_LOADING)
    columns = ["table, rule", "Sudare", "cpu", "pycanon", "cpu", "ratio", "of cpu"]
    report.table(f"{NAME}: import and check in a fresh process, median of {_PROCESSES}", columns, rows)


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
