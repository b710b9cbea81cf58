"""Suppressing items of click streams: Sudare beside the straightforward Python twin, to the bars of issue 7.

BMS-WebView-1 and -2, rho = 0.5, 40 % of the items sensitive for each user (personalized) or for all (fixed).
"short" are the baskets of at most 5 items, "uncut" all. Times are after loading and compiling. Every release
is checked by the independent verifier (other code: sorted pairs in numpy), whose time is not in Sudare's. The twin
keeps frozensets in dictionaries and suppresses consequents only, which is simpler than algorithm 1 and may suppress less,
with frequencies further off; it is run once and serves a fixed sensitive set only.

    python benchmarks/baskets.py                        everything
    python benchmarks/baskets.py --quick                without the drawn adversaries
    python benchmarks/baskets.py --only short,sampled   some sections: short, growth, uncut, sampled
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Measurement,
    Report,
    growth,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_NAMES = ("BMS-WebView-1", "BMS-WebView-2")
_BARS = {"BMS-WebView-1": 2.0, "BMS-WebView-2": 8.0}
_PROTOTYPE = {
    ("BMS-WebView-1", "fixed"): 0.089,
    ("BMS-WebView-2", "fixed"): 0.158,
    ("BMS-WebView-1", "personalized"): 0.109,
    ("BMS-WebView-2", "personalized"): 0.192,
}


def main() -> None:
    report = Report("baskets", __doc__)
    if not (_DATA / "bms").is_dir():
        report.note(f"Skipped: {_DATA / 'bms'} is absent.")
    else:
        for name in _chosen():
            print(f"\n== {name}", flush=True)
            _SECTIONS[name](report)
    if "--only" not in sys.argv:  # a part must not replace the results of the whole
        report.save()


def _chosen() -> list[str]:
    """The sections asked for on the command line."""
    if "--only" in sys.argv:
        names = sys.argv[sys.argv.index("--only") + 1].split(",")
        unknown = [name for name in names if name not in _SECTIONS]
        if unknown:
            raise SystemExit(f"'{unknown[0]}' is no section; choose from {', '.join(_SECTIONS)}.")
        return names
    return [name for name in _SECTIONS if name != "sampled" or "--quick" not in sys.argv]


def sudare(name: str, kind: str, strategy: Any = "default", share: float = 1.0, **asked: Any) -> Case:
    """Suppress and look at the result with the independent verifier."""
    import numpy as np

    import sudare as sd
    from sudare.anonymize.protocol import Context
    from sudare.experiments.baskets_data import load_bms, sampled, with_sensitive
    from sudare.measure.baskets import util1, util2
    from sudare.randomness import Randomness
    from sudare.verify.baskets.sets import verify_baskets

    random = np.random.default_rng(0)
    baskets = load_bms(_DATA, name, short="m" not in asked)
    baskets = with_sensitive(sampled(baskets, share, random), kind, 0.4, random)
    requirement = sd.RhoUncertainty(0.5, **asked)
    few = baskets.take(np.arange(20))
    sd.SuppressItems(strategy).apply(few, Context((requirement,), Randomness(0)))  # compile

    def work() -> Any:
        return sd.SuppressItems(strategy).apply(baskets, Context((requirement,), Randomness(0))).baskets

    def facts(released: Any) -> dict[str, Any]:
        found = verify_baskets(released, baskets, [{"type": "rho-uncertainty", "rho": 0.5, **asked}])[0]
        return {
            "util1": util1(baskets, released),
            "util2": util2(baskets, released),
            "violations": "none" if found.holds else "FOUND",
            "verifier": found.sentence,
            "baskets": len(baskets),
        }

    return Case(work, facts)


def python_twin(name: str) -> Case:
    """Consequents suppressed, with dictionaries, for one sensitive set."""
    import numpy as np

    from sudare.experiments.baskets_data import load_bms, with_sensitive

    baskets = with_sensitive(load_bms(_DATA, name, short=True), "fixed", 0.4, np.random.default_rng(0))
    sensitive = {baskets.items[code] for code in baskets.sensitive_of(0)}
    sets = baskets.sets()

    def work() -> Any:
        return _twin([set(basket) for basket in sets], sensitive)

    def facts(released: Any) -> dict[str, Any]:
        return {"util1": 1 - sum(map(len, released)) / baskets.entries, "baskets": len(baskets)}

    return Case(work, facts)


def _twin(baskets: list[set[Any]], sensitive: set[Any]) -> list[set[Any]]:
    """Suppress e, the least there is, wherever conf(Q -> e) > 1/2, until nothing is; all subsets in dictionaries."""
    import random
    from collections import defaultdict
    from itertools import combinations

    rng = random.Random(0)
    having: dict[frozenset[Any], set[int]] = defaultdict(set)

    def subsets(basket: set[Any]) -> Any:
        ordered = sorted(basket, key=str)
        return (
            frozenset(each) for size in range(1, len(ordered) + 1) for each in combinations(ordered, size)
        )

    for row, basket in enumerate(baskets):
        for each in subsets(basket):
            having[each].add(row)
    changed = True
    while changed:
        changed = False
        for joint in sorted(having, key=len):
            for item in joint & sensitive if len(joint) > 1 else ():
                above = 2 * len(having[joint]) - len(having[joint - {item}])
                if above > 0:
                    changed = True
                    for row in rng.sample(sorted(having[joint]), (above + 1) // 2):
                        for each in subsets(baskets[row]):
                            if item in each:
                                having[each].discard(row)
                        baskets[row].discard(item)
    return baskets


def _short(report: Report) -> None:
    rows = []
    for name in _NAMES:
        twin = _taken(report, python_twin, repeats=0, name=name)
        for kind in ("fixed", "personalized"):
            for strategy in ("paper", "default"):
                ours = _taken(report, sudare, name=name, kind=kind, strategy=strategy)
                rows.append(
                    [
                        f"{name}, {kind}, {strategy}",
                        seconds(ours.median),
                        seconds(ours.cpu),
                        f"{ours.facts['util1']:.2%}",
                        f"{_PROTOTYPE[name, kind]:.1%}",
                        f"{ours.facts['util2']:.6f}",
                        ours.facts["violations"],
                        seconds(twin.median) if kind == "fixed" else "-",
                    ]
                )
                if strategy == "default":
                    bar = _BARS[name]
                    report.ratio(f"{bar:g} s / Sudare, {name}, {kind}", bar, ours.median, "at least 1")
                    report.ratio(
                        f"prototype's suppression / Sudare's, {name}, {kind}",
                        _PROTOTYPE[name, kind],
                        ours.facts["util1"],
                        "above 1",
                    )
                if kind == "fixed":  # the default tries three rules, the twin one
                    report.ratio(
                        f"Python twin / Sudare, {name}, {strategy}, processor", twin.cpu, ours.cpu, "above 1"
                    )
        report.note(f"The twin suppresses {twin.facts['util1']:.2%} of {name} (consequents only).")
    columns = ["short baskets", "seconds", "cpu", "suppressed", "prototype", "KL", "violations", "twin"]
    report.table("All baskets of at most 5 items, rho = 0.5", columns, rows)


def _growing(report: Report) -> None:
    shares = (0.125, 0.25, 0.5, 1.0)
    for name in _NAMES:
        measured = [_taken(report, sudare, name=name, kind="personalized", share=share) for share in shares]
        sizes = [each.facts["baskets"] for each in measured]
        slopes = growth(sizes, [each.cpu for each in measured])  # steadier than the time on a busy machine
        times = ", ".join(
            f"{size:,}: {seconds(each.cpu)}" for size, each in zip(sizes, measured, strict=True)
        )
        report.note(
            f"{name}: processor time grows as n^{', n^'.join(f'{slope:.2f}' for slope in slopes)} ({times})."
        )


def _uncut(report: Report) -> None:
    rows = []
    for name in _NAMES:
        ours = _taken(report, sudare, repeats=0, name=name, kind="personalized", m=2)
        rows.append(_uncut_row(name, ours))
        report.ratio(f"60 s / Sudare, {name} uncut, m = 2", 60, ours.median, "above 1")
        report.ratio(f"4 GB / Sudare's peak, {name} uncut, m = 2", 4096, ours.peak_mb, "above 1")
    report.table("Uncut, personalized, m = 2", _UNCUT_COLUMNS, rows)


def _sampled(report: Report) -> None:
    rows = []
    for name in _NAMES:
        ours = _taken(
            report, sudare, repeats=0, limit=3000.0, name=name, kind="personalized", m=5, eps=0.01, delta=0.01
        )
        rows.append(_uncut_row(name, ours))
        report.note(f"{name}: {ours.facts['verifier']}")
        report.ratio(f"600 s / Sudare, {name} uncut, (0.01, 0.01)-rho^5", 600, ours.median, "above 1")
    report.table("Uncut, personalized, (0.01, 0.01)-rho^5", _UNCUT_COLUMNS, rows)


def _uncut_row(name: str, ours: Measurement) -> list[Any]:
    return [
        name,
        seconds(ours.median),
        seconds(ours.cpu),
        megabytes(ours.peak_mb),
        f"{ours.facts['util1']:.2%}",
        f"{ours.facts['util2']:.6f}",
        ours.facts["violations"],
    ]


_UNCUT_COLUMNS = ["data", "seconds", "cpu", "peak", "suppressed", "KL", "violations"]
_SECTIONS = {"short": _short, "growth": _growing, "uncut": _uncut, "sampled": _sampled}


def _taken(
    report: Report, case: Any, *, repeats: int = 3, limit: float = 900.0, **arguments: Any
) -> Measurement:
    measured = measure_into(report, case, repeats=repeats, limit=limit, **arguments)
    told = ", ".join(f"{name} {value}" for name, value in arguments.items())
    print(
        f"  {case.__name__} ({told}): {seconds(measured.median)}, processor {seconds(measured.cpu)}",
        flush=True,
    )
    return measured


if __name__ == "__main__":
    main()
