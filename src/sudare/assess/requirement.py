"""Requirements on blocks: the blocks of a table, how a requirement is checked on each, the verdict, and rules for a kernel.

Requirements on blocks: how one is checked, and how several are compiled into rules for a kernel.

A requirement assigns each block a number (its size, its l, its distance t) that must reach a bound.
`check` recomputes that number for every block and explains the worst; `compile_rules` passes the same
rules to a method that has to form blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from sudare.describe.kinds import MEASURED_KINDS
from sudare.describe.objects import plain_cell, rows_told
from sudare.display import html_block, paragraph, rounded_down, shown_words
from sudare.errors import DescriptionError, InfeasibleError, language_of
from sudare.kernels.core.kinds import HIERARCHICAL, SIZE
from sudare.parameters import require_made
from sudare.words.sentence import Sentence, as_shown, counted, enumerated, in_language, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from sudare.describe.column import Codes
    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.describe.kinds import Spelling
    from sudare.describe.table import Table
    from sudare.kernels.core.rules import Rules
    from sudare.parameters import Catalogue
    from sudare.words.sentence import Language


Asked = TypeVar("Asked")

_FEW_ROWS = 200_000
"""Up to this many rows, grouping the values is cheaper than coding the columns and loading a kernel."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The result of checking one requirement."""

    requirement: str
    holds: bool
    reached: float | None
    """Smallest k or l, or largest t, over all blocks; None if there are no rows."""
    violating_rows: npt.NDArray[np.int64]
    """Row numbers (from 0) of the rows in blocks that do not comply."""
    explanation: str
    """One sentence for people."""

    def in_language(self, language: Language) -> Self:
        """The same verdict, explained in English ('en') or Japanese ('ja')."""
        return replace(self, explanation=in_language(self.explanation, language_of(language)))

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        words, key = shown_words(), "verdict.holds" if self.holds else "verdict.fails"
        reached = words("nothing") if self.reached is None else f"{self.reached:g}"
        return f"Verdict({words(key, requirement=self.requirement, reached=reached)})"

    @property
    def marked(self) -> str:
        """The explanation, preceded by a sign that shows whether the requirement is met."""
        return f"{'✓' if self.holds else '✗'} {as_shown(self.explanation)}"

    def _repr_html_(self) -> str:
        return html_block(paragraph(repr(self), bold=True), paragraph(self.marked))

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON; row numbers are counted, not listed."""
        return {
            "requirement": self.requirement,
            "holds": self.holds,
            "reached": self.reached,
            "violating_rows": len(self.violating_rows),
            "explanation": self.explanation,
        }


@dataclass(frozen=True, eq=False)
class Blocks:
    """A partition of the rows; block b has `sizes[b]` rows."""

    labels: npt.NDArray[np.int32]
    """Block of each row, numbered in order of first appearance."""
    count: int

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of rows in each block."""
        return np.bincount(self.labels, minlength=self.count)

    @cached_property
    def grouped(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Row indices grouped by block, and where each block starts (count + 1 entries)."""
        from sudare.kernels.core.rules import rows_by_label

        order, starts = rows_by_label(self.labels, self.count)
        return order, starts

    def rows_of(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Row indices of the chosen blocks, ascending."""
        return np.flatnonzero(chosen[self.labels])


def blocks_of(table: Table, columns: Sequence[str] | None = None) -> Blocks:
    """Blocks of a table over the given columns (by default its quasi-identifiers).

    Missing is a value of its own: two missing cells are equal, a missing and a present one are not. If there are
    no columns, the whole table is one block.
    """
    names = tuple(table.names("quasi") if columns is None else columns)
    known = _KNOWN_BLOCKS.setdefault(table, {})
    if names not in known:
        known[names] = _found_blocks(table, names)
    return known[names]


_KNOWN_BLOCKS: WeakKeyDictionary[Table, dict[tuple[str, ...], Blocks]] = WeakKeyDictionary()
"""Check, measures, risk and report ask for the same blocks; tables do not change, and are forgotten with their blocks."""


def forget_blocks(table: Table) -> None:
    """Let go of the blocks of a table, which take an array of all rows or two; they are found again if they are asked for."""
    _KNOWN_BLOCKS.pop(table, None)


def _found_blocks(table: Table, names: Sequence[str]) -> Blocks:
    if names and table.rows <= _FEW_ROWS and not table.is_coded(names):
        return _blocks_of_values(table, names)
    from sudare.kernels.core.rules import block_labels

    coded = [table.codes(name) for name in names]
    labels, count = block_labels([each.codes for each in coded], [each.count for each in coded], table.rows)
    return Blocks(labels, count)


def _blocks_of_values(table: Table, names: Sequence[str]) -> Blocks:
    """The same without coding the columns, and without a compiled kernel."""
    import polars as pl  # not at the top: the rows of a pandas frame are counted without it

    from sudare.describe.column import check_comparable

    for name in names:
        check_comparable(table.frame[table.column(name).name])
    # Plain names: a column may be named "*", which an expression takes for all columns.
    keys = [table.frame[name].alias(str(place)) for place, name in enumerate(names)]
    rows = pl.int_range(table.rows, dtype=pl.UInt32, eager=True).alias("row")
    first = pl.DataFrame([*keys, rows]).select(pl.col("row").first().over([key.name for key in keys]))
    first_row = first.to_series().to_numpy()
    is_first = first_row == rows.to_numpy()
    number = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
    return Blocks(number[first_row], int(is_first.sum()))


@dataclass(frozen=True)
class Rule:
    """One number that every block must reach."""

    kind: int
    """SIZE, DISTINCT, … from `sudare.kernels.core.rules`."""
    bound: float
    column: str | None = None
    """The sensitive column it applies to; None for SIZE."""
    factor: float = 0.0
    at_most: bool = False
    """Whether the number must stay at or below the bound (a distance); otherwise it must reach it."""
    spelling: Spelling = "alike"
    """Whether sensitive values that differ only in how they are written are one value."""
    exempt: tuple[str | None, ...] = ()
    """Values of the column, as texts, whose rows need no protection and do not count; None is a missing value."""


@runtime_checkable
class Requirement(Protocol):
    """A condition that a release must satisfy."""

    def check(self, data: Any) -> Verdict:
        """Recompute the requirement on a Table or a Release."""


class BlockRequirement:
    """Base class of the requirements that apply to each block separately."""

    @property
    def fewest_rows(self) -> int | None:
        """How many rows each block must have, if a block complies by that alone, whatever the rows contain."""
        return None

    def rules(self, table: Table) -> list[Rule]:
        """The rules of this requirement on a table."""
        raise NotImplementedError

    def explain(self, reached: float, where: str) -> tuple[str, str]:
        """(sentence if it is met, sentence if it is not) for the worst block found."""
        raise NotImplementedError

    def check(
        self, data: Any, *, quasi: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
    ) -> Verdict:
        """Recompute the requirement on every block of a Table, a Release, or a frame whose roles are given.

        `quasi` and `sensitive` name columns of a pandas, polars or Arrow frame; its other columns are not looked at. Sensitive
        columns that the requirement itself names need not be named again.
        """
        own = getattr(self, "sensitive", None) if quasi is not None and sensitive is None else sensitive
        if self.fewest_rows is not None and not own:
            by_rows = _check_rows(self, self.fewest_rows, data, quasi)
            if by_rows is not None:
                return by_rows
        table = table_of(data, quasi, own)
        return check_blocks(self, table, blocks_of(table))


def table_of(data: Any, quasi: Sequence[str] | None = None, sensitive: Sequence[str] | None = None) -> Table:
    """The table behind a Table or a Release, or the columns of a frame with the roles that are given."""
    from sudare.describe.baskets.baskets import Baskets
    from sudare.describe.table import Table

    table = getattr(data, "table", data)
    if isinstance(data, Baskets):
        raise DescriptionError("assess.baskets_have_no_columns")
    if isinstance(table, Table):
        if quasi is not None or sensitive is not None:
            raise DescriptionError("assess.roles_known", kind=type(data).__name__)
        return table
    if quasi is None:
        raise DescriptionError("assess.no_roles", kind=type(data).__name__)
    return Table.with_roles(data, quasi, sensitive or ())


def requirements_of(given: Iterable[Any], catalogue: Catalogue[Asked]) -> tuple[Asked, ...]:
    """The requirements, each given as an instance (also of the caller's own class) or as the catalogue knows it."""
    # A list of requirements is what people try first.
    asked = tuple(one for each in given for one in (each if isinstance(each, list | tuple) else (each,)))
    for one in asked:
        require_made(one)
    return tuple(one if hasattr(one, "check") else catalogue.build(one) for one in asked)


def sensitive_columns(table: Table, chosen: Sequence[str] | None, requirement: str) -> list[str]:
    """The sensitive columns a requirement applies to: those named, otherwise all of them."""
    names = table.names("sensitive") if chosen is None else list(chosen)
    for name in names:
        if table.column(name).role != "sensitive":
            raise DescriptionError(
                "assess.not_sensitive", requirement=requirement, column=name, role=table.column(name).role
            )
    if not names:
        raise DescriptionError("assess.no_sensitive", requirement=requirement)
    return names


def _check_rows(
    requirement: BlockRequirement, fewest: int, data: Any, quasi: Sequence[str] | None
) -> Verdict | None:
    """The verdict on a pandas frame without converting it: the rows of blocks are counted, and only one is shown."""
    if not isinstance(quasi, list | tuple) or type(data).__module__.partition(".")[0] != "pandas":
        return None
    names = list(getattr(data, "columns", ()))
    single = all(type(name) is str and names.count(name) == 1 for name in quasi) and len({*quasi}) == len(
        quasi
    )
    told = rows_told(data, quasi) if quasi and single else None
    if told is None or not len(told.first):
        return None
    blocks = Blocks(told.number.astype(np.int32), len(told.first))

    def where(block: int, column: str | None) -> Sentence:
        row = int(told.first[block])
        return _where(quasi, lambda name: plain_cell(data[name], row), column)

    own = [Rule(SIZE, float(fewest))]
    return _verdict(requirement, own, _levels_of_sizes(own, blocks), blocks, where)


def check_blocks(requirement: BlockRequirement, table: Table, blocks: Blocks) -> Verdict:
    """Check one requirement on given blocks."""

    def where(block: int, column: str | None) -> Sentence:
        row = int(np.argmax(blocks.labels == block))
        return _where(table.names("quasi"), lambda name: table.frame[name][row], column)

    if len(blocks.labels) == 0:
        name = type(requirement).__name__
        return Verdict(name, True, None, np.empty(0, dtype=np.int64), Sentence("verdict.no_rows"))
    own = requirement.rules(table)
    return _verdict(requirement, own, _levels(table, own, blocks), blocks, where)


def _verdict(
    requirement: BlockRequirement,
    own: Sequence[Rule],
    levels: Iterable[tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]],
    blocks: Blocks,
    where: Callable[[int, str | None], Sentence],
) -> Verdict:
    """The verdict by the levels that the blocks reach under each rule; `where` describes a block."""
    name, total = type(requirement).__name__, len(blocks.labels)
    worst_value, worst_block, worst_column = 0.0, -1, None
    violating = np.zeros(blocks.count, dtype=bool)
    for rule, (values, complies) in zip(own, levels, strict=True):
        block = int(np.argmax(values) if rule.at_most else np.argmin(values))
        if worst_block < 0 or (values[block] > worst_value) == rule.at_most:
            worst_value, worst_block, worst_column = float(values[block]), block, rule.column
        violating |= ~complies
    rows = blocks.rows_of(violating)
    if np.isinf(worst_value):  # no row is left that needs protection
        worst_value = next(rule.bound for rule in own if rule.column == worst_column)
    good, bad = requirement.explain(worst_value, where(worst_block, worst_column))
    if not len(rows):
        return Verdict(name, True, worst_value, rows, good)
    among = counted("blocks", int(violating.sum()))
    said = Sentence("verdict.fails", why=bad, rows=len(rows), total=total, blocks=among)
    return Verdict(name, False, worst_value, rows, said)


