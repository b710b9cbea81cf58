"""Short texts and HTML for people who look at a value: at a prompt, or in a notebook.

Texts fit 80 columns (wide characters count as two); HTML is escaped and well-formed. Nothing is printed here.
"""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import ROUND_FLOOR, Decimal
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from sudare.words.sentence import as_shown, shown_language, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sudare.words.sentence import Language, Texts


class Marked(NamedTuple):
    """Sentences, each with whether it is true."""

    lines: Sequence[tuple[bool, str]]


class Grid(NamedTuple):
    """A table with a title."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[object]]


class Line(NamedTuple):
    """A sentence on its own line."""

    text: str


class Place(NamedTuple):
    """A path or a command to copy."""

    label: str
    place: object


Block = Marked | Grid | Line | Place
"""The parts in which a study or a finished release is presented; the terminal and the HTML page each lay them out."""

WIDTH = 80
HEAD = 5
"""The number of rows of a table that are shown."""
_CELL = 40
_COLUMNS = 12
_UNIT = re.compile(
    r"[（「±]*(?:(?:[!-~]+ = )?[!-~]+|[^\s（「±])[、。）」：…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]*|[（「±]+|\s+"
)
"""What stays together on a line of Japanese: a character, a Latin word or number, or `k = 5`, with punctuation."""


def shown_words(language: Language | None = None) -> Texts:
    """The words in which values show themselves."""
    return texts(language or shown_language(), "shown")


def width_of(text: str) -> int:
    """The number of columns that a text takes in a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(value: object, width: int = WIDTH) -> str:
    """A value on one line of at most `width` columns."""
    text = " ".join(str(value).split())
    if width_of(text) <= width:
        return text
    kept, used = "", 1
    for letter in text:
        used += width_of(letter)
        if used > width:
            break
        kept += letter
    return f"{kept}…"


def folded(text: str, width: int = WIDTH, *, start: int = 0) -> str:
    """Japanese in lines of `width` columns, the first with `start` fewer; a line may break anywhere but before a stop.

    >>> print(folded("光は通し、顔は通さない。", 10))
    光は通し、
    顔は通さな
    い。
    """
    lines, used = [""], start
    for unit in _UNIT.findall(text):
        if used + width_of(unit) > width and lines[-1]:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
            used = 0
        if lines[-1] or not unit.isspace():
            lines[-1] += unit
            used += width_of(unit)
    return "\n".join(lines)


def listed(names: Iterable[object], width: int) -> str:
    """As many names as fit, and the number of those left out."""
    words, shown = shown_words(), [shortened(name, _CELL) for name in names]
    for count in range(len(shown), 0, -1):
        text = ", ".join(shown[:count])
        if count < len(shown):
            text = words("more.names", names=text, count=len(shown) - count)
        if width_of(text) <= width:
            return text
    return shortened(words("more.all", count=len(shown)), width) if shown else ""


def said(name: str, parts: Sequence[str]) -> str:
    """`Name(part; part)` on one line if it fits, else one line for each part."""
    line = f"{name}({'; '.join(parts)})"
    if width_of(line) <= WIDTH and "\n" not in line:
        return line
    first, *others = parts
    lines = [shortened(first, WIDTH - len(name) - 2), *(shortened(part, WIDTH - 3) for part in others)]
    return f"{name}(" + "\n  ".join(lines) + ")"


def html_table(headers: Sequence[object], rows: Iterable[Sequence[object]], width: int = _CELL) -> str:
    """A table of escaped cells, shortened to a width; if it has many columns, only the first ones are shown."""
    shown = headers[:_COLUMNS]
    head = "".join(f"<th>{_cell(header, width)}</th>" for header in shown)
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(cell, width)}</td>' for cell in row[:_COLUMNS])}</tr>" for row in rows
    )
    left_out = len(headers) - len(shown)
    more = paragraph(shown_words()("more.columns", count=left_out)) if left_out > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def html_head(frame: Any, hidden: Iterable[str] = (), rows: int = HEAD) -> str:
    """The first rows of a polars frame, without the values of `hidden` columns."""
    names, unseen = frame.columns[: _COLUMNS + 1], set(hidden)
    first = [
        [
            "•••" if name in unseen else "" if cell is None else cell
            for name, cell in zip(names, row, strict=True)
        ]
        for row in frame[names].head(rows).iter_rows()  # select would treat a name such as "*" as a pattern
    ]
    more = paragraph(shown_words()("more.rows", count=frame.height - rows)) if frame.height > rows else ""
    table = html_table([*names, *[""] * (len(frame.columns) - len(names))], first)
    return f"{table}{more}"


