"""Values of columns with their numbers of rows: counted when a table is read, so that the server never opens the table itself."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from sudare.describe.text import as_text
from sudare.errors import DescriptionError, did_you_mean
from sudare.web.problems import conflict
from sudare.web.projects import read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.progress import Progress
    from sudare.web.projects import Project

_NAMES = "names.json"
TYPED, TEXT, ROWS = "typed", "value", "rows"


class Counted(NamedTuple):
    """The distinct values of a column, the most frequent first."""

    place: Path

    @property
    def distinct(self) -> int:
        """How many there are."""
        return int(pl.scan_parquet(self.place, glob=False).select(pl.len()).collect().item())

    def part(self, first: int, count: int) -> list[tuple[str | None, int]]:
        """Some of them with their numbers of rows."""
        found = pl.scan_parquet(self.place, glob=False).select(TEXT, ROWS).slice(first, count).collect()
        return [(value, rows) for value, rows in found.iter_rows()]

    def rows_of_texts(self) -> dict[str, int]:
        """The number of rows of each value that is not missing."""
        found = pl.read_parquet(self.place, columns=[TEXT, ROWS], glob=False).drop_nulls(TEXT)
        return dict(found.iter_rows())

    def typed(self, name: str) -> pl.Series:
        """The values with their type, as a column of this name."""
        return pl.read_parquet(self.place, columns=[TYPED], glob=False)[TYPED].alias(name)


def count_values(project: Project, frame: pl.DataFrame, progress: Progress) -> None:
    """Count the values of every column that has texts; in a new folder that takes the place of the old one."""
    new, place = project.folder / ".new-values", project.folder / "values"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700)
    write_json(new / _NAMES, frame.columns)
    progress.start("read", frame.width)
    for number, series in enumerate(frame.iter_columns()):
        if not series.dtype.is_nested() and series.dtype not in {pl.Object, pl.Binary}:
            counted = series.alias(TYPED).value_counts(name=ROWS)
            made = counted.with_columns(as_text(counted[TYPED]).alias(TEXT))
            made = made.sort(ROWS, TEXT, descending=[True, False])
            made.write_parquet(new / f"{number}.parquet")
            (new / f"{number}.parquet").chmod(0o600)
        progress.update(number + 1)
    shutil.rmtree(place, ignore_errors=True)
    new.rename(place)


def counted(project: Project, name: str) -> Counted:
    """The counted values of one column."""
    names = read_json(project.folder / "values" / _NAMES)
    if names is None:
        raise conflict("web.no_profile")
    if name not in names:
        raise DescriptionError("describe.table.no_column", name=name, hint=did_you_mean(name, names))
    place = project.folder / "values" / f"{names.index(name)}.parquet"
    if not place.is_file():
        raise DescriptionError("web.values.nested", column=name)
    return Counted(place)
