"""Generalization: loss, processor time and lower bounds beside the figures of ARX, anonypy and the papers.

`adult`: 30,162 rows, mean loss (leaves - 1) / (leaves of root - 1) over rows and quasi-identifiers; ARX's local
recoding as measured in the issue (its seconds are of another run). `sets`: free sets and intervals beside anonypy's
Mondrian, run here, with the median relative error of 1,000 random two-attribute counts (3.9 s is ten times the fastest
Python Mondrian of the issue). `coil`: distortion on 85 columns beside the
paper's DiverDIS and MinDIS. `lattice`: the optimum of full-domain recoding. (The growth to 10^6 rows is in
generalization_hospital.py.) Requirements are recounted from the released frame with group-by, not by Sudare. Seconds
are processor seconds of the method alone, second call (compiled code loaded).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sudare as sd
from harness import Report  # type: ignore[import-not-found]  # beside this script
from sudare.anonymize.generalize.bound import price_bound
from sudare.anonymize.grouping.recode import axes_of, recode
from sudare.anonymize.protocol import Context
from sudare.assess.bounds import lower_bound
from sudare.measure.pair import Pair

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
# (quasi-identifiers, k, entropy l) -> ARX's loss, and a tenth below it as the issue prints it, rounded to three digits
ARX = {
    (9, 5, 0): (0.0538, 0.048),
    (9, 10, 0): (0.0772, 0.069),
    (8, 5, 0): (0.0292, 0.026),
    (8, 10, 0): (0.0438, 0.039),
    (8, 5, 2): (0.0388, 0.035),
    (8, 5, 3): (0.0699, 0.063),
    (8, 5, 4): (0.1074, 0.097),
}
ARX_SECONDS = {(9, 5, 0): 12.0, (8, 5, 0): 2.0}
"""Processor seconds of ARX where the issue tells them."""
_NEAR_OPTIMUM = (
    "Where the optimum of a part of Adult is proven, the dual bound lies 4.5 % below it in the mean (generalization_optimum); "
    "the bound of the whole is 0.0673, which puts its optimum at about 0.0695 to 0.0704, and a tenth below ARX is 0.0695."
)
_SHORT_SEARCH = "The search of this effort is too short; a longer one is in the rows beside it."
COIL = {
    ("k", 2): (0.079, 0.079),
    ("distinct l", 2): (0.563, 0.22),
    ("distinct l", 4): (0.819, 0.37),
    ("entropy l", 2): (0.563, 0.22),
    ("entropy l", 4): (0.819, 0.37),
}
"""The paper has entropy l-diversity; distinct is the weaker promise."""
SECTIONS = ("adult", "sets", "coil", "lattice")


def main() -> None:
    options = _options()
    name = "generalization" if options.section is None else f"generalization_{options.section}"
    report = Report(name, __doc__ or "")
    for section in SECTIONS:
        if options.section in (None, section):
            globals()[f"_{section}"](report, options)
    report.save()


def _adult(report: Report, options: Any) -> None:
    rows = []
    for (columns, k, diverse), (arx, bar) in ARX.items():
        table = adult(columns)
        requirements = [sd.KAnonymity(k)] + ([sd.LDiversity(diverse, kind="entropy")] if diverse else [])
        bound = lower_bound(table, requirements, objective="loss").value
        priced = price_bound(table, k)
        # With k = 10 only a long search comes near a tenth below; it is not run twice.
        longer = ["thorough"] if k == 10 and "thorough" not in options.efforts else []
        efforts = [*options.efforts, *longer]
        for effort in efforts:
            method = sd.Generalize(effort=effort)
            outcome, spent = timed(table, requirements, method, warm=effort != "thorough")
            loss = sd.measure.loss(table, outcome.table)
            smallest, entropy = recounted(outcome.table.frame, table, diverse)
            met = "met" if arx / loss >= 1 / 0.9 else "missed"
            name = f"{columns} QI, k={k}" + (f", l={diverse}" if diverse else "")
            short = _SHORT_SEARCH if effort != efforts[-1] else ""
            why = _NEAR_OPTIMUM if (columns, k, diverse) == (9, 10, 0) else short
            report.ratio(f"loss, ARX / Sudare {effort}, {name}", arx, loss, "at least 1/0.9", why=why)
            if (columns, k, diverse) in ARX_SECONDS:
                # The goal of time is for one effort that is a tenth below ARX; the slower one loses still less.
                report.ratio(
                    f"processor seconds, ARX / Sudare {effort}, {name}",
                    ARX_SECONDS[columns, k, diverse],
                    spent,
                    "at least 1" if effort == "fast" else "",
                    why="ARX's seconds are of another machine and run, and processor time grows with the load of this one.",
                )
            if met == "met" and loss > bar:
                report.note(
                    f"{name}, {effort}: {loss:.4f} is a tenth below ARX ({0.9 * arx:.4f}), but not at or below the "
                    f"{bar:.3f} which the issue prints for it, rounded."
                )
            rows.append(
                [
                    name,
                    effort,
                    f"{loss:.4f}",
                    f"{arx:.4f}",
                    f"{0.9 * arx:.4f} {met}",
                    f"{bar:.3f}",
                    f"{bound:.4f}",
                    "" if priced is None else f"{priced.value:.4f}",
                    f"{spent:.1f}",
                    f"{smallest}" + (f" / {entropy:.2f}" if diverse else ""),
                ]
            )
            print(rows[-1], flush=True)
    columns_shown = [
        "", "effort", "loss", "ARX", "a tenth below", "as printed", "bound", "price bound", "CPU s", "smallest / l",
    ]  # fmt: skip
    report.table("Adult, no row left out", columns_shown, rows)


def _sets(report: Report, options: Any) -> None:
    quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    whole = pl.read_csv(DATA / "adult_hierarchies" / "adult.csv", separator=";")
    frame = whole.select(quasi)
    table = sd.read(frame).describe(quasi=quasi, kinds={"age": "numeric"})
    rows = []
    for k, published, seconds in ((5, 0.0456, 41), (10, 0.0805, 22)):
        found = {"anonypy": _anonypy(whole, table, k)}
        for effort in options.efforts:
            method = sd.Generalize(cells="sets", objective="ncp", effort=effort)
            outcome, spent = timed(table, [sd.KAnonymity(k)], method)
            found[f"Sudare {effort}"] = (outcome.table, spent)
        gcp = {name: sd.measure.gcp(table, released) for name, (released, _) in found.items()}
        for name, (released, spent) in found.items():
            error = query_error(frame, released.frame, quasi)
            told = f"{published:.4f} in {seconds} s" if name == "anonypy" else ""
            rows.append([f"k={k}, {name}", f"{gcp[name]:.4f}", f"{spent:.1f}", f"{error:.3f}", told])
            print(rows[-1], flush=True)
            if name != "anonypy":
                report.ratio(f"loss, anonypy / {name}, k = {k}", gcp["anonypy"], gcp[name], "above 1")
                # The goal of time is for one effort that loses less than anonypy; the slower one loses still less.
                report.ratio(
                    f"3.9 s / processor seconds of {name}, k = {k}",
                    3.9,
                    spent,
                    "above 1" if "fast" in name else "",
                    why="Processor time grows with the load of the machine, and 3.9 s is of another one.",
                )
    columns = ["", "GCP", "CPU s", "query error", "in the issue"]
    report.table("Adult, 8 columns, sets and intervals (GCP)", columns, rows)


def _anonypy(frame: pl.DataFrame, table: Any, k: int) -> tuple[Any, float]:
    """The table in the groups of anonypy's Mondrian, and its processor seconds."""
    import anonypy

    quasi = table.names("quasi")
    pandas = frame.select(*quasi, "salary-class").to_pandas()
    pandas = pandas.astype({name: "category" for name in pandas if name != "age"})
    started = time.process_time()
    groups = anonypy.Preserver(pandas, quasi, "salary-class").modrian.partition(k)
    spent = time.process_time() - started
    labels = np.empty(frame.height, dtype=np.int32)
    for label, group in enumerate(groups):
        labels[group] = label
    return recode(table, axes_of(table), labels, len(groups), sets=True), spent


