"""The columns a method works on, checked; each problem is reported in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.describe.table import Table


def present_columns(table: Table, names: Sequence[str]) -> list[str]:
    """The named columns, which must exist."""
    for name in names:
        table.column(name)
    return list(names)


def numeric_columns(table: Table, names: Sequence[str], method: str) -> list[str]:
    """The named columns, which must be numeric."""
    for name in present_columns(table, names):
        if not table.frame[name].dtype.is_numeric():
            raise ParameterError(
                "anonymize.simple.not_numeric", method=method, column=name, dtype=table.frame[name].dtype
            )
    return list(names)
