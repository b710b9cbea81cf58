"""Write: files into a temporary folder, verified from there, then the folder appears whole."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.errors import GuaranteeError
from sudare.progress import SILENT, Progress
from sudare.release.data_files import write_data
from sudare.release.manifest import manifest_of, public_part
from sudare.release.staging import staged_folder
from sudare.release.verify import Finding, verify_release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.release.recipe import Output, Recipe
    from sudare.release.release import Release


@dataclass(frozen=True)
class Written:
    """A release on disk: `public` may be handed over, `internal` stays with the custodian."""

    folder: Path
    release: Release
    findings: tuple[Finding, ...]
    """What the independent verifier recomputed from the written files."""
    manifest: dict[str, Any]
    """The internal manifest."""

    @property
    def data(self) -> Path:
        """The released data file."""
        return self.folder / "public" / str(self.manifest["data"]["file"])

    @property
    def reports(self) -> list[Path]:
        """The written reports, public first."""
        places = [self.folder / kind / "report.html" for kind in ("public", "internal")]
        return [place for place in places if place.exists()]


def write_release(
    release: Release,
    output: Output,
    *,
    recipe: Recipe | None = None,
    run: str | None = None,
    progress: Progress | None = None,
) -> Written:
    """Write and verify a release; raises and leaves nothing behind when the guarantee does not hold."""
    shown = progress or SILENT
    target = Path(output.folder)
    with staged_folder(target, overwrite=output.overwrite) as folder:
        public, internal = folder / "public", folder / "internal"
        public.mkdir()
        internal.mkdir()
        shown.start("write", 1)
        started = time.perf_counter()
        data = public / output.file_name
        write_data(release.table.frame, data, format=output.format, escape_formulas=output.escape_formulas)
        kept = None if recipe is None else recipe.without_secrets()
        manifest = manifest_of(release, output, data, recipe=kept, run=run)
        _write_json(public / "manifest.json", public_part(manifest))
        shown.update(1)
        manifest["seconds"]["write"] = round(time.perf_counter() - started, 3)
        shown.start("verify", 1)
        started = time.perf_counter()
        findings = verify_release(public)
        refuse_broken(findings)
        manifest["seconds"]["verify"] = round(time.perf_counter() - started, 3)
        manifest["verified"] = [finding.__dict__ for finding in findings]
        shown.update(1)
        _write_json(internal / "manifest.json", manifest)
        _write_json(public / "manifest.json", public_part(manifest))
        if kept is not None:
            (internal / "recipe.yaml").write_text(kept.to_yaml(), encoding="utf-8")
        _write_reports(release, output, findings, manifest, folder, shown)
    return Written(target, release, tuple(findings), manifest)


def refuse_broken(findings: Sequence[Finding]) -> None:
    """Stop when the verifier found anything that does not hold."""
    broken = next((finding for finding in findings if not finding.holds), None)
    if broken is not None:
        raise GuaranteeError(
            f"The written files do not hold what was asked: {broken.sentence} Nothing was released."
        )


def _write_reports(
    release: Release,
    output: Output,
    findings: Sequence[Finding],
    manifest: dict[str, Any],
    folder: Path,
    progress: Progress,
) -> None:
    from sudare.release.report import report_html

    progress.start("report", len(output.reports))
    for done, kind in enumerate(output.reports, start=1):
        html = report_html(
            release, findings, manifest, kind=kind, language=output.language, crosstab=output.crosstab
        )
        (folder / kind / "report.html").write_text(html, encoding="utf-8")
        progress.update(done)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
