"""What it costs to search the written bytes for values that were removed, beside a plain search, and how it grows.

The release is a hospital of 8 columns in Mondrian's blocks, with a patient number that is left out and a tenth of the
rows dropped, as Parquet, Arrow, CSV and Excel. The plain search is what anyone would write first: every removed value, one
after another, in the bytes of the file. It does not look into compressed pages, so it finds less, and still it is
quadratic: removed values times bytes. "whole" is the release from the table to the verified folder, of which the search is
a part.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data import HOSPITAL_QUASI, HOSPITAL_SENSITIVE  # type: ignore[import-not-found]  # beside this script
from harness import Case, Report, growth, megabytes, seconds  # type: ignore[import-not-found]  # beside this script
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    import polars as pl

_SIZES = (10_000, 100_000, 1_000_000)
_FORMATS = {"parquet": "parquet", "arrow": "arrow", "csv": "csv", "excel": "xlsx"}
_LARGEST_SHEET = 100_000
_PATIENCE = 20_000
"""Rows up to which the plain search is run."""


def main() -> None:
    report = Report("leftovers", __doc__)
    rows = []
    for name in _FORMATS:
        found = []
        for size in _SIZES:
            if name == "excel" and size > _LARGEST_SHEET:
                continue
            ours = measure_into(report, search, kind=name, rows=size)
            all_of_it = measure_into(report, whole, kind=name, rows=size)
            found.append(ours)
            plain_seconds = "-"
            if size <= _PATIENCE:
                theirs = measure_into(report, plain, kind=name, rows=size)
                plain_seconds = seconds(theirs.median)
                report.ratio(
                    f"plain search / ours, {name}, {size:,} rows",
                    theirs.median,
                    ours.median,
                    why="The plain search looks into no compressed page and no part of a workbook; ours does.",
                )
            share = ours.median / all_of_it.median
            rows.append(
                [
                    name,
                    f"{size:,}",
                    seconds(ours.median),
                    megabytes(ours.peak_mb),
                    plain_seconds,
                    seconds(all_of_it.median),
                    f"{share:.0%}",
                ]
            )
        exponents = growth(_SIZES[: len(found)], [one.median for one in found])
        report.note(
            f"{name}: the time grows as rows to the power {', '.join(f'{one:.2f}' for one in exponents)}."
        )
    columns = ["format", "rows", "search", "peak", "plain search", "whole release", "share"]
    report.table("Median seconds and peak memory", columns, rows)
    report.save()


def search(kind: str, rows: int) -> Case:
    """The search of the verifier."""
    from sudare.formats.data import read_data
    from sudare.verify.leftovers import check_leftovers

    original, path = _written(kind, rows)
    released = read_data(path, kind, escape_formulas=True)
    return Case(lambda: check_leftovers(path, released, original), lambda found: {"holds": found.holds})


def plain(kind: str, rows: int) -> Case:
    """Every removed value, one after another, in the bytes as they are."""
    from sudare.formats.data import read_data

    original, path = _written(kind, rows)
    released = read_data(path, kind, escape_formulas=True)

    def work() -> bool:
        data = path.read_bytes()
        kept = {str(value) for column in released for value in column.unique().to_list()}
        gone = {str(value) for column in original for value in column.drop_nulls().unique().to_list()} - kept
        return not any(value.encode() in data for value in gone if len(value) >= 8)

    return Case(work, lambda holds: {"holds": holds})


def whole(kind: str, rows: int) -> Case:
    """From the table to the verified folder."""
    import sudare as sd

    table = _table(rows)

    def work() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return sd.anonymize(table, sd.KAnonymity(10), method=sd.Mondrian()).write(
                Path(folder) / "out", format=kind, overwrite=True
            )

    return Case(work, lambda _: {})


def _written(kind: str, rows: int) -> tuple[pl.DataFrame, Path]:
    """The original, and a file of nine tenths of its rows without the patient."""
    import sudare as sd

    table = _table(rows)
    folder = Path(tempfile.mkdtemp()) / "out"
    release = sd.anonymize(table, sd.KAnonymity(10), method=[sd.Sample(share=0.9), sd.Mondrian()], seed=0)
    release.write(folder, format=kind)
    return table.frame, folder / "public" / f"data.{_FORMATS[kind]}"


def _table(rows: int) -> Any:
    import polars as pl

    import sudare as sd

    frame = sd.hospital(rows).select(*HOSPITAL_QUASI, HOSPITAL_SENSITIVE)
    numbered = frame.with_columns(patient=pl.format("patient-{}", pl.int_range(pl.len()) + 10**7))
    return sd.read(numbered).describe(
        identifier=["patient"], quasi=HOSPITAL_QUASI, sensitive=[HOSPITAL_SENSITIVE]
    )


if __name__ == "__main__":
    main()
