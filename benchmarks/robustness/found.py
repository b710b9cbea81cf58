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
    (
        "ledger",
        "a damaged schema: SQLite's statement over several lines, or words that are no UTF-8: UnicodeDecodeError",
        "one line",
    ),
    (
        "Excel",
        "a workbook that claims to have 2147483648 texts or styles: the library asks for 50 GB, the process dies (SIGABRT)",
        "claims beyond the size of the file are refused first",
    ),
    (
        "Excel",
        "one forgotten cell in XFD1048576: the library asks for 500 GB, the process dies (SIGABRT)",
        "the sentence names row and column",
    ),
    ("Excel", "sheets of mixed or broken content: log lines of the library on standard error", "none"),
    (
        "all",
        "names with line ends or control characters, quoted as they are",
        "escaped; sentences beyond 2,000 characters lose their middle",
    ),
    (
        "Arrow",
        "a file that claims to hold more than there is memory: polars ends the process (SIGABRT)",
        "looked through by pyarrow first; one sentence",
    ),
    ("recipe", "two thousand million quantiles: MemoryError (16 GB)", "no more than there are rows"),
    ("recipe", "a mask of thousands of millions of characters", "at most 10,000"),
    (
        "recipe of baskets",
        "km-anonymity against a million known items: a run of hours",
        "nobody knows more items than the longest basket has",
    ),
    ("recipe of baskets", "a file name of 500 characters: OSError", "one sentence"),
    ("recipe of baskets", "k beyond 64 bits: OverflowError", "as more than there are baskets"),
    ("baskets (Parquet)", "items that are durations, bytes or maps: errors of polars", "one sentence"),
    (
        "table",
        "whole numbers beyond 2^63 (UInt64): OverflowError; near 2^63: warnings, InvalidOperationError",
        "released",
    ),
    (
        "table",
        "floats beyond 1e150 in columns that are kept: warnings of overflow in every measure",
        "refused: give them in a greater unit",
    ),
    ("table", "durations written to CSV or Excel: polars' words over several lines", "one sentence"),
    (
        "recipe of baskets",
        "`rho: 2e47483648`: two minutes; `rho: 1e9223372036854775808`: the process died",
        "shares are read in at most 100 characters, with exponents up to 400",
    ),
    (
        "recipe of baskets",
        "eps of 1e-9: 10^17 adversaries to draw; of 1e-300: ZeroDivisionError",
        "more than ten million of each length are refused",
    ),
    (
        "check (baskets)",
        (
            "requirements of a manifest without k, with texts for numbers, with an m or eps that asks for endless work: KeyError, "
            "ValueError, hours, all memory"
        ),
        "the requirement does not hold, and the sentence says why",
    ),
    (
        "check (baskets)",
        (
            "kept sensitive items or ways to read the original of other types: TypeError; a data file named `..`, by a NUL or by "
            "half a sign: ValueError, UnicodeEncodeError; no delimiter: KeyError"
        ),
        "one sentence",
    ),
    (
        "check",
        (
            "k of 400 digits: OverflowError; half a sign in a manifest: UnicodeEncodeError while printing; signs that command a "
            "terminal, printed as they are"
        ),
        "one sentence; escaped",
    ),
    (
        "baskets (JSON)",
        "users numbered by 400 digits: OverflowError; users named by half a sign: UnicodeEncodeError",
        "such numbers are texts; one sentence",
    ),
    (
        "ledger",
        "an entry without a number, texts where bytes are or none, in a file whose schema was damaged: TypeError",
        "a fault that `verify` names; one sentence",
    ),
    (
        "SPSS, Stata, SAS",
        "four bytes that claim 33 million rows: a gigabyte reserved for a file of 1,187 bytes",
        "claims are compared with the size of the file first; one sentence",
    ),
    (
        "SQLite",
        "names of columns or tables that are not UTF-8: UnicodeDecodeError; such texts in cells: polars panics",
        "one sentence",
    ),
    (
        "check",
        "a data file named by 5,000 characters: OSError; likewise folders, originals and sensitive items",
        "as a file that is not there",
    ),
    (
        "any file",
        "a path with a NUL or half a sign: ValueError, UnicodeEncodeError",
        "one sentence",
    ),
    (
        "Excel",
        "a cell named F2147483648, beyond every sheet: the library asks for the cells before it, the process dies (SIGABRT)",
        "places of cells and rows are read whatever their length; one sentence",
    ),
    (
        "internal part of baskets",
        "a sensitive item of thousands of digits: ValueError",
        "an item that is no number",
    ),
    (
        "recipe",
        "intervals of which more than 2^63 neighbors are to be one: OverflowError",
        "all of them are",
    ),
    (
        "Parquet",
        "a page of minus some values: polars asks for 2 million terabytes, the process dies (SIGABRT)",
        "looked through by pyarrow first; one sentence",
    ),
    (
        "SPSS",
        "a name that stands twice: a warning of the library, and a column of another name",
        "one sentence",
    ),
    (
        "Excel",
        "a cell named GNaN4, in column 132,562, which no sheet has: 40 seconds for six rows",
        "one sentence, as of every place beyond a sheet",
    ),
    (
        "baskets",
        "a column named ^a$, which polars takes for a pattern: IndexError",
        "one sentence, as of a table",
    ),
    (
        "Excel",
        "a damaged directory of the archive, which Python refuses and the library reads past: claims went unseen, the process dies (SIGABRT)",
        "one sentence: what cannot be looked at beforehand is not opened",
    ),
    (
        "baskets (JSON)",
        "ids below zero beside ids of 2^63 and more, which no column holds together, and items of 2^63 and more: TypeError",
        "such ids and items are texts",
    ),
    (
        "release",
        "a removed empty text, or one that is how the hierarchy of another column writes its value: said to be left over, no release",
        "labels are searched for values of their own column; empty ones are of groups",
    ),
    (
        "release, randomization",
        "the text `NaN` as a value: the verifier says that its mechanism never releases it, no release",
        "released: a text is compared as a text",
    ),
    (
        "release, microaggregation",
        "numbers around 1e300 or 1e-300 as quasi-identifiers: a warning of numpy, and groups as if all were equal",
        "grouped by their values",
    ),
    (
        "release of baskets",
        "the first item begins with a byte order mark: read as that of the file, no release",
        "such an item is quoted",
    ),
    (
        "release, randomization",
        "all rows are dropped for their missing values: ValueError",
        "one sentence: no row is left to release",
    ),
)
"""Where, what happened, what happens now."""
