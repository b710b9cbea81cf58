"""Risk figures of any table, before or after anonymization: who can be found, and what can be guessed about them.

If a quasi-identifier is randomized, blocks of equal rows are only noise. The figures are then bounds that follow from
the mechanisms (see `linking`): a record belongs to a given person with probability at most 1/k, and of two records
that agree on everything exact, neither is more than 1/rate times as probable as the other. So if a share g of them has
a value, an attacker guesses it correctly with probability at most `g / (g + rate (1 - g))`.

Linking: how well a randomized table hides people, in figures.

Blocks of equal rows mean nothing where values are noise. What counts is the probability, given everything public,
that a record belongs to a given person. It is at most 1/k with `k = 1 + (|R| - 1) * product of the rates`, where |R|
is the number of records that agree on everything that was released exactly (Ikarashi et al., after 2011).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.assess.pk_anonymity import Exposure, exact_blocks, exposure, shows_missing
from sudare.assess.requirement import Blocks, blocks_of, table_of
from sudare.describe.kinds import COUNTED_ROLES
from sudare.describe.text import as_text
from sudare.display import html_block, html_table, paragraph, said, share, shown_words
from sudare.errors import ParameterError, shown
from sudare.kernels.figures import best_guesses
from sudare.mechanism.catalogue import MECHANISMS

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.describe.table import Table
    from sudare.words.sentence import Texts


@dataclass(frozen=True)
class ColumnNoise:
    """How much one randomized column hides."""

    column: str
    mechanism: str
    """Name of the mechanism in the catalogue, or its class."""
    rate: float
    """1 hides everything, 0 nothing."""
    epsilon: float
    """Local differential privacy: the odds of any two values change by at most a factor of exp(epsilon)."""


@dataclass(frozen=True)
class Linking:
    """The bound on the probability that a released record belongs to a given person, and its components."""

    k: float
    """`1 + (records - 1) * rate`: in the worst case, people are hidden as if among k equals."""
    largest: float
    """1 / k: the largest probability with which anyone can be linked to a record."""
    rate: float
    """Product of the rates of the randomized columns."""
    epsilon: float
    """Sum of their local epsilons: the protection of a whole record."""
    records: int
    """Number of records in the smallest group that agrees on everything exact."""
    exact: tuple[str, ...]
    """Columns released as they are, and `missing NAME` where missing cells are visible."""
    columns: tuple[ColumnNoise, ...]
    quasi_randomized: bool
    """Whether a quasi-identifier is randomized, so that blocks of equal rows are only noise."""


def linking(table: Table) -> tuple[Linking, Exposure] | None:
    """Figures of a table with a randomized quasi-identifier or sensitive column; None if it has neither."""
    noisy = [
        column for column in table.columns if column.mechanism is not None and column.role in COUNTED_ROLES
    ]
    if not noisy or table.rows == 0:
        return None
    exposed = exposure(table)
    records = int(exposed.blocks.sizes.min())
    k = float(exposed.k_of_blocks.min())
    return Linking(
        k=k,
        largest=1 / k,
        rate=exposed.rate,
        epsilon=exposed.epsilon,
        records=records,
        exact=exposed.exact,
        columns=tuple(
            ColumnNoise(column.name, _name(mechanism), mechanism.rate(), mechanism.epsilon())
            for column in noisy
            if (mechanism := column.mechanism) is not None
        ),
        quasi_randomized=any(column.role == "quasi" for column in noisy),
    ), exposed


def linked_by_row(exposed: Exposure) -> npt.NDArray[np.float64]:
    """The bound for each record: 1 / k of the records that agree with it on everything exact."""
    chances: npt.NDArray[np.float64] = 1.0 / exposed.k_of_blocks
    return chances[exposed.blocks.labels]


def _name(mechanism: object) -> str:
    return MECHANISMS.name_of(mechanism) if MECHANISMS.knows(mechanism) else type(mechanism).__name__


_BRIEF = 7
"""Number of figures in its text form."""


@dataclass(frozen=True)
class GuessRisk:
    """An attacker who knows the block of a person guesses the person's sensitive value."""

    column: str
    homogeneous_share: float
    """Share of rows in blocks with a single sensitive value (homogeneity attack)."""
    guess_mean: float
    """Mean over rows of max P(s) in the block: how often the best guess is right."""
    guess_largest: float
    background_mean: float
    """The same after the attacker has used other knowledge to rule out `background` values."""
    background_largest: float
    background: int
    """Number of values the attacker rules out."""


