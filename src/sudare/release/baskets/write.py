"""A release of baskets on disk.

The parts of the folder:

    public/baskets.*         the released baskets, in the order of the original, without ids
    public/manifest.json     what was asked and done
    public/report.html       the same for people, with nothing about original baskets but how much was lost
    internal/manifest.json   the same, with the input and what only the custodian may know
    internal/report.html     what the custodian should see: adversaries, who pays, rules before and after
    internal/recipe.yaml     the recipe, where there was one
    internal/sensitive.parquet   the sensitive items of each user, where they differ (none where they are for all)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudare.describe.baskets.baskets import Baskets
from sudare.formats.baskets import write_baskets
from sudare.read.baskets.codes import BasketCodes
from sudare.release.baskets.manifest import basket_manifest_of, public_basket_part
from sudare.release.folder import Written, write_folder
from sudare.verify.baskets.check import SENSITIVE, check_basket_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sudare.progress import Progress
    from sudare.release.baskets.release import BasketRelease
    from sudare.release.recipe.base import AnyRecipe
    from sudare.release.recipe.baskets import BasketOutput
    from sudare.release.recipe.parts import ReportKind
    from sudare.verify.requirements import Finding

_ENDINGS = {"lines": ".txt", "json": ".json", "long": ".csv", "sets": ".csv", "lists": ".parquet"}


def write_basket_folder(
    release: BasketRelease,
    output: BasketOutput,
    *,
    recipe: AnyRecipe | None = None,
    run: str | None = None,
    progress: Progress | None = None,
) -> Written[BasketRelease]:
    """Write a release of baskets and verify what was written beside the original; nothing is left on failure."""
    layout = output.layout or (release.original.source.layout if release.original.source else "json")
    return write_folder(_Contents(release, output, layout), recipe=recipe, run=run, progress=progress)


@dataclass(frozen=True)
class _Contents:
    """What is written of baskets; see `sudare.release.folder.Contents`."""

    release: BasketRelease
    output: BasketOutput
    layout: str

    def write(self, folder: Path, *, recipe: AnyRecipe | None, run: str | None) -> dict[str, Any]:
        """The released baskets, and for the custodian the sensitive items of each user."""
        data = folder / "public" / f"baskets{_ENDINGS[self.layout]}"
        facts = write_baskets(self.release.released, data, self.layout)
        _write_sensitive(self.release.original, folder / "internal")
        return basket_manifest_of(
            self.release, data, delimiter=facts.delimiter, layout=self.layout, recipe=recipe, run=run
        )

    def public_manifest(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Without what only the custodian may know."""
        return public_basket_part(manifest)

    def verify(self, folder: Path) -> Sequence[Finding]:
        """Beside the original, of which the guarantees of baskets speak."""
        return check_basket_folder(folder, original=self.release.original)

    def report(self, findings: Sequence[Finding], manifest: dict[str, Any], kind: ReportKind) -> str:
        """The page of baskets."""
        from sudare.release.report.baskets.page import basket_report_html

        return basket_report_html(self.release, findings, manifest, kind=kind, language=self.output.language)


def _write_sensitive(original: Baskets, internal: Path) -> None:
    if original.sensitive_starts is not None and original.sensitive_codes is not None:
        named = Baskets(BasketCodes(original.items, original.sensitive_starts, original.sensitive_codes))
        write_baskets(named, internal / SENSITIVE, "lists")
