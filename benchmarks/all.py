"""Run every benchmark in order and write one table of ratios to benchmarks/results/summary.md.

A script whose result is newer than its code and Sudare's is not run again, so an interrupted run goes on where it
stopped; `--fresh` runs all of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from harness import HERE, RESULTS  # type: ignore[import-not-found]  # beside this script

_SCRIPTS = (
    "startup",
    "first_call",
    "check_speed",
    "mondrian_speed",
    "information_loss",
    "mdav_speed",
    "microaggregation",
    "randomization",
    "itemsets",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="run scripts again whose results are up to date")
    fresh = parser.parse_args().fresh
    failed = []
    for number, name in enumerate(_SCRIPTS, start=1):
        label = f"[{number}/{len(_SCRIPTS)}] {name}.py"
        if not fresh and _up_to_date(name):
            print(f"{label}: up to date", flush=True)
            continue
        print(f"{label}: running", flush=True)
        started = time.perf_counter()
        done = subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False)
        print(
            f"{label}: {'failed' if done.returncode else 'done'} after {time.perf_counter() - started:.0f} s\n"
        )
        if done.returncode:
            failed.append(name)
    results = {name: _result(name) for name in _SCRIPTS if name not in failed}
    summary = RESULTS / "summary.md"
    summary.write_text(_summary(results, failed), encoding="utf-8")
    print(f"summary written to {summary}")
    return 1 if failed else 0


def _up_to_date(name: str) -> bool:
    result = RESULTS / f"{name}.json"
    if not result.exists():
        return False
    code = [HERE / f"{name}.py", HERE / "harness.py", HERE / "data.py", *(HERE.parent / "src").rglob("*.py")]
    return bool(result.stat().st_mtime > max(path.stat().st_mtime for path in code))


def _result(name: str) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(Path(RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return stored


def _summary(results: dict[str, dict[str, Any]], failed: list[str]) -> str:
    lines = ["# Benchmarks", ""]
    for name, result in results.items():
        machine, versions = result["machine"], result["versions"]
        lines += [
            f"## {name}",
            "",
            f"`{result['command']}` on {', '.join(f'{value}' for value in machine.values())} ({_load(result)}).",
            f"Versions: {', '.join(f'{package} {number}' for package, number in versions.items())}.",
            "",
            "| what | ratio | of | goal |",
            "|---|---:|---|---|",
            *(
                f"| {ratio['what']} | {ratio['ratio']:,.1f} | {ratio['over']:.4g} / {ratio['under']:.4g} "
                f"| {ratio['goal']} |"
                for ratio in result["ratios"]
            ),
            "",
        ]
        for table in result["tables"]:
            lines += [
                f"**{table['title']}**",
                "",
                _markdown(table["columns"]),
                _markdown(["---"] * len(table["columns"])),
            ]
            lines += [*(_markdown(row) for row in table["rows"]), ""]
        lines += [*result["notes"], ""]
    if failed:
        lines += [f"Failed, and so without figures: {', '.join(failed)}.", ""]
    return "\n".join(lines)


def _load(result: dict[str, Any]) -> str:
    return f"load average {result['load_before'][0]:.1f} before, {result['load_after'][0]:.1f} after"


def _markdown(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
