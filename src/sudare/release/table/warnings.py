"""What a release of a table warns of when it looks at the released values: each function yields the warnings of one kind."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from sudare.assess.requirement import BlockRequirement
from sudare.describe.spelling import alike_values
from sudare.errors import shown
from sudare.release.warnings import ReleaseWarning
from sudare.words.sentence import Sentence, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table

_NAMED = 5
"""Groups of spellings, and spellings in a group, that are quoted."""


def spellings(released: Table, requirements: Sequence[Requirement]) -> Iterator[str]:
    """Released sensitive values that a requirement counted as one, because a reader would."""
    columns = dict.fromkeys(
        rule.column
        for requirement in requirements
        if isinstance(requirement, BlockRequirement)
        for rule in requirement.rules(released)
        if rule.column is not None and rule.spelling == "alike"
    )
    for column in columns:
        groups = alike_values(released.codes(column))
        for group in groups[:_NAMED]:
            *others, last = _quoted(group[:_NAMED])
            key = "one" if len(group) <= _NAMED else "cut"
            more = {} if len(group) <= _NAMED else {"more": len(group) - _NAMED}
            yield ReleaseWarning(
                f"table.spelling.{key}", spellings=enumerated(others), last=last, column=column, **more
            )
        if len(groups) > _NAMED:
            yield ReleaseWarning("table.spelling.groups", count=len(groups) - _NAMED, column=column)


def _quoted(group: Sequence[str | None]) -> list[str]:
    """Values in quotation marks; where two look the same, with the numbers of their characters."""
    texts = [text for text in group if text is not None]
    looks = {unicodedata.normalize("NFC", shown(text)) for text in texts}
    quote = shown if len(looks) == len(texts) else ascii
    return [Sentence("missing") if text is None else quote(text) for text in group]