def paragraph(text: object, *, bold: bool = False) -> str:
    """One escaped sentence."""
    inner = escape(str(text))
    return f"<p><strong>{inner}</strong></p>" if bold else f"<p>{inner}</p>"


def html_list(sentences: Iterable[object]) -> str:
    """Escaped sentences as a list; empty if there are none."""
    items = "".join(f"<li>{escape(str(sentence))}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def html_losses(losses: Mapping[str, float]) -> str:
    """A table of measures; empty if there are none."""
    words = shown_words()
    return html_table([words("head.loss"), words("head.value")], list(losses.items())) if losses else ""


def html_warnings(warnings: Iterable[str]) -> str:
    """Warnings as a list; empty if there are none."""
    words = shown_words()
    return html_list(words("warning", warning=as_shown(warning)) for warning in warnings)


def html_block(*parts: str) -> str:
    """Parts of HTML as one block."""
    return f'<div class="sudare">{"".join(parts)}</div>'


def _cell(value: object, width: int) -> str:
    text = figure(value) if isinstance(value, float) else str(value)
    return escape(shortened(text, width))


def rounded_down(value: float, digits: int) -> float:
    """A lower bound rounded down to `digits` decimal places, so that it remains a lower bound.

    It goes by the digits that people see: 0.0029 stays, although a float of it is 28.999… ten-thousandths.

    >>> rounded_down(0.102669, 4), rounded_down(0.0029, 4)
    (0.1026, 0.0029)
    """
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR))


def at_least(value: float, digits: int = 4) -> str:
    """A lower bound as text, rounded down.

    >>> at_least(0.102669), at_least(0.5)
    ('0.1026', '0.5000')
    """
    return f"{rounded_down(value, digits):.{digits}f}"


UNKNOWN = "–"
"""Shown for a value that could not be computed."""


def share(value: float) -> str:
    """A share in percent; a share strictly between 0 and 1 is never rounded to 0% or 100%.

    >>> share(0.2), share(0.00001), share(0.0), share(0.99999), share(0.1444)
    ('20%', '<0.1%', '0%', '>99.9%', '14.4%')
    """
    if not math.isfinite(value):
        return UNKNOWN
    if 0 < value < 0.001:
        return "<0.1%"
    if 0.999 < value < 1:
        return ">99.9%"
    return f"{round(value * 100, 1) + 0.0:.1f}".removesuffix(".0") + "%"  # + 0.0: avoids minus zero


def figure(value: float, unlimited: str = UNKNOWN) -> str:
    """A number with few digits: integers with thousands separators; infinity as `unlimited`.

    >>> figure(36968.0), figure(6.92521), figure(2), figure(0.123456), figure(1e20)
    ('36,968', '6.925', '2', '0.1235', '1e+20')
    """
    if math.isinf(value):
        return unlimited
    if math.isnan(value):
        return UNKNOWN
    if abs(value) < 1e15 and float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.1f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


BEFORE, AFTER = "#b4bac2", "#1d5fa6"
"""Gray and blue: they also differ in lightness, so they work for color-blind readers and on gray printers."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")


def visible(text: str) -> str:
    """A text without characters that cannot be drawn."""
    return _CONTROL.sub("\ufffd", text)


def distinct_labels(texts: Sequence[str]) -> list[str]:
    """Labels without characters that cannot be drawn, all distinct: zero-width spaces tell apart those that look alike.

    >>> [len(label) for label in distinct_labels(["a", "a", "b"])]
    [1, 2, 1]
    """
    shown = [visible(text) for text in texts]
    return [label + "\u200b" * shown[:place].count(label) for place, label in enumerate(shown)]
