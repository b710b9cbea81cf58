"""What a release of a table warns of when it looks at the released values: each function yields the warnings of one kind."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import polars as pl

from sudare.assess.people import repeated_people
from sudare.assess.requirement import BlockRequirement, blocks_of
from sudare.describe.column import alike_values
from sudare.describe.guess.oddities import Oddity
from sudare.describe.guess.values import Values
from sudare.display import share
from sudare.errors import shown
from sudare.release.warnings import ReleaseWarning
from sudare.words.sentence import Sentence, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table

_FEWEST_ROWS = 20
"""In a smaller table nearly every column has different values, which says nothing."""
_NEARLY_UNIQUE = 0.95
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


def uncovered(released: Table, requirements: Sequence[Requirement]) -> Iterator[str]:
    """Sensitive columns that no requirement speaks of although one speaks of others, with the share of rows they are certain in.

    All of them: that nobody is certain today is luck, not a promise. Rows without a value count as not certain, and a column
    without any value tells nothing. Where no requirement speaks of any, the report says so, and those are named here whose value
    is certain to somebody.
    """
    rules = [
        rule for one in requirements if isinstance(one, BlockRequirement) for rule in one.rules(released)
    ]
    covered = {rule.column for rule in rules if rule.column is not None}
    names = [
        name
        for name in released.names("sensitive")
        if name not in covered and released.column(name).mechanism is None
    ]
    if not names:
        return
    blocks = pl.Series(blocks_of(released).labels)
    told = []
    for name in names:
        missing = released.frame[name].is_null()
        if missing.all():
            continue
        certain = _share_certain(blocks, pl.Series(released.codes(name).codes), missing)
        if covered or certain > 0:
            told.append(f"{name} ({share(certain)})")
    if told:
        yield ReleaseWarning("table.uncovered", columns=enumerated(told))


def _share_certain(blocks: pl.Series, codes: pl.Series, missing: pl.Series) -> float:
    """The share of rows in blocks of a single value that is not missing."""
    of_block = pl.DataFrame({"block": blocks, "code": codes, "missing": missing}).group_by("block")
    sizes = of_block.agg(
        pl.len().alias("rows"), pl.col("code").n_unique().alias("values"), pl.col("missing").any()
    )
    return float(sizes.filter((sizes["values"] == 1) & ~sizes["missing"])["rows"].sum() / len(codes))


def is_of_uncovered(warning: str) -> bool:
    """Whether a warning names sensitive columns that no requirement covers: readers of the public part see it too."""
    return isinstance(warning, ReleaseWarning) and warning.key == "table.uncovered"


def unique_columns(original: Table, released: Table) -> Iterator[str]:
    """Columns that no requirement protects, and by which a reader who knows one value finds the row."""
    for name in released.names("insensitive", "weight"):
        values = Values(released.frame[name])
        if values.present < _FEWEST_ROWS or values.share <= _NEARLY_UNIQUE:
            continue
        if name in original.frame.columns and _is_replaced(original.frame[name], released.frame[name]):
            continue
        yield ReleaseWarning(
            f"table.unique.{released.column(name).role}",
            column=name,
            distinct=len(values.distinct),
            rows=values.present,
        )


def _is_replaced(before: pl.Series, after: pl.Series) -> bool:
    """Whether no released value is one of the original: pseudonyms are meant to be different from one another."""
    if before.dtype != after.dtype:
        return True
    if before.dtype.is_nested() or before.dtype == pl.Object:
        return False
    return not after.drop_nulls().is_in(before.drop_nulls().unique().implode()).any()


def generalized_away(original: Table, released: Table, rows: npt.NDArray[np.int64] | None) -> Iterator[str]:
    """Quasi-identifiers of which every row has the same text, although the originals differ."""
    if rows is None or not len(rows):
        return
    for name in released.names("quasi"):
        after = released.frame[name]
        if after.dtype != pl.String or after.n_unique() > 1 or released.column(name).mechanism is not None:
            continue
        if original.frame[name][rows].n_unique() > 1:
            value = Sentence("missing") if after[0] is None else shown(after[0])
            yield ReleaseWarning("table.generalized_away", column=name, value=value)


def repeated(
    original: Table, released: Table, rows: npt.NDArray[np.int64] | None, requirements: Sequence[Requirement]
) -> Iterator[str]:
    """Identifiers that several rows share: requirements count rows, and these rows are of fewer people."""
    for found in repeated_people(original, released, rows, requirements):
        yield found.sentence(ReleaseWarning, "table.people")


def is_about_original(warning: str) -> bool:
    """Whether a warning tells of removed columns or of the original, which readers of the public part must not learn about."""
    if isinstance(warning, Oddity):
        return True
    return isinstance(warning, ReleaseWarning) and warning.key.startswith("table.people.")


def _quoted(group: Sequence[str | None]) -> list[str]:
    """Values in quotation marks; where two look the same, with the numbers of their characters."""
    texts = [text for text in group if text is not None]
    looks = {unicodedata.normalize("NFC", shown(text)) for text in texts}
    quote = shown if len(looks) == len(texts) else ascii
    return [Sentence("missing") if text is None else quote(text) for text in group]
