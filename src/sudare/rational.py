"""Shares as exact fractions, read from numbers and from texts that may be untrusted."""

from __future__ import annotations

from fractions import Fraction
from numbers import Real
from typing import Any

from sudare.errors import ErrorSentence, shown

_LONGEST = 100
"""The maximum length of a text that is read."""
_LARGEST_EXPONENT = 400
"""The smallest 64-bit float is 5e-324; computing 1e2000000000 would take minutes or crash the process."""


def exact_share(given: Any, name: str) -> Fraction:
    """A share exactly as it was written: 0.3 is 3/10, not the nearest binary number, and "1/3" is a third.

    Raises:
        ValueError: it is not a share, or too long to compute with; the message is a sentence about `name`.

    >>> exact_share(0.3, "rho"), exact_share(" 1/3 ", "rho")
    (Fraction(3, 10), Fraction(1, 3))
    >>> exact_share("1e-99999999", "rho")
    Traceback (most recent call last):
    ValueError: 'rho' is '1e-99999999', which is too long to compute with; write it in at most 100 characters, without an exponent beyond 400.
    """
    if isinstance(given, Fraction):
        value: Fraction | None = given
    elif isinstance(given, str):
        value = _read(given, name)
    elif not _is_number(given) or not 0 <= given <= 1:
        value = None
    else:
        value = _read(str(given), name)
    if value is None or not 0 <= value <= 1:
        raise ValueError(ErrorSentence("rational.not_a_share", name=name, given=shown(given)))
    return value


def _read(text: str, name: str) -> Fraction | None:
    """The number that a text represents; None if it is not a number."""
    if len(text) > _LONGEST or _exponent(text) > _LARGEST_EXPONENT:
        raise ValueError(
            ErrorSentence(
                "rational.too_long",
                name=name,
                given=shown(text),
                characters=_LONGEST,
                exponent=_LARGEST_EXPONENT,
            )
        )
    try:
        # Digits of other scripts can look like different digits, and other programs do not accept them in a manifest.
        return Fraction(text) if text.isascii() else None
    except (ValueError, ZeroDivisionError):
        return None


def _is_number(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)


def _exponent(text: str) -> int:
    try:
        return abs(int(text.lower().partition("e")[2]))
    except ValueError:
        return 0
