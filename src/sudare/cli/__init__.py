"""The command line: thin commands over the library, each in a module of its own.

This module must stay light: `sudare --help` prints a page of `words/` without importing any of the commands.
"""

from __future__ import annotations

import gc
import os
import sys

COMMANDS = (
    "demo",
    "describe",
    "assess",
    "run",
    "check",
    "measure",
    "crosstab",
    "compare",
    "experiment",
    "ledger",
    "catalogue",
    "schema",
    "serve",
)
"""In the order of the front page."""

_HELP = {"--help", "-h", "help"}
_BETWEEN_COLLECTIONS = 200_000
"""Objects that are made before the first look for garbage; Python has 700."""


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the `sudare` command; the exit code."""
    # polars gives memory back half a second after it was freed; a release fills it again before, with arrays of numpy.
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
    # Threads for products of matrices sleep until they are needed; else they run idle for 30 ms once numpy is loaded.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    if arguments is not None:
        return _answer(arguments)
    # A process of its own: loading libraries makes no garbage to look for, and what is left at the end needs no sorting out.
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    code = _answer(sys.argv[1:])
    gc.freeze()
    return code


def _answer(given: list[str]) -> int:
    if not given or given[0] in _HELP or (given[0].startswith("--lang") and given[-1] in _HELP):
        _print_front_page(given)
        return 0
    if given[0] == "--version":
        from sudare import __version__

        print(f"sudare {__version__}")
        return 0
    try:
        from sudare.cli.frame import run_command

        return run_command(given[0], given[1:])
    except KeyboardInterrupt:
        # Pressed while the libraries were still loading.
        from sudare.cli.language import asked_language
        from sudare.errors import CancelledError

        sentence = CancelledError("cli.canceled").into(asked_language(given[1:]))
        print(f"sudare: {sentence}", file=sys.stderr)
        return 130


def _print_front_page(given: list[str]) -> None:
    from sudare.cli.language import asked_language
    from sudare.words.sentence import texts

    words = texts(asked_language(given), "help")
    listed = "\n".join(f"  {name:10} {words(f'{name}.about')}" for name in COMMANDS)
    print(words("front", commands=listed), end="")
