"""How many files a reader opens to follow one record through Mondrian: from the call to the written and verified release.

    python benchmarks/files_opened.py            the figure, by room
    python benchmarks/files_opened.py --list     every file as well

Counts the files of the package in which a function runs while a recipe with Mondrian, k-anonymity and entropy l-diversity is
run: reading, describing, anonymizing, checking, measuring, writing, verifying and reporting. Functions that run because
a module is imported do not count, nor do one-line accessors; what the record does not pass through (progress, words, the
ledger, errors and display) is listed apart.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

import sudare
from sudare.read.examples.hospital import hospital
from sudare.release.ledger.ledger import Ledger
from sudare.release.run import run

ROOT = Path(sudare.__file__).parent
BESIDE = (
    "words",
    "progress.py",
    "errors.py",
    "display.py",
    "release/ledger",
    "deprecated.py",
    "parameters.py",
)
"""What serves the work but is not on the record's way."""
RECIPE = """
version: 1
source: {path: patients.csv}
columns:
  patient_id: {role: identifier}
  name: {role: identifier}
  birth_date: {role: quasi, hierarchy: {type: dates}}
  sex: {role: quasi}
  zip: {role: quasi, kind: string, hierarchy: {type: mask}}
  nationality: {role: insensitive}
  admission: {role: insensitive}
  length_of_stay: {role: quasi}
  cost: {role: insensitive}
  disease: {role: sensitive}
requirements:
  - {type: k-anonymity, k: 5}
  - {type: l-diversity, l: 2, kind: entropy}
method: {type: mondrian}
output: {folder: release, reports: []}
measures: [loss]
"""


def opened() -> Counter[str]:
    """Files in which a function ran, and how many different functions."""
    seen: set[tuple[str, str]] = set()

    def watch(frame, event, _argument):  # noqa: ANN001, ANN202  # the protocol of sys.setprofile
        if event == "call":
            code = frame.f_code
            if (
                code.co_filename.startswith(str(ROOT))
                and code.co_name != "<module>"
                and not _is_accessor(code)
            ):
                seen.add((code.co_filename, code.co_name))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hospital(300).write_csv(folder / "patients.csv")
        (folder / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
        ledger = Ledger(folder / "ledger.sqlite")
        run(folder / "recipe.yaml", ledger=ledger, overwrite=True)  # modules are imported, kernels compiled
        sys.setprofile(watch)
        try:
            run(folder / "recipe.yaml", ledger=ledger, overwrite=True)
        finally:
            sys.setprofile(None)
    return Counter(Path(file).relative_to(ROOT).as_posix() for file, _ in seen)


def _is_accessor(code) -> bool:  # noqa: ANN001  # a code object
    """A property, a comprehension or a lambda of a line or two: nobody opens a file for it."""
    return code.co_name.startswith("<") or len({line for _, _, line in code.co_lines() if line}) <= 2


def main() -> None:
    """Print the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="every file as well")
    arguments = parser.parse_args()
    found = opened()
    beside = [file for file in found if file.startswith(BESIDE)]
    way = sorted(file for file in found if file not in beside)
    rooms = Counter(file.partition("/")[0] for file in way)
    for room, count in rooms.most_common():
        print(f"{room:12} {count}")
    print(f"{len(way)} files on the record's way, {len(beside)} beside it (goal: at most 60)")
    if arguments.list:
        print("\n".join(way))


if __name__ == "__main__":
    main()
