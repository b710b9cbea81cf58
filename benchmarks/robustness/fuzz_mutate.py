"""Ways to spoil a file: bytes, lines and cells, the nesting of YAML, the members of a zip archive."""

from __future__ import annotations

import copy
import io
import json
import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

_LARGEST = 65_536
"""Files grow no larger than this: what is slow for them is slow for its size."""
_BYTES = (0, 1, 9, 10, 13, 32, 34, 39, 44, 59, 0x7F, 0x80, 0x81, 0xA0, 0xC2, 0xE3, 0xED, 0xFE, 0xFF)
_PIECES = (
    b"\xff\xfe", b"\xef\xbb\xbf", b"\x00\x00\xfe\xff", b"\r", b"\r\n", b"\n\n", b'"', b'""', b"'", b",", b";", b"\t",
    b"|", b"\xe3\x81", b"\xed\xa0\x80", b"\x82\xa0", b"\xa4\xa2", b"\x1b$B", b"\xe2\x80\xa8", b"\x0c", b"\x1c", b"\x85",
    b"-1", b"0", b"1e308", b"-1e-320", b"9" * 20, b"9" * 400, b"9" * 5000, b"nan", b"inf", b"-0", b"0.1", b"1.5e3",
    b"2024-02-30", b"0000-01-01", b"9999-12-31", b"2024-13-01T25:00", b"=cmd()", b"*", b"?", b"^a$", b"\\", b"%s", b"{}",
    b"null", b"~", b"true", b"NaN", b"[", b"]", b"{", b"}", b": ", b"- ", b"#", b"&a ", b"*a", b"!!int ", b"!!float ",
    b"!!timestamp ", b"!!binary ", b"!!set ", b"!!omap ", b"!!null ", b"!!bool ", b"<<: ", b"? ", b"|\n", b">\n", b"---\n",
    b"...\n", b"%YAML 9.9\n", b"0x", b"1:99", b"[" * 3000, b"{a: " * 3000, b"- " * 3000,
)  # fmt: skip
_DEEP: list[Any] = []
for _ in range(100):
    _DEEP = [_DEEP]
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, 3, -1, 10**9, 2**31, 2**63, 2**64, 10**400, 0.5, 0.05, 0.0, -0.5, 1.0, 1.5, 1e-3, 1e-9, 1e-17, 1e-300, 5e-324,
    1 - 1e-16, 1e308, float("nan"), float("inf"), "", " ", "x", "1/3", " 1/3 ", "1/0", "0.5", "1e-999999999", "1e999999999", "9" * 5000, "inf",
    "nan", "１/３", "..", "/", "-", "\0", "\n", "a" * 300, "\ud800", [], [[]], {}, [None], [1.5], [True], ["x"], {"x": 1}, {"file": "x"}, _DEEP,
)  # fmt: skip


