"""The command line: thin commands over the library, each in a module of its own.

This module must stay light: `sudare --help` prints from the table below without importing anything else.
"""

from __future__ import annotations

import sys

COMMANDS = {
    "demo": "Do the whole job on a made-up hospital table.",
    "describe": "Guess roles and hierarchies of a table into a recipe to edit.",
    "assess": "Say how risky a table is and whether the requirements are possible.",
    "run": "Anonymize, verify, measure and write the release of a recipe.",
    "check": "Recompute the guarantee of a release from its files alone.",
    "measure": "Measure what was lost between a table and its release.",
    "crosstab": "Rebuild a cross tabulation from randomized data.",
    "compare": "Put several releases on a risk-utility plot.",
    "experiment": "Repeat a table or figure of the papers.",
    "ledger": "List the releases made here, and check that the list is intact.",
    "catalogue": "List requirements, methods, hierarchies and measures.",
    "schema": "Print the JSON Schema of recipes.",
}

_USAGE = """\
Usage: sudare COMMAND [OPTIONS]

  Publish data about people without publishing the people.

Commands:
{commands}

Options:
  --help     Show this page; `sudare COMMAND --help` shows a command's options.
  --version  Show the version.

Examples:
  sudare demo
  sudare describe patients.csv
  sudare run patients.recipe.yaml
  sudare check release/

Exit codes: 0 done and the guarantee holds, 1 it does not hold (nothing was
released), 2 wrong use or bad input, 130 canceled.
"""


def main(arguments: list[str] | None = None) -> int:
    """Entry point of the `sudare` command; the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given or given[0] in {"--help", "-h", "help"}:
        listed = "\n".join(f"  {name:10} {about}" for name, about in COMMANDS.items())
        print(_USAGE.format(commands=listed), end="")
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
