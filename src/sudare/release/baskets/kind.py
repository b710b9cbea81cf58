"""The kind of baskets: what a release of baskets does in its own way (see `sudare.release.kind`).

The parts of its folder:

    public/baskets.*         the released baskets, in random order unless it was to be kept, without ids
    public/manifest.json     what was asked and done
    public/report.html       the same for people, with nothing about original baskets but how much was lost
    internal/manifest.json   the same, with the input and what only the custodian may know
    internal/report.html     what the custodian should see: adversaries, who pays, rules before and after
    internal/recipe.yaml     the recipe, where there was one
    internal/rows.parquet    the original place of each released basket
    internal/sensitive.parquet   the sensitive items of each user, where they differ (none where they are for all)
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.baskets.suppress import SuppressItems
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.protocol import traits_of
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.describe.baskets.baskets import Baskets
from sudare.errors import DescriptionError, ErrorSentence, ParameterError
from sudare.formats.baskets import ENDINGS, write_baskets
from sudare.measure.baskets import BASKET_MEASURES
from sudare.progress import Plan
from sudare.read.baskets.codes import BasketCodes
from sudare.release.baskets.evaluate import measured
from sudare.release.baskets.manifest import data_facts, manifest_parts
from sudare.release.baskets.release import BasketRelease
from sudare.release.kind import Applied, Kind
from sudare.release.recipe.baskets import BasketOutput
from sudare.release.warnings import ReleaseNote, ReleaseWarning
from sudare.verify.baskets.check import SENSITIVE, check_basket_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from sudare.anonymize.baskets.protocol import BasketAnonymizer
    from sudare.anonymize.protocol import Context
    from sudare.assess.baskets.adversary import BasketVerdict
    from sudare.assess.requirement import Verdict
    from sudare.display import Block
    from sudare.progress import Progress
    from sudare.randomness import Randomness
    from sudare.release.folder import Written
    from sudare.release.kind import Checked
    from sudare.release.recipe.parts import ReportKind
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language, Sentence


class BasketKind(Kind):
    """Sets of items."""

    name = "baskets"
    requirements = BASKET_REQUIREMENTS
    methods = BASKET_METHODS
    measures = BASKET_MEASURES
    output = BasketOutput
    private = ("input", "risk", "sensitive", "notes", "seconds", "run", "recipe")

    def given(self, data: Any) -> Baskets:
        """Baskets, or those of a release of them."""
        return data if isinstance(data, Baskets) else data.released

    def refuse_requirements(self, requirements: Sequence[Any]) -> None:
        """Requirements on tables."""
        wrong = next((one for one in requirements if not BASKET_REQUIREMENTS.knows(one)), None)
        if wrong is not None:
            raise ParameterError("release.baskets.requirement_on_tables", name=type(wrong).__name__)

    def refuse_given(self, data: Baskets, requirements: Sequence[Any]) -> None:  # noqa: ARG002  # whatever is asked
        """No baskets."""
        if not len(data):
            raise DescriptionError("release.baskets.none")

    def chosen_methods(
        self,
        data: Baskets,  # noqa: ARG002  # one fits all
        requirements: Sequence[Any],  # noqa: ARG002
    ) -> tuple[Sequence[BasketAnonymizer], Sentence]:
        """Items are suppressed."""
        return (SuppressItems(),), ReleaseNote("chosen.item-suppression")

    def refuse_methods(self, methods: Sequence[Any]) -> None:
        """Methods for tables."""
        misplaced = next((one for one in methods if METHODS.knows(one)), None)
        if misplaced is not None:
            raise ParameterError("release.baskets.method_for_tables", name=type(misplaced).__name__)

    def apply(self, methods: Sequence[BasketAnonymizer], data: Baskets, context: Context) -> Applied:
        """All methods in order; every basket stays in its place."""
        notes: list[str] = []
        plan = Plan(context.progress, {str(place): 1.0 for place in range(len(methods))})
        for place, method in enumerate(methods):
            with plan.phase(str(place), shown="anonymize", inner=traits_of(method).phases) as step:
                outcome = method.apply(data, replace(context, progress=step))
            data = outcome.baskets
            notes += outcome.notes
        return Applied(data, None, tuple(notes), ())

    def check(self, requirement: Any, released: Baskets, original: Baskets, random: Randomness) -> Verdict:
        """Beside the original, of which the promises about baskets speak."""
        verdict: Verdict = requirement.check(released, original, random=random)
        return verdict

    def shuffled(self, applied: Applied, random: Randomness) -> Applied:
        """In memory baskets stay beside their originals, of which the promises speak; they are written in this order."""
        return applied._replace(rows=random.permutation(len(applied.data)))

    def way_out(self, requirement: Any, original: Baskets) -> str:  # noqa: ARG002  # the same for all
        """Another method."""
        return ErrorSentence("release.baskets.way_out")

    def release(self, checked: Checked, measures: Sequence[Any] | None, progress: Progress) -> BasketRelease:
        """The release with its losses."""
        before, after = checked.original, checked.applied.data
        losses, warnings = measured(before, after, measures, progress)
        return BasketRelease(
            original=before,
            released=after,
            requirements=checked.requirements,
            methods=checked.methods,
            verdicts=cast("tuple[BasketVerdict, ...]", checked.verdicts),
            losses=losses,
            notes=checked.applied.notes,
            warnings=(*_warnings(checked), *warnings),
            secure=checked.random.secure,
            order=checked.order,
            rows_of_original=checked.applied.rows,
        )

    def evaluate(self, release: BasketRelease, progress: Progress) -> None:
        """Nothing beside the losses."""

    def prepare(self, release: BasketRelease, reports: Collection[ReportKind]) -> None:
        """Baskets keep nothing that can be computed again."""

    def write_data(self, release: BasketRelease, output: BasketOutput, folder: Path) -> dict[str, Any]:
        """The released baskets, and for the custodian the sensitive items of each user."""
        original = release.original
        layout = output.layout or (original.source.layout if original.source else "json")
        data = folder / "public" / f"baskets{ENDINGS[layout]}"
        facts = write_baskets(release.published, data, layout, escape_formulas=True)
        if original.sensitive_starts is not None and original.sensitive_codes is not None:
            named = Baskets(BasketCodes(original.items, original.sensitive_starts, original.sensitive_codes))
            write_baskets(named, folder / "internal" / SENSITIVE, "lists")
        return data_facts(release, data, layout, facts.delimiter)

    def manifest_parts(self, release: BasketRelease, output: BasketOutput) -> dict[str, Any]:  # noqa: ARG002  # told with the data
        """Input, losses and what is sensitive for all."""
        return manifest_parts(release)

    def public_parts(self, manifest: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002  # losses have three digits already
        """Nothing is told otherwise."""
        return {}

    def verify(self, release: BasketRelease, folder: Path, progress: Progress) -> list[Finding]:
        """Beside the original, of which the promises about baskets speak."""
        return check_basket_folder(folder, original=release.original, progress=progress)

    def report(
        self,
        release: BasketRelease,
        findings: Sequence[Finding],
        manifest: dict[str, Any],
        kind: ReportKind,
        output: BasketOutput,
    ) -> str:
        """The page of baskets."""
        from sudare.release.report.baskets.page import basket_report_html

        return basket_report_html(release, findings, manifest, kind=kind, language=output.language)

    def text(self, written: Written[BasketRelease]) -> str:
        """A list in JSON for each basket, a line each."""
        published = written.release.published
        return "".join(f"{json.dumps(basket, ensure_ascii=False)}\n" for basket in published.lists())

    def summary(self, written: Written[BasketRelease], language: Language) -> list[Block]:
        """Losses and what was done."""
        from sudare.release.baskets.summary import summary

        return summary(written.release, language)

    def assess(
        self, data: Baskets, requirements: Sequence[Any], progress: Progress | None, **options: Any
    ) -> Any:
        """Dangerous adversaries, the least that suppression costs, the smallest rho."""
        from sudare.advise.baskets import advise_baskets

        return advise_baskets(data, requirements, progress=progress, **options)


BASKETS = BasketKind()


def _warnings(checked: Checked) -> Iterator[str]:
    """What is true of a release, but hardly meant."""
    before, after = checked.original, checked.applied.data
    if not checked.random.secure:
        yield ReleaseWarning("baskets.seed")
    if checked.order == "keep":
        yield ReleaseWarning("in_order")
    infers = any(getattr(one, "needs_sensitive", False) for one in checked.requirements)
    if infers and before.entries and not before.has_sensitive:
        yield ReleaseWarning("baskets.nothing_sensitive")
    if before.entries and not after.entries:
        yield ReleaseWarning("baskets.nothing_left")
    if len(before.items) > 1 and len(after.items) == 1 and after.entries:
        yield ReleaseWarning("baskets.one_item", item=after.items[0])
