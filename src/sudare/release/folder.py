"""A release on disk: written into a temporary folder, verified from there, then the folder appears whole."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import polars as pl

from sudare.arrays import give_back
from sudare.display import WIDTH, html_block, html_list, html_table, paragraph, said, shown_words
from sudare.errors import GuaranteeError
from sudare.progress import Plan, Progress, shows_progress
from sudare.release.manifest import manifest_of, public_manifest
from sudare.release.staging import staged_folder
from sudare.verify.manifest import ROWS
from sudare.words.sentence import as_shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    import numpy as np
    import numpy.typing as npt

    from sudare.assess.requirement import Verdict
    from sudare.measure.compare import Figures
    from sudare.release.kind import Kind
    from sudare.release.recipe.base import About, AnyOutput, AnyRecipe
    from sudare.release.recipe.parts import Order, ReportKind
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Texts


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AnyRelease:
    """What `anonymize` returns: what is released, and everything a report says about it."""

    original: Any
    """The data as they were (never written)."""
    requirements: tuple[Any, ...]
    methods: tuple[Any, ...]
    verdicts: tuple[Verdict, ...]
    """One for each requirement, on what is released."""
    losses: dict[str, float]
    """Value of each measure that applies; one that does not is never 0."""
    notes: tuple[str, ...]
    """What the methods did, in figures."""
    warnings: tuple[str, ...]
    """What the custodian should look at."""
    secure: bool
    """False when a seed made the random choices repeatable: for tests only."""
    rows_of_original: npt.NDArray[np.int64] | None = None
    """For each published record, its place in the original (never published); None where records have no originals, or
    baskets keep their order."""
    order: Order = "keep"
    """Whether the records are published in random order, or in that of the original."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each step took."""

    @property
    def kind(self) -> Kind:
        """Table or baskets: what is done differently for the two."""
        raise NotImplementedError

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds for verdict in self.verdicts)

    def figures(self) -> Figures:
        """What releases are compared by."""
        raise NotImplementedError

    @shows_progress
    def write(
        self,
        folder: str | Path,
        *,
        about: Mapping[str, str] | About | None = None,
        progress: Progress | None = None,
        **output: Any,
    ) -> Written[Self]:
        """Write the release with its evidence, verified from the written files; nothing is left on failure.

        `output` takes the fields of a recipe's output: for a table format, language, reports, escape_formulas and overwrite,
        for baskets layout, language, reports and overwrite. `about` has a title, purpose, recipient and contact for readers.
        """
        from sudare.release.folder import write_folder
        from sudare.release.recipe.base import About

        told = about if about is None or isinstance(about, About) else About.of(**about)
        return write_folder(self, self.kind.output.into(folder, **output), about=told, progress=progress)

    def report(self, kind: ReportKind = "internal", *, language: str = "en") -> str:
        """The report as HTML, verified as every release is; nothing is kept on disk.

        The internal report has figures of the original, the public one may be handed over with the data.
        """
        with tempfile.TemporaryDirectory() as place:
            written = self.write(Path(place) / "release", language=language, reports=(kind,))
            return (written.folder / kind / "report.html").read_text(encoding="utf-8")


Release_co = TypeVar("Release_co", bound=AnyRelease, covariant=True)
Released = TypeVar("Released", bound=AnyRelease)