def _coil(report: Report, options: Any) -> None:
    path = DATA / "coil2000" / "ticdata2000.txt"
    frame = pl.read_csv(path, separator="\t", has_header=False, infer_schema=False)
    quasi = frame.columns[1:]
    table = sd.read(frame).describe(
        quasi=quasi, sensitive=[frame.columns[0]], hierarchies={name: sd.hierarchy.mask() for name in quasi}
    )
    rows = []
    for (kind, size), (published, bar) in COIL.items():
        requirement = (
            sd.KAnonymity(size)
            if kind == "k"
            else sd.LDiversity(size, kind="entropy" if kind == "entropy l" else "distinct")
        )
        bound = lower_bound(table, [requirement], objective="dis").value
        for effort in options.efforts:
            outcome, spent = timed(table, [requirement], sd.Generalize(objective="dis", effort=effort))
            reached = sd.measure.dis(table, outcome.table)
            met = "met" if reached <= bar else "missed"
            report.ratio(
                f"distortion, bar / Sudare {effort}, {kind} = {size}",
                bar,
                reached,
                "at least 1",
                why=_SHORT_SEARCH if effort != options.efforts[-1] else "",
            )
            if published > bar:
                report.ratio(f"distortion, paper / Sudare {effort}, {kind} = {size}", published, reached)
            rows.append(
                [
                    f"{kind}={size}",
                    effort,
                    f"{reached:.4f}",
                    f"{published:.3f}",
                    f"{bar:.3f} {met}",
                    f"{bound:.4f}",
                    f"{reached / bound:.2f}",
                    f"{spent:.1f}",
                ]
            )
            print(rows[-1], flush=True)
    columns = ["", "effort", "distortion", "paper", "bar", "bound", "upper/lower", "CPU s"]
    report.table("COIL 2000, 85 columns, sensitive MOSTYPE", columns, rows)


