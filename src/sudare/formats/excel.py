"""The data of a release as an Excel workbook from which every value can be read back unchanged."""

from __future__ import annotations

import io
import tempfile
from datetime import date
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ROWS, _COLUMNS, _TEXT = 1_048_576, 16_384, 32_767
_FIRST_DATE = date(1900, 3, 1)
"""Before this date, Excel's calendar has a day that never existed."""
_EXACT = 10**15
"""Excel shows 15 digits of a number."""
_RECORDS = "records"
"""Defined name whose range says how many records there are."""


def excel_bytes(frame: pl.DataFrame, path: Path) -> bytes:
    """A workbook with one sheet, `data`; xlsxwriter's temporary files are kept next to the release and removed."""
    import xlsxwriter  # type: ignore[import-untyped]  # it has no types

    if frame.height >= _ROWS or frame.width > _COLUMNS:
        raise OutputError(
            "formats.excel.size",
            rows=frame.height,
            columns=frame.width,
            most_rows=_ROWS - 1,
            most_columns=_COLUMNS,
        )
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".excel-") as folder:
        options = {
            "constant_memory": True,
            "tmpdir": folder,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        workbook = xlsxwriter.Workbook(buffer, options)
        _fill_sheet(workbook, pl.DataFrame([_column(column) for column in frame]))
        try:
            workbook.close()
        except xlsxwriter.exceptions.FileCreateError as error:
            raise error.args[0] from None  # the disk error; the caller reports it
    return buffer.getvalue()


def _fill_sheet(workbook: Any, frame: pl.DataFrame) -> None:
    """Write numbers, dates and Booleans as cells of their own type; a missing value has no cell."""
    sheet = workbook.add_worksheet("data")
    day = workbook.add_format({"num_format": "yyyy-mm-dd"})
    writers = [_cell_writer(sheet, kind, day) for kind in frame.dtypes]
    for index, name in enumerate(frame.columns):
        sheet.write_string(0, index, name)
    for row, values in enumerate(frame.iter_rows(), 1):
        for index, value in enumerate(values):
            if value is not None:
                writers[index](row, index, value)
    # A sheet ends with its last cell, but the last records may be all missing, so the number of records is stored too.
    workbook.define_name(_RECORDS, f"=data!$A$1:$A${frame.height + 1}")


class _ExactFloat(float):
    """A float that xlsxwriter writes with all its digits; its own format has 16, too few for some numbers."""

    def __format__(self, specification: str) -> str:
        return float.__repr__(self)


def _cell_writer(sheet: Any, kind: pl.DataType, day: Any) -> Callable[[int, int, Any], object]:
    write: Callable[[int, int, Any], object]
    if kind == pl.String:
        write = sheet.write_string
        return write
    if kind == pl.Boolean:
        write = sheet.write_boolean
        return write
    if kind == pl.Date:
        return lambda row, index, value: sheet.write_datetime(row, index, value, day)
    return lambda row, index, value: sheet.write_number(row, index, _ExactFloat(value))


def _column(column: pl.Series) -> pl.Series:
    """The column, as text if Excel could not give back all of its values."""
    kind = column.dtype
    if kind == pl.String:
        longest = column.alias("cells").str.len_chars().max()
        if isinstance(longest, int) and longest > _TEXT:
            raise OutputError("formats.excel.text", column=column.name, length=longest, most=_TEXT)
        return column
    present = column.alias("cells").drop_nulls()
    exact = kind == pl.Boolean
    if kind == pl.Date:
        exact = bool((present >= _FIRST_DATE).all())
    elif kind.is_integer():
        ends = [int(end) for end in (present.min(), present.max()) if end is not None]  # type: ignore[arg-type]
        exact = all(abs(end) <= _EXACT for end in ends)
    elif kind.is_float():
        exact = bool(present.is_finite().all())
    return column if exact else as_written(column)


def as_written(column: pl.Series) -> pl.Series:
    """A column that is not text, as the text that a CSV file would contain."""
    lines = column.to_frame().write_csv(include_header=False, float_scientific=False).split("\n")[:-1]
    return pl.Series(column.name, [line or None for line in lines], dtype=pl.String)


def excel_cells(path: Path) -> pl.DataFrame:
    """Every cell as text, with the names as the first row."""
    from sudare.read.workbooks import check_extent, open_workbook

    reader = open_workbook(path)
    check_extent(path, reader.sheet_names[0])
    extent = next(name.formula for name in reader.defined_names() if name.name == _RECORDS)
    records = int(extent.rpartition("$")[2]) - 1
    if records >= _ROWS:  # memory would be taken for each of them
        raise ValueError(records)
    first = reader.load_sheet(0, header_row=None, skip_rows=0, n_rows=1, dtypes="string").to_polars()
    body = reader.load_sheet(0, header_row=None, skip_rows=1, schema_sample_rows=None).to_polars()
    columns = []
    for name, column in zip(first, body, strict=True):
        if column.dtype == pl.Datetime:
            column = column.cast(pl.Date)  # noqa: PLW2901  # only dates are written as dates
        texts = (
            column.cast(pl.String) if isinstance(column.dtype, pl.String | pl.Null) else as_written(column)
        )
        columns.append(pl.concat([name, texts.alias(name.name).extend_constant(None, records - len(texts))]))
    return pl.DataFrame(columns)
