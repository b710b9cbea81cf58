"""Terminal output: tables that fit 80 columns, JSON, progress bars.

rich is loaded when something is laid out: JSON for another program needs none of it.
"""

from __future__ import annotations

import json
import math
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sudare.cli.beside import Beside
from sudare.display import WIDTH, Block, Grid, Line, Marked, folded, width_of
from sudare.errors import one_line
from sudare.kernels.core.compiling import compiling_told
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

    from sudare.words.sentence import Language

_FIGURE = re.compile(r"[-+±<≤≥]?[\d,.]+%?")
"""What must not be broken into two lines: it would be read as another number."""
_NARROWEST = 16
"""A column that must be folded keeps so much."""
_COMMANDING = re.compile(
    r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\U000e0000-\U000e007f]"
)
"""Signs that reverse or hide what a terminal shows, and halves of signs, which JSON can spell and no file can hold."""


def console() -> Console:
    """Standard output, at most 80 columns wide so that it can be pasted anywhere."""
    from rich.console import Console

    measured = Console()
    return Console(width=min(measured.width, WIDTH), highlight=False)


def print_json(content: Any) -> None:
    """One JSON document on standard output; infinite numbers become null."""
    text = json.dumps(_plain(content), ensure_ascii=False, indent=2, allow_nan=False)
    print(json_line(text))


def json_line(text: str) -> str:
    """JSON with everything that commands a terminal spelled out, which is the same JSON."""
    return _COMMANDING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def print_table(
    title: str, headers: Sequence[str], rows: Iterable[Sequence[Any]], *, wide: bool = False
) -> None:
    """A table with wrapped cells; `wide` as in `say`."""
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    out = console()
    cells = [[_harmless(str(cell)) for cell in row] for row in rows]
    headers = [_harmless(header) for header in headers]
    if wide:
        _fold_widest(cells, headers, out.width)
    # Not as the title of the table, which would break at its width and be filled with blanks up to it.
    above = _harmless(title)
    for line in Text(folded(above, out.width) if wide else above, style="bold").wrap(out, out.width):
        line.rstrip()
        out.print(line)
    table = Table(header_style="bold", expand=False)
    for header, width in zip(headers, _widths(headers, cells, out.width), strict=True):
        table.add_column(escape(header), overflow="fold", width=width)
    for row in cells:
        table.add_row(*map(escape, row))
    out.print(table)


def _widths(headers: Sequence[str], cells: Sequence[Sequence[str]], room: int) -> list[int | None]:
    """Widths of columns so that the table fits: the widest are narrowed, but no word of a header and no figure breaks.

    Where that is impossible, rich decides.
    """
    widths: list[int] = []
    least: list[int] = []
    for header, *column in zip(headers, *cells, strict=True):
        lines = [line for text in (header, *column) for line in text.split("\n")]
        figures = [cell for cell in column if _FIGURE.fullmatch(cell)]
        widths.append(max(map(width_of, lines), default=1))
        least.append(max(map(width_of, [*header.split(), *figures]), default=1))
    # Beside its widest line a column has a blank on either side and a rule; the table has one rule more.
    left = room - 3 * len(widths) - 1
    if sum(least) > left:
        return [None] * len(widths)
    while sum(widths) > left:
        at = max(range(len(widths)), key=lambda place: (widths[place] > least[place], widths[place]))
        widths[at] -= 1
    return list(widths)


def _fold_widest(cells: list[list[str]], headers: Sequence[str], width: int) -> None:
    """Break the cells of the widest column where the table would be too wide."""
    columns = zip(headers, *cells, strict=True)
    widths = [max(width_of(line) for cell in column for line in cell.split("\n")) for column in columns]
    widest = max(range(len(widths)), key=widths.__getitem__)
    # Beside its widest line a column has a blank on either side and a rule; the table has one rule more.
    room = widths[widest] - max(sum(widths) + 3 * len(widths) + 1 - width, 0)
    for row in cells:
        row[widest] = "\n".join(folded(line, max(room, _NARROWEST)) for line in row[widest].split("\n"))


def _harmless(cell: str) -> str:
    """A cell, which may have several lines, without signs that command a terminal."""
    return "\n".join(map(one_line, cell.split("\n")))


def print_verdicts(rows: Iterable[tuple[bool, str]], *, wide: bool = False) -> None:
    """Sentences with a mark for what holds and what does not; `wide` as in `say`."""
    from rich.markup import escape

    out = console()
    for holds, sentence in rows:
        mark = "[green]✓[/green]" if holds else "[red]✗[/red]"
        line = one_line(sentence)
        out.print(f"{mark} {escape(folded(line, out.width, start=2) if wide else line)}")


def say(sentence: str, *, wide: bool = False) -> None:
    """Words for people, wrapped: between words, or (`wide`) between any two signs, as Japanese is set."""
    from rich.markup import escape

    out = console()
    harmless = _harmless(sentence)
    out.print(escape(folded(harmless, out.width) if wide else harmless))


def say_place(label: str, place: object) -> None:
    """A path or command to copy: never wrapped."""
    from rich.markup import escape

    console().print(escape(_harmless(f"{label}{place}")), soft_wrap=True)


def print_blocks(blocks: Iterable[Block], language: Language) -> None:
    """What a study or a release says, part by part."""
    wide = language == "ja"
    for block in blocks:
        if isinstance(block, Marked):
            print_verdicts(block.lines, wide=wide)
        elif isinstance(block, Grid):
            print_table(block.title, block.heads, block.rows, wide=wide)
        elif isinstance(block, Line):
            say(block.text, wide=wide)
        else:
            say_place(block.label, block.place)


@contextmanager
def progress_bar(
    *, quiet: bool, language: Language = "en", beside: Beside | None = None
) -> Iterator[Progress]:
    """One bar for the whole command on standard error while it is a terminal, with the time left.

    It names the phase under way, or says that kernels are compiled and how long that will take; a second process compiles
    some of them. Ctrl-C stops the work between two updates.
    """
    beside = beside or Beside()
    if quiet or not sys.stderr.isatty():
        with beside, compiling_told(beside):
            yield SILENT
        return
    from sudare.cli.bar import shown_bar

    with shown_bar(beside, language) as progress, beside, compiling_told(beside):
        yield progress


def _plain(content: Any) -> Any:
    if isinstance(content, dict):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_plain(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
