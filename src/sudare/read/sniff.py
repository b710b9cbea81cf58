"""Guess how a text file is written: its encoding, its delimiter and its quote character.

The caller can override every guess. Encodings are tried from the strictest to the laxest: byte order
marks, UTF-8, the two Japanese multi-byte encodings (distinguished by how ordinary the decoded text would be),
Western European, then `charset-normalizer`, and Latin-1, which decodes anything.
"""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from dataclasses import dataclass

DELIMITERS = (",", "\t", ";", "|")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 65_536
_SAMPLE_RECORDS = 100
_JAPANESE_ENOUGH = 0.6
_NOT_OF_FILES = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""Codecs that Python provides for purposes other than files."""
_WESTERN = re.compile(r"[\x00-\x7fÀ-ÿŒœŠšŽžŸ€£§©®°ª²³µ·º«»¿¡‘’“”–—…\xa0]*")


@dataclass(frozen=True)
class Dialect:
    """How the records of a text are written."""

    delimiter: str
    quote: str | None


def detect_encoding(data: bytes) -> str:
    """The name of a codec; decoding the same bytes with it fails only for nearly valid UTF-8."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    if _decodes(data, "utf-8"):
        return "utf-8"
    sample = _lines_beyond_ascii(data)
    if _is_nearly_utf8(sample):
        return "utf-8"
    japanese = [name for name in ("cp932", "euc_jp") if _decodes(data, name)]
    likeness = {name: _japanese_likeness(sample.decode(name)) for name in japanese}
    if likeness and max(likeness.values()) >= _JAPANESE_ENOUGH:
        return max(likeness, key=lambda name: likeness[name])
    western = "cp1252" if re.search(rb"[\x80-\x9f]", data) else "latin-1"
    if _decodes(data, western) and _is_western(sample.decode(western, "replace")):
        return western
    return _normalizer_guess(data, sample) or "latin-1"


def decode(data: bytes, encoding: str) -> str:
    """The decoded text; LookupError if no files use this encoding, UnicodeDecodeError if the bytes do not fit it."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):  # a name may contain characters that no codec name has
        raise LookupError(encoding) from None
    if name in _NOT_OF_FILES:
        raise LookupError(encoding)
    return data.decode(encoding)


def sniff_dialect(text: str, delimiter: str | None = None) -> Dialect:
    """Delimiter (unless given) and quote character of a text, from its first records.

    The delimiter is the candidate for which the most records are as wide as the first; on a tie, the one
    that gives the most cells. A text that no candidate splits is a table with one column.
    """
    sample, complete = _beginning(text)
    if delimiter is None:
        scores = {candidate: _agreement(sample, complete, candidate) for candidate in DELIMITERS}
        best = max(DELIMITERS, key=lambda candidate: scores[candidate])  # the first on a tie
        delimiter = best if scores[best] > (0.0, 0) else ","
    if _is_quoted_by_apostrophe(sample, delimiter):
        return Dialect(delimiter, "'")
    return Dialect(delimiter, '"' if '"' in text else None)


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _lines_beyond_ascii(data: bytes) -> bytes:
    """The first lines that contain a byte above 0x7F: only they distinguish encodings."""
    lines: list[bytes] = []
    size = 0
    for match in re.finditer(rb"[^\r\n]*[\x80-\xff][^\r\n]*", data):
        lines.append(match.group())
        size += len(lines[-1])
        if size > _SAMPLE_BYTES:
            break
    return b"\n".join(lines)


def _is_nearly_utf8(sample: bytes) -> bool:
    """Whether nine tenths of the bytes above 0x7F belong to valid UTF-8: then the file is damaged UTF-8."""
    high = sum(byte > 0x7F for byte in sample)
    valid = sum(byte > 0x7F for byte in sample.decode("utf-8", "ignore").encode())
    return valid >= 0.9 * high


def _japanese_likeness(text: str) -> float:
    """Mean ordinariness, from 0 to 1, of the characters beyond ASCII, read as Japanese.

    Kana, Japanese punctuation, full-width forms and kanji of JIS level 1 count 1, kanji of level 2 count 0.2.
    Half-width katakana count 0.8, but only in runs of their own: alone or next to a Latin letter they are
    the accented letters of a European text, which CP932 decodes without complaint.
    """
    beyond = len(re.findall(r"[^\x00-\x7f]", text))
    score = float(len(re.findall(r"[\u3000-\u30ff\uff01-\uff5e]", text)))
    for kanji in re.findall(r"[\u4e00-\u9fff]", text):
        score += 1.0 if b"\xb0" <= kanji.encode("euc_jp", "replace")[:1] <= b"\xcf" else 0.2
    for run in re.findall(r"(?<![A-Za-z\uff61-\uff9f])[\uff61-\uff9f]{2,}(?![A-Za-z\uff61-\uff9f])", text):
        score += 0.8 * len(re.findall(r"[\uff66-\uff9f]", run))
    return score / beyond if beyond else 0.0


def _is_western(text: str) -> bool:
    """Whether all characters are Western European, without three non-ASCII letters in a row unless all are equal."""
    return _WESTERN.fullmatch(text) is not None and re.search(r"([À-ÿ])(?!\1\1)[À-ÿ]{2}", text) is None


def _normalizer_guess(data: bytes, sample: bytes) -> str | None:
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample).best()
    return best.encoding if best is not None and _decodes(data, best.encoding) else None


def _beginning(text: str) -> tuple[list[str], bool]:
    """The first lines of a text, and whether they are the whole text."""
    size = 16 * _SAMPLE_BYTES
    lines = text[:size].splitlines(keepends=True)
    if len(text) > size and len(lines) > 1:
        lines.pop()
    return lines, len(text) <= size


def _agreement(lines: list[str], complete: bool, delimiter: str) -> tuple[float, int]:
    """Share of the records that are as wide as the first, and that width; zeros if the width is one."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        widths = [len(record) for record in itertools.islice(reader, _SAMPLE_RECORDS) if record]
    except csv.Error:
        return 0.0, 0
    if not complete and len(widths) > 2:
        widths.pop()
    if not widths or widths[0] == 1:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def _is_quoted_by_apostrophe(lines: list[str], delimiter: str) -> bool:
    """Whether every line has a cell in apostrophes and none has a cell that begins with a double quote.

    Every line must qualify because an apostrophe is also an ordinary character in names.
    """
    boundary = rf"(?:^|{re.escape(delimiter)}) ?"
    opened = re.compile(boundary + "'")
    enclosed = re.compile(boundary + rf"'(?:[^']|'')*'(?=$|{re.escape(delimiter)})")
    double = re.compile(boundary + '"')
    seen = False
    for line in lines[:_SAMPLE_RECORDS]:
        content = line.rstrip("\r\n")
        if not content:
            continue
        quoted = len(enclosed.findall(content))
        if quoted == 0 or quoted != len(opened.findall(content)) or double.search(content):
            return False
        seen = True
    return seen