@dataclass(frozen=True)
class Risk:
    """Re-identification and inference risks of one table. All are probabilities or shares in [0, 1]."""

    rows: int
    blocks: int
    smallest_block: int
    unique_rows: int
    """Sample uniques: rows that are alone in their block."""
    unique_share: float
    prosecutor_largest: float
    """Largest risk if the attacker knows that the person is in the table: 1 / smallest block."""
    prosecutor_mean: float
    """Mean over rows of 1 / block size, which is blocks / rows."""
    rows_above_threshold: float
    """Share of rows whose prosecutor risk exceeds `threshold`."""
    threshold: float
    journalist_largest: float
    """Largest risk if the attacker does not know who is in the table: 1 / smallest block in the population."""
    journalist_mean: float
    marketer: float
    """Expected share of rows re-identified by linking all of them against the population."""
    population: str
    """Source of the population counts: 'given', 'weights', or 'none' (then the sample itself, a cautious choice)."""
    guesses: tuple[GuessRisk, ...]
    """One entry for each sensitive column, except randomized ones: their local epsilon is in `linking`."""
    linking: Linking | None = None
    """For a table with randomized columns. With a randomized quasi-identifier, blocks are records that agree on
    everything exact, and the figures above are bounds that follow from k."""

    @property
    def blocks_are_noise(self) -> bool:
        """Whether a quasi-identifier is randomized: then only the bound 1/k is known for people, not their blocks."""
        return self.linking is not None and self.linking.quasi_randomized

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        words = shown_words()
        facts = dict(self._facts(words)).items()
        return said("Risk", [words("fact", name=name, value=value) for name, value in facts][:_BRIEF])

    def _repr_html_(self) -> str:
        """The figures for a notebook, one per line."""
        words = shown_words()
        heads = [words("head.figure"), words("head.value")]
        return html_block(paragraph(words("risk.title"), bold=True), html_table(heads, self._facts(words)))

    def _facts(self, words: Texts) -> list[tuple[str, str]]:
        """The known figures, most informative first."""
        if self.blocks_are_noise:
            # Blocks are noise, and the bound is the same for everyone, whatever the attacker knows.
            figures = [
                (words("risk.rows"), f"{self.rows:,}"),
                (words("risk.at_most"), share(self.prosecutor_largest)),
            ]
        else:
            unique = words("risk.unique_value", rows=self.unique_rows, share=share(self.unique_share))
            figures = [
                (words("risk.rows"), words("risk.in_blocks", rows=self.rows, blocks=self.blocks)),
                (words("risk.smallest_block"), f"{self.smallest_block:,}"),
                (words("risk.unique"), unique),
                (words("risk.largest"), share(self.prosecutor_largest)),
                (words("risk.mean"), share(self.prosecutor_mean)),
            ]
        figures += [(words("risk.guess", column=one.column), share(one.guess_mean)) for one in self.guesses]
        above = words("risk.above", threshold=share(self.threshold))
        figures.append((above, share(self.rows_above_threshold)))
        if self.population != "none":
            figures += [
                (words("risk.population_largest"), share(self.journalist_largest)),
                (words("risk.population_mean"), share(self.journalist_mean)),
            ]
        return figures


def risk(data: Any, *, background: int = 1, threshold: float = 0.2, population: Table | None = None) -> Risk:
    """Risk figures of a Table or a Release.

    Population sizes of the blocks come from `population` (a table with the same quasi-identifiers in the same
    coding), or else from the weight column (sum of weights), or else from the sample itself.
    """
    table = table_of(data)
    if not isinstance(background, int) or background < 0:
        raise ParameterError("assess.risk.background", given=shown(background))
    if not 0 <= threshold <= 1:
        raise ParameterError("assess.risk.threshold", given=shown(threshold))
    people = None if population is None else table_of(population)
    found = linking(table)
    if found is not None and found[0].quasi_randomized:
        return _randomized(table, *found, background=background, threshold=threshold)
    blocks = blocks_of(table)
    sizes = blocks.sizes
    per_row = 1.0 / sizes[blocks.labels] if table.rows else np.ones(0)
    population_sizes, source = _population(table, blocks, people)
    per_row_population = 1.0 / population_sizes[blocks.labels] if table.rows else np.ones(0)
    unique = int((sizes == 1).sum())
    return Risk(
        rows=table.rows,
        blocks=blocks.count,
        smallest_block=int(sizes.min(initial=table.rows)),
        unique_rows=unique,
        unique_share=unique / max(table.rows, 1),
        prosecutor_largest=float(per_row.max(initial=0.0)),
        prosecutor_mean=_mean(per_row),
        rows_above_threshold=_mean(per_row > threshold),
        threshold=threshold,
        journalist_largest=float(per_row_population.max(initial=0.0)),
        journalist_mean=_mean(per_row_population),
        marketer=_mean(per_row_population),
        population=source,
        guesses=tuple(_guess(table, blocks, name, background) for name in _shown_sensitive(table)),
        linking=None if found is None else found[0],
    )