def _levels(
    table: Table, own: Sequence[Rule], blocks: Blocks
) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]]:
    """The number that each block reaches under each rule, and whether it suffices; sizes need no kernel."""
    if all(rule.kind == SIZE for rule in own):
        yield from _levels_of_sizes(own, blocks)
        return
    from sudare.kernels.core.rules import holding, reached_by_block, scratch_for

    compiled = compile_rules(table, own)
    scratch = scratch_for(compiled)
    for index, rule in enumerate(own):
        values = reached_by_block(compiled, index, scratch, *blocks.grouped)
        yield values, holding(rule.kind, rule.at_most, values, rule.bound)


def _levels_of_sizes(
    own: Sequence[Rule], blocks: Blocks
) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]]:
    sizes = blocks.sizes.astype(np.float64)
    yield from ((sizes, sizes >= rule.bound) for rule in own)


def compile_rules(table: Table, own: Sequence[Rule]) -> Rules:
    """Rules as arrays: codes of the sensitive columns, their overall distributions, their trees."""
    from sudare.describe.column import codes_among
    from sudare.kernels.core.rules import Rules

    names = list(
        dict.fromkeys((rule.column, rule.spelling, rule.exempt) for rule in own if rule.column is not None)
    )
    coded = [table.codes(name, spelling) for name, spelling, _ in names]
    widest = max([each.count for each in coded], default=1)
    trees: dict[int, Hierarchy] = {}
    for rule in own:
        tree = table.hierarchy(rule.column) if rule.column and rule.kind == HIERARCHICAL else None
        if rule.column is not None and tree is not None:
            trees[names.index((rule.column, rule.spelling, rule.exempt))] = tree
    nodes = max([tree.nodes for tree in trees.values()], default=1)
    columns = max(len(names), 1)
    overall = np.zeros((columns, widest))
    leaf = np.zeros((columns, widest), dtype=np.int32)
    parent = np.zeros((columns, nodes), dtype=np.int32)
    height = np.zeros((columns, nodes))
    sensitive = []
    for index, ((name, spelling, exempt), codes) in enumerate(zip(names, coded, strict=True)):
        rank = _ranks(table, name, codes)
        counted = np.where(codes_among(codes, exempt, spelling), np.int32(-1), rank) if exempt else rank
        sensitive.append(counted[codes.codes])
        overall[index, rank] = table.shares(name, spelling)
        if index in trees:
            tree = trees[index]
            leaf[index, rank] = tree.leaves_of(codes.values, missing=codes.missing is not None)
            parent[index, : tree.nodes] = tree.parent
            height[index, : tree.nodes] = tree.level / max(tree.height, 1)
    return Rules(
        kind=np.array([rule.kind for rule in own], dtype=np.int64),
        column=np.array(
            [
                names.index((rule.column, rule.spelling, rule.exempt)) if rule.column is not None else 0
                for rule in own
            ],
            dtype=np.int64,
        ),
        at_most=np.array([rule.at_most for rule in own], dtype=np.bool_),
        bound=np.array([rule.bound for rule in own], dtype=np.float64),
        factor=np.array([rule.factor for rule in own], dtype=np.float64),
        sensitive=np.stack(sensitive) if sensitive else np.zeros((1, 1), dtype=np.int32),
        overall=overall,
        values=np.array([each.count for each in coded] or [1], dtype=np.int64),
        leaf=leaf,
        parent=parent,
        height=height,
        nodes=np.array([trees[i].nodes if i in trees else 1 for i in range(columns)], dtype=np.int64),
    )