def _lattice(report: Report, _: Any) -> None:
    table = adult(9)
    rows = []
    for share, arx, seconds in ((0.0, 0.636, 0.04), (0.05, 0.270, 0.9)):
        outcome, spent = timed(table, [sd.KAnonymity(5)], sd.FullDomain(suppression=share))
        loss = sd.measure.loss(table, Pair(table, outcome.table, outcome.rows))
        rows.append([f"{share:.0%} left out", f"{loss:.4f}", f"{arx:.3f}", f"{spent:.2f}", f"{seconds:.2f}"])
        # The same optimum, in seconds: to the three digits that are known of ARX's, and within ten.
        name = f"{share:.0%} left out"
        report.ratio(f"loss at three digits, ARX / Sudare, {name}", arx, round(loss, 3), "exactly 1")
        report.ratio(f"10 s / processor seconds of Sudare, {name}", 10.0, spent, "above 1")
        report.ratio(f"processor seconds, ARX / Sudare, {name}", seconds, spent)
    columns = ["", "loss", "ARX", "CPU s", "ARX CPU s"]
    report.table("full-domain optimum, Adult 9 QI, k = 5, 12,960 nodes", columns, rows)


def adult(columns: int) -> Any:
    """Adult with ARX's hierarchies: 9 quasi-identifiers, or 8 with occupation as the sensitive one."""
    folder = DATA / "adult_hierarchies"
    frame = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False)
    quasi = [name for name in frame.columns if columns == 9 or name != "occupation"]
    makers = {name: sd.hierarchy.csv(folder / f"adult_hierarchy_{name}.csv") for name in quasi}
    sensitive = [] if columns == 9 else ["occupation"]
    return sd.read(frame).describe(quasi=quasi, sensitive=sensitive, hierarchies=makers)


def timed(table: Any, requirements: list[Any], method: Any, *, warm: bool = True) -> tuple[Any, float]:
    """The outcome and the processor seconds of a call, compiled code loaded."""
    context = Context(tuple(requirements))
    if warm:
        method.apply(table, context)
    started = time.process_time()
    outcome = method.apply(table, context)
    return outcome, time.process_time() - started


def recounted(released: pl.DataFrame, table: Any, diverse: float) -> tuple[int, float]:
    """Smallest block and least exp(entropy), counted anew with group-by."""
    quasi = table.names("quasi")
    smallest = int(released.group_by(quasi).len()["len"].min())  # type: ignore[arg-type]  # no released frame is empty
    if not diverse:
        return smallest, 0.0
    sensitive = table.names("sensitive")[0]
    counts = released.group_by([*quasi, sensitive]).len()
    share = pl.col("len") / pl.col("len").sum().over(quasi)
    entropy = counts.with_columns(part=-share * share.log()).group_by(quasi).agg(pl.col("part").sum())
    return smallest, float(np.exp(entropy["part"].min()))  # type: ignore[arg-type]  # the same


def query_error(before: pl.DataFrame, after: pl.DataFrame, quasi: list[str]) -> float:
    """Median relative error of counts of two values, a released cell counting for each of its values equally."""
    random = np.random.default_rng(0)
    errors = []
    for _ in range(1000):
        row = before.row(int(random.integers(before.height)), named=True)
        chosen = random.choice(quasi, 2, replace=False)
        truth = before.filter(*(pl.col(name) == row[name] for name in chosen)).height
        guess = np.ones(after.height)
        for name in chosen:
            guess *= _chance(before[name], after[name], row[name])
        errors.append(abs(guess.sum() - truth) / truth)
    return float(np.median(errors))


def _chance(before: pl.Series, after: pl.Series, value: Any) -> Any:
    """For each released cell the chance that it stands for a value, all its values equally likely."""
    texts = after.cast(pl.String)
    whole = before.n_unique()
    chances = {}
    for text in texts.unique():
        if text == "*":
            chances[text] = 1 / whole
        elif text.startswith("{"):
            parts = text[1:-1].split("; ")
            chances[text] = float(str(value) in parts) / len(parts)
        elif text.startswith("["):
            low, high = (float(part) for part in text[1:-1].split(", "))
            chances[text] = float(low <= float(value) <= high) / (high - low + 1)
        else:
            chances[text] = float(text == str(value))
    return texts.replace_strict(chances, return_dtype=pl.Float64).to_numpy()


def _options() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--section", choices=SECTIONS)
    parser.add_argument("--efforts", nargs="+", default=["fast", "default"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
