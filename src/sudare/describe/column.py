"""Column: what is known about one column of a table, and whether its values agree.

Spelling: which values of a sensitive column are one value to a reader, however they are written.

`HIV` and `HIV ` are one disease: a block that has only these two is not diverse. Two texts are alike if they are equal after
Unicode compatibility normalization (NFKC) and case folding, without characters that cannot be seen, and with runs of white
space as one space and none at the ends; texts that are plain decimal numbers are compared by value. A text of which nothing
is left is alike a missing value. Numbers are alike if they agree in 12 significant digits; whole numbers only if they are equal.

Each value has one key, and alike means equal keys, so that being alike is transitive.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from sudare.describe.text import as_text
from sudare.errors import DescriptionError, did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy.typing as npt

    from sudare.describe.hierarchy.catalogue import HierarchyMaker
    from sudare.describe.kinds import Kind, MissingPolicy, Role, Spelling
    from sudare.mechanism.protocol import Mechanism


@dataclass(frozen=True)
class Column:
    """What is known about one column."""

    name: str
    kind: Kind
    role: Role = "insensitive"
    hierarchy: HierarchyMaker | None = None
    missing: MissingPolicy = "own"
    described: bool = False
    """False until a role is given: the column would be published unchanged, and the release warns about it."""
    mechanism: Mechanism | None = None
    """How the values were randomized, which is public; None if they were not."""
    format: str | tuple[str, ...] | None = None
    """How the dates or times of a column of texts were written before they were read; None if nothing was converted."""


def check_column(column: Column, series: pl.Series) -> None:
    """Raise a one-sentence error if the values do not match the description."""
    if column.missing == "reject" and series.null_count() > 0:
        count = series.null_count()
        raise DescriptionError(
            f"describe.column.missing.{'one' if count == 1 else 'many'}", column=column.name, count=count
        )
    if column.role == "drop":
        return  # what its values are like matters to nobody
    if column.kind == "numeric" and not series.dtype.is_numeric():
        raise DescriptionError("describe.column.not_numeric", column=column.name, dtype=series.dtype)
    if series.dtype.is_float() and series.is_infinite().any():
        raise DescriptionError("describe.column.infinite", column=column.name)
    if column.kind == "date" and not series.dtype.is_temporal():
        raise DescriptionError("describe.column.not_a_date", column=column.name, dtype=series.dtype)
    if column.role == "weight":
        _check_weight(column.name, series)


def check_weights(names: Sequence[str]) -> None:
    """Raise an error if several columns are weights."""
    if len(names) > 1:
        raise DescriptionError("describe.weight.two", one=names[0], other=names[1])


def check_choice(
    name: str, what: Literal["kind", "missing_policy"], given: str, allowed: tuple[str, ...]
) -> None:
    """Raise an error if a description is not one of the allowed words."""
    if given not in allowed:
        raise DescriptionError(
            f"describe.column.not_a_{what}",
            column=name,
            given=shown(given),
            hint=did_you_mean(str(given), allowed),
        )


def _check_weight(name: str, series: pl.Series) -> None:
    """Raise an error if a weight is not a number of people or all are missing; a missing one counts as 1 (cautious)."""
    if not series.dtype.is_numeric():
        raise DescriptionError("describe.weight.not_a_number", column=name, dtype=series.dtype)
    known = series.drop_nulls().drop_nans() if series.dtype.is_float() else series.drop_nulls()
    wrong = known.filter(known <= 0)
    if len(wrong):
        raise DescriptionError("describe.weight.not_positive", column=name, value=wrong[0])
    if len(series) and not len(known):
        raise DescriptionError("describe.weight.all_missing", column=name)


@dataclass(frozen=True, eq=False)
class Codes:
    """A column as integers: code c means `values[c]`, and the last code means missing, if that occurs."""

    codes: npt.NDArray[np.int32]
    """One code per row."""
    values: pl.Series
    """The distinct non-missing values in ascending order."""
    missing: int | None
    """The code of missing cells (one more than the last value's), or None if the column has none."""

    @property
    def count(self) -> int:
        """Number of distinct values, including missing."""
        return len(self.values) + (self.missing is not None)

    @cached_property
    def ranks(self) -> npt.NDArray[np.int32]:
        """Codes with missing as -1, for loops that treat missing separately from the order of values."""
        if self.missing is None:
            return self.codes
        return np.where(self.codes == self.missing, np.int32(-1), self.codes)

    def taken(self, rows: npt.NDArray[np.int64]) -> Codes:
        """The codes of these rows, by the same values."""
        codes = self.codes[rows]
        codes.flags.writeable = False
        return Codes(codes, self.values, self.missing)

    def decode(self, codes: npt.NDArray[np.int32]) -> pl.Series:
        """The values for these codes, in the column's own type."""
        present = pl.Series(codes.astype(np.int64))
        if self.missing is not None:
            present = present.replace(self.missing, None)
        return self.values.gather(present).rename(self.values.name)


def check_comparable(series: pl.Series) -> None:
    """Raise an error if the values of a column cannot be compared."""
    if series.dtype.is_nested() or series.dtype == pl.Object:
        raise DescriptionError("describe.column.not_grouped", column=series.name, dtype=series.dtype)


def encode(series: pl.Series) -> Codes:
    """Code a column by the rank of its values; null is missing (a Table contains no NaN)."""
    check_comparable(series)
    has_missing = series.null_count() > 0
    if not has_missing and (counted := _counted(series)) is not None:
        return Codes(*counted, None)
    values = series.drop_nulls().unique().sort()
    codes = _rank(series, values)
    codes.flags.writeable = False
    return Codes(codes, values, len(values) if has_missing else None)


def encode_within(series: pl.Series, values: pl.Series, *, has_missing: bool) -> Codes:
    """Code a part of a column by the values of the whole, all of which have a code whether the part has them or not."""
    codes = _rank(series, values)
    codes.flags.writeable = False
    return Codes(codes, values, len(values) if has_missing else None)


def _counted(series: pl.Series) -> tuple[npt.NDArray[np.int32], pl.Series] | None:
    """Codes and values of integers or dates that are close together, from a table instead of a sort."""
    if not (series.dtype.is_integer() or series.dtype == pl.Date) or _is_wide(series) or not len(series):
        return None
    physical = series.to_physical().to_numpy()
    lowest, highest = int(physical.min()), int(physical.max())
    if highest - lowest > 2 * len(physical) or highest > np.iinfo(np.int64).max:
        return None
    offset = physical.astype(np.int64) - lowest
    present = np.bincount(offset) > 0
    codes = (np.cumsum(present, dtype=np.int32) - 1)[offset]
    codes.flags.writeable = False
    values = pl.Series(series.name, np.flatnonzero(present) + lowest, dtype=pl.Int64)
    physical_type = pl.Int32 if series.dtype == pl.Date else series.dtype
    return codes, values.cast(physical_type).cast(series.dtype)


def _is_wide(series: pl.Series) -> bool:
    """Whether they are numbers for which numpy has no array."""
    return series.dtype in (pl.Decimal, pl.Int128, pl.UInt128)


def _rank(series: pl.Series, values: pl.Series) -> npt.NDArray[np.int32]:
    missing = len(values)
    if series.dtype == pl.String:
        coded = series.cast(pl.Enum(values)).to_physical()
        return coded.fill_null(missing).cast(pl.Int32).to_numpy(writable=True)
    if (series.dtype.is_numeric() or series.dtype.is_temporal()) and not _is_wide(series):
        ordered = values.to_physical().to_numpy()
        physical = series.to_physical()
        found = np.searchsorted(ordered, physical.drop_nulls().to_numpy()).astype(np.int32)
        if series.null_count() == 0:
            return found
        result = np.full(len(series), missing, dtype=np.int32)
        result[series.is_not_null().to_numpy()] = found
        return result
    index = pl.DataFrame({"value": values, "code": np.arange(missing, dtype=np.int32)})
    joined = series.rename("value").to_frame().join(index, on="value", how="left", maintain_order="left")
    return joined["code"].fill_null(missing).to_numpy(writable=True)


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


def codes_among(
    codes: Codes, texts: Sequence[str | None], spelling: Spelling = "alike"
) -> npt.NDArray[np.bool_]:
    """For each code, whether its value is among these texts; None among them is a missing value."""
    key: Callable[[str], Hashable] = key_of_text if spelling == "alike" else str
    wanted = {key(text) for text in texts if text is not None}
    found = [key(text) in wanted for text in as_text(codes.values).to_list()]
    return np.array([*found, *([None in texts] * (codes.missing is not None))], dtype=np.bool_)


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