def _ranks(table: Table, name: str, codes: Codes) -> npt.NDArray[np.int32]:
    """Place of each code in the order that the ordered distance means: by value, or as a hierarchy lists its leaves."""
    column = table.column(name)
    tree = None if column.kind in MEASURED_KINDS else table.hierarchy(name)
    rank = np.arange(codes.count, dtype=np.int32)
    if tree is not None:
        rank[np.argsort(tree.leaf_of(codes.values))] = np.arange(len(codes.values))
    return rank


def _where(quasi: Sequence[str], cell_of: Callable[[str], Any], column: str | None) -> Sentence:
    """The worst block in words, described by the values of one of its rows."""
    cells: list[str] = [
        Sentence("verdict.cell", column=name, value=_shown(cell_of(name))) for name in quasi[:4]
    ]
    if len(quasi) > 4:
        cells.append("…")
    block = Sentence("verdict.block", cells=enumerated(cells)) if cells else Sentence("verdict.whole")
    return block if column is None else Sentence("verdict.in_column", block=block, column=column)


def _shown(value: Any) -> str:
    return Sentence("missing") if value is None else str(value)


def whole_table_obstacles(table: Table, requirements: Sequence[Requirement]) -> list[Sentence]:
    """One sentence (without the final period) for each requirement that fails even on the table as one block."""
    if table.rows == 0:
        return [Sentence("obstacle.no_rows")]
    one = blocks_of(table, ())
    sentences = []
    for requirement in requirements:
        if isinstance(requirement, BlockRequirement):
            verdict = check_blocks(requirement, table, one)
            if not verdict.holds:
                sentences.append(_obstacle(requirement, table, verdict))
    return sentences


