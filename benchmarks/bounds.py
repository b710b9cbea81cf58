"""Lower bounds of the loss: the tree of distinct rows beside all pairs, and growth to a million rows.

Seconds are processor seconds. All pairs compares every row with every row by the same arithmetic, and is extrapolated
from its first rows (each costs the same); the bounds of these rows by both ways must agree. The tree's seconds
include coding the columns, finding distinct rows and building the tree. "weaker" marks a search that the default
budget ended.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from data import HOSPITAL_SENSITIVE, hospital_described  # type: ignore[import-not-found]  # beside this script
from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Report,
    growth,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from sudare.describe.table import Table

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_COIL, _ADULT = _DATA / "coil2000" / "ticdata2000.txt", _DATA / "adult_hierarchies"
_CELLS = 300_000_000
"""Cells that all pairs compares before it is extrapolated."""
_CASES = (
    # table, objective, requirement, number
    ("coil", "dis", "k", 2),
    ("coil", "dis", "k", 8),
    ("coil", "dis", "l", 2),
    ("coil", "dis", "l", 8),
    ("adult 9", "loss", "k", 5),
    ("adult 9", "loss", "k", 10),
    ("adult 8", "loss", "k", 5),
    ("adult 8", "loss", "l", 4),
)
_GROWING = (
    ("loss", "k", 5, (10_000, 100_000, 1_000_000)),
    ("loss", "l", 3, (10_000, 100_000, 1_000_000)),
    ("dis", "k", 5, (10_000, 100_000)),
    ("dis", "l", 3, (10_000, 100_000)),
)


def main() -> None:
    report = Report("bounds", __doc__)
    rows = []
    for table, objective, kind, number in _CASES:
        needed = _COIL if table == "coil" else _ADULT
        if not needed.exists():
            report.note(f"{table} is skipped because {needed} is absent.")
            continue
        rows.append(
            _compared(report, f"{table}, {objective}, {kind} = {number}", table, objective, kind, number)[0]
        )
    for objective, kind, number, sizes in _GROWING:
        times: list[float] = []
        for size in sizes:
            name = f"hospital {size:,}, {objective}, {kind} = {number}"
            row, taken = _compared(report, name, f"hospital {size}", objective, kind, number)
            times.append(taken)
            at = len(times)
            rows.append(
                [*row[:2], f"{growth(sizes[at - 2 : at], times[-2:])[0]:.2f}" if at > 1 else "", *row[3:]]
            )
    columns = ["table, objective, requirement", "tree", "growth", "all pairs", "ratio", "bound", "peak"]
    report.table("Lower bounds: tree and all pairs (extrapolated)", columns, rows)
    report.save()


def tree(table: str, objective: Any, kind: str, number: int) -> Case:
    """The bound as `sudare.assess` gives it, with nothing remembered of the call before."""
    from sudare.assess.bounds import k_bound, l_bound

    described = _table(table)

    def work() -> Any:
        fresh = described.changed()
        if kind == "k":
            return k_bound(fresh, number, objective=objective)
        return l_bound(fresh, number, described.names("sensitive")[0], objective=objective)

    return Case(work, lambda bound: {"bound": bound.value, "exact": bound.exact})


def all_pairs(table: str, objective: Any, kind: str, number: int) -> Case:
    """The bounds of the first rows, each against all rows."""
    import numpy as np

    import sudare as sd
    from all_pairs import all_radii  # type: ignore[import-not-found]  # beside this script
    from sudare.assess.bounds import distortion
    from sudare.progress import SILENT

    described = _table(table)
    sensitive = described.names("sensitive")[0] if kind == "l" else None
    ground = distortion.Grounds(described).of(objective)
    distinct = np.empty_like(ground.tree.codes)
    distinct[ground.tree.order] = ground.tree.codes
    codes = distinct[ground.labels]
    stop = max(_CELLS // codes.size, 1)
    values = None if sensitive is None else described.codes(sensitive).codes.astype(np.int64)
    asked = sd.KAnonymity(number) if sensitive is None else sd.LDiversity(number)

    def work() -> Any:
        return all_radii(ground.space, codes, number, values, min(stop, described.rows))

    def facts(radii: Any) -> dict[str, Any]:
        counts = distortion.counts_asked(described, [asked])
        costs, exact = distortion.row_costs(described, ground, counts, distortion.BUDGET, SILENT)
        ours, theirs = costs[: len(radii)][exact[: len(radii)]], (radii / ground.total)[exact[: len(radii)]]
        return {"rows": len(radii), "apart": float(abs(ours - theirs).max(initial=0.0))}

    return Case(work, facts)


def _table(name: str) -> Table:
    import polars as pl

    import sudare as sd

    if name == "coil":
        frame = pl.read_csv(_COIL, separator="\t", has_header=False)
        first, *others = frame.columns
        masks = {other: sd.hierarchy.mask() for other in others}
        return sd.read(frame).describe(quasi=others, sensitive=[first], hierarchies=masks)
    if name.startswith("adult"):
        frame = pl.read_csv(_ADULT / "adult.csv", separator=";")
        kept = [column for column in frame.columns if name == "adult 9" or column != "occupation"]
        trees = {column: sd.hierarchy.csv(path=_ADULT / f"adult_hierarchy_{column}.csv") for column in kept}
        sensitive = [] if name == "adult 9" else ["occupation"]
        return sd.read(frame).describe(quasi=kept, sensitive=sensitive, hierarchies=trees)
    made: Table = hospital_described(sd.hospital(int(name.split()[1])))
    assert made.names("sensitive") == [HOSPITAL_SENSITIVE]
    return made


def _compared(
    report: Report, name: str, table: str, objective: str, kind: str, number: int
) -> tuple[list[str], float]:
    asked = {"table": table, "objective": objective, "kind": kind, "number": number}
    ours, theirs = (measure_into(report, case, repeats=3, budget=10.0, **asked) for case in (tree, all_pairs))
    if theirs.facts["apart"] > 1e-9:
        raise RuntimeError(f"{name}: tree and all pairs differ by {theirs.facts['apart']}.")
    whole = theirs.cpu * _rows(table) / theirs.facts["rows"]
    report.ratio(f"all pairs / tree, {name}", whole, ours.cpu)
    bound = f"{ours.facts['bound']:.4f}{'' if ours.facts['exact'] else ' weaker'}"
    shown = [
        name,
        seconds(ours.cpu),
        "",
        seconds(whole),
        f"{whole / ours.cpu:,.1f}",
        bound,
        megabytes(ours.peak_mb),
    ]
    return shown, ours.cpu


def _rows(table: str) -> int:
    return {"coil": 5_822, "adult": 30_162}.get(table.split(maxsplit=1)[0]) or int(table.split()[1])


if __name__ == "__main__":
    main()
