"""Randomize: each record independently, with the noise that Pk-anonymity needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator

from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, same_rows, some_rows
from sudare.anonymize.randomize.domain import End, ValueDomain
from sudare.anonymize.randomize.plan import Plan, mechanisms_of, plan_column
from sudare.assess.pk_anonymity import asked_k, exact_blocks
from sudare.describe.kinds import COUNTED_ROLES, MEASURED_KINDS
from sudare.errors import ErrorSentence, InfeasibleError, ParameterError, shown
from sudare.mechanism.catalogue import MECHANISMS
from sudare.mechanism.density import Family, as_family
from sudare.mechanism.protocol import Draw, Mechanism, Scalar
from sudare.mechanism.signal import rebuilt
from sudare.parameters import Annotated, AnyNames, Field, parameters
from sudare.words.sentence import Sentence, counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.describe.table import Table


def _as_mappings(given: Any) -> Any:
    """Mechanisms as mappings, whether given as a name, a mapping, or the mechanism itself."""
    return {name: _as_mapping(one) for name, one in given.items()} if isinstance(given, Mapping) else given


def _as_mapping(given: Any) -> Any:
    if isinstance(given, Mechanism):
        given = {"type": MECHANISMS.name_of(given), **given.__dict__}
    if isinstance(given, str):
        return {"type": given}
    if not isinstance(given, dict):
        raise ValueError(ErrorSentence("anonymize.randomize.no_mechanism", given=shown(given)))  # noqa: TRY004  # pydantic tells it
    plain = {field: value for field, value in given.items() if value is not None}
    if not isinstance(plain.get("noise", ""), str | dict):
        family = as_family(plain["noise"])
        if not isinstance(family, Family):
            raise ValueError(ErrorSentence("anonymize.randomize.density_object"))  # noqa: TRY004  # pydantic tells it
        plain["noise"] = dict(family.__dict__)
    return {field: list(value) if isinstance(value, tuple) else value for field, value in plain.items()}


_End = Annotated[
    End,
    BeforeValidator(lambda given: given.isoformat()[:10] if isinstance(given, date) else given),
]


@parameters
class Randomize:
    """Randomize the quasi-identifiers and sensitive columns of each record independently, as Pk-anonymity needs.

    Columns are randomized independently (Ikarashi et al., after 2011). Numbers, dates and ordinal values (by rank) get
    bounded Laplace noise and other values retention-replacement, unless `mechanisms` says otherwise. Strengths follow
    from the requirement Pk-anonymity and the number of records: the columns share the rate `(k - 1) / (|R| - 1)`
    equally or by `weights`. The ranges, values and mechanisms are public: they allow cross tabulations of the original
    to be estimated from the release.
    """

    ranges: dict[str, tuple[_End, _End]] = Field(default_factory=dict)
    """Smallest and largest value of each numeric or date column, from general knowledge, never from the data."""
    values: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """All values a nominal or ordinal column may have (ordinal: lowest first); those in the data if left out."""
    mechanisms: Annotated[dict[str, Any], BeforeValidator(_as_mappings)] = Field(default_factory=dict)
    """Mechanism of a column: laplace, normal, uniform, density or retention, by name or with fields; a given
    strength (scale, deviation, half_width, keep) is used unchanged and counted."""
    columns: AnyNames = ()
    """Columns to randomize; all quasi-identifiers and sensitive columns if empty."""
    exact: AnyNames = ()
    """Quasi-identifiers or sensitive columns to release unchanged. People are then hidden only among the records
    that agree on them, and the other columns get more noise."""
    weights: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Importance of columns; a column with a higher weight gets less noise. 1 if left out."""
    grids: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Step between released numbers. If left out: 1 for integers, a day for dates and datetimes, otherwise the largest
    power of ten with 10,000 steps or more (or 2^-20 of the range)."""
    outside: Literal["error", "clip"] = "error"
    """What to do with a value outside its range: error stops, clip uses the nearest end."""
    missing: Literal["error", "category", "keep"] = "error"
    """What to do with missing cells: error stops, category randomizes missing as a value, keep leaves them visible."""
    draw: Draw = "inverse"
    """How to draw bounded noise: by the inverse distribution function, or by redrawing until it is inside the range."""
    shuffle: bool = True
    """Put the records into random order: without it, Pk-anonymity fails against anyone who knows the input's order."""

    keeps_rows: ClassVar[bool] = True

    def columns_without_range(self, numbers: Sequence[str]) -> list[str]:
        """The numeric and date columns among `numbers` that are randomized within a range nobody has specified yet."""
        known = {*self.exact, *self.ranges, *self.mechanisms}
        return [name for name in numbers if name not in known and name in (self.columns or (name,))]

    def columns_without_values(self, others: Sequence[str]) -> list[str]:
        """The columns among `others`, which are not measured, whose list of values will be read off the data."""
        told = {*self.exact, *self.values}
        told |= {name for name, fields in self.mechanisms.items() if "values" in fields}
        return [name for name in others if name not in told and name in (self.columns or (name,))]

    def noise_options(self, table: Table) -> dict[str, Any]:
        """The columns that stay exact and the weights of the others, as the noise study needs them.

        Also what would stop the method: columns without a range, and columns with missing cells where those are errors;
        and columns whose values would be read off the data.
        """
        public = table.names(*COUNTED_ROLES)
        names = self.columns or public
        exact = [name for name in public if name in self.exact or name not in names]
        noisy = [name for name in public if name not in exact]
        measured = [name for name in noisy if table.column(name).kind in MEASURED_KINDS]
        gaps = [name for name in noisy if self.missing == "error" and table.frame[name].null_count()]
        return {
            "exact": exact,
            "weights": self.weights,
            "unranged": self.columns_without_range(measured),
            "unlisted": self.columns_without_values([name for name in noisy if name not in measured]),
            "gaps": gaps,
        }

    @property
    def reorders(self) -> bool:
        """Whether the records are shuffled."""
        return self.shuffle

    def apply(self, table: Table, context: Context) -> Outcome:
        """Find every column's mechanism, then randomize column by column."""
        names = self._names(table)
        plans = [plan_column(self, table, name) for name in names]
        mechanisms = mechanisms_of(
            plans, asked_k(context.requirements), self._hidden_among(table, plans, context), self.weights
        )
        frame, notes = table.frame, []
        context.progress.start("randomize", len(plans))
        for done, plan in enumerate(plans, start=1):
            mechanism = mechanisms[plan.name]
            numbers, clipped = plan.domain.numbers(table.frame[plan.name], clip=self.outside == "clip")
            known = ~np.isnan(numbers) | plan.missing
            numbers[known] = mechanism.randomize(numbers[known], context.random, draw=self.draw)
            frame = frame.with_columns(plan.domain.series(numbers))
            notes.append(_note(plan, mechanism, clipped))
            context.progress.update(done)
        columns = [
            replace(column, mechanism=mechanisms[column.name], hierarchy=None)
            if column.name in mechanisms
            else column
            for column in table.columns
        ]
        randomized = table.changed(frame, columns)
        outcome = (
            some_rows(randomized, context.random.permutation(table.rows), *notes, Note("shuffled"))
            if self.shuffle
            else same_rows(randomized, *notes)
        )
        return replace(outcome, warnings=tuple(_warnings(plans, mechanisms, table.rows)))

    def read_from_data(self, table: Table) -> list[str]:
        """Columns of a table randomized by this method whose list of values was taken from the data."""
        return [
            name
            for name in table.names(*COUNTED_ROLES)
            if getattr(table.column(name).mechanism, "values", None) is not None
            and name not in self.values
            and "values" not in self.mechanisms.get(name, {})
        ]

    def _names(self, table: Table) -> list[str]:
        for name in (
            *self.columns,
            *self.exact,
            *self.ranges,
            *self.values,
            *self.mechanisms,
            *self.weights,
            *self.grids,
        ):
            table.column(name)
        public = table.names(*COUNTED_ROLES)
        for name in self.exact:
            if name not in public:
                raise ParameterError(
                    "anonymize.randomize.exact_role", column=name, role=table.column(name).role
                )
            if name in self.columns or name in self.mechanisms:
                raise ParameterError("anonymize.randomize.exact_and_randomized", column=name)
        names = [name for name in (self.columns or public) if name not in self.exact]
        if not names:
            raise ParameterError("anonymize.randomize.nothing")
        return names

    def _hidden_among(self, table: Table, plans: list[Plan], context: Context) -> int:
        """Number of records that agree with a person on everything exact, in the worst case."""
        names = [plan.name for plan in plans]
        exact = [
            column.name
            for column in table.columns
            if column.role in COUNTED_ROLES and column.name not in names and column.mechanism is None
        ]
        visible = [
            plan.name
            for plan in plans
            if self.missing == "keep"
            and table.column(plan.name).role in COUNTED_ROLES
            and table.frame[plan.name].null_count()
        ]
        fewest = int(exact_blocks(table, exact, visible).sizes.min())
        k = asked_k(context.requirements)
        if k is not None and fewest < k and (exact or visible):
            cells = (ErrorSentence("anonymize.randomize.missing_cells", column=name) for name in visible)
            raise InfeasibleError(
                "anonymize.randomize.too_exact",
                exact=enumerated([*exact, *cells]),
                records=counted("records", fewest),
                k=k,
            )
        return fewest


def _note(plan: Plan, mechanism: Mechanism, clipped: int) -> Note:
    note = Note(
        "randomized.column",
        column=plan.name,
        mechanism=Sentence(f"noise.mechanism.{MECHANISMS.name_of(mechanism)}"),
        rate=mechanism.rate(),
        epsilon=mechanism.epsilon(),
    )
    if clipped:
        note = Note("randomized.clipped", note=note, count=clipped)
    if isinstance(plan.domain, ValueDomain) and plan.domain.from_data:
        note = Note("randomized.from_data", note=note)
    return note


def _warnings(plans: list[Plan], mechanisms: Mapping[str, Mechanism], rows: int) -> Iterator[Note]:
    tables = rebuilt(mechanisms, rows)
    if tables is not None and tables.useless:
        yield Note(
            "randomized.useless",
            rows=rows,
            first=tables.column,
            other=tables.other,
            one=tables.one,
            two=tables.two,
        )
    found = [plan.name for plan in plans if isinstance(plan.domain, ValueDomain) and plan.domain.from_data]
    if found:
        yield Note("randomized.values_published", columns=enumerated(found))