def require_feasible(table: Table, requirements: Sequence[Requirement]) -> None:
    """Stop before any work is done if no release can comply."""
    obstacles = whole_table_obstacles(table, requirements)
    if obstacles:
        raise InfeasibleError("assess.infeasible", obstacle=obstacles[0])


def _obstacle(requirement: BlockRequirement, table: Table, verdict: Verdict) -> Sentence:
    reached = 0.0 if verdict.reached is None else verdict.reached
    from sudare.assess.catalogue import REQUIREMENTS  # it lists what is made of this module

    asked = REQUIREMENTS.text(requirement) if REQUIREMENTS.knows(requirement) else str(requirement)
    columns = [rule for rule in requirement.rules(table) if rule.column is not None]
    if not columns:
        return Sentence("obstacle.too_few_rows", asked=asked, rows=table.rows)
    return Sentence(
        "obstacle.too_high",
        asked=asked,
        reached=rounded_down(reached, 2),  # what is offered must be possible
        frequent=joined("between.clauses", (_most_frequent(table, rule) for rule in columns)),
    )


def _most_frequent(table: Table, rule: Rule) -> Sentence:
    from sudare.describe.column import codes_among

    name = str(rule.column)
    codes = table.codes(name, rule.spelling)
    counts = np.bincount(codes.codes, minlength=codes.count)
    counts[codes_among(codes, rule.exempt, rule.spelling)] = 0
    top = int(np.argmax(counts))
    value = Sentence("missing") if top == codes.missing else codes.values[top]
    share = float(counts[top] / table.rows)
    return Sentence("obstacle.frequent", column=name, count=codes.count, value=value, share=share)
