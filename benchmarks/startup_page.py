"""The page of start-up, first calls and memory, from the stored results of `startup` and `first_call`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from table import date_of, tables_of, versions_of  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HISTORY = Path(__file__).with_name("startup_history.md")
PARTS = {"startup": "Before any work", "first_call": "First calls, and the same again"}
"""The benchmarks that the page is made of, with its headings."""


def startup_page(results: Mapping[str, dict[str, Any]], old: Sequence[str]) -> str:
    """Markdown; the tables are those of the page of benchmarks, so that there is one set of figures."""
    measured = {name: results[name] for name in PARTS}
    first = measured["first_call"]
    lines = [
        "# Start-up, the first call, and memory",
        "",
        "| | |",
        "|---|---|",
        "| command | `make bench`, or these parts of it: `.venv-bench/bin/python benchmarks/all.py startup first_call` |",
        f"| date | {max(date_of(one) for one in measured.values())} |",
        f"| machine | {', '.join(first['machine'].values())} |",
        f"| versions | {versions_of(first)} |",
        "",
        "<!-- written by `make bench` from benchmarks/results and benchmarks/startup_history.md; do not edit -->",
        "",
        "What one waits for, and what memory it takes: the kernels are compiled when they are first called, and kept. *Peak",
        "memory* is the highest resident memory of the whole process, its libraries included. The same tables are among the",
        "[benchmarks](benchmarks.md).",
        "",
    ]
    stale = [name for name in PARTS if name in old]
    if stale:
        lines += [f"Measured with earlier sources than those beside this page: {', '.join(stale)}.", ""]
    for name, one in measured.items():
        load = f"load average {one['load_before'][0]:.1f} before and {one['load_after'][0]:.1f} after"
        lines += [
            f"## {PARTS[name]}",
            "",
            f"`{one['command']}` on {date_of(one)}, {load}.",
            "",
            *tables_of(one),
        ]
    return "\n".join([*lines, ""]) + _HISTORY.read_text(encoding="utf-8")
