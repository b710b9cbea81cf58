"""Released sets of values, such as {Oslo; Rome}: how they are written, and how they are read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_BETWEEN = "; "


def set_text(values: Iterable[str]) -> str:
    """The text of a set of two or more values."""
    return "{" + _BETWEEN.join(values) + "}"


def set_parts(text: str, known: Container[str | None]) -> list[str]:
    """The values of a released set; empty for a text that is not a set of known values."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    # A value that contains the separator is split into unknown pieces: join pieces until they are a known value.
    found, pending = [], ""
    for part in text[1:-1].split(_BETWEEN):
        pending = pending + _BETWEEN + part if pending else part
        if pending in known:
            found.append(pending)
            pending = ""
    return [] if pending else found
