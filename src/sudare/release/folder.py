"""A release on disk: written into a temporary folder, verified from there, then the folder appears whole."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from sudare.display import WIDTH, html_block, html_list, html_table, paragraph, said
from sudare.errors import GuaranteeError
from sudare.progress import SILENT, Progress
from sudare.release.staging import staged_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.release.recipe.base import AnyOutput, AnyRecipe
    from sudare.release.recipe.parts import ReportKind
    from sudare.verify.requirements import Finding

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Written(Generic[R_co]):
    """A release on disk: `public` may be handed over, `internal` stays with the custodian."""

    folder: Path
    release: R_co
    findings: tuple[Finding, ...]
    """What the independent verifier recomputed from the written files."""
    manifest: dict[str, Any]
    """The internal manifest."""

    @property
    def data(self) -> Path:
        """The released data file."""
        return self.folder / "public" / str(self.manifest["data"]["file"])

    @property
    def rows(self) -> int:
        """Rows, or baskets, that were released."""
        data = self.manifest["data"]
        return int(data["rows"] if "rows" in data else data["baskets"])

    @property
    def reports(self) -> list[Path]:
        """The written reports, public first."""
        places = [self.folder / kind / "report.html" for kind in ("public", "internal")]
        return [place for place in places if place.exists()]

    def __repr__(self) -> str:
        held = sum(finding.holds for finding in self.findings)
        reports = ", ".join(str(place.relative_to(self.folder)) for place in self.reports)
        return said(
            "Written",
            [
                f"{self.folder}",
                self._released,
                f"{held} of {len(self.findings)} checks hold",
                *([f"reports: {reports}"] if reports else []),
            ],
        )

    def _repr_html_(self) -> str:
        """Where it is, and what the verifier says; the figures of the internal manifest are not for passing on."""
        places = [("data", self.data), *(("report", place) for place in self.reports)]
        return html_block(
            paragraph(f"Written: {self.folder}, {self._released}", bold=True),
            html_list(f"{'✓' if finding.holds else '✗'} {finding.sentence}" for finding in self.findings),
            html_table(["file", "place"], places, WIDTH),
        )

    @property
    def _released(self) -> str:
        return f"{self.rows:,} {'rows' if 'rows' in self.manifest['data'] else 'baskets'}"


class Contents(Protocol[R_co]):
    """What the folder of a table's release and that of a release of baskets do not have in common."""

    @property
    def release(self) -> R_co:
        """The release in memory."""

    @property
    def output(self) -> AnyOutput:
        """What is to be written, and where."""

    def write(self, folder: Path, *, recipe: AnyRecipe | None, run: str | None) -> dict[str, Any]:
        """Write the data into `public`, what only the custodian keeps into `internal`; gives the internal manifest."""

    def public_manifest(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest without what only the custodian may know."""

    def verify(self, folder: Path) -> Sequence[Finding]:
        """The guarantee, recomputed from the written files."""

    def report(self, findings: Sequence[Finding], manifest: dict[str, Any], kind: ReportKind) -> str:
        """The report of one kind, as HTML."""


def write_folder(
    contents: Contents[R_co], *, recipe: AnyRecipe | None, run: str | None, progress: Progress | None
) -> Written[R_co]:
    """Write and verify a release; raises and leaves nothing behind when the guarantee does not hold."""
    shown = progress or SILENT
    output = contents.output
    target = Path(output.folder)
    kept = None if recipe is None else recipe.without_secrets()
    with staged_folder(target, overwrite=output.overwrite) as folder:
        (folder / "public").mkdir()
        (folder / "internal").mkdir()
        shown.start("write", 1)
        started = time.perf_counter()
        manifest = contents.write(folder, recipe=kept, run=run)
        _write_manifests(folder, contents, manifest)
        shown.update(1)
        manifest["seconds"]["write"] = round(time.perf_counter() - started, 3)
        shown.start("verify", 1)
        started = time.perf_counter()
        findings = contents.verify(folder)
        _refuse_broken(findings)
        manifest["seconds"]["verify"] = round(time.perf_counter() - started, 3)
        manifest["verified"] = [finding.__dict__ for finding in findings]
        shown.update(1)
        _write_manifests(folder, contents, manifest)
        if kept is not None:
            (folder / "internal" / "recipe.yaml").write_text(kept.to_yaml(), encoding="utf-8")
        shown.start("report", len(output.reports))
        for done, kind in enumerate(output.reports, start=1):
            html = contents.report(findings, manifest, kind)
            (folder / kind / "report.html").write_text(html, encoding="utf-8")
            shown.update(done)
    return Written(target, contents.release, tuple(findings), manifest)


def _refuse_broken(findings: Sequence[Finding]) -> None:
    """Stop when the verifier found anything that does not hold."""
    broken = next((finding for finding in findings if not finding.holds), None)
    if broken is not None:
        raise GuaranteeError(
            f"The written files do not hold what was asked: {broken.sentence} Nothing was released."
        )


def _write_manifests(folder: Path, contents: Contents[Any], manifest: dict[str, Any]) -> None:
    _write_json(folder / "public" / "manifest.json", contents.public_manifest(manifest))
    _write_json(folder / "internal" / "manifest.json", manifest)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
