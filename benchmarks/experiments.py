"""Run every `sudare experiment` into docs/evidence, and list the pages of evidence there are.

An experiment that is finished is not run again unless its sources changed (see parts.py); `--fresh` runs all.
Exit code 1: an expectation did not come out, or an experiment failed.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from harness import HERE, RESULTS  # type: ignore[import-not-found]  # beside this script
from parts import STOPPED, Done, Part, put, run_parts  # type: ignore[import-not-found]  # beside this script
from sudare.experiments.machine import versions

ROOT = HERE.parent
EVIDENCE = ROOT / "docs" / "evidence"
_ENTRY = re.compile(r'"([\w-]+)": \w+,')
_COMMENT = "<!-- written by `make experiments`; do not edit -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="experiments; all when left out")
    parser.add_argument("--fresh", action="store_true", help="run again what is up to date")
    parser.add_argument("--list", action="store_true", help="only write the list of pages anew")
    asked = parser.parse_args()
    done: list[Done] = []
    try:
        if not asked.list:
            parts = [part for part in parts_of(EVIDENCE) if not asked.names or part.name in asked.names]
            done = run_parts(
                parts, RESULTS / "state" / "experiments", versions=str(versions()), fresh=asked.fresh
            )
    except KeyboardInterrupt:
        print("Stopped; `make experiments` goes on where it stopped.")
        return int(STOPPED)
    finally:
        put(EVIDENCE / "index.md", index_of(EVIDENCE))
    for one in done:
        if one.code == 1 and one.finished:
            print(f"{one.part.name}: something expected did not come out; see {one.part.leaves[0]}")
    return 0 if all(one.code == 0 and one.finished for one in done) else 1


def parts_of(folder: Path) -> list[Part]:
    """One part for each entry of the catalogue."""
    text = (ROOT / "src" / "sudare" / "experiments" / "catalogue.py").read_text(encoding="utf-8")
    sudare = str(Path(sys.executable).with_name("sudare"))
    shown = folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder
    return [
        Part(
            name,
            (sudare, "experiment", name, "--out", str(shown), "--overwrite"),
            (folder / f"{name}.md",),
            folder=ROOT,
            finished=frozenset({0, 1}),
        )
        for name in _ENTRY.findall(text)
    ]


def index_of(folder: Path) -> str:
    """The list of the pages that are there, with their dates and whether all held."""
    lines = [
        "# Evidence",
        "",
        _COMMENT,
        "",
        "What the papers print beside what came out here, how fast it is beside others, and what it bears. Each page begins with",
        "its command, its date, the machine and the versions. `make experiments`, `make bench` and `make robustness` write them",
        "anew; all go on where they stopped and run only what has changed.",
        "",
        "| page | date | outcome |",
        "|---|---|---|",
    ]
    for page in sorted(folder.glob("*.md")):
        if page.name != "index.md":
            text = page.read_text(encoding="utf-8")
            lines.append(f"| [{_title(text, page)}]({page.name}) | {_date(text)} | {_outcome(text)} |")
    return "\n".join([*lines, ""])


def _title(text: str, page: Path) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1] if found else page.stem


def _date(text: str) -> str:
    found = re.search(r"^\| date \| ([\d-]+) \|$", text, re.MULTILINE)
    return found[1] if found else "–"


def _outcome(text: str) -> str:
    holding, failing = len(re.findall(r"^- holds: ", text, re.MULTILINE)), text.count("- **DOES NOT HOLD**: ")
    if not holding + failing:
        goals = re.search(r"^(\d+ of \d+ goals) are met\.$", text, re.MULTILINE)
        return f"{goals[1]} met" if goals else "–"
    return f"{holding} of {holding + failing} expectations hold"


if __name__ == "__main__":
    sys.exit(main())
