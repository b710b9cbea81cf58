"""Errors as `application/problem+json`: a kind, a sentence in the asker's language, the fields at fault; never a path."""

from __future__ import annotations

import re
import secrets
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.errors import (
    CancelledError,
    DescriptionError,
    ErrorSentence,
    GuaranteeError,
    InfeasibleError,
    InputError,
    OutputError,
    ParameterError,
    SudareError,
)
from sudare.words.sentence import Sentence, in_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.words.sentence import Language

PROBLEM = "application/problem+json"


class RefusedError(SudareError):
    """A request that the server refuses: what is asked for is absent, forbidden, too large, or not now."""

    def __init__(self, status: int, kind: str, said: str, /, **values: Any) -> None:
        super().__init__(said, **values)
        self.status = status
        """The status of the answer."""
        self.kind = kind
        """The end of the problem's `type`."""

    @property
    def summary(self) -> str:  # type: ignore[override]  # of one request, not of the class
        """What kind of refusal it is."""
        return ErrorSentence(f"web.kinds.{self.kind}")


def absent() -> RefusedError:
    """What is not there, or is not for this user: the two are told alike."""
    return RefusedError(404, "absent", "web.absent")


def forbidden(said: str, /, **values: Any) -> RefusedError:
    """What nobody may do in this way."""
    return RefusedError(403, "forbidden", said, **values)


def conflict(said: str, /, **values: Any) -> RefusedError:
    """What does not fit what is there now."""
    return RefusedError(409, "conflict", said, **values)


def too_large(said: str, /, **values: Any) -> RefusedError:
    """More than the server takes."""
    return RefusedError(413, "too-large", said, **values)


def disk_full() -> RefusedError:
    """No room for what was sent."""
    return RefusedError(507, "disk-full", "web.disk_full")


_KINDS: tuple[tuple[type[SudareError], str, int], ...] = (
    (ParameterError, "parameter", 422),
    (DescriptionError, "description", 422),
    (InputError, "input", 422),
    (InfeasibleError, "infeasible", 409),
    (GuaranteeError, "guarantee", 409),
    (OutputError, "output", 409),
    (CancelledError, "canceled", 409),
)
_STATUS = {
    400: "request",
    401: "unauthorized",
    403: "forbidden",
    404: "absent",
    405: "method",
    413: "too-large",
    422: "request",
}
"""The kinds of what the framework refuses before a route is reached."""
_PATH = re.compile(r"(?<![\w:/.])/(?:[^\s/'\"「」]+/)+(?=[^\s/'\"「」])")
"""The folders of an absolute path."""


def without_folders(sentence: str) -> str:
    """A sentence in which paths have lost their folders, which are nobody's business.

    >>> without_folders("'/srv/sudare/projects/3f/data/patients.csv' has no rows.")
    "'patients.csv' has no rows."
    """
    return _PATH.sub("", sentence)


def kind_of_error(error: SudareError) -> tuple[str, int]:
    """The kind of an error and its status."""
    if isinstance(error, RefusedError):
        return error.kind, error.status
    return next(
        ((kind, status) for known, kind, status in _KINDS if isinstance(error, known)), ("error", 422)
    )


def problem(
    error: SudareError, language: Language = "en", pointers: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """An error as a client receives it; `pointers` are the fields at fault with a sentence each."""
    kind, status = kind_of_error(error)
    detail = without_folders(error.into(language))
    fields = [{"pointer": pointer, "detail": without_folders(said)} for pointer, said in pointers]
    return {
        "type": f"urn:sudare:{kind}",
        "title": str(in_language(ErrorSentence(f"web.kinds.{kind}"), language)),
        "status": status,
        "detail": detail,
        **({"errors": fields} if fields else {}),
    }


def told(error: SudareError) -> dict[str, dict[str, Any]]:
    """An error in both languages, for results that wait for their reader."""
    return {"en": problem(error, "en"), "ja": problem(error, "ja")}


def of_status(status: int, language: Language = "en") -> dict[str, Any]:
    """The problem of what the framework refused, in words of ours."""
    kind = _STATUS.get(status, "request")
    return {
        "type": f"urn:sudare:{kind}",
        "title": str(in_language(ErrorSentence(f"web.kinds.{kind}"), language)),
        "status": status,
        "detail": str(in_language(ErrorSentence(f"web.status.{kind.replace('-', '_')}"), language)),
    }


def unexpected(error: BaseException, language: Language = "en") -> dict[str, Any]:
    """The problem of a fault of ours: an identifier, by which the log says where it happened."""
    number = secrets.token_hex(6)
    log_fault(number, error)
    return {
        "type": "urn:sudare:fault",
        "title": str(in_language(ErrorSentence("web.kinds.fault"), language)),
        "status": 500,
        "detail": str(in_language(ErrorSentence("web.fault", number=number), language)),
        "id": number,
    }


def log_fault(number: str, error: BaseException) -> None:
    """Where a fault happened, on standard error: files and lines, but not the message, which may quote values."""
    places = " < ".join(
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in reversed(traceback.extract_tb(error.__traceback__)[-8:])
    )
    sys.stderr.write(f"sudare: fault {number}: {type(error).__name__} in {places}\n")


def sentence_in(said: str, language: Language) -> str:
    """A sentence in a language, without folders."""
    spoken = in_language(said, language) if isinstance(said, Sentence) else said
    return without_folders(str(spoken))
