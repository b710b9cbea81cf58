"""`sudare ledger`: what was released here."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.options import Json, LedgerPath


def command(
    ledger: LedgerPath = None,
    last: Annotated[int | None, typer.Option(min=1, help="Only the last entries.")] = None,
    json: Json = False,
) -> int:
    """List the releases made here, and check that the list is intact.

    Exit code 1: the ledger was tampered with or is damaged.

    Examples:

      sudare ledger

      sudare ledger --last 10 --json
    """
    from sudare.cli.show import print_json, print_table, print_verdicts
    from sudare.release.ledger import Ledger

    book = Ledger(ledger)
    entries = book.entries(last=last)
    faults = book.verify()
    if json:
        print_json(
            {
                "ledger": str(book.path),
                "intact": not faults,
                "faults": faults,
                "entries": [entry.__dict__ for entry in entries],
            }
        )
    else:
        print_table(
            f"Ledger {book.path}",
            ["time (UTC)", "event", "run", "what"],
            [
                (
                    entry.time[:19],
                    entry.event,
                    entry.run[:8],
                    entry.details.get("folder") or entry.details.get("reason", ""),
                )
                for entry in entries
            ],
        )
        print_verdicts([(False, fault) for fault in faults] or [(True, "The ledger is intact.")])
    return 1 if faults else 0
