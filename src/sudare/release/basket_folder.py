"""A release of baskets on disk, and its check.

    public/baskets.*         the released baskets, in the order of the original, without ids
    public/manifest.json     what was asked and done
    internal/manifest.json   the same, with the input and what only the custodian may know
    internal/sensitive.parquet   the sensitive items of each user, where they differ (none where they are for all)

The guarantees of baskets speak of original records, so they are recomputed beside the original: when the folder is
written, and by `sudare check DIR --original FILE`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sudare.anonymize.itemsets.catalogue import BASKET_METHODS
from sudare.assess.itemsets.catalogue import BASKET_REQUIREMENTS
from sudare.describe.basket_sources import read_baskets
from sudare.describe.baskets import Baskets
from sudare.errors import InputError, OutputError, SudareError
from sudare.read.basket_codes import BasketCodes
from sudare.release.basket_files import write_baskets
from sudare.release.staging import staged_folder
from sudare.release.verify_itemsets import verify_baskets
from sudare.release.verify_manifest import file_digest
from sudare.release.verify_requirements import Finding
from sudare.release.write import refuse_broken

FORMAT = 1
KIND = "baskets"
_ENDINGS = {"lines": ".txt", "json": ".json", "long": ".csv", "sets": ".csv", "lists": ".parquet"}
_PRIVATE = ("input", "sensitive", "notes", "seconds")
_SENSITIVE = "sensitive.parquet"


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


def write_basket_folder(
    release: Any, folder: str | Path, *, layout: str | None = None, overwrite: bool = False
) -> WrittenBaskets:
    """Write a release of baskets and verify what was written beside the original; nothing is left on failure.

    Args:
        release: What `sudare.anonymize` made of baskets.
        folder: The folder to appear.
        layout: Of the data file: lines, json, long, lists or sets; that of the source when left out.
        overwrite: Whether an earlier release in the folder is replaced.
    """
    chosen = layout or (release.original.source.layout if release.original.source else "json")
    if chosen not in _ENDINGS:
        raise OutputError(f"The layout '{chosen}' is not known; choose one of {', '.join(_ENDINGS)}.")
    target = Path(folder)
    with staged_folder(target, overwrite=overwrite) as place:
        public, internal = place / "public", place / "internal"
        public.mkdir()
        internal.mkdir()
        data = public / f"baskets{_ENDINGS[chosen]}"
        facts = write_baskets(release.released, data, chosen)
        manifest = _manifest(release, data, facts.delimiter, chosen)
        _write_sensitive(release.original, internal)
        _write_json(public / "manifest.json", _public(manifest))
        _write_json(internal / "manifest.json", manifest)
        findings = check_basket_folder(place, original=release.original)
        refuse_broken(findings)
        manifest["verified"] = [finding.__dict__ for finding in findings]
        _write_json(internal / "manifest.json", manifest)
    return WrittenBaskets(target, tuple(findings), manifest)


def is_basket_folder(folder: Path) -> bool:
    """Whether a folder is a release of baskets."""
    try:
        return bool(json.loads(_manifest_path(folder).read_text(encoding="utf-8")).get("kind") == KIND)
    except (OSError, ValueError, AttributeError, RecursionError, SudareError):
        # Absent, broken or of another kind: the check of tables says in which way.
        return False


def check_basket_folder(folder: str | Path, *, original: Any = None, sensitive: Any = None) -> list[Finding]:
    """Recompute the guarantee of a release of baskets.

    Args:
        folder: The folder of the release, or its public part.
        original: The original baskets, or where they are. Without them only what speaks of the release alone is checked.
        sensitive: Sensitive items of the original, as `Baskets.describe` takes them; those kept in the internal part of
            the folder when left out.
    """
    place = Path(folder)
    path = _manifest_path(place)
    manifest = _load(path)
    about = manifest["data"]
    data = path.parent / about["file"]
    released = read_baskets(data, layout=about["layout"], delimiter=_delimiter(about))
    findings = [_unchanged(data, about, released)]
    if original is not None:
        beside = _described(read_baskets(original), place, sensitive)
        return findings + verify_baskets(released, beside, manifest["requirements"])
    # What is sensitive for all can be checked on the release alone; items may be gone from it altogether.
    common = sensitive if sensitive is not None else _kept_common(place)
    if common is not None:
        released = released.describe(sensitive=common, unknown="ignore")
    return findings + verify_baskets(released, None, manifest["requirements"])


def _manifest(release: Any, data: Path, delimiter: str | None, layout: str) -> dict[str, Any]:
    source = release.original.source
    return {
        "format": FORMAT,
        "kind": KIND,
        "sudare": version("sudare"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "input": {
            "name": source.name if source else "memory",
            "sha256": source.sha256 if source else None,
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
    }


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
        write_baskets(named, internal / _SENSITIVE, "lists")


def _described(original: Baskets, folder: Path, sensitive: Any) -> Baskets:
    """The original with what is sensitive: as given, as it says itself, or as the folder keeps it."""
    if sensitive is not None:
        return original.describe(sensitive=sensitive)
    if original.is_described:
        return original
    # The items were known when they were described, though perhaps in more baskets than these: ignore is safe.
    kept = folder / "internal" / _SENSITIVE
    if kept.is_file():  # by place, whoever the users are
        nameless = Baskets(BasketCodes(original.items, original.starts, original.codes))
        return nameless.describe(sensitive=kept, unknown="ignore")
    common = _kept_common(folder)
    return original if common is None else original.describe(sensitive=common, unknown="ignore")


def _kept_common(folder: Path) -> list[Any] | None:
    """The items sensitive for all that the internal part of a folder keeps."""
    path = folder / "internal" / "manifest.json"
    listed = _load(path).get("sensitive") if path.is_file() else None
    return listed if isinstance(listed, list) else None


def _unchanged(data: Path, about: dict[str, Any], released: Baskets) -> Finding:
    digest = file_digest(data)
    changes = []
    if digest != about["sha256"]:
        changes.append(f"its SHA-256 is {digest[:12]}… instead of {about['sha256'][:12]}…")
    if (len(released), released.entries) != (about["baskets"], about["entries"]):
        changes.append(
            f"it has {len(released):,} baskets with {released.entries:,} entries instead of {about['baskets']:,} with "
            f"{about['entries']:,}"
        )
    sentence = (
        f"The file {data.name} is not the one of the manifest: {', and '.join(changes)}."
        if changes
        else f"The file {data.name} is the one of the manifest ({len(released):,} baskets, SHA-256 {digest[:12]}…)."
    )
    return Finding({"type": "unchanged-files"}, not changes, None, sentence, len(released) if changes else 0)


def _delimiter(about: dict[str, Any]) -> str | None:
    return about["delimiter"] if about["layout"] in {"lines", "sets"} else None


def _manifest_path(folder: Path) -> Path:
    for path in (folder / "manifest.json", folder / "public" / "manifest.json"):
        if path.is_file():
            return path
    raise InputError(
        f"The folder {folder} holds no manifest.json, so it is no release; give the folder of one."
    )


_NEEDED: dict[str, type | tuple[type, ...]] = {
    "file": str,
    "layout": str,
    "sha256": str,
    "baskets": int,
    "entries": int,
    "delimiter": (str, type(None)),
}


def _load(path: Path) -> dict[str, Any]:
    """A manifest whose parts are proper: it may come from others."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(
            f"The manifest {path} cannot be read; restore it from the original release."
        ) from None
    content: dict[str, Any] = manifest if isinstance(manifest, dict) else {}
    data, requirements = content.get("data"), content.get("requirements")
    if (
        not isinstance(data, dict)
        or not isinstance(requirements, list)
        or not all(isinstance(data.get(name), kind) for name, kind in _NEEDED.items())
        or not all(isinstance(one, dict) for one in requirements)
        or content.get("format") != FORMAT
    ):
        raise InputError(f"The manifest {path} is not one of baskets that this version reads; restore it.")
    # The name comes from others: it must not make the check read files elsewhere.
    if Path(data["file"]).name != data["file"]:
        raise InputError(
            f"The manifest {path} names the file {data['file']!r} outside its folder; restore it."
        )
    return content


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
