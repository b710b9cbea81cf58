"""Errors: each names the value given, the rule it broke and what to do next, in one sentence.

The texts are in `words/en/errors/` and `words/ja/errors/`, one file for each package of the code. An error is raised
with the key of its sentence and the values that the sentence quotes:

    raise InputError("read.no_file", path=path)

`str(error)` is the sentence in English, `error.into("ja")` in Japanese.
"""

from __future__ import annotations

import difflib
import os
import re
from typing import TYPE_CHECKING, Any, cast, get_args
from urllib.parse import unquote

from sudare.words.sentence import Language, Sentence, Texts, enumerated, in_language

if TYPE_CHECKING:
    from collections.abc import Iterable


_LONGEST = 200
"""The number of characters of a value that a sentence quotes."""
_LONGEST_SENTENCE = 2000
_LONGEST_NAME = 60
"""The number of characters shown of each name in a list of choices."""
_MOST_LISTED, _CLOSEST, _ALIKE = 20, 5, 0.4
"""Up to so many names are all listed; of more, the closest."""


_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
    r"|[\U000e0000-\U000e007f]"
)
"""Characters that end a line, control a terminal, reverse or hide what is written, and lone surrogates."""


_KEY = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")


class ErrorSentence(Sentence):
    """The sentence of an error, or part of one, given by its key: `ErrorSentence("read.no_file", path=path)`."""

    __slots__ = ()

    area = "errors"

    @classmethod
    def _rendered(cls, words: Texts, key: str, values: dict[str, Any]) -> str:
        """The sentence without the passwords that its values quote."""
        return super()._rendered(
            words, key, {name: _without_password(value) for name, value in values.items()}
        )


class SudareError(Exception):
    """Base class of everything Sudare raises on purpose; `str(error)` is a sentence for the user, in English.

    It is raised with the key of the sentence and the values that the sentence quotes. It also accepts a finished
    sentence, and plain text from methods and distances that are not part of Sudare. The sentence may show values of
    the data. `summary` never does, so the ledger records only the summary.
    """

    summary = "an error"

    def __init__(self, said: str = "", /, **values: Any) -> None:
        is_key = not isinstance(said, Sentence) and _KEY.fullmatch(said)
        self.sentence: str = ErrorSentence(said, **values) if is_key else said
        """The message: text that remembers its key, so that it can be rendered in any language."""
        super().__init__(self.into("en"))

    def into(self, language: Language) -> str:
        """The sentence in the given language."""
        said = in_language(self.sentence, language)
        return _presentable(said if isinstance(said, Sentence) else redact(said))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sentence,)


class InputError(SudareError):
    """A file, database or frame cannot be read as requested."""

    summary = "the source could not be read as asked"


class DescriptionError(SudareError):
    """Roles, kinds or hierarchies do not fit the table."""

    summary = "the description does not fit the table"


class ParameterError(SudareError):
    """A parameter of a method, requirement, measure or recipe is not allowed."""

    summary = "a parameter is not allowed"


class InfeasibleError(SudareError):
    """No release of this table can satisfy the requirement (within the limits that were set)."""

    summary = "no release can satisfy the requirements"


class GuaranteeError(SudareError):
    """The verification of a release failed; nothing was released."""

    summary = "the guarantee did not hold"


class OutputError(SudareError):
    """A release, report or ledger cannot be written."""

    summary = "the release could not be written"


class CancelledError(SudareError):
    """The user canceled; nothing was written."""

    summary = "canceled by the user"


def _presentable(sentence: str) -> str:
    """A sentence on one line, with its middle cut out if it quotes names of thousands of characters.

    A name or value that it quotes may contain line breaks or characters that control a terminal.
    """
    line = one_line(str(sentence))
    return line if len(line) <= _LONGEST_SENTENCE else f"{line[:1000]} … {line[-300:]}"


