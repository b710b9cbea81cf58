"""The method of a release for which none was named: chosen by the table and what is asked of it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sudare.anonymize.generalize.method import Generalize
from sudare.anonymize.microaggregate.method import Microaggregate
from sudare.anonymize.mondrian import Mondrian
from sudare.anonymize.randomize.method import Randomize
from sudare.assess.pk_anonymity import PkAnonymity
from sudare.assess.suitability import limits
from sudare.describe.guess.values import are_measured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.anonymize.grouping.refine import Effort
    from sudare.anonymize.protocol import Anonymizer
    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table

_MOST_CELLS: Mapping[Effort, int] = MappingProxyType({"default": 600_000, "fast": 1_800_000})
"""Cells of quasi-identifiers up to which generalization takes about half a minute with this effort."""
_LARGEST_CUT = 5_000_000
"""Rows times rows of the smallest possible block up to which generalization can cut its groups in that time."""


class Choice(NamedTuple):
    """The methods, and why."""

    methods: tuple[Anonymizer, ...]
    reason: str
    """The key of a sentence in `words/en/release.yaml`, under `chosen`."""
    figures: Mapping[str, Any] = MappingProxyType({})
    """What the sentence says in figures."""


def chosen(table: Table, requirements: Sequence[Requirement]) -> Choice:
    """Noise for Pk-anonymity, means where all quasi-identifiers are numbers, else generalization, or Mondrian where that takes long.

    >>> import polars as pl
    >>> from sudare.assess.block_requirements import KAnonymity
    >>> from sudare.describe.table import Table
    >>> heights = Table.from_frame(pl.DataFrame({"height": range(150, 190)})).describe(quasi=["height"])
    >>> [type(chosen(heights, [one]).methods[0]).__name__ for one in (KAnonymity(3), PkAnonymity(3))]
    ['Microaggregate', 'Randomize']
    """
    if any(isinstance(one, PkAnonymity) for one in requirements):
        return Choice((Randomize(),), "randomization")
    names = table.names("quasi")
    figures = {"rows": table.rows, "columns": len(names)}
    cells = table.rows * len(names)
    effort = next((effort for effort, most in _MOST_CELLS.items() if cells <= most), None)
    if names and all(_is_measured(table, name) for name in names):
        return Choice((Microaggregate(effort=effort or "fast"),), "microaggregation", figures)
    least = limits(table, requirements).min_largest_block or 1
    if table.rows * least > _LARGEST_CUT:
        return Choice((Mondrian(),), "large_blocks", {**figures, "least": least})
    if effort is None:
        return Choice((Mondrian(),), "mondrian", figures)
    return Choice((Generalize(effort=effort),), "generalization", {**figures, "effort": effort})


def _is_measured(table: Table, name: str) -> bool:
    """Whether a column has numbers whose mean says something: no hierarchy, and no codes such as 1 for female."""
    column = table.column(name)
    return table.hierarchy(name) is None and are_measured(column.kind, table.frame[name])
