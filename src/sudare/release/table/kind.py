"""The kind of tables: what a release of a table does in its own way (see `sudare.release.kind`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.advise.defaults import default_methods
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.pipeline import apply_all
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.noise import way_out
from sudare.assess.requirement import table_of
from sudare.errors import InfeasibleError, ParameterError
from sudare.formats.data import csv_text, write_data
from sudare.measure.catalogue import MEASURES
from sudare.measure.pair import Pair
from sudare.release.kind import Applied, Kind
from sudare.release.recipe.table import Output
from sudare.release.table.evaluate import evaluate, measured
from sudare.release.table.manifest import data_facts, manifest_parts, public_parts
from sudare.release.table.refusals import refuse_given
from sudare.release.table.release import Release
from sudare.release.table.warnings import warnings_of
from sudare.verify.verify import verify_release

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sudare.anonymize.protocol import Anonymizer, Context
    from sudare.assess.requirement import Requirement
    from sudare.assess.study import Study
    from sudare.assess.verdict import Verdict
    from sudare.describe.table import Table
    from sudare.display import Block
    from sudare.progress import Progress
    from sudare.randomness import Randomness
    from sudare.release.folder import Written
    from sudare.release.kind import Checked
    from sudare.release.recipe.parts import ReportKind
    from sudare.verify.finding import Finding
    from sudare.words.texts import Language


class TableKind(Kind):
    """Rows and columns."""

    name = "table"
    requirements = REQUIREMENTS
    methods = METHODS
    measures = MEASURES
    output = Output
    private = ("input", "recipe", "risk", "run", "seconds", "machine", "notes")

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

    def default_methods(self, requirements: Sequence[Requirement]) -> Sequence[Anonymizer]:
        """Randomize for Pk-anonymity, else Mondrian."""
        return default_methods(requirements)

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

    def way_out(self, requirement: Requirement, original: Table) -> str:
        """Another method, or the noise that it would take."""
        return way_out(requirement, original)

    def release(self, checked: Checked, measures: Sequence[str] | None, progress: Progress) -> Release:
        """The release with its losses."""
        applied = checked.applied
        pair = Pair(checked.original, applied.data, applied.rows)
        found = measured(pair, measures, progress)
        return Release(
            original=checked.original,
            table=applied.data,
            rows_of_original=applied.rows,
            requirements=checked.requirements,
            methods=checked.methods,
            verdicts=checked.verdicts,
            losses=found.losses,
            column_losses=found.by_column,
            not_applicable=found.not_applicable,
            notes=applied.notes,
            warnings=(*warnings_of(checked), *applied.warnings),
            secure=checked.random.secure,
        )

    def evaluate(self, release: Release, progress: Progress) -> None:
        """Risk before and after, and lower bounds."""
        evaluate(release, progress)

    def write_data(self, release: Release, output: Output, folder: Path) -> dict[str, Any]:
        """The data file."""
        data = folder / "public" / output.file_name
        write_data(release.table.frame, data, format=output.format, escape_formulas=output.escape_formulas)
        return data_facts(release, output, data)

    def manifest_parts(self, release: Release, output: Output) -> dict[str, Any]:  # noqa: ARG002  # told with the data
        """Columns, losses, bounds and risk."""
        return manifest_parts(release)

    def public_parts(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Rounded losses and bounds; of randomized data next to none."""
        return public_parts(manifest)

    def verify(self, release: Release, folder: Path, progress: Progress) -> list[Finding]:  # noqa: ARG002  # the files alone
        """From the public part alone."""
        return verify_release(folder / "public", progress=progress)

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