def one_line(text: str) -> str:
    r"""A text on one line, with control characters escaped: what it quotes may contain anything.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def shown(value: object) -> str:
    """A value as an error message quotes it: in full if it is short, otherwise its beginning.

    >>> shown([1, "a"]), len(shown("a" * 10_000))
    ("[1, 'a']", 201)
    """
    try:
        text = redact(repr(value))  # before it is cut, where the sign that ends a password may be lost
    except (ValueError, RecursionError):  # integers with thousands of digits, endlessly nested lists
        text = ErrorSentence("hint.too_long", kind=type(value).__name__)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_ADDRESS = re.compile(r"([A-Za-z][\w+.-]{1,40}):(/+)")
"""The beginning of an address. A drive has one letter."""
_DATABASES = (
    r"(?:postgres|postgresql|mysql|mariadb|mssql|sqlserver|oracle|redshift|cockroachdb|jdbc)[\w+.:-]{0,40}?"
)
_IS_DATABASE = re.compile(_DATABASES, re.IGNORECASE)
_PLACE = re.compile(
    r"(?:\[[0-9A-Fa-f:.%]*\]|[^:/@\[\]]*)(?::[0-9]{0,5})?(?:,[^:/@,]*(?::[0-9]{0,5})?)*(?:/[^:@]*)?"
)
"""Hosts with their ports, and a path."""
_BEFORE_PASSWORD = re.compile(rf"[A-Za-z][\w+.-]{{1,40}}:/+(?=[^\s/@:]*:)|\b{_DATABASES}:/*", re.IGNORECASE)
"""What stands before a user, a password and a sign `@`."""
_WITHOUT_AT = re.compile(
    rf"(\b{_DATABASES}:/+)(?!…)[^\s/@:]{{0,200}}:(?![0-9]{{1,5}}(?:[^\w]|$)).*", re.IGNORECASE | re.DOTALL
)
_SETTING = re.compile(r"([\w.%-]{1,40})(?:['\"]|\\['\"])?\s{0,9}(?:=|:(?!/))")
_SECRETS = ("password", "passwd", "passphrase", "pwd", "secret")
"""How the names of settings end that hold a secret."""
_HARMLESS = frozenset(
    [
        "host",
        "hostaddr",
        "port",
        "dbname",
        "user",
        "sslmode",
        "sslrootcert",
        "sslcert",
        "sslkey",
        "gssencmode",
        "channel_binding",
        "connect_timeout",
        "application_name",
        "options",
        "target_session_attrs",
        "client_encoding",
        "keepalives",
        "load_balance_hosts",
    ]
)
"""Settings of an address that a recipe needs and that are not secret."""


def redact(text: str, *, settings: bool = False) -> str:
    """A text without passwords, for messages, manifests, the ledger and drafts: the only function that removes them.

    The text may be the address of a database, as it should be or not, settings such as `host=db password=…`, or
    anything that quotes them. If it is unclear where a password ends, more than the password is left out. An address
    loses its settings (behind the question mark) as well; with `settings`, it keeps those that are known to be harmless.

    >>> redact("postgresql://ann:s3cret@db.example:5432/hospital?sslmode=require")
    'postgresql://ann@db.example:5432/hospital'
    >>> redact("host=db.example user=ann password=s3cret")
    'host=db.example user=ann password=…'
    """
    begin = _ADDRESS.match(text)
    if begin is not None and (_IS_DATABASE.fullmatch(begin[1]) or "@" in text):
        return _redacted_address(begin[0], text[begin.end() :], settings=settings)
    end = text.rfind("@")
    before = _BEFORE_PASSWORD.search(text, 0, max(end, 0))
    if before is not None:
        text = f"{text[: before.end()]}…{text[end:]}"
    text = _WITHOUT_AT.sub(r"\1…", text)
    for setting in _SETTING.finditer(text):
        if _is_secret(setting[1]):
            return f"{text[: setting.end()]}…"
    return text


def _redacted_address(begin: str, rest: str, *, settings: bool) -> str:
    place, _, given = rest.partition("?")
    who, at, where = place.rpartition("@")
    pairs = [pair.partition("=") for pair in given.split("&") if pair]
    # Without a name and a value each, they may be the end of a password with a question mark in it.
    unclear = "@" in given and (":" in who or not at or not all(equals for _, equals, _ in pairs))
    if unclear or not _PLACE.fullmatch(where) or ("/" in who and ":" not in who):
        return f"{begin}…"
    kept = [f"{name}={value}" for name, _, value in pairs if settings and name in _HARMLESS]
    return f"{begin}{who.partition(':')[0]}{at}{where}{'?' if kept else ''}{'&'.join(kept)}"


def _is_secret(name: str) -> bool:
    return unquote(name).lower().endswith(_SECRETS)


def _without_password(value: Any) -> Any:
    """What a sentence quotes, without passwords; a path that has none stays a path."""
    if isinstance(value, Sentence) or not isinstance(value, str | os.PathLike):
        return value
    text = str(value)
    hidden = redact(text)
    return value if hidden == text else hidden


def did_you_mean(given: str, allowed: Iterable[str]) -> ErrorSentence:
    """The end of a sentence about an unknown name: the closest name if one is similar, else the list of valid names.

    >>> did_you_mean("mondrain", ["mondrian", "sample"])
    "did you mean 'mondrian'?"
    >>> did_you_mean("zzz", ["mondrian", "sample"])
    "choose one of 'mondrian', 'sample'."
    """
    names = [str(name) for name in allowed]
    # Names in Japanese are short: of two characters, one that differs is half of the name.
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.6 if given.isascii() else 0.5)
    if near:
        return ErrorSentence("hint.did_you_mean", name=near[0][:_LONGEST_NAME])
    if not names:
        return ErrorSentence("hint.nothing")
    few = names
    if len(names) > _MOST_LISTED:
        if not difflib.get_close_matches(given, names, n=1, cutoff=_ALIKE):
            return ErrorSentence("hint.none_alike", count=len(names))
        few = difflib.get_close_matches(given, names, n=_CLOSEST, cutoff=0)
    listed = enumerated(ErrorSentence("hint.name", name=name[:_LONGEST_NAME]) for name in few)
    if len(few) < len(names):
        return ErrorSentence("hint.choose_more", names=listed, more=len(names) - len(few))
    return ErrorSentence("hint.choose", names=listed)


def language_of(given: object) -> Language:
    """The given language, after checking that it exists."""
    if given not in get_args(Language):
        raise ParameterError("hint.language", given=shown(given))
    return cast("Language", given)