@dataclass(frozen=True)
class Written(Generic[Release_co]):
    """A release on disk: `public` may be handed over, `internal` stays with the custodian."""

    folder: Path
    release: Release_co
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
        words, held = shown_words(), sum(finding.holds for finding in self.findings)
        checks = words("written.checks", held=held, checks=len(self.findings))
        parts = [f"{self.folder}", self._released(words), checks]
        reports = ", ".join(str(place.relative_to(self.folder)) for place in self.reports)
        return said("Written", [*parts, words("written.reports", reports=reports)] if reports else parts)

    def _repr_html_(self) -> str:
        """Where it is, and what the verifier says; the figures of the internal manifest are not for passing on."""
        words = shown_words()
        report = words("written.report")
        places = [(words("written.data"), self.data), *((report, place) for place in self.reports)]
        title = words("written.title", folder=self.folder, released=self._released(words))
        checks = [(finding.holds, as_shown(finding.sentence)) for finding in self.findings]
        return html_block(
            paragraph(words("fact", name="Written", value=title), bold=True),
            html_list(f"{'✓' if holds else '✗'} {sentence}" for holds, sentence in checks),
            html_table([words("head.file"), words("head.place")], places, WIDTH),
        )

    def _released(self, words: Texts) -> str:
        key = "written.rows" if "rows" in self.manifest["data"] else "written.baskets"
        return words(key, count=self.rows)


def write_folder(
    release: Released,
    output: AnyOutput,
    *,
    recipe: AnyRecipe | None = None,
    about: About | None = None,
    run: str | None = None,
    head: str | None = None,
    progress: Progress | None = None,
) -> Written[Released]:
    """Evaluate, write and verify a release; raises and leaves nothing behind when the guarantee does not hold.

    `about` is what readers are told of it, that of the recipe when left out; `head` is that of the ledger when the run started.
    """
    kind, target = release.kind, Path(output.folder)
    kept = None if recipe is None else recipe.without_secrets()
    about = about or (None if kept is None else kept.about)
    plan = Plan(progress, {"evaluate": 4, "write": 2, "verify": 3, "report": 2})
    with plan.phase("evaluate", shown="risk") as step:
        kind.evaluate(release, step)
        kind.prepare(release, output.reports)
        give_back()
    with staged_folder(
        target, overwrite=output.overwrite, beside=lambda: kind.elsewhere(release, output)
    ) as folder:
        (folder / "public").mkdir()
        (folder / "internal").mkdir()
        with plan.phase("write"):
            data = kind.write_data(release, output, folder)
            if release.rows_of_original is not None:
                pl.DataFrame({"row": release.rows_of_original}).write_parquet(folder / "internal" / ROWS)
            manifest = manifest_of(release, output, data, recipe=kept, about=about, run=run, head=head)
            _write_manifests(folder, kind, manifest)
        with plan.phase("verify") as step:
            findings = kind.verify(release, folder, step)
            _refuse_broken(findings)
        give_back()
        manifest["seconds"] |= {phase: round(value, 3) for phase, value in plan.seconds.items()}
        manifest["verified"] = [finding.__dict__ for finding in findings]
        _write_manifests(folder, kind, manifest)
        if kept is not None:
            (folder / "internal" / "recipe.yaml").write_text(kept.to_yaml(), encoding="utf-8")
        with plan.phase("report") as step:
            step.start("report", len(output.reports))
            for done, page in enumerate(output.reports, start=1):
                html = kind.report(release, findings, manifest, page, output)
                (folder / page / "report.html").write_text(html, encoding="utf-8")
                step.update(done)
        _make_private(folder / "internal")
    return Written(target, release, tuple(findings), manifest)


def _make_private(internal: Path) -> None:
    """Let only its owner read the internal part, whatever the umask; until now its folder was hidden from others."""
    # Disks without permissions (memory sticks) refuse this; they hide nothing from anybody.
    with suppress(PermissionError):
        for file in internal.iterdir():
            file.chmod(0o600)
        internal.chmod(0o700)


def _refuse_broken(findings: Sequence[Finding]) -> None:
    """Stop when the verifier found anything that does not hold."""
    broken = next((finding for finding in findings if not finding.holds), None)
    if broken is not None:
        raise GuaranteeError("release.not_verified", finding=broken.sentence)


def _write_manifests(folder: Path, kind: Kind, manifest: dict[str, Any]) -> None:
    _write_json(folder / "public" / "manifest.json", public_manifest(kind, manifest))
    _write_json(folder / "internal" / "manifest.json", manifest)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
