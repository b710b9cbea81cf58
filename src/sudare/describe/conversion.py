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
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

Unit = Literal["moment", "day", "month", "year", "time"]
"""How exact a format of dates is."""
Moment = datetime | date | time
Formats = str | tuple[str, ...]
"""How dates are written; several formats where not all have the same."""
_UNITS: tuple[Unit, ...] = ("year", "month", "day", "moment", "time")
"""From the coarsest."""

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
_ERA_NAME = re.compile("明治|大正|昭和|平成|令和|(?<![A-Za-z])[MTSHRmtshr](?=\\.? ?[0-9])")
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
    format: Formats
    unit: Unit


def read_dates(series: pl.Series, written: Formats | None = None) -> Reading:
    """The column with its texts as dates, moments or times of day; an error names what cannot be read, and its row.

    Without a format, the one that all values have is found, or those of a column in which dates of different shapes have different
    forms (1985/03/21 and 昭和60年3月21日). Two that give different days (01/02/1985) are an error too.
    """
    if written is not None:
        return _read_as_told(series, formats_of(written))
    fitting = _fitting(_distinct(series)) or _fitting_shapes(series)
    if not fitting:
        raise _no_format(series)
    if len(fitting) > 1:
        one, other, *_ = fitting
        raise _ambiguous(series, fitting[one], fitting[other], one, other)
    ((found, parsed),) = fitting.items()
    return _as_reading(series, found, parsed)


def found_dates(series: pl.Series) -> Reading | None:
    """The column as dates where all its texts have one form, and one only, or each shape of text has."""
    fitting = _fitting(_distinct(series)) or _fitting_shapes(series)
    if len(fitting) != 1 or any(moment is None for moment in next(iter(fitting.values())).values()):
        return None
    ((found, parsed),) = fitting.items()
    return _as_reading(series, found, parsed)


def fitting_formats(series: pl.Series) -> list[str]:
    """The formats that all texts of a column have, without those that give the same days as an earlier one."""
    return [format_ for format_ in _fitting(_distinct(series)) if isinstance(format_, str)]


def formats_of(written: Formats) -> tuple[str, ...]:
    """One format or several as several."""
    return (written,) if isinstance(written, str) else tuple(written)


def are_dates(texts: Iterable[str]) -> bool:
    """Whether every text is a date in some form that is found."""
    return all(any(_compiled(written)(text) is not None for written in FORMATS) for text in texts)


def forms_of(series: pl.Series) -> tuple[dict[str, int], pl.Series]:
    """The rows of a column of texts that have each form of dates, the most frequent one first, and the other texts of its rows."""
    texts = as_text(series).drop_nulls()
    counts = dict(texts.value_counts().rows())
    rows: dict[str, int] = {}
    others: list[str] = []
    for group in _by_shape(_distinct(series)):
        fitting = _fitting(group)
        if len(fitting) == 1:
            (found,) = fitting
            rows[str(found)] = rows.get(str(found), 0) + sum(counts[text] for text in group)
        else:
            others += group
    ordered = sorted(rows, key=lambda written: -rows[written])
    return {written: rows[written] for written in ordered}, texts.filter(texts.is_in(others))


def _distinct(series: pl.Series) -> list[str]:
    found: list[str] = as_text(series).drop_nulls().unique(maintain_order=True).to_list()
    return found


def _fitting(texts: Sequence[str]) -> dict[Formats, dict[str, Moment | None]]:
    """The formats that all texts have, with what each text is in them."""
    found: dict[Formats, dict[str, Moment | None]] = {}
    for written in FORMATS if texts else ():
        parse = _compiled(written)
        if all(parse(text) is not None for text in texts[:_FIRST]):
            parsed = {text: parse(text) for text in texts}
            moments = parsed.values()
            if None not in moments and parsed not in found.values() and _is_plausible(written, moments):
                found[written] = parsed
    return found


def _fitting_shapes(series: pl.Series) -> dict[Formats, dict[str, Moment | None]]:
    """The formats that the texts of each shape have, taken together where each shape has one, and all are as exact.

    Where a shape has two, these, each with the texts of that shape alone.
    """
    formats: list[str] = []
    read: dict[str, Moment | None] = {}
    texts = _distinct(series)
    if not are_dates(texts[:_FIRST]):
        return {}
    for group in _by_shape(texts):
        fitting = _fitting(group)
        if len(fitting) != 1:
            return fitting
        ((found, parsed),) = fitting.items()
        formats += formats_of(found)
        read.update(parsed)
    if len({unit_of(written) for written in formats}) > 1:
        return {}
    return {tuple(dict.fromkeys(formats)): read} if read else {}


