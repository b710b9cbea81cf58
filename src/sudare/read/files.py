"""Read files with types of their own: Parquet, Arrow IPC, Excel, SPSS, Stata and SAS.

SPSS, Stata and SAS store categories as numbers with value labels. A column becomes the text of its labels only
if every value that occurs has a label and no two of them share one; otherwise the codes are kept, because
a half-labeled column (0 = none, 98 = refused, else an amount) would become a mixture of words and numbers.
These formats and Excel have no integers, so their whole floats become Int64.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import InputError, did_you_mean
from sudare.read.claims import check_claim
from sudare.read.source import Labels, no_panic, read_parquet
from sudare.read.text import column_names, days_if_midnight, mark_missing
from sudare.read.workbooks import check_extent, open_workbook

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SEVERAL = 2
_LARGEST_EXACT = 2.0**53
"""Up to this value, a float64 represents every integer exactly."""


def read_file(
    path: Path,
    format: str,  # noqa: A002  # the word of the field
    *,
    missing: Sequence[str],
    encoding: str | None = None,
    sheet: str | None = None,
    header: bool = True,
) -> tuple[pl.DataFrame, Labels | None]:
    """A frame from a file of the given format, and its labels; `missing` lists the texts that mean a missing value."""
    labels = None
    own_missing = [text for text in missing if text]
    try:
        with no_panic():
            if format == "parquet":
                frame = read_parquet(path)
            elif format == "arrow":
                frame = _read_arrow(path)
            elif format == "excel":
                frame = _read_excel(path, sheet, header=header)
                own_missing = list(missing)
            else:
                frame, labels = _read_statistical(path, format, encoding)
    except InputError:
        raise
    except Exception:  # noqa: BLE001  # every one of these libraries has error classes of its own
        raise InputError("read.file.unreadable", source=path.name, format=format) from None
    return mark_missing(frame, own_missing), labels


def _read_arrow(path: Path) -> pl.DataFrame:
    """An IPC file (Feather) or, if the file marker is absent, an IPC stream.

    pyarrow checks it first: if a damaged file claims to contain more than fits in memory, pyarrow raises an error, but
    polars crashes the process.
    """
    import pyarrow as pa

    data = path.read_bytes()
    is_file = data.startswith(b"ARROW1")
    with (pa.ipc.open_file if is_file else pa.ipc.open_stream)(data) as reader:
        batches = (
            (reader.get_batch(number) for number in range(reader.num_record_batches)) if is_file else reader
        )
        for batch in batches:
            batch.validate()
    return pl.read_ipc(data) if is_file else pl.read_ipc_stream(data)


def sheet_of(path: Path, sheet: str | None) -> str | None:
    """The sheet that is read: the one that was asked for, else the only one with contents.

    Several are not guessed among: the first is often a cover page or the notes. None where the file is no workbook, which
    reading it tells.
    """
    try:
        with no_panic():
            reader = open_workbook(path)
            names = [str(name) for name in reader.sheet_names]
            asked = sheet is not None or len(names) < _SEVERAL
            full = names if asked else [name for name in names if _has_cells(reader, path, name)]
    except InputError:
        raise
    except Exception:  # noqa: BLE001  # the library has error classes of its own
        return None
    if sheet is None and len(full) >= _SEVERAL:
        hint = did_you_mean("", full)
        raise InputError("read.file.which_sheet", source=path.name, sheets=len(full), hint=hint)
    if sheet is not None and sheet not in names:
        hint = did_you_mean(sheet, names)
        raise InputError("read.file.no_sheet", source=path.name, sheet=sheet, hint=hint)
    return sheet or next(iter([*full, *names]), None)


def _has_cells(reader: Any, path: Path, sheet: str) -> bool:
    check_extent(path, sheet)
    return not reader.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars().is_empty()


def _read_excel(path: Path, sheet: str | None, *, header: bool) -> pl.DataFrame:
    """One sheet with the types of its cells; columns of mixed types become text, and empty rows are dropped."""
    reader = open_workbook(path)
    chosen = reader.sheet_names[0] if sheet is None else sheet
    check_extent(path, chosen)
    first = reader.load_sheet(chosen, header_row=None, skip_rows=0, n_rows=1, dtypes="string").to_polars()
    if first.is_empty():
        raise InputError("read.file.empty_sheet", sheet=chosen, source=path.name)
    frame: pl.DataFrame = reader.load_sheet(
        chosen, header_row=None, skip_rows=int(header), schema_sample_rows=None
    ).to_polars()
    labels = ["" if cell is None else str(cell) for cell in first.row(0)] if header else [""] * frame.width
    empty = [not label and column.is_null().all() for label, column in zip(labels, frame, strict=True)]
    kept = [column.name for column, drop in zip(frame, empty, strict=True) if not drop]
    frame = pl.DataFrame([whole_numbers(days_if_midnight(column)) for column in frame.select(kept)])
    frame.columns = column_names(
        [label for label, drop in zip(labels, empty, strict=True) if not drop], path.name
    )
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def _read_statistical(path: Path, format: str, encoding: str | None) -> tuple[pl.DataFrame, Labels]:  # noqa: A002
    import pyreadstat

    readers = {
        "spss": pyreadstat.read_sav,
        "stata": pyreadstat.read_dta,
        "sas": pyreadstat.read_xport if path.suffix.lower() == ".xpt" else pyreadstat.read_sas7bdat,
    }
    options = {} if encoding is None else {"encoding": encoding}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            _, claimed = readers[format](str(path), metadataonly=True, **options)
            check_claim(path, format, rows=claimed.number_rows, columns=claimed.number_columns)
            frame, metadata = readers[format](str(path), output_format="polars", **options)
        except UserWarning as warning:
            raise InputError("read.file.irregular", source=path.name, why=str(warning)) from None
    labels: Mapping[str, Mapping[Any, str]] = metadata.variable_value_labels
    columns = [
        _labeled(whole_numbers(column.alias("cells")), labels.get(column.name, {})) for column in frame
    ]
    told = {name: text for name, text in metadata.column_names_to_labels.items() if text}
    read = pl.DataFrame([cells.alias(name) for cells, name in zip(columns, frame.columns, strict=True)])
    return read, Labels(told, labels)


def whole_numbers(column: pl.Series) -> pl.Series:
    """A float column as Int64 if every value is whole, with NaN, the missing value of these formats, as null."""
    if not column.dtype.is_float():
        return column
    column = column.cast(pl.Float64).fill_nan(None)
    present = column.drop_nulls()
    whole = bool(((present == present.round()) & (present.abs() <= _LARGEST_EXACT)).all())
    return column.cast(pl.Int64) if whole and len(present) else column


def _labeled(column: pl.Series, labels: Mapping[Any, str]) -> pl.Series:
    """The label texts if all values that occur have one and the labels differ; otherwise the column."""
    values = column.drop_nulls().unique().to_list()
    texts = [labels[value] for value in values if value in labels]
    if not texts or len(texts) < len(values) or len(set(texts)) < len(texts):
        return column
    return column.replace_strict(values, texts, return_dtype=pl.String)
