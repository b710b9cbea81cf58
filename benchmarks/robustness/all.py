"""Run every part of the robustness pass and write docs/evidence/robustness.md.

A part that is finished is not run again unless its sources changed (see ../parts.py); `--fresh` runs all of them, `--page`
runs none and writes the page from the figures there are. Figures are kept in git, as those of `make bench`, so that another
checkout goes on from them. About four hours on a quiet machine.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from page import page_of  # type: ignore[import-not-found]  # noqa: E402  # beside this script
from stored import FOLDER  # type: ignore[import-not-found]  # noqa: E402  # beside this script

from experiments import EVIDENCE, ROOT, index_of  # type: ignore[import-not-found]  # noqa: E402  # in the folder above
from parts import STOPPED, Part, is_known, put, run_parts  # type: ignore[import-not-found]  # noqa: E402  # in the folder above
from sudare.experiments.machine import versions  # noqa: E402

_HALF_AN_HOUR = ("--processor-minutes", "30", "--minutes", "38")
"""Of fuzzing; on a busy machine as much of it as fits into 38 minutes."""
SCRIPTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "together": ("together", ()),
    "readonly": ("readonly", ()),
    "kill": ("kill", ("--runs", "100", "--points", "60")),
    "large-10000000": ("large", ("--rows", "10000000")),
    "fuzz-1": ("fuzz", (*_HALF_AN_HOUR, "--seed", "1", "--name", "fuzz-1")),
    "fuzz-2": ("fuzz", (*_HALF_AN_HOUR, "--seed", "2", "--name", "fuzz-2")),
    "recount-1": ("recount_fuzz", ("--cases", "50000", "--seed", "1", "--name", "recount-1")),
    "recount-2": ("recount_fuzz", ("--cases", "50000", "--seed", "2", "--name", "recount-2")),
}
"""The script and the options of each part."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts; all when left out")
    parser.add_argument("--fresh", action="store_true", help="run again what is up to date")
    parser.add_argument("--page", action="store_true", help="run nothing, only write the page")
    asked = parser.parse_args()
    chosen = [part for part in parts_of() if not asked.names or part.name in asked.names]
    used = str(versions())
    state = FOLDER.parent / "state" / "robustness"
    try:
        done = [] if asked.page else run_parts(chosen, state, versions=used, fresh=asked.fresh)
    except KeyboardInterrupt:
        print("Stopped; `make robustness` goes on where it stopped.")
        return int(STOPPED)
    finally:
        current = {part.name: is_known(state, part, used) for part in parts_of()}
        put(EVIDENCE / "robustness.md", page_of(current))
        put(EVIDENCE / "index.md", index_of(EVIDENCE))
        print(f"Page: {EVIDENCE / 'robustness.md'}")
    failed = [one.part.name for one in done if not one.finished or one.code]
    if failed:
        print(f"Failed, or found something: {', '.join(failed)}.")
    return 1 if failed else 0


def parts_of() -> list[Part]:
    """One part for each entry above."""
    return [
        Part(
            name,
            (sys.executable, str(HERE / f"{script}.py"), *options),
            (FOLDER / f"{name}.json",),
            folder=ROOT,
        )
        for name, (script, options) in SCRIPTS.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
