"""The figures of a finished release of baskets at a terminal: losses, and what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.display import Block, Line
from sudare.measure.baskets import BASKET_MEASURES
from sudare.release.summary import losses_blocks
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from sudare.release.baskets.release import BasketRelease
    from sudare.words.sentence import Language


def summary(release: BasketRelease, language: Language) -> list[Block]:
    """Losses, and the notes of the methods."""
    blocks: list[Block] = []
    if release.losses:
        blocks += losses_blocks(release.losses, BASKET_MEASURES, language)
    return blocks + [Line(in_language(note, language)) for note in release.notes]
