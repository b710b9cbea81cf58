"""Texts as days, times and numbers: what a column says in the way people write it, converted as told or as found.

A format of dates is written as for `strftime`: `%Y` year, `%m` month, `%d` day, `%H` `%M` `%S` time, `%b` English name of a
month, `%y` year of two digits (69 to 99 are 1969 to 1999), `%p` AM or PM, and `%EY` for a year of a Japanese era (昭和60, S60,
令和元). Numbers of one digit need no zero, full-width characters count as their plain forms, and blanks around a value do not
matter. A month or a year alone becomes its first day.

>>> import polars as pl
>>> read_dates(pl.Series("birth", ["昭和60年3月21日", "令和元年5月1日"])).series.to_list()
[datetime.date(1985, 3, 21), datetime.date(2019, 5, 1)]
>>> read_numbers(pl.Series("cost", ["1,234", " ４２ "])).to_list()
[1234, 42]
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache
from typing import TYPE_CHECKING, Literal

import polars as pl

from sudare.describe.text import as_text
from sudare.errors import DescriptionError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Unit = Literal["moment", "day", "month", "year", "time"]
"""How exact a format of dates is."""
Moment = datetime | date | time

_TOKENS = {
    "%EY": r"(?P<era>明治|大正|昭和|平成|令和|[MTSHRmtshr])\.? ?(?P<era_year>[0-9]{1,2}|元)",
    "%Y": r"(?P<year>[0-9]{4})",
    "%y": r"(?P<short_year>[0-9]{2})",
    "%m": r"(?P<month>[0-9]{1,2})",
    "%d": r"(?P<day>[0-9]{1,2})",
    "%b": r"(?P<name>[A-Za-z]{3,9})\.?",
    "%B": r"(?P<name>[A-Za-z]{3,9})\.?",
    "%H": r"(?P<hour>[0-9]{1,2})",
    "%I": r"(?P<hour>[0-9]{1,2})",
    "%M": r"(?P<minute>[0-9]{1,2})",
    "%S": r"(?P<second>[0-9]{1,2})(?:\.(?P<fraction>[0-9]{1,6})[0-9]*)?",
    "%p": r"(?P<half>[AaPp])\.?[Mm]\.?",
    "%%": "%",
}
_TOKEN = re.compile(r"%E?.|\s+|[^%\s]+|%")
_ERAS = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "M": 1867,
    "T": 1911,
    "S": 1925,
    "H": 1988,
    "R": 2018,
}
"""The year before the first one of each era."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PIVOT = 69  # as POSIX has it

_DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y"),
    *("%d-%m-%Y", "%m-%d-%Y", "%d %b %Y", "%d-%b-%Y", "%b %d, %Y"),
    *("%EY年%m月%d日", "%EY.%m.%d", "%EY/%m/%d", "%EY-%m-%d"),
)
_MONTHS_AND_YEARS = ("%Y-%m", "%Y/%m", "%Y年%m月", "%m/%Y", "%b %Y", "%EY年%m月", "%EY.%m", "%EY年", "%Y年")
_TIMES = ("%H:%M:%S", "%H:%M", "%H時%M分")
DIGITS = "%Y%m%d"
"""A format that other numbers may have too."""
FORMATS: tuple[str, ...] = (
    *_DAYS,
    *(f"{day}{between}{clock}" for day in _DAYS for between in (" ", "T") for clock in _TIMES),
    *_MONTHS_AND_YEARS,
    *_TIMES,
    *("%I:%M %p", "%I:%M:%S %p"),
    DIGITS,
)
"""The formats that are found where none is told; years of two digits are not among them, because their century is a guess."""
_YEARS = (1800, 2200)
_FIRST = 20
"""Values that are tried before all."""


@dataclass(frozen=True)
class Reading:
    """A column of texts, read."""

    series: pl.Series
    format: str
    unit: Unit


def read_dates(series: pl.Series, written: str | None = None) -> Reading:
    """The column with its texts as dates, moments or times of day; an error names what cannot be read, and its row.

    Without a format, it is found: the one that all values have. Two that give different days (01/02/1985) are an error too.
    """
    if written is not None:
        _compiled(written, series.name)
        parsed = _parsed(series, written)
        return _as_reading(series, written, parsed)
    fitting = _fitting(series)
    if not fitting:
        raise _no_format(series)
    if len(fitting) > 1:
        one, other, *_ = fitting
        value = next(text for text in fitting[one] if fitting[one][text] != fitting[other][text])
        raise DescriptionError(
            "describe.dates.ambiguous", column=series.name, value=value, one=one, other=other
        )
    ((found, parsed),) = fitting.items()
    return _as_reading(series, found, parsed)


