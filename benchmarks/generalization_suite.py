"""Generalization on seventeen tables that differ, in two halves: settings are chosen on one and reported on the other.

Each loss stands beside the lowest one known of its table and k (kept in results/generalization_suite_best.json, and
lowered by any run that finds less), and above the bound by prices where there is one. Told for each effort are the
mean and the worst of these ratios. Processor seconds are those of the method alone, compiled code loaded.

With `--suppression 5 10 …`, told is instead what is gained where so many rows may be left out: the loss with 1 for each of
these rows, how many were left out, and the seconds beside those without (results/generalization_suppression.json).
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import sudare as sd
from generalization import recounted, timed  # type: ignore[import-not-found]  # beside this script
from generalization_suite_tables import tables  # type: ignore[import-not-found]  # beside this script
from harness import RESULTS, Report  # type: ignore[import-not-found]  # beside this script
from sudare.anonymize.generalize.bound import price_bound
from sudare.measure.catalogue import MEASURE_OF_OBJECTIVE
from sudare.measure.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEST = RESULTS / "generalization_suite_best.json"
_HALVES = ("tune", "report")


def main() -> None:
    options = _options()
    if options.suppression:
        _leaving_rows_out(options)
        return
    report = Report("generalization_suite", __doc__ or "")
    best: dict[str, float] = json.loads(_BEST.read_text(encoding="utf-8")) if _BEST.exists() else {}
    compiled: set[str] = set()
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    bounds: dict[str, float | None] = {}
    for name, k, half, table in _cases(options):
        case = f"{name}, k = {k}"
        bound = None if options.no_bound else price_bound(table, k)
        bounds[case] = None if bound is None else bound.value
        for effort in options.efforts:
            method, path = sd.Generalize(effort=effort), f"{effort} {bound is None}"
            outcome, spent = timed(table, [sd.KAnonymity(k)], method, warm=path not in compiled)
            compiled.add(path)
            assert recounted(outcome.table.frame, table, 0)[0] >= k, (case, effort)
            loss = sd.measure.loss(table, outcome.table)
            assert bound is None or loss >= bound.value - 1e-9, (case, effort, bound)
            found.setdefault((half, case), {})[effort] = loss, spent
            best[case] = min(best.get(case, loss), loss)
            print(f"{case}, {effort}: {loss:.4f} in {spent:.1f} s", flush=True)
        _BEST.write_text(json.dumps(dict(sorted(best.items())), indent=1) + "\n", encoding="utf-8")
    for half in options.half:
        cases = {case: losses for (own, case), losses in found.items() if own == half}
        if cases:
            _tell(report, half, cases, best, bounds, options.efforts)
    report.save()


def _leaving_rows_out(options: argparse.Namespace) -> None:
    report = Report("generalization_suppression", __doc__ or "")
    compiled: set[tuple[str, bool]] = set()
    rows, ratios, gains = [], [], []
    for name, k, _, table in _cases(options):
        for effort in options.efforts:
            cells, first = [], (0.0, 0.0)
            for most in (0, *options.suppression):
                method = sd.Generalize(effort=effort, suppression=most)
                kind = (effort, most > 0)
                outcome, spent = timed(table, [sd.KAnonymity(k)], method, warm=kind not in compiled)
                compiled.add(kind)
                gone = table.rows - outcome.table.rows
                assert gone <= most, (name, k, effort, most)
                assert recounted(outcome.table.frame, table, 0)[0] >= k, (name, k, effort, most)
                pair = Pair(table, outcome.table, outcome.rows)
                loss = MEASURE_OF_OBJECTIVE["loss"].compute(table, pair)
                if not most:
                    first = loss, spent
                    cells.append(f"{loss:.4f} ({spent:.1f})")
                    continue
                assert loss <= first[0] + 1e-9, (name, k, effort, most, loss, first)
                ratios.append(spent / first[1])
                gains.append(1 - loss / first[0])
                cells.append(f"{loss:.4f} -{gone} ({spent:.1f})")
            rows.append([f"{name}, k = {k}, {effort}", *cells])
            print(rows[-1], flush=True)
    heads = ["", "none", *(f"at most {most}" for most in options.suppression)]
    report.table("Loss, rows left out (processor seconds)", heads, rows)
    report.note(
        f"{', '.join(options.half)}: {sum(gains) / len(gains):.2%} less is lost in the mean, {max(gains):.2%} at most; "
        f"{sum(ratios) / len(ratios):.2f} times the seconds in the mean, {max(ratios):.2f} times at most."
    )
    report.save()


def _cases(options: argparse.Namespace) -> Iterator[tuple[str, int, str, Any]]:
    """The name, k, half and table of every case asked for."""
    for name, entry in tables().items():
        if entry.half not in options.half or (options.tables and name not in options.tables):
            continue
        table = entry.make()
        for k in options.k or entry.ks:
            yield name, k, entry.half, table


def _tell(
    report: Report,
    half: str,
    cases: dict[str, dict[str, tuple[float, float]]],
    best: dict[str, float],
    bounds: dict[str, float | None],
    efforts: list[str],
) -> None:
    rows = []
    for case, losses in cases.items():
        bound = bounds[case]
        cells = [f"{losses[effort][0]:.4f} ({losses[effort][1]:.1f})" for effort in efforts]
        shown = "" if bound is None else f"{bound:.4f} ({bound / best[case]:.3f})"
        rows.append([case, f"{best[case]:.4f}", *cells, shown])
    title = f"Loss (processor seconds), {half} half"
    report.table(title, ["", "best known", *efforts, "bound (of the best)"], rows)
    for effort in efforts:
        ratios = {case: losses[effort][0] / best[case] for case, losses in cases.items()}
        worst = max(ratios, key=lambda case: ratios[case])
        report.note(
            f"{half}, {effort}: {sum(ratios.values()) / len(ratios):.4f} of the best known loss in the mean, "
            f"{ratios[worst]:.4f} in the worst case ({worst})."
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", nargs="+", choices=_HALVES, default=["report"])
    parser.add_argument(
        "--effort",
        dest="efforts",
        nargs="+",
        choices=["fast", "default", "thorough"],
        default=["fast", "default"],
    )
    parser.add_argument("--k", nargs="+", type=int, help="group sizes; those of each table if left out")
    parser.add_argument("--tables", nargs="+", choices=list(tables()), help="all of the half if left out")
    parser.add_argument("--suppression", nargs="+", type=int, help="numbers of rows that may be left out")
    parser.add_argument("--no-bound", action="store_true", help="do not compute the bound by prices")
    return parser.parse_args()


if __name__ == "__main__":
    main()
