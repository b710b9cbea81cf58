"""How many files a reader opens to follow one record through Mondrian: from the file to the verified release and its reports.

    python benchmarks/files_opened.py            the figure, by room
    python benchmarks/files_opened.py --list     every file as well

Counts the files of the package in which any function runs while a hospital table is read, described, anonymized with
Mondrian (k-anonymity and entropy l-diversity), checked, measured, evaluated, written, verified and reported. The work is done
twice and the second time is counted, so that what runs only because a module is imported does not count. Version 0.1 opened 111.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import sudare as sd

ROOT = Path(sd.__file__).parent


def work(folder: Path) -> None:
    """The whole job on one table."""
    table = sd.read(folder / "patients.csv").describe(
        identifier=["patient_id", "name"],
        quasi=["birth_date", "sex", "zip", "length_of_stay"],
        sensitive=["disease"],
        insensitive=["nationality", "admission", "cost"],
        hierarchies={"zip": sd.hierarchy.mask(), "birth_date": sd.hierarchy.dates()},
    )
    release = sd.anonymize(table, sd.KAnonymity(5), sd.LDiversity(2, kind="entropy"), method=sd.Mondrian())
    release.write(folder / "release", overwrite=True)


def opened() -> list[str]:
    """Files of the package in which a function runs."""
    seen: set[str] = set()

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            seen.add(frame.f_code.co_filename)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sd.hospital(300).write_csv(folder / "patients.csv")
        work(folder)
        sys.setprofile(watch)
        try:
            work(folder)
        finally:
            sys.setprofile(None)
    return sorted(Path(file).relative_to(ROOT).as_posix() for file in seen if file.startswith(str(ROOT)))


def main() -> None:
    """Print the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="every file as well")
    found = opened()
    for room, count in Counter(file.partition("/")[0] for file in found).most_common():
        print(f"{room:14} {count}")
    print(f"{len(found)} files (goal: at most 60)")
    if parser.parse_args().list:
        print("\n".join(found))


if __name__ == "__main__":
    main()
