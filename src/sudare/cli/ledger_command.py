"""`sudare ledger`: what was released here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.options import Json, Language, LedgerPath, check_language

if TYPE_CHECKING:
    from sudare.words.sentence import Texts


def command(
    ledger: LedgerPath = None,
    last: Annotated[int | None, typer.Option(min=1)] = None,
    expect: Annotated[str | None, typer.Option(metavar="NUMBER:CHAIN")] = None,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """List the releases made here, and check that the list is intact."""
    from sudare.cli.show import print_json, print_table, print_verdicts, say_place
    from sudare.errors import InputError
    from sudare.read.source import is_file
    from sudare.release.ledger.ledger import Head, Ledger
    from sudare.release.summary import words_in
    from sudare.words.sentence import in_language

    if ledger is not None and not is_file(ledger):
        raise InputError("cli.ledger.no_file", path=ledger)
    words = words_in(check_language(lang))
    kept = None if expect is None else Head.parse(expect)
    book = Ledger(ledger)
    entries = book.entries(last=last)
    head = book.head()
    found = [*book.verify(), *filter(None, [None if kept is None else book.missing(kept)])]
    faults = [in_language(fault, words.language) for fault in found]
    if json:
        print_json(
            {
                "ledger": str(book.path),
                "head": None if head is None else str(head),
                "intact": not faults,
                "faults": faults,
                "entries": [entry.__dict__ for entry in entries],
            }
        )
    else:
        print_table(
            words("ledger.title", path=book.path),
            [words(f"ledger.{head}") for head in ("time", "event", "run", "what")],
            [
                (
                    entry.time[:19],
                    words.or_else(f"ledger.events.{entry.event}", entry.event),
                    entry.run[:8],
                    entry.details.get("folder") or _reason(entry.details.get("reason", ""), words),
                )
                for entry in entries
            ],
            wide=words.language == "ja",
        )
        if head is not None:
            say_place(words("ledger.head"), head)
        verdicts = [(False, fault) for fault in faults] or [(True, words("ledger.intact"))]
        if kept is not None and not faults:
            verdicts.append((True, words("ledger.contains", number=kept.number)))
        print_verdicts(verdicts, wide=words.language == "ja")
    return 1 if faults else 0


def _reason(kept: str, words: Texts) -> str:
    """Why a run failed: the ledger keeps the English of the kind of error."""
    from sudare import errors

    for name, kind in vars(errors).items():
        if getattr(kind, "summary", None) == kept:
            return words(f"ledger.reasons.{name}")
    return kept