def _randomized(
    table: Table, found: Linking, exposed: Exposure, *, background: int, threshold: float
) -> Risk:
    """Bounds that follow from the mechanisms; knowing who is in the table does not change them."""
    per_row = linked_by_row(exposed)
    sizes = exposed.blocks.sizes
    unique = int((sizes == 1).sum())
    quasi = table.names("quasi")
    rate = math.prod(one.rate for one in found.columns if one.column in quasi)
    exact = [name for name in quasi if table.column(name).mechanism is None]
    known = exact_blocks(table, exact, [name for name in quasi if shows_missing(table, table.column(name))])
    mean, largest = _mean(per_row), float(per_row.max(initial=0.0))
    return Risk(
        rows=table.rows,
        blocks=exposed.blocks.count,
        smallest_block=found.records,
        unique_rows=unique,
        unique_share=unique / max(table.rows, 1),
        prosecutor_largest=largest,
        prosecutor_mean=mean,
        rows_above_threshold=_mean(per_row > threshold),
        threshold=threshold,
        journalist_largest=largest,
        journalist_mean=mean,
        marketer=mean,
        population="none",
        guesses=tuple(_guess(table, known, name, background, rate) for name in _shown_sensitive(table)),
        linking=found,
    )


def _shown_sensitive(table: Table) -> list[str]:
    return [name for name in table.names("sensitive") if table.column(name).mechanism is None]


def _population(
    table: Table, blocks: Blocks, population: Table | None
) -> tuple[npt.NDArray[np.float64], str]:
    sizes = blocks.sizes.astype(np.float64)
    weights = table.names("weight")
    if population is not None:
        return np.maximum(_sizes_in(population, table, blocks), sizes), "given"
    if weights:
        weight = table.frame[weights[0]].fill_null(1.0).to_numpy().astype(np.float64)
        return np.maximum(
            np.bincount(blocks.labels, weights=weight, minlength=blocks.count), sizes
        ), "weights"
    return sizes, "none"


def _sizes_in(population: Table, table: Table, blocks: Blocks) -> npt.NDArray[np.float64]:
    """Number of population rows in each block of the table."""
    quasi = table.names("quasi")
    for name in quasi:
        population.column(name)
    if not quasi:
        return np.array([population.rows], dtype=np.float64)
    # Neutral names: a column's own name may look like a pattern.
    plain = [f"column_{number}" for number in range(len(quasi))]
    # Compared as text: the population may have the same values in other types, or the values of a release.
    inside, outside = (
        pl.DataFrame([as_text(frame[name]).rename(new) for name, new in zip(quasi, plain, strict=True)])
        for frame in (table.frame, population.frame)
    )
    counts = outside.group_by(plain).len("population")
    joined = inside.join(counts, on=plain, how="left", nulls_equal=True, maintain_order="left")
    result = np.zeros(blocks.count)
    result[blocks.labels] = joined["population"].fill_null(0).to_numpy()
    return result


def _guess(table: Table, blocks: Blocks, name: str, background: int, rate: float = 1.0) -> GuessRisk:
    codes = table.codes(name, "alike")
    order, starts = blocks.grouped
    share = best_guesses(codes.codes, codes.count, order, starts, 0)
    guess = _bounded(share, rate)
    informed = _bounded(best_guesses(codes.codes, codes.count, order, starts, background), rate)
    sizes = blocks.sizes
    rows = max(table.rows, 1)
    return GuessRisk(
        column=name,
        homogeneous_share=float(sizes[share == 1.0].sum() / rows),
        guess_mean=float((guess * sizes).sum() / rows),
        guess_largest=float(guess.max(initial=0.0)),
        background_mean=float((informed * sizes).sum() / rows),
        background_largest=float(informed.max(initial=0.0)),
        background=background,
    )


def _bounded(share: npt.NDArray[np.float64], rate: float) -> npt.NDArray[np.float64]:
    """The best guess if records with other values may be less probable by the rate, which is 1 if only blocks count."""
    return share if rate == 1.0 else share / (share + rate * (1.0 - share))


def _mean(values: npt.NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0
