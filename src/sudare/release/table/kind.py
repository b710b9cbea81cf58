"""The kind of tables: what a release of a table does in its own way (see `sudare.release.kind`)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.advise.defaults import chosen
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.pipeline import apply_all
from sudare.anonymize.protocol import traits_of
from sudare.arrays import give_back
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.noise import way_out
from sudare.assess.requirement import forget_blocks, table_of
from sudare.describe.guess.oddities import codes_of, many_quasi
from sudare.describe.text import ANYTHING, as_text, has_no_text, refuse_blurred
from sudare.errors import DescriptionError, InfeasibleError, OutputError, ParameterError, redact
from sudare.formats.data import csv_text, write_data
from sudare.formats.database import source_name, table_written
from sudare.measure.catalogue import MEASURES
from sudare.measure.pair import Pair
from sudare.release.kind import Applied, Kind
from sudare.release.recipe.table import Output
from sudare.release.table.evaluate import evaluate, measured
from sudare.release.table.manifest import data_facts, manifest_parts, public_parts
from sudare.release.table.release import Release
from sudare.release.table.warnings import generalized_away, repeated, spellings, uncovered, unique_columns
from sudare.release.warnings import ReleaseNote, ReleaseWarning
from sudare.verify.verify import verify_release
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from sudare.anonymize.protocol import Anonymizer, Context
    from sudare.assess.requirement import Requirement, Verdict
    from sudare.assess.study import Study
    from sudare.describe.table import Table
    from sudare.display import Block
    from sudare.progress import Progress
    from sudare.randomness import Randomness
    from sudare.read.source import Labels
    from sudare.release.folder import Written
    from sudare.release.kind import Checked
    from sudare.release.recipe.parts import ReportKind
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language, Sentence

_TOO_LARGE = ((("sensitive", "insensitive"), 1e150, "squares"), (("quasi",), 4e307, "differences"))
"""Roles, the largest number, and what of a larger one overflows."""


def refuse_given(table: Table, requirements: Sequence[Requirement]) -> None:
    """One sentence where a table cannot be released, or not under these requirements."""
    if table.rows == 0:
        raise DescriptionError("release.table.no_rows")
    if requirements and not table.names("quasi"):
        raise DescriptionError("release.table.no_quasi")
    _refuse_incomparable(table)
    for roles, largest, what in _TOO_LARGE:
        for name in table.names(*roles):
            numbers = table.frame[name]
            if numbers.dtype.is_float() and (numbers.abs() > largest).any():
                raise DescriptionError(f"release.table.too_large.{what}", column=name, largest=largest)
    refuse_blurred(table)


def _refuse_incomparable(table: Table) -> None:
    """Sets, records and bytes are released as they are or dropped; objects of Python fit into no file."""
    for column in table.columns:
        dtype = table.frame[column.name].dtype
        if dtype == pl.Object:
            raise DescriptionError("release.table.objects", column=column.name)
        if column.role in {"quasi", "sensitive"} and has_no_text(dtype):
            raise DescriptionError(
                f"release.table.not_compared.{column.role}", column=column.name, dtype=dtype
            )


_SHORTEST_REMOVED = 2
"""Characters of a removed value that a label must not contain; shorter ones are parts of most words."""
_NAMED = 5
"""Labels that a warning names."""


def warnings_of(checked: Checked) -> Iterator[str]:
    """What the custodian should look at before handing the release over."""
    table, applied = checked.original, checked.applied
    if table.undescribed:
        yield ReleaseWarning("table.undescribed", columns=enumerated(table.undescribed))
    if not checked.random.secure:
        yield ReleaseWarning("table.seed")
    if checked.order == "keep" and not any(traits_of(one).reorders for one in checked.methods):
        yield ReleaseWarning("in_order")
    yield from many_quasi(len(table.names("quasi")))
    yield from codes_of(
        table.frame[name] for name in applied.data.frame.columns if name in table.frame.columns
    )
    yield from repeated(table, applied.data, applied.rows, checked.requirements)
    yield from uncovered(applied.data, checked.requirements)
    yield from unique_columns(table, applied.data)
    yield from generalized_away(table, applied.data, applied.rows)
    yield from spellings(applied.data, checked.requirements)
    for name, labels in labels_like_values(table, applied.data, applied.rows):
        quoted = enumerated(f"'{label}'" for label in labels[:_NAMED])
        yield ReleaseWarning("table.ambiguous", column=name, labels=quoted)


def labels_like_values(
    original: Table, released: Table, rows: npt.NDArray[np.int64] | None
) -> Iterator[tuple[str, list[str]]]:
    """Quasi-identifiers with the labels that other values were generalized to, and that are values themselves.

    A reader of the release cannot tell one from the other.

    `rows` has, for each released row, its row in the original.
    """
    if rows is None:
        return  # what was made up was not generalized
    for name in released.names("quasi"):
        column, texts = released.column(name), released.frame[name]
        # Generalized columns are texts, and have no hierarchy any more.
        if texts.dtype != pl.String or column.hierarchy is not None or column.mechanism is not None:
            continue
        tree = original.hierarchy(name)
        if tree is None:
            labels = _suppressed(original.frame[name][rows], texts)
        else:
            values = {label for label in tree.labels[: tree.leaves] if label is not None}
            labels = [label for label in tree.labels[tree.leaves :] if label in values]
            if labels:
                before = as_text(original.frame[name])[rows]
                changed = texts.filter(before.ne_missing(texts))
                labels = changed.filter(changed.is_in(labels)).unique().sort().to_list()
        if labels:
            yield name, labels


def _suppressed(before: pl.Series, after: pl.Series) -> list[str]:
    """`*` where a column without a hierarchy had it, and has more of it now; exchanged values make no more."""
    if before.dtype.is_numeric() or before.dtype.is_temporal() or before.dtype.is_nested():
        return []
    had = int((as_text(before) == ANYTHING).sum())
    return [ANYTHING] if 0 < had < int((after == ANYTHING).sum()) else []


def labels_of(release: Release) -> Labels | None:
    """The labels of the source, without those of columns that contain a value that was removed."""
    original, released = release.original, release.table.frame
    labels = None if original.source is None else original.source.labels
    if labels is None:
        return None
    shown = {text for column in released for text in _words_in(column)}
    removed = {text for column in original.frame for text in _words_in(column)} - shown
    variables = {
        name: label
        for name, label in labels.variables.items()
        if name in released.columns and not any(text in label for text in removed)
    }
    return labels._replace(variables=variables)


def _words_in(column: pl.Series) -> Iterator[str]:
    """The values of a column that are no numbers, as text."""
    dtype = column.dtype
    if not (dtype.is_numeric() or dtype.is_nested() or dtype in (pl.Object, pl.Binary)):
        values = as_text(column.alias("cells").drop_nulls().unique()).to_list()
        yield from (text for text in values if len(text) >= _SHORTEST_REMOVED)


class TableKind(Kind):
    """Rows and columns."""

    name = "table"
    requirements = REQUIREMENTS
    methods = METHODS
    measures = MEASURES
    output = Output
    private = (
        "column_errors",
        "database",
        "input",
        "left_out",
        "publishable",
        "recipe",
        "risk",
        "run",
        "suitability",
        "seconds",
        "machine",
        "notes",
    )

    def given(self, data: Any) -> Table:
        """A Table; anything else has no roles."""
        return table_of(data)

    def refuse_requirements(self, requirements: Sequence[Any]) -> None:
        """Requirements on baskets; others may be anybody's."""
        wrong = next((one for one in requirements if BASKET_REQUIREMENTS.knows(one)), None)
        if wrong is not None:
            raise ParameterError("release.table.requirement_on_baskets", name=type(wrong).__name__)

    def refuse_given(self, data: Table, requirements: Sequence[Requirement]) -> None:
        """Empty tables, columns that cannot be compared, numbers that overflow."""
        refuse_given(data, requirements)

    def chosen_methods(
        self, data: Table, requirements: Sequence[Requirement]
    ) -> tuple[Sequence[Anonymizer], Sentence]:
        """By the table and the requirements."""
        choice = chosen(data, requirements)
        return choice.methods, ReleaseNote(f"chosen.{choice.reason}", **choice.figures)

    def refuse_methods(self, methods: Sequence[Any]) -> None:
        """A method may be anybody's; what it does with a table is checked as it is applied."""

    def apply(self, methods: Sequence[Anonymizer], data: Table, context: Context) -> Applied:
        """All methods in order, identifiers last."""
        outcome = apply_all(methods, data, context)
        if outcome.table.rows == 0:
            raise InfeasibleError("release.no_row_left")
        return Applied(outcome.table, outcome.rows, outcome.notes, outcome.warnings)

    def check(
        self,
        requirement: Requirement,
        released: Table,
        original: Table,  # noqa: ARG002  # promises about tables speak of the release alone
        random: Randomness,  # noqa: ARG002
    ) -> Verdict:
        """On the released table."""
        return requirement.check(released)

    def shuffled(self, applied: Applied, random: Randomness) -> Applied:
        """Rows in random order, and where they come from in the same."""
        places = random.permutation(applied.data.rows)
        rows = None if applied.rows is None else applied.rows[places]
        return applied._replace(data=applied.data.permuted(places), rows=rows)

    def way_out(self, requirement: Requirement, original: Table) -> str:
        """Another method, or the noise that it would take."""
        return way_out(requirement, original)

    def release(self, checked: Checked, measures: Sequence[Any] | None, progress: Progress) -> Release:
        """The release with its losses."""
        applied = checked.applied
        # The pair is not kept: what its measures computed takes several arrays of all rows.
        found = measured(Pair(checked.original, applied.data, applied.rows), measures, progress)
        give_back()
        return Release(
            original=checked.original,
            table=applied.data,
            rows_of_original=applied.rows,
            requirements=checked.requirements,
            methods=checked.methods,
            verdicts=checked.verdicts,
            losses=found.losses,
            column_losses=found.by_column,
            column_errors=found.column_errors,
            not_applicable=found.not_applicable,
            notes=applied.notes,
            warnings=(*warnings_of(checked), *applied.warnings),
            secure=checked.random.secure,
            order=checked.order,
        )

    def evaluate(self, release: Release, progress: Progress) -> None:
        """Risk before and after, and lower bounds."""
        evaluate(release, progress)

    def prepare(self, release: Release, reports: Collection[ReportKind]) -> None:
        """Count what the reports show, then let go of the codes and blocks of both tables."""
        if reports:
            from sudare.release.report.table.page import count_rows

            count_rows(release, internal="internal" in reports)
        for table in (release.original, release.table):
            table.forget()
            forget_blocks(table)

    def write_data(self, release: Release, output: Output, folder: Path) -> dict[str, Any]:
        """The data file."""
        data = folder / "public" / output.file_name
        write_data(
            release.table.frame,
            data,
            format=output.format,
            escape_formulas=output.escape_formulas,
            encoding=output.encoding,
            labels=labels_of(release) if output.format in {"spss", "stata"} else None,
        )
        return data_facts(release, output, data)

    @contextmanager
    def elsewhere(self, release: Release, output: Output) -> Iterator[None]:
        """The table of a database."""
        if output.database is None or output.table is None:
            yield
            return
        source = release.original.source
        if source is not None and source.name == source_name(output.database, output.table):
            raise OutputError("formats.database.original", table=output.table, server=redact(output.database))
        with table_written(release.table.frame, output.database, output.table, overwrite=output.overwrite):
            yield

    def manifest_parts(self, release: Release, output: Output) -> dict[str, Any]:
        """Columns, losses, bounds and risk, and for the custodian the table of a database."""
        place = (
            {}
            if output.database is None
            else {"database": {"address": redact(output.database), "table": output.table}}
        )
        return {**manifest_parts(release), **place}

    def public_parts(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Rounded losses and bounds; of randomized data next to none."""
        return public_parts(manifest)

    def verify(self, release: Release, folder: Path, progress: Progress) -> list[Finding]:
        """From the public part alone; what must not be left over in its bytes, from the original."""
        return verify_release(folder / "public", original=release.original, progress=progress)

    def report(
        self,
        release: Release,
        findings: Sequence[Finding],
        manifest: dict[str, Any],
        kind: ReportKind,
        output: Output,
    ) -> str:
        """The page of a table."""
        from sudare.release.report.table.page import report_html

        return report_html(
            release, findings, manifest, kind=kind, language=output.language, crosstab=output.crosstab
        )

    def text(self, written: Written[Release]) -> str:
        """CSV, written as the data file of that format is."""
        escape = written.manifest["data"]["escape_formulas"]
        return csv_text(written.release.table.frame, escape_formulas=escape)

    def summary(self, written: Written[Release], language: Language) -> list[Block]:
        """Risk before and after, losses and bounds."""
        from sudare.release.table.summary import summary

        return summary(written.release, language)

    def assess(
        self, data: Table, requirements: Sequence[Requirement], progress: Progress | None, **options: Any
    ) -> Study:
        """Feasibility, bounds, suitability, compromises."""
        from sudare.advise.advise import advise

        return advise(data, requirements, progress=progress, **options)


TABLE = TableKind()
