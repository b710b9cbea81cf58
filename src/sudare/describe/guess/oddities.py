"""What in the values of a table a custodian should look at before anything else, with the way to put it right.

Codes for missing values (999999, -1, `?`, 不明) that would count as values; dates that can be read in two ways; postal codes that
lost their leading zeros on their way through a spreadsheet.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import polars as pl

from sudare.describe.conversion import (
    are_dates,
    are_written_numbers,
    fitting_formats,
    forms_of,
    number_of,
)
from sudare.describe.guess.topics import topic_of, words
from sudare.describe.guess.values import Values
from sudare.describe.kinds import UNRELEASED_ROLES
from sudare.describe.table import without_values
from sudare.read.text import narrow_column
from sudare.words.sentence import Sentence, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sudare.describe.guess.guess import Guess
    from sudare.describe.kinds import Kind

_MISSING_WORDS = frozenset(
    [
        "?",
        "??",
        "-",
        "--",
        "---",
        ".",
        "n/a",
        "na",
        "n.a.",
        "#n/a",
        "#value!",
        "null",
        "(null)",
        "nan",
        "nil",
        "unknown",
        "unk",
        "unspecified",
        "missing",
        "(missing)",
        "not",
        "available",
        "not",
        "known",
        "not",
        "stated",
        "not",
        "applicable",
        "refused",
        "dk",
        "x99",
        "不明",
        "不詳",
        "不祥",
        "無回答",
        "未回答",
        "回答なし",
        "非該当",
        "欠測",
        "欠損",
        "欠測値",
        "未記入",
        "記入なし",
        "未入力",
        "未測定",
        "わからない",
        "分からない",
    ]
)
"""Texts that mostly mean that a value is missing; words of one entry are joined by a hard space."""
_NEGATIVE_CODES = frozenset({-1, -2, -7, -8, -9, -88, -98, -99, -998, -999, -9998, -9999, -99999, -999999})
_FEWEST = 2
"""Rows that have a code; a value that occurs once is more likely a value."""
_GAP = 2
"""How many times the next largest number a code of nines is, unless it is frequent."""
_FREQUENT = 5
_CODE_DAYS = (
    "1900-01-01",
    "1901-01-01",
    "1800-01-01",
    "1111-11-11",
    "9999-12-31",
    "9999-09-09",
    "2999-12-31",
)
_MANY_QUASI = 15
"""Quasi-identifiers with which rows that are alike in all of them are rare in any table."""
_TRIED = 20
"""Texts that are tried before all."""
_MANY_WORDS = 1000
"""Different texts of which only the first are tried: a column of a million names has no codes among them."""
_NAMED = 4
"""Values and columns that a sentence names."""


class Oddity(Sentence):
    """Something in the values that a custodian should look at."""

    __slots__ = ()

    area = "oddities"


def oddities_of(frame: pl.DataFrame, guesses: Sequence[Guess]) -> tuple[Oddity, ...]:
    """What to look at in the columns that would be released, in a few sentences."""
    released = [guess.column for guess in guesses if guess.role not in UNRELEASED_ROLES]
    columns = [frame[name] for name in released]
    read = {guess.column: guess.format is not None or guess.kind == "date" for guess in guesses}
    return (
        *many_quasi(sum(guess.role == "quasi" for guess in guesses)),
        *_ambiguous(columns),
        *_forms(columns, read),
        *codes_of(columns),
        *_lost_zeros(columns),
    )


def many_quasi(count: int) -> Iterator[Oddity]:
    """That groups which are alike in so many columns keep hardly any detail."""
    if count > _MANY_QUASI:
        yield Oddity("many_quasi", columns=count)


def _ambiguous(columns: Sequence[pl.Series]) -> Iterator[Oddity]:
    for series in columns:
        if series.dtype != pl.String or Values(series).form != "date":
            continue
        formats = fitting_formats(series)
        if len(formats) > 1:
            value = series.drop_nulls()[0]
            yield Oddity("ambiguous", column=series.name, value=value, one=formats[0], other=formats[1])


def _forms(columns: Sequence[pl.Series], read: Mapping[str, bool]) -> Iterator[Oddity]:
    """Dates of several forms, with the rows of each; and dates among other texts, which stay texts."""
    for series in columns:
        values = Values(series)
        few = values.texts[:_TRIED]
        if series.dtype != pl.String or 2 * sum(are_dates([text]) for text in few) <= len(few):
            continue
        rows, others = forms_of(series)
        if 2 * sum(rows.values()) <= values.present or (len(rows) == 1 and not len(others)):
            continue
        forms = enumerated(Oddity("form", format=written, rows=count) for written, count in rows.items())
        if not len(others):
            yield Oddity("forms_read" if read[series.name] else "forms", column=series.name, forms=forms)
        else:
            yield Oddity(
                "forms_and_others", column=series.name, forms=forms, rows=len(others), value=others[0]
            )


def codes_of(columns: Iterable[pl.Series]) -> Iterator[Oddity]:
    """Codes for missing values that would count as values: one sentence for columns that have the same codes."""
    found: dict[tuple[str, ...], list[str]] = {}
    hiding: dict[str, tuple[str, ...]] = {}
    for series in columns:
        codes = missing_codes(series)
        if not codes:
            continue
        if hidden_kind(series, codes) == "numeric":
            hiding[series.name] = codes
        else:
            found.setdefault(codes, []).append(series.name)
    for name, codes in hiding.items():
        yield Oddity("hides_numbers", column=name, codes=_quoted(codes), written=written_codes(codes))
    for codes, names in found.items():
        key = "missing.one" if len(names) == 1 else "missing.many"
        more = max(len(names) - _NAMED, 0)
        listed = enumerated(names[:_NAMED])
        shown = Oddity("missing.more", columns=listed, more=more) if more else listed
        yield Oddity(key, columns=shown, codes=_quoted(codes), written=written_codes(codes))


def words_read_as_missing(found: Mapping[str, Sequence[str]]) -> Iterator[Oddity]:
    """That a recipe takes words for missing values, for each column in which it does."""
    for name, codes in found.items():
        yield Oddity("read_as_missing", column=name, codes=_quoted(codes))


def hidden_kind(series: pl.Series, codes: Sequence[str]) -> Kind | None:
    """The kind that a column of texts would be read as if these words were missing: numeric or date, or neither.

    >>> hidden_kind(pl.Series(["34", "unknown", "51"]), ["unknown"]), hidden_kind(pl.Series(["0600001", "?"]), ["?"])
    ('numeric', None)
    """
    if series.dtype != pl.String or not codes or all(number_of(code) is not None for code in codes):
        return None
    rest = narrow_column(without_values(series, codes).drop_nulls())
    if rest.dtype == pl.String:
        return "numeric" if len(rest) and are_written_numbers(rest.unique().to_list()) else None
    return "date" if rest.dtype == pl.Date else "numeric"


def missing_codes(series: pl.Series) -> tuple[str, ...]:
    """The values of a column that look like codes for missing values.

    >>> missing_codes(pl.Series([41, 17, 999999, 999999, 23])), missing_codes(pl.Series(["a", "不明", "b"]))
    (('999999',), ('不明',))
    """
    if series.dtype == pl.String:
        return _text_codes(series.drop_nulls())[:_NAMED]
    if series.dtype.is_numeric():
        return _number_codes(series)
    if series.dtype == pl.Date:
        ends = {str(end): end for end in (series.min(), series.max())}
        return tuple(day for day in _CODE_DAYS if day in ends and int((series == ends[day]).sum()) >= _FEWEST)
    return ()


def _text_codes(texts: pl.Series) -> tuple[str, ...]:
    """Words for missing values, and codes among the numbers where all other texts are numbers (80,904 or 0230)."""
    distinct = texts.unique(maintain_order=True).to_list()
    words = [text for text in distinct if _means_missing(text)]
    rest = [text for text in distinct if text not in words]
    if len(rest) > _MANY_WORDS and any(number_of(text) is None for text in rest[:_TRIED]):
        return tuple(words)
    numbers = [number_of(text) for text in rest]
    if None in numbers:
        return (*words, *_codes_among_words(texts, [text for text in rest if number_of(text) is not None]))
    floats = pl.Series(
        numbers, dtype=pl.Float64, strict=False
    )  # whole numbers beyond all floats are infinite
    by_row = texts.replace_strict(rest, floats, default=None, return_dtype=pl.Float64)
    codes = _number_codes(by_row)
    of_code = {
        f"{number:.0f}": text for text, number in zip(rest, numbers, strict=True) if number is not None
    }
    return (*words, *(of_code[code] for code in codes))


def _codes_among_words(texts: pl.Series, written: Sequence[str]) -> Sequence[str]:
    """The numbers in a column of words, if all of them are negative codes that occur often enough."""
    if len(written) > _NAMED or not _NEGATIVE_CODES.issuperset(map(number_of, written)):
        return ()
    return written if all(int((texts == text).sum()) >= _FEWEST for text in written) else ()


def _means_missing(value: str) -> bool:
    plain = "\u00a0".join(unicodedata.normalize("NFKC", value).casefold().split())
    return plain in _MISSING_WORDS


def _number_codes(series: pl.Series) -> tuple[str, ...]:
    """Numbers of nines far above all others, and negative codes below numbers that are never negative."""
    numbers = series.cast(pl.Float64).drop_nulls().alias("number")
    numbers = numbers.filter(numbers.is_finite())
    counts = numbers.value_counts(name="count").sort(numbers.name)
    values, rows = counts.to_series(0).to_list(), counts["count"].to_list()
    below = sum(value < 0 for value in values)
    codes = values[:below]
    if (
        len(values) < below + 2
        or not _NEGATIVE_CODES.issuperset(codes)
        or min(rows[:below], default=0) < _FEWEST
    ):
        codes = []
    return tuple(f"{code:.0f}" for code in (*codes, *_high_codes(values, rows)))


def _high_codes(values: Sequence[float], rows: Sequence[int]) -> Sequence[float]:
    """The most values at the end that are nines of as many digits and far above the others: 999, or 997, 998 and 999."""
    length = len(f"{values[-1]:.0f}") if values else 0
    first = len(values)
    while first > 2 and len(f"{values[first - 1]:.0f}") == length and _is_nines(values[first - 1]):
        first -= 1
    for start in range(first, len(values)):
        low, rest = values[start], values[start - 1]
        far = low >= _GAP * abs(rest)
        frequent = min(rows[start:]) >= _FREQUENT * rows[start - 1] and low >= 999 and rest < 0.99 * low
        if min(rows[start:]) >= _FEWEST and (far or frequent):
            return values[start:]
    return ()


def _is_nines(number: float) -> bool:
    """Whether a number is 99, 999, …, or the same with eights before the last digit."""
    if number != int(number) or number < 99:  # one digit may be a count
        return False
    digits = f"{number:.0f}"
    return set(digits) in ({"9"}, {"8"}) or (set(digits[:-1]) == {"9"} and digits[-1] in "789")


def _lost_zeros(columns: Sequence[pl.Series]) -> Iterator[Oddity]:
    for series in columns:
        topic = topic_of(series.name)
        if topic is None or topic.key != "postal code" or not series.dtype.is_numeric():
            continue
        values = Values(series)
        if not values.is_whole or values.numbers[0] < 0:
            continue
        longest = len(f"{values.numbers[-1]:.0f}")
        width = _full_width(series.name, longest)
        short = values.numbers.filter(values.numbers < 10 ** (width - 1)) if width else values.numbers.clear()
        if len(short):
            example = f"{short[-1]:.0f}"
            yield Oddity(
                "lost_zeros", column=series.name, value=example, width=width, padded=example.zfill(width)
            )


def _full_width(name: str, longest: int) -> int:
    """The digits of postal codes of which the longest has so many left; 0 where all may be there.

    American and German codes have five digits, Japanese ones seven; shorter ones are complete in other countries, unless
    the name of the column says which codes they are.
    """
    if "zip" in words(name):
        return 5 if longest <= 5 else 0
    if "郵便" in name:
        return 7 if longest <= 7 else 0
    return longest if longest in {5, 7} else 0


def _quoted(codes: Sequence[str]) -> Sentence:
    return enumerated(f"'{code}'" for code in codes)


def written_codes(codes: Sequence[str]) -> str:
    """The codes as a recipe lists them."""
    return "[" + ", ".join(code if _is_number(code) else f"'{code}'" for code in codes) + "]"


def _is_number(code: str) -> bool:
    return code.lstrip("-").isdigit()
