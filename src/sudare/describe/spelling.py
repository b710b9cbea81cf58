"""Spelling: which values of a sensitive column are one value to a reader, however they are written.

`HIV` and `HIV ` are one disease: a block that has only these two is not diverse. Two texts are alike if they are equal after
Unicode compatibility normalization (NFKC) and case folding, without characters that cannot be seen, and with runs of white
space as one space and none at the ends; texts that are plain decimal numbers are compared by value. A text of which nothing
is left is alike a missing value. Numbers are alike if they agree in 12 significant digits; whole numbers only if they are equal.

Each value has one key, and alike means equal keys, so that being alike is transitive.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from sudare.describe.column import Codes
from sudare.describe.text import as_text

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy.typing as npt

Spelling = Literal["alike", "exact"]
"""Whether values that differ only in how they are written are one value."""

_DIGITS = 12
_NEAR = 1e-10
"""Far more than two numbers that agree in 12 digits can differ by, relatively: only such neighbors are compared."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,2})?")
_LONGEST_NUMBER = 100
_UNSEEN = frozenset(("Cf", "Cc"))
_JOINERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0x180B, 0x180E))
}
"""Characters without a shape of their own that Unicode does not call format characters: fillers and variation selectors."""


def merged(codes: Codes) -> tuple[Codes, npt.NDArray[np.int32]] | None:
    """A column with one code for all values that are alike, and the new code of each old one; None if no two are alike.

    The value of a new code is the one whose text comes first; missing cells, and texts without visible characters beside
    them, have the last code.
    """
    keys = _keys(codes.values)
    if keys is None:
        return None
    blank = "" if codes.missing is not None else None
    texts = as_text(codes.values).to_list()
    first: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        if key != blank and (key not in first or texts[place] < texts[first[key]]):
            first[key] = place
    chosen = sorted(first.values())
    if len(chosen) == len(keys):
        return None
    number = {keys[place]: code for code, place in enumerate(chosen)}
    new = [number.get(key, len(chosen)) for key in keys]
    if codes.missing is not None:
        new.append(len(chosen))
    place_of = np.array(new, dtype=np.int32)
    place_of.flags.writeable = False
    merged_codes = place_of[codes.codes]
    merged_codes.flags.writeable = False
    missing = None if codes.missing is None else len(chosen)
    return Codes(merged_codes, codes.values.gather(chosen), missing), place_of


def alike_values(codes: Codes) -> list[list[str | None]]:
    """The values of a column, as texts, that are alike one another; None is a missing value."""
    found = merged(codes)
    if found is None:
        return []
    texts: list[str | None] = [*as_text(codes.values).to_list(), *([None] * (codes.missing is not None))]
    together: dict[int, list[str | None]] = {}
    for text, code in zip(texts, found[1].tolist(), strict=True):
        together.setdefault(code, []).append(text)
    return [group for group in together.values() if len(group) > 1]


def _keys(values: pl.Series) -> list[Hashable] | None:
    """The key of each value; None where a type leaves no two values alike."""
    dtype = values.dtype
    if dtype.is_float() or dtype.is_decimal():
        return _number_keys(values)
    if dtype == pl.String or isinstance(dtype, pl.Categorical | pl.Enum):
        return [key_of_text(text) for text in values.cast(pl.String).to_list()]
    return None


def _number_keys(values: pl.Series) -> list[Hashable] | None:
    numbers = values.cast(pl.Float64).to_numpy()
    near = np.flatnonzero(np.diff(numbers) <= _NEAR * np.maximum(np.abs(numbers[1:]), np.abs(numbers[:-1])))
    if not len(near):
        return None
    keys: list[Hashable] = [("alone", place) for place in range(len(values))]
    written = values.to_list()
    for place in sorted({*near.tolist(), *(near + 1).tolist()}):
        value = written[place]
        keys[place] = int(value) if value == int(value) else _rounded(float(value))
    return keys


def key_of_text(text: str) -> str | int | float:
    r"""The key of a text: what is left when everything is removed that a reader does not take for a difference.

    >>> key_of_text(" Flu\u200b"), key_of_text("ＨＩＶ"), key_of_text("1.0"), key_of_text("heart  attack")
    ('flu', 'hiv', 1, 'heart attack')
    """
    if not (text.isascii() and text.isprintable()):
        seen = "".join(character for character in text if not _is_unseen(character))
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    plain = " ".join(text.casefold().split())
    if len(plain) > _LONGEST_NUMBER or not _NUMBER.fullmatch(plain):
        return plain
    number = Decimal(plain)
    return int(number) if number == int(number) else _rounded(float(number))


def _is_unseen(character: str) -> bool:
    hidden = unicodedata.category(character) in _UNSEEN or character in _JOINERS
    return hidden and not character.isspace()


def _rounded(value: float) -> float:
    """A number with 12 significant digits, but never coarser than a whole number: so rounding keeps the order."""
    return float(f"{value:.{_DIGITS - 1}e}" if abs(value) < 10.0 ** (_DIGITS - 1) else f"{value:.0f}")