def spoil(data: bytes, random: Random, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """The file after one to eight random changes; `others` are files to take pieces from, `tokens` its own words."""
    ways: list[Callable[[bytes, Random], bytes]] = [
        _flip,
        _set,
        _cut,
        _remove,
        _repeat,
        _swap,
        _insert,
        _number,
    ]
    if others:
        ways.append(lambda given, source: _splice(given, source.choice(others), source))
    if tokens:
        ways += [lambda given, source: _put(given, source.choice(tokens), source)] * 2
        ways += [lambda given, source: _exchange(given, source.choice(tokens), source)] * 2
    if b"\n" in data[:4096]:
        ways += [_line, _line, _cell, _cell]
    for _ in range(min(1 + int(random.expovariate(0.7)), 8)):
        data = random.choice(ways)(data, random)[:_LARGEST]
    return data


def spoil_archive(data: bytes, random: Random, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """A zip archive with one member spoiled inside, so that what lies in it is reached at all."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (
        zipfile.BadZipFile,
        OSError,
        ValueError,
        KeyError,
        RuntimeError,
        NotImplementedError,
        EOFError,
        zlib.error,
    ):
        members = {}
    if not members or random.random() < 0.3:
        return spoil(data, random, others, ())
    name = random.choice(sorted(members))
    if random.random() < 0.05:
        del members[name]
    else:
        members[name] = spoil(members[name], random, list(members.values()), tokens)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return made.getvalue()


def spoil_json(data: bytes, random: Random, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """A JSON text with values exchanged, removed or added, so that it is read at all; at times any other change."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or random.random() < 0.2:
        return spoil(data, random, others, tokens)
    try:
        return _exchanged(content, random)[:_LARGEST]
    except RecursionError:  # deep things went into deep things
        return spoil(data, random, others, tokens)


def _exchanged(content: dict[str, Any], random: Random) -> bytes:
    """A JSON text after one to four changes of what stands where."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        content.setdefault("format", 1)
        holder, key = random.choice(list(_entries(content)))
        match random.randrange(8):
            case 0:
                del holder[key]
            case 1:
                other, name = random.choice(list(_entries(content)))
                holder[key] = json.loads(json.dumps(other[name]))
            case 2:
                holder[key] = [copy.deepcopy(holder[key]) for _ in range(random.choice((1, 2, 50)))]
            case 3 if isinstance(holder, dict):
                holder[random.choice(("", "k", "m", "query", "type", "\n"))] = holder.pop(key)
            case _:
                holder[key] = copy.deepcopy(random.choice(_VALUES))  # it may be changed in turn
    return json.dumps(content, indent=1, ensure_ascii=random.random() < 0.5).encode("utf-8", "replace")


def _entries(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a JSON value that holds another, as (holder, key)."""
    for key, value in list(content.items() if isinstance(content, dict) else enumerate(content)):
        yield content, key
        if isinstance(value, dict | list):
            yield from _entries(value)


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _flip(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]


def _set(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([random.choice(_BYTES)]) + data[at + 1 :]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)] if random.random() < 0.5 else data[_place(data, random) :]


def _remove(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + data[at + random.choice((1, 2, 4, 8, 64)) :]


def _repeat(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    piece = data[at : at + random.choice((1, 4, 16, 64, 256))]
    return data[:at] + piece * random.choice((2, 3, 20)) + data[at:]


def _swap(data: bytes, random: Random) -> bytes:
    first, second = sorted((_place(data, random), _place(data, random)))
    size = min(random.choice((1, 4, 16)), second - first)
    one, other = data[first : first + size], data[second : second + size]
    return data[:first] + other + data[first + size : second] + one + data[second + size :]


def _insert(data: bytes, random: Random) -> bytes:
    if random.random() < 0.2:
        return _put(data, bytes(random.choice(_BYTES) for _ in range(random.choice((1, 2, 8, 40)))), random)
    return _put(data, random.choice(_PIECES), random)


def _number(data: bytes, random: Random) -> bytes:
    """A length or count of a binary file, or a number of a text, becomes an extreme one."""
    found = list(re.finditer(rb"-?\d+(\.\d+)?", data[:8192]))
    if found and random.random() < 0.7:
        one = random.choice(found)
        new = random.choice(
            (b"0", b"-1", b"1", b"2", b"1000000", b"2147483648", b"9223372036854775808", b"1e300", b"1e-300")
        )
        return data[: one.start()] + new + data[one.end() :]
    at, size = _place(data, random), random.choice((1, 2, 4, 8))
    return data[:at] + random.choice((b"\xff", b"\x00", b"\x7f", b"\x80")) * size + data[at + size :]


def _put(data: bytes, piece: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + piece + data[at:]


def _exchange(data: bytes, word: bytes, random: Random) -> bytes:
    """One word of the file becomes another."""
    found = list(re.finditer(rb"[\w.-]+", data[:16_384]))
    if not found:
        return word
    one = random.choice(found)
    return data[: one.start()] + word + data[one.end() :]


def _splice(data: bytes, other: bytes, random: Random) -> bytes:
    start = _place(other, random)
    piece = other[start : start + random.choice((4, 32, 256, 4096))]
    at = _place(data, random)
    return data[:at] + piece + data[at + random.choice((0, len(piece))) :]


def _line(data: bytes, random: Random) -> bytes:
    """A line is removed, doubled, moved, indented, or joined to the next one."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(random.randrange(len(lines) + 1), lines[at])
        case 2:
            lines.insert(random.randrange(len(lines)), lines.pop(at))
        case 3:
            lines[at] = b" " * random.choice((1, 2, 4)) + lines[at]
        case _:
            lines[at : at + 2] = [b"".join(lines[at : at + 2])]
    return b"\n".join(lines)


def _cell(data: bytes, random: Random) -> bytes:
    """A cell of a delimited line, or an entry of a list, is removed, doubled, emptied, quoted or exchanged."""
    mark = random.choice((b",", b";", b"\t", b" ", b": "))
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    cells = lines[at].split(mark)
    cell = random.randrange(len(cells))
    match random.randrange(5):
        case 0:
            del cells[cell]
        case 1:
            cells.insert(cell, cells[cell])
        case 2:
            cells[cell] = b""
        case 3:
            cells[cell] = b'"' + cells[cell] + b'"'
        case _:
            cells[cell] = random.choice(_PIECES)
    lines[at] = mark.join(cells)
    return b"\n".join(lines)
