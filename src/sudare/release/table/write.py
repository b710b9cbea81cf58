"""Write the release of a table: its data file, manifests and reports, verified from what was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudare.formats.data import write_data
from sudare.release.folder import Written, write_folder
from sudare.release.table.manifest import manifest_of, public_part
from sudare.verify.verify import Finding, verify_release

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sudare.progress import Progress
    from sudare.release.recipe.base import AnyRecipe
    from sudare.release.recipe.parts import ReportKind
    from sudare.release.recipe.table import Output
    from sudare.release.table.release import Release


def write_release(
    release: Release,
    output: Output,
    *,
    recipe: AnyRecipe | None = None,
    run: str | None = None,
    progress: Progress | None = None,
) -> Written[Release]:
    """Write and verify a release; raises and leaves nothing behind when the guarantee does not hold."""
    return write_folder(_Contents(release, output), recipe=recipe, run=run, progress=progress)


@dataclass(frozen=True)
class _Contents:
    """What is written of a table; see `sudare.release.folder.Contents`."""

    release: Release
    output: Output

    def write(self, folder: Path, *, recipe: AnyRecipe | None, run: str | None) -> dict[str, Any]:
        """The data file."""
        output = self.output
        data = folder / "public" / output.file_name
        write_data(
            self.release.table.frame, data, format=output.format, escape_formulas=output.escape_formulas
        )
        return manifest_of(self.release, output, data, recipe=recipe, run=run)

    def public_manifest(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Without what helps an attacker."""
        return public_part(manifest)

    def verify(self, folder: Path) -> Sequence[Finding]:
        """From the public part alone."""
        return verify_release(folder / "public")

    def report(self, findings: Sequence[Finding], manifest: dict[str, Any], kind: ReportKind) -> str:
        """The page of a table."""
        from sudare.release.report import report_html

        return report_html(
            self.release,
            findings,
            manifest,
            kind=kind,
            language=self.output.language,
            crosstab=self.output.crosstab,
        )
