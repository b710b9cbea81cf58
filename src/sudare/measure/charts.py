"""What charts share: colors, and labels that are visible and distinct."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BEFORE, AFTER = "#b4bac2", "#1d5fa6"
"""Gray and blue: they also differ in lightness, so they work for color-blind readers and on gray printers."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")


def visible(text: str) -> str:
    """A text without characters that cannot be drawn."""
    return _CONTROL.sub("\ufffd", text)


def distinct_labels(texts: Sequence[str]) -> list[str]:
    """Labels without characters that cannot be drawn, all distinct: zero-width spaces tell apart those that look alike.

    >>> [len(label) for label in distinct_labels(["a", "a", "b"])]
    [1, 2, 1]
    """
    shown = [visible(text) for text in texts]
    return [label + "\u200b" * shown[:place].count(label) for place, label in enumerate(shown)]
