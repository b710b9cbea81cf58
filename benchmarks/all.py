"""Run every benchmark beside its rivals, and write one table of ratios to docs/evidence/benchmarks.md, and startup.md beside it.

A benchmark that is finished is not run again unless its sources, the versions or the machine changed (see parts.py);
results are kept in git, so that a run of hours goes on in another checkout; `--fresh` runs all of them,
`--table` runs none and writes the table from the results there are.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from experiments import EVIDENCE, ROOT, index_of  # type: ignore[import-not-found]  # beside this script
from harness import HERE, PACKAGES, RESULTS  # type: ignore[import-not-found]  # beside this script
from parts import STOPPED, Part, is_known, put, run_parts  # type: ignore[import-not-found]  # beside this script
from startup_page import PARTS, startup_page  # type: ignore[import-not-found]  # beside this script
from sudare.experiments.machine import machine, versions
from table import page_of  # type: ignore[import-not-found]  # beside this script

SCRIPTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("startup", ()),
    ("first_call", ()),
    ("check_speed", ()),
    ("leftovers", ()),
    ("mondrian_speed", ()),
    ("release_million", ()),
    ("information_loss", ()),
    ("mdav_speed", ()),
    ("microaggregation", ("quality", "million", "growth")),
    ("bounds", ()),
    ("generalization", ("adult", "sets", "coil", "lattice")),
    ("generalization_optimum", ()),
    ("generalization_tables", ()),
    ("generalization_suite", ()),
    ("generalization_hospital", ()),
    ("randomization_draws", ()),
    ("randomization", ()),
    ("crosstab_stopping", ()),
    ("crosstab_bins", ()),
    ("crosstab_coverage", ("wide", "tables")),
    ("baskets", ()),
)
"""Each script with the sections that are parts of their own."""
STATE = RESULTS / "state" / "benchmarks"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmarks; all when left out")
    parser.add_argument("--fresh", action="store_true", help="run again what is up to date")
    parser.add_argument("--table", action="store_true", help="run nothing, only write the table")
    asked = parser.parse_args()
    parts = parts_of()
    here = machine()
    used = f"{versions(PACKAGES)}, {here['processor']}, {here['cores']}, {here['memory']}"
    chosen = [part for part in parts if not asked.names or part.name in asked.names]
    try:
        done = [] if asked.table else run_parts(chosen, STATE, versions=used, fresh=asked.fresh)
    except KeyboardInterrupt:
        print("Stopped; `make bench` goes on where it stopped.")
        return int(STOPPED)
    finally:
        results = {part.name: _result(part) for part in parts if part.leaves[0].is_file()}
        old = [name for name in results if not is_known(STATE, _named(parts, name), used)]
        absent = [part.name for part in parts if part.name not in results]
        put(EVIDENCE / "benchmarks.md", page_of(results, old, absent))
        if results.keys() >= PARTS.keys():
            put(EVIDENCE / "startup.md", startup_page(results, old))
        put(EVIDENCE / "index.md", index_of(EVIDENCE))
        print(f"Table of ratios: {EVIDENCE / 'benchmarks.md'}")
    failed = [one.part.name for one in done if not one.finished]
    if failed:
        print(f"Failed: {', '.join(failed)}.")
    return 1 if failed else 0


def parts_of() -> list[Part]:
    """One part for each script, or for each section of it."""
    found = []
    for script, sections in SCRIPTS:
        for section in sections or ("",):
            name = f"{script}_{section}" if section else script
            options = ("--section", section) if section else ()
            command = (sys.executable, str(HERE / f"{script}.py"), *options)
            found.append(Part(name, command, (RESULTS / f"{name}.json",), folder=ROOT))
    return found


def _named(parts: list[Part], name: str) -> Part:
    return next(part for part in parts if part.name == name)


def _result(part: Part) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(part.leaves[0].read_text(encoding="utf-8"))
    return stored


if __name__ == "__main__":
    sys.exit(main())
