"""What charts share: colors, and labels that can be seen and told apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BEFORE, AFTER = "#b4bac2", "#1d5fa6"
"""Gray and blue: they differ in lightness too, so they survive color blindness and gray printers."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")


def visible(text: str) -> str:
    """A text without signs that cannot be drawn."""
    return _CONTROL.sub("\ufffd", text)


def distinct_labels(texts: Sequence[str]) -> list[str]:
    """Labels without signs that cannot be drawn, no two alike: zero-width spaces keep apart what looks the same.

    >>> [len(label) for label in distinct_labels(["a", "a", "b"])]
    [1, 2, 1]
    """
    shown = [visible(text) for text in texts]
    return [label + "\u200b" * shown[:place].count(label) for place, label in enumerate(shown)]