def found_dates(series: pl.Series) -> Reading | None:
    """The column as dates where all its texts have one form, and one only."""
    fitting = _fitting(series)
    if len(fitting) != 1:
        return None
    ((found, parsed),) = fitting.items()
    return _as_reading(series, found, parsed)


def fitting_formats(series: pl.Series) -> list[str]:
    """The formats that all texts of a column have, without those that give the same days as an earlier one."""
    return list(_fitting(series))


def _fitting(series: pl.Series) -> dict[str, dict[str, Moment | None]]:
    """The formats that all texts of a column have, with what each text is in them."""
    texts = as_text(series).drop_nulls().unique(maintain_order=True).to_list()
    found: dict[str, dict[str, Moment | None]] = {}
    for written in FORMATS if texts else ():
        parse = _compiled(written)
        if all(parse(text) is not None for text in texts[:_FIRST]):
            parsed = {text: parse(text) for text in texts}
            moments = parsed.values()
            if None not in moments and parsed not in found.values() and _is_plausible(written, moments):
                found[written] = parsed
    return found


def _is_plausible(written: str, parsed: Iterable[Moment | None]) -> bool:
    """Eight digits may be any number, so that they are days only in the years of people's lives."""
    return written != DIGITS or all(
        isinstance(day, date) and _YEARS[0] <= day.year < _YEARS[1] for day in parsed
    )


def unit_of(written: str) -> Unit:
    """How exact a format is."""
    tokens = set(_TOKEN.findall(written))
    if tokens & {"%H", "%I"}:
        return "moment" if tokens & {"%Y", "%y", "%EY"} else "time"
    if "%d" in tokens:
        return "day"
    return "month" if tokens & {"%m", "%b", "%B"} else "year"


def _as_reading(series: pl.Series, written: str, parsed: dict[str, Moment | None]) -> Reading:
    texts, unit = as_text(series), unit_of(written)
    wrong = next((text for text, moment in parsed.items() if moment is None), None)
    if wrong is not None:
        raise DescriptionError(
            "describe.dates.not_of_format",
            column=series.name,
            value=wrong,
            row=_row(texts, wrong),
            format=written,
        )
    dtype = pl.Datetime("us") if unit == "moment" else pl.Time() if unit == "time" else pl.Date()
    found = list(parsed)
    moments = pl.Series([parsed[text] for text in found], dtype=dtype)
    return Reading(_replaced(texts, found, moments), written, unit)


def _replaced(texts: pl.Series, found: Sequence[str], values: pl.Series) -> pl.Series:
    """The value of each text, missing where it is."""
    places = texts.alias("text").cast(pl.Enum(found)).to_physical()
    return values.gather(places.cast(pl.Int64)).alias(texts.name)


def _parsed(series: pl.Series, written: str) -> dict[str, Moment | None]:
    parse = _compiled(written)
    return {text: parse(text) for text in as_text(series).drop_nulls().unique(maintain_order=True).to_list()}


def _no_format(series: pl.Series) -> DescriptionError:
    """The error for a column of no known form: the value that the form of most others does not have."""
    texts = as_text(series)
    values = texts.drop_nulls().unique(maintain_order=True).to_list()
    fits = {written: sum(_compiled(written)(value) is not None for value in values) for written in FORMATS}
    best = max(fits, key=lambda written: fits[written])
    if values and fits[best] > len(values) / 2:
        wrong = next(value for value in values if _compiled(best)(value) is None)
        return DescriptionError(
            "describe.dates.not_of_format",
            column=series.name,
            value=wrong,
            row=_row(texts, wrong),
            format=best,
        )
    first = values[0] if values else ""
    return DescriptionError("describe.dates.no_format", column=series.name, value=first)


def _row(texts: pl.Series, value: str) -> int:
    """The number of the first row with a value, from 1."""
    return int((texts == value).arg_true()[0]) + 1


