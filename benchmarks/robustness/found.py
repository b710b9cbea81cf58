"""What the robustness pass has found so far, and what was done about it: for the page, newest last."""

from __future__ import annotations

FOUND: tuple[tuple[str, str, str], ...] = (
    (
        "recipe",
        "hundreds of brackets: the parser in C overflowed its stack, the process died (segmentation fault)",
        "more than 100 levels are refused before anything is built",
    ),
    (
        "recipe",
        "`2001-99-99`, `!!int x`, `!!bool x`, `!!set x`, 5,000 digits: ValueError, KeyError",
        "the line and the value are named",
    ),
    (
        "recipe",
        "aliases of aliases that stand for a thousand million values",
        "more than a million are refused",
    ),
    ("recipe", "`&a [*a]`, a list that contains itself", "refused by name"),
    ("recipe", "a column named `-1`: IndexError while the error was told", "told"),
    (
        "recipe, command line",
        "an empty requirement or method (`--require ''`): ValueError",
        "the list of what there is",
    ),
    ("recipe", "a value of thousands of characters, quoted whole", "its first 200 characters are quoted"),
    ("recipe", "intervals of width 1e300: OverflowError, InvalidOperation", "computed"),
    (
        "text, baskets, hierarchy",
        "encodings that Python has for itself (punycode, idna, undefined), a name with a NUL: UnicodeError, ValueError",
        "not known, as any other",
    ),
    (
        "baskets (JSON)",
        "lists in lists without end, numbers of thousands of digits: RecursionError, ValueError",
        "the line is named",
    ),
    (
        "hierarchy (JSON)",
        "numbers that are not whole, or beyond 32 bits: a warning, or another tree",
        "refused",
    ),
    ("hierarchy (JSON)", "lists in lists without end: RecursionError", "refused"),
    (
        "Parquet",
        "metadata that polars thinks impossible: a panic, past `except Exception`, with words on standard error",
        "the sentence of a file that cannot be read, and nothing else",
    ),
    ("check", "released data of which only commas are left: DuplicateError", "one sentence"),
    ("ledger", "a damaged schema: SQLite's statement over several lines", "one line"),
)
"""Where, what happened, what happens now."""
