"""`/ledger` and `/health`: what was released from this server, and that it is there."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Request

from sudare.release.ledger.ledger import Ledger
from sudare.web.api.common import PROBLEMS, Cursor, Limit, language_of, page, settings_of
from sudare.web.problems import sentence_in

router = APIRouter(tags=["service"], responses=PROBLEMS)


@router.get("/health")
def health() -> dict[str, Any]:
    """That the server answers; told without a token, so it says nothing else."""
    return {"status": "ok", "sudare": version("sudare")}


@router.get("/ledger")
def ledger(request: Request, limit: Limit = 50, cursor: Cursor = None) -> dict[str, Any]:
    """The entries of the ledger, the latest first; its head; and whether it is intact. Folders are told by their names."""
    book = Ledger(settings_of(request).ledger)
    head, faults = book.head(), book.verify()
    entries = list(reversed(book.entries()))
    listed = page(entries, limit, cursor, lambda entry: str(entry.number), _told)
    language = language_of(request)
    return {
        **listed,
        "head": None if head is None else str(head),
        "intact": not faults,
        "faults": [sentence_in(fault, language) for fault in faults],
    }


def _told(entry: Any) -> dict[str, Any]:
    details = dict(entry.details)
    if isinstance(details.get("folder"), str):
        details["folder"] = details["folder"].rpartition("/")[2]
    return {**entry.__dict__, "details": details}
