"""Generalization on tables that its settings were not chosen on: does more effort lose less, and never more than a start?

Settings of the search were chosen on Adult as a whole. Here are the made-up hospital with few and with many
quasi-identifiers, a sample of Adult, which is far sparser, and random tables with skewed values. Beside the efforts are
Mondrian and the first groups that the search begins with (cheapest scheme first, nothing refined), which it must never
lose more than; the bound is the dual one, which holds for k alone. Mean `loss`; processor seconds in brackets, compiled
code loaded.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import sudare as sd
from data import hospital_described  # type: ignore[import-not-found]  # beside this script
from generalization import DATA, adult, recounted, timed  # type: ignore[import-not-found]  # beside this script
from generalization_optimum import space_of  # type: ignore[import-not-found]  # beside this script
from harness import Report  # type: ignore[import-not-found]  # beside this script
from sudare.anonymize.generalize.bound import price_bound
from sudare.anonymize.generalize.leftover import attach
from sudare.anonymize.generalize.prices import losses_of
from sudare.anonymize.generalize.start import cheapest_scheme_first
from sudare.kernels.core.rules import no_rules
from sudare.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator

_KS = (3, 5, 10)
_VALUES, _BRANCHES = 27, 3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--efforts", nargs="+", default=["fast", "default", "thorough"])
    efforts = parser.parse_args().efforts
    report = Report("generalization_tables", __doc__ or "")
    worse = []
    rows = []
    for name, table in tables():
        for k in _KS:
            first = first_groups(table, k)
            bound = price_bound(table, k)
            methods = {"Mondrian": sd.Mondrian()} | {
                effort: sd.Generalize(effort=effort) for effort in efforts
            }
            losses, cells = {}, []
            for method, chosen in methods.items():
                outcome, spent = timed(table, [sd.KAnonymity(k)], chosen, warm=method != "thorough")
                losses[method] = sd.measure.loss(table, outcome.table)
                assert recounted(outcome.table.frame, table, 0)[0] >= k, (name, k, method)
                cells.append(f"{losses[method]:.4f} ({spent:.1f})")
            worse += [f"{name}, k = {k}, {effort}" for effort in efforts if losses[effort] > first + 1e-9]
            rows.append(
                [f"{name}, k={k}", f"{first:.4f}", *cells, "" if bound is None else f"{bound.value:.4f}"]
            )
            print(rows[-1], flush=True)
            report.ratio(
                f"loss, first groups / {efforts[-1]}, {name}, k = {k}", first, losses[efforts[-1]], "above 1"
            )
    report.table("Loss on other tables", ["", "first groups", "Mondrian", *efforts, "dual bound"], rows)
    report.note(
        f"More is lost than by the first groups: {'; '.join(worse)}."
        if worse
        else "No effort loses more than the first groups on any of them."
    )
    report.save()


def tables() -> Iterator[tuple[str, Any]]:
    """Each with its name."""
    for rows in (1000, 10_000):
        yield f"hospital {rows:,} x 4", hospital_of_four(rows)
        yield f"hospital {rows:,} x 6", hospital_described(sd.hospital(rows, seed=rows))
    if DATA.exists():
        whole = adult(9)
        chosen = np.sort(np.random.default_rng(0).choice(whole.rows, 3000, replace=False))
        yield "Adult, sample of 3,000 x 9", whole.take(chosen)
    for columns in (3, 6):
        yield f"skewed 4,000 x {columns}", skewed(4000, columns)


def hospital_of_four(rows: int) -> Any:
    """The hospital with dates that nearly all differ and few columns else."""
    return sd.read(sd.hospital(rows, seed=rows)).describe(
        identifier=["patient_id", "name"],
        quasi=["birth_date", "sex", "zip", "nationality"],
        sensitive=["disease"],
        insensitive=["admission", "length_of_stay", "cost"],
        hierarchies={"zip": sd.hierarchy.mask(), "birth_date": sd.hierarchy.dates()},
    )


def skewed(rows: int, columns: int) -> Any:
    """Values by Zipf's law under trees of three branches; every other column depends on the one before."""
    random = np.random.default_rng(columns)
    chances = 1 / np.arange(1, _VALUES + 1)
    chances /= chances.sum()
    drawn: list[Any] = []
    for column in range(columns):
        own = random.choice(_VALUES, rows, p=chances)
        drawn.append(np.where(random.random(rows) < 0.6, drawn[-1], own) if column % 2 else own)
    tree: Any = {
        f"{top}": {
            f"{top}{middle}": [_value(top, middle, low) for low in range(_BRANCHES)]
            for middle in range(_BRANCHES)
        }
        for top in range(_BRANCHES)
    }
    names = [f"c{column}" for column in range(columns)]
    order = random.permutation(_VALUES)
    frame = pl.DataFrame(
        {
            name: [_value(*np.unravel_index(order[value], (_BRANCHES,) * 3)) for value in values]
            for name, values in zip(names, drawn, strict=True)
        }
    )
    return sd.read(frame).describe(quasi=names, hierarchies={name: sd.hierarchy.tree(tree) for name in names})


def _value(top: Any, middle: Any, low: Any) -> str:
    return f"v{top}{middle}{low}"


def first_groups(table: Any, k: int) -> float:
    """The mean loss of cheapest scheme first, nothing refined."""
    model, ladders, schemes = space_of(table)
    labels, _ = cheapest_scheme_first(model, ladders, schemes, k, no_rules(), SILENT)
    labels = attach(model, labels, k, no_rules(), SILENT)
    return float(losses_of(model, labels, k)[0][labels].mean())


if __name__ == "__main__":
    main()