def _by_shape(texts: Iterable[str]) -> list[list[str]]:
    """Texts with the same signs between numbers of the same kind: years of four digits, other numbers, eras."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        plain = _ERA_NAME.sub("E", _plain(text)).replace("元", "1")
        shape = re.sub("[A-Za-z]{2,}", "a", re.sub("[0-9]{1,2}", "0", re.sub("[0-9]{4,}", "Y", plain)))
        groups.setdefault(" ".join(shape.split()), []).append(text)
    return list(groups.values())


def _read_as_told(series: pl.Series, formats: tuple[str, ...]) -> Reading:
    """The column in the formats that were told; a text that has two of them must be the same day in both."""
    for written in formats:
        _compiled(written, series.name)
    units = {unit_of(written) for written in formats}
    if not formats or ("time" in units and len(units) > 1):
        raise DescriptionError("describe.dates.format", column=series.name, format=shown(", ".join(formats)))
    together: dict[str, Moment | None] = {}
    for place, written in enumerate(formats):
        parsed = _parsed(series, written)
        for text, moment in parsed.items():
            known = together.get(text)
            if known is not None and moment is not None and known != moment:
                first = next(one for one in formats[:place] if _compiled(one)(text) is not None)
                raise _ambiguous(series, {text: known}, {text: moment}, first, written)
            together[text] = known if moment is None else moment
    return _as_reading(series, formats[0] if len(formats) == 1 else formats, together)


def _ambiguous(
    series: pl.Series,
    parsed: Mapping[str, Moment | None],
    otherwise: Mapping[str, Moment | None],
    one: Formats,
    other: Formats,
) -> DescriptionError:
    value = next(text for text in parsed if parsed[text] != otherwise[text])
    return DescriptionError("describe.dates.ambiguous", column=series.name, value=value, one=one, other=other)


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


def _coarsest(units: Collection[Unit]) -> Unit:
    return next(unit for unit in _UNITS if unit in units)


def _as_reading(series: pl.Series, written: Formats, parsed: dict[str, Moment | None]) -> Reading:
    texts, units = as_text(series), {unit_of(one) for one in formats_of(written)}
    wrong = next((text for text, moment in parsed.items() if moment is None), None)
    if wrong is not None:
        raise DescriptionError(
            "describe.dates.not_of_format",
            column=series.name,
            value=wrong,
            row=_row(texts, wrong),
            format=", ".join(formats_of(written)),
        )
    dtype = pl.Datetime("us") if "moment" in units else pl.Time() if "time" in units else pl.Date()
    found = list(parsed)
    if "moment" in units:  # a day among moments is its midnight
        moments = pl.Series([_at_midnight(parsed[text]) for text in found], dtype=dtype)
    else:
        moments = pl.Series([parsed[text] for text in found], dtype=dtype)
    return Reading(_replaced(texts, found, moments), written, _coarsest(units))


def _at_midnight(moment: Moment | None) -> Moment | None:
    if isinstance(moment, date) and not isinstance(moment, datetime):
        return datetime.combine(moment, time())
    return moment


def _replaced(texts: pl.Series, found: Sequence[str], values: pl.Series) -> pl.Series:
    """The value of each text, missing where it is."""
    places = texts.alias("text").cast(pl.Enum(found)).to_physical()
    return values.gather(places.cast(pl.Int64)).alias(texts.name)


def _parsed(series: pl.Series, written: str) -> dict[str, Moment | None]:
    parse = _compiled(written)
    return {text: parse(text) for text in _distinct(series)}


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
    signs = frozenset(
        "".join(_plain(token) for token in tokens if token not in _TOKENS and not token.isspace())
    )

    @cache
    def expression() -> re.Pattern[str]:
        return re.compile(pattern, flags=re.ASCII)

    try:
        if written not in FORMATS:
            expression()
    except re.error:  # a token twice
        raise DescriptionError("describe.dates.format", column=column, format=shown(written)) from None
    unit = unit_of(written)

    def parse(text: str) -> Moment | None:
        plain = _plain(text)
        # Of the many formats that are tried, few need be compiled: 1985/03/21 has no colon and no 年.
        found = expression().fullmatch(plain) if signs.issubset(plain) else None
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
