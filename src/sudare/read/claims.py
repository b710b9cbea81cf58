"""Check what an SPSS, Stata or SAS file claims to contain against its size.

pyreadstat allocates memory for every cell that the header claims before it reads any: four damaged bytes can request
gigabytes. Every record takes at least one byte of the file, and a byte cannot encode more cells than listed below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_MOST_CELLS = {"stata": 1, "spss": 1, "sas": 4096}
"""Cells that one byte can encode: Stata does not compress, SPSS writes one byte for eight, SAS runs of up to 4096."""
_DEFLATED = 1100
"""The same for SPSS files that are also deflated: deflate shrinks nothing by more than this factor."""
_DEFLATED_MARK = b"$FL3"


def check_claim(path: Path, format: str, *, rows: int | None, columns: int) -> None:  # noqa: A002  # the word of the field
    """Refuse a file that claims more cells than its bytes can encode; `rows` is None if it makes no claim."""
    if rows is None:
        return
    size = path.stat().st_size
    most = _MOST_CELLS[format] * size
    if format == "spss":
        with path.open("rb") as file:
            if file.read(len(_DEFLATED_MARK)) == _DEFLATED_MARK:
                most = _DEFLATED * size
    if rows * columns > most or (format != "spss" and rows > size):
        raise InputError("read.file.claim", source=path.name, rows=rows, columns=columns, size=size)
