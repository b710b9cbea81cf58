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

import json
import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.anonymize.itemsets.catalogue import BASKET_METHODS
from sudare.assess.itemsets.catalogue import BASKET_REQUIREMENTS
from sudare.describe.baskets import Baskets
from sudare.errors import OutputError
from sudare.progress import SILENT, Progress
from sudare.read.basket_codes import BasketCodes
from sudare.release.basket_check import FORMAT, KIND, SENSITIVE, check_basket_folder
from sudare.release.basket_files import write_baskets
from sudare.release.staging import staged_folder
from sudare.release.verify_manifest import file_digest
from sudare.release.write import refuse_broken

if TYPE_CHECKING:
    from sudare.read.baskets import BasketFacts
    from sudare.release.basket_recipe import BasketOutput, BasketRecipe
    from sudare.release.basket_release import BasketRelease
    from sudare.release.verify_requirements import Finding

_ENDINGS = {"lines": ".txt", "json": ".json", "long": ".csv", "sets": ".csv", "lists": ".parquet"}
_PRIVATE = ("input", "sensitive", "notes", "seconds", "run", "recipe")


@dataclass(frozen=True)
class WrittenBaskets:
    """A release of baskets on disk: `public` may be handed over, `internal` stays with the custodian."""

    folder: Path
    findings: tuple[Finding, ...]
    """What the independent verifier recomputed from the written files and the original."""
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


def write_basket_folder(
    release: BasketRelease,
    output: BasketOutput,
    *,
    recipe: BasketRecipe | None = None,
    run: str | None = None,
    progress: Progress | None = None,
) -> WrittenBaskets:
    """Write a release of baskets and verify what was written beside the original; nothing is left on failure."""
    shown = progress or SILENT
    chosen = output.layout or (release.original.source.layout if release.original.source else "json")
    if chosen not in _ENDINGS:
        raise OutputError(f"The layout '{chosen}' is not known; choose one of {', '.join(_ENDINGS)}.")
    target = Path(output.folder)
    with staged_folder(target, overwrite=output.overwrite) as place:
        public, internal = place / "public", place / "internal"
        public.mkdir()
        internal.mkdir()
        shown.start("write", 1)
        data = public / f"baskets{_ENDINGS[chosen]}"
        facts = write_baskets(release.released, data, chosen)
        kept = None if recipe is None else recipe.without_secrets()
        manifest = _manifest(release, data, facts.delimiter, chosen)
        manifest |= {"run": run, "recipe": None if kept is None else kept.to_dict()}
        _write_sensitive(release.original, internal)
        _write_json(public / "manifest.json", _public(manifest))
        _write_json(internal / "manifest.json", manifest)
        shown.update(1)
        shown.start("verify", 1)
        started = time.perf_counter()
        findings = check_basket_folder(place, original=release.original)
        refuse_broken(findings)
        manifest["seconds"]["verify"] = round(time.perf_counter() - started, 3)
        manifest["verified"] = [finding.__dict__ for finding in findings]
        shown.update(1)
        _write_json(internal / "manifest.json", manifest)
        _write_json(public / "manifest.json", _public(manifest))
        if kept is not None:
            (internal / "recipe.yaml").write_text(kept.to_yaml(), encoding="utf-8")
        _write_reports(release, output, findings, manifest, place, shown)
    return WrittenBaskets(target, tuple(findings), manifest)


def _write_reports(
    release: BasketRelease,
    output: BasketOutput,
    findings: list[Finding],
    manifest: dict[str, Any],
    folder: Path,
    progress: Progress,
) -> None:
    from sudare.release.report.basket_page import basket_report_html

    progress.start("report", len(output.reports))
    for done, kind in enumerate(output.reports, start=1):
        about = manifest if kind == "internal" else _public(manifest)
        html = basket_report_html(release, findings, about, kind=kind, language=output.language)
        (folder / kind / "report.html").write_text(html, encoding="utf-8")
        progress.update(done)


def _manifest(release: BasketRelease, data: Path, delimiter: str | None, layout: str) -> dict[str, Any]:
    source = release.original.source
    return {
        "format": FORMAT,
        "kind": KIND,
        "sudare": version("sudare"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "input": {
            "name": source.name if source else "memory",
            "sha256": source.sha256 if source else None,
            "read": _read_options(source),
            "baskets": len(release.original),
            "entries": release.original.entries,
        },
        "data": {
            "file": data.name,
            "layout": layout,
            "delimiter": delimiter,
            "sha256": file_digest(data),
            "baskets": len(release.released),
            "entries": release.released.entries,
        },
        "requirements": [BASKET_REQUIREMENTS.dump(one) for one in release.requirements],
        "method": [BASKET_METHODS.dump(one) for one in release.methods],
        "losses": {name: _short(value) for name, value in release.losses.items()},
        "secure": release.secure,
        "notes": list(release.notes),
        "sensitive": _common(release.original),
        "seconds": {phase: round(value, 3) for phase, value in release.seconds.items()},
    }


def _read_options(source: BasketFacts | None) -> dict[str, Any]:
    """How the input was read, so that a check reads it in the same way."""
    if source is None or source.format == "memory":
        return {}
    options: dict[str, Any] = {"layout": source.layout}
    if source.layout == "long" and not source.header:
        return {**options, "header": False}
    # The delimiter of a long table is found again; in lines and sets it may have been told.
    delimiter = source.delimiter if source.layout in {"lines", "sets"} else None
    given = {"delimiter": delimiter, "encoding": source.encoding, "id": source.id, "items": source.items}
    if source.layout in {"lines", "json"}:
        given = {"delimiter": delimiter, "encoding": source.encoding}
    return {**options, **{name: value for name, value in given.items() if value is not None}}


def _short(value: float) -> float | None:
    """Three digits say how good the release is; infinity, which JSON has not, is None."""
    return float(f"{value:.3g}") if math.isfinite(value) else None


def _public(manifest: dict[str, Any]) -> dict[str, Any]:
    """Without what only the custodian may know; a hierarchy of items names items that are not released."""
    shown = {key: value for key, value in manifest.items() if key not in _PRIVATE}
    shown["method"] = [
        {name: value for name, value in method.items() if name != "hierarchy"}
        for method in manifest["method"]
    ]
    return shown


def _common(original: Baskets) -> list[Any] | None:
    if original.sensitive_common is None:
        return None
    return [original.items[code] for code in original.sensitive_common]


def _write_sensitive(original: Baskets, internal: Path) -> None:
    if original.sensitive_starts is not None and original.sensitive_codes is not None:
        named = Baskets(BasketCodes(original.items, original.sensitive_starts, original.sensitive_codes))
        write_baskets(named, internal / SENSITIVE, "lists")


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