@cache
def _compiled(written: str, column: str = "") -> Callable[[str], Moment | None]:
    """The function that reads one text, None where it is not of the format."""
    tokens = _TOKEN.findall(written)
    unknown = next((token for token in tokens if token[0] == "%" and token not in _TOKENS), None)
    has_year = any(token in tokens for token in ("%Y", "%y", "%EY"))
    if unknown is not None or not (has_year or any(token in tokens for token in ("%H", "%I"))):
        raise DescriptionError("describe.dates.format", column=column, format=shown(written))
    pattern = "".join(
        r"\s+" if token.isspace() else _TOKENS.get(token) or re.escape(_plain(token)) for token in tokens
    )
    try:
        match = re.compile(pattern, flags=re.ASCII).fullmatch
    except re.error:  # a token twice
        raise DescriptionError("describe.dates.format", column=column, format=shown(written)) from None
    unit = unit_of(written)

    def parse(text: str) -> Moment | None:
        found = match(_plain(text))
        if found is None:
            return None
        try:
            return _moment(found.groupdict(), unit)
        except ValueError:  # the 30th of February
            return None

    return parse


def _moment(parts: dict[str, str | None], unit: Unit) -> Moment | None:
    hour, minute = int(parts.get("hour") or 0), int(parts.get("minute") or 0)
    if (half := parts.get("half")) is not None:
        if not 1 <= hour <= 12:  # hours of a clock
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    clock = time(
        hour, minute, int(parts.get("second") or 0), int((parts.get("fraction") or "0").ljust(6, "0"))
    )
    if unit == "time":
        return clock
    month = parts.get("month")
    if (name := parts.get("name")) is not None:
        if name[:3].lower() not in _MONTHS:
            return None
        month = str(_MONTHS.index(name[:3].lower()) + 1)
    day = date(_year(parts), int(month or 1), int(parts.get("day") or 1))
    return datetime.combine(day, clock) if unit == "moment" else day


def _year(parts: dict[str, str | None]) -> int:
    if (era := parts.get("era")) is not None:
        number = parts["era_year"]
        year = 1 if number == "元" else int(number or 0)
        if year == 0:
            raise ValueError(number)
        return _ERAS[era.upper()] + year
    if (short := parts.get("short_year")) is not None:
        return int(short) + (1900 if int(short) >= _PIVOT else 2000)
    return int(parts["year"] or 0)


_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|[+-]?\.[0-9]+"
)
_MINUS = str.maketrans({"−": "-", "‐": "-", "﹣": "-"})  # how minus is written
_LARGEST = 2**63


def read_numbers(series: pl.Series) -> pl.Series:
    """The column with its texts as numbers, whole ones as integers; an error names what is not a number, and its row.

    Blanks around a number, commas between thousands and full-width digits do not matter.
    """
    texts = as_text(series)
    values = texts.drop_nulls().unique(maintain_order=True).to_list()
    numbers = [number_of(value) for value in values]
    if None in numbers:
        wrong = values[numbers.index(None)]
        raise DescriptionError(
            "describe.column.not_a_number", column=series.name, value=wrong, row=_row(texts, wrong)
        )
    whole = all(isinstance(number, int) and abs(number) < _LARGEST for number in numbers)
    return _replaced(texts, values, pl.Series(numbers, dtype=pl.Int64 if whole else pl.Float64, strict=False))


def number_of(text: str) -> int | float | None:
    """The number that a text is, None where it is none.

    >>> number_of(" 1,234 "), number_of("１２．５"), number_of("1,23"), number_of("12 kg")
    (1234, 12.5, None, None)
    """
    plain = _plain(text).translate(_MINUS)
    if not _NUMBER.fullmatch(plain):
        return None
    plain = plain.replace(",", "")
    return int(plain) if plain.lstrip("+-").isdigit() else float(plain)


def are_written_numbers(texts: Sequence[str]) -> bool:
    """Whether texts are numbers as people write them (padded, with commas, full-width), and none is a code like 007."""
    if all(text.isascii() and text.isalnum() for text in texts[:_FIRST]):
        return False
    plain = [_plain(text).lstrip("+-") for text in texts]
    return all(number_of(text) is not None for text in texts) and not any(
        len(text) > 1 and text[0] == "0" and text[1] != "." for text in plain
    )


def _plain(text: str) -> str:
    """A text without blanks around it, in plain characters."""
    if text.isascii():
        return text.strip()
    return unicodedata.normalize("NFKC", text).strip()
