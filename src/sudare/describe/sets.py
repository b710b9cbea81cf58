"""Released sets of values, such as {Oslo; Rome}: how they are written, and how they are read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_BETWEEN = "; "


def set_text(values: Iterable[str]) -> str:
    """The text of a set of two or more values."""
    return "{" + _BETWEEN.join(values) + "}"


def set_size(text: str, known: Container[str | None]) -> int:
    """How many values a released set holds; 0 for a text that is not a set of known values."""
    if not (text.startswith("{") and text.endswith("}")):
        return 0
    parts = text[1:-1].split(_BETWEEN)
    # A value that holds the separator itself comes in pieces that are not known: pieces are joined until they are.
    count, pending = 0, ""
    for part in parts:
        pending = pending + _BETWEEN + part if pending else part
        if pending in known:
            count, pending = count + 1, ""
    return 0 if pending else count
