"""Formulas: cells that a spreadsheet would run are written so that it does not, and are read back exactly.

A spreadsheet runs a cell that begins with `=`, `+`, `-`, `@` or one of their full-width forms; some skip a tab or a line end
before it. A cell is also cut where its reader expects another delimiter: in countries with a decimal comma, `a;=1+1` in a
file with commas becomes two cells, of which the second is a formula.

An apostrophe is therefore written before such a sign at the beginning of a cell, unless the cell is a plain number, and
before such a sign behind `;`, `,`, a tab or a line end. An apostrophe in these places gets another one, so that taking one
away there gives the cell back, whatever it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_SIGNS = r"=+\-@＝＋－＠'"
_BETWEEN = r";,\t\r\n"
_AT_BEGIN = rf"^[{_SIGNS}\t\r\n]"
_INSIDE = rf"([{_BETWEEN}])([{_SIGNS}])"
_PLAIN_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$"
_ESCAPE = "'"


def escaped(texts: pl.Series) -> pl.Series:
    """The texts with an apostrophe wherever a formula could begin."""
    cells = texts.alias("cells")  # polars treats a series name such as '^a$' as a pattern
    guarded = cells.str.contains(_AT_BEGIN) & ~cells.str.contains(_PLAIN_NUMBER)
    inside = cells.str.replace_all(_INSIDE, f"${{1}}{_ESCAPE}${{2}}")
    return inside.zip_with(~guarded, _ESCAPE + inside).alias(texts.name)


def unescaped(texts: pl.Series, *, inside: bool = True) -> pl.Series:
    """The texts that `escaped` was given; not `inside` for files of versions that wrote apostrophes at the beginning only."""
    cells = texts.alias("cells").str.strip_prefix(_ESCAPE)
    if inside:
        cells = cells.str.replace_all(rf"([{_BETWEEN}]){_ESCAPE}", "${1}")
    return cells.alias(texts.name)
