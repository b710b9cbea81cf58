"""What a file of SPSS, Stata or SAS claims to hold, beside how large it is.

pyreadstat reserves a place for every cell that the beginning of a file claims, before it reads one: four damaged bytes ask
for gigabytes. Every record takes at least a byte of the file, and every cell at least the byte below after compression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_MOST_CELLS = {"stata": 1, "spss": 1, "sas": 4096}
"""Cells that one byte can hold: Stata compresses nothing, SPSS writes one byte for eight, SAS runs of up to 4096."""
_DEFLATED = 1100
"""Likewise of the SPSS files that are deflated too, which make nothing more than this much smaller."""
_DEFLATED_MARK = b"$FL3"


def check_claim(path: Path, format: str, *, rows: int | None, columns: int) -> None:  # noqa: A002  # the word of the field
    """Refuse a file that claims to hold more cells than its bytes can; `rows` is None where it claims nothing."""
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
