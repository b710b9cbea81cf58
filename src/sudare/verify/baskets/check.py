"""Check a release of baskets on disk, with and without the original.

The guarantees of baskets speak of original records, so they are recomputed beside the original: when the folder is
written, and by `sudare check DIR --original FILE`. Manifests may come from others: nothing in them is trusted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.baskets.baskets import Baskets
from sudare.describe.baskets.sensitive import items_named, unknown_item
from sudare.describe.baskets.sources import read_baskets
from sudare.errors import InputError
from sudare.formats.baskets import unescaped_baskets
from sudare.read.baskets.codes import BasketCodes, plain_item
from sudare.read.source import is_file
from sudare.verify.baskets.sets import verify_baskets
from sudare.verify.finding import Finding, FindingSentence, JoinedFindings
from sudare.verify.leftovers import check_leftovers
from sudare.verify.manifest import (
    NEWEST_FORMAT,
    differing,
    digest_changes,
    file_digest,
    load_manifest,
    manifest_path,
    refuse_internal,
    require_inside,
    rows_of_original,
    unchanged_files,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.progress import Progress

KIND = "baskets"
SENSITIVE = "sensitive.parquet"
_FEW = 6
"""Names of items in one sentence."""


def check_basket_folder(
    folder: str | Path,
    *,
    original: Any = None,
    sensitive: Any = None,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Recompute the guarantee of a release of baskets.

    Args:
        folder: The folder of the release, or its public part.
        original: The original baskets, or where they are. Without them only what speaks of the release alone is checked.
        sensitive: Sensitive items of the original, as `Baskets.describe` takes them, or a list of items and patterns
            (`*`, `?`, `[abc]`); those kept in the internal part of the folder when left out.
        options: How to read the original, as `sudare.read_baskets` takes them; as it was read for the release, where the
            internal part is there and the file is the same, and guessed otherwise.
        progress: Told how far the work is.
    """
    place = Path(folder)
    path = manifest_path(place)
    manifest = _load(path)
    released = _read_released(path, manifest)
    findings = [_unchanged(path, manifest, released)]
    if original is not None:
        given = _read_original(original, place, options)
        if len(given) != len(released):
            raise InputError("verify.baskets.other_original", original=len(given), released=len(released))
        beside = _described(given, place, sensitive)
        aligned = _aligned(released, place, manifest)
        asked = manifest["requirements"]
        findings += (
            [_unaligned(released, beside, one) for one in asked]
            if aligned is None
            else verify_baskets(aligned, beside, asked, progress=progress)
        )
        return [*findings, _leftovers(path.parent / manifest["data"]["file"], given)]
    # What is sensitive for all can be checked on the release alone; items may be gone from it altogether.
    common = sensitive if sensitive is not None else _kept_common(place)
    if common is not None:
        named, absent = (common, []) if sensitive is None else _found(common, released)
        released = released.describe(sensitive=named, unknown="ignore")
    checked = verify_baskets(released, None, manifest["requirements"], progress=progress)
    if released.sensitive_common is None and _aligned(released, place, manifest) is None:
        checked = [_without_order(one) for one in checked]
    if sensitive is None:
        return findings + checked
    return findings + [_with_absent(one, sensitive, absent, released) for one in checked]


def _without_order(finding: Finding) -> Finding:
    """The finding without the advice to give an original, where nobody here knows which basket is whose."""
    if getattr(finding.sentence, "key", None) != "rho.needs_original":
        return finding
    return replace(finding, sentence=FindingSentence("rho.needs_custodian"))


def _found(sensitive: Any, baskets: Baskets) -> tuple[Any, list[str]]:
    """Sensitive items with the patterns in their list filled in, and the names that fit no item of the baskets."""
    given = _listed(sensitive, baskets)
    if given is None:
        return sensitive, []
    items = [plain_item(one) for one in given]
    return items_named([item for item in items if item is not None], baskets.items)


def _listed(sensitive: Any, baskets: Baskets) -> list[Any] | None:
    """The items that are sensitive for all, if it is a list or one of them: not a rule, a file or one set for each user."""
    if isinstance(sensitive, int | np.integer):
        return [sensitive]
    if isinstance(sensitive, str):
        is_named = sensitive in baskets.items or not (sensitive.startswith("re:") or is_file(sensitive))
        return [sensitive] if is_named else None
    if isinstance(sensitive, Mapping | Path | np.ndarray) or not isinstance(sensitive, Collection):
        return None
    given = list(sensitive)
    return None if any(isinstance(one, Collection) and not isinstance(one, str) for one in given) else given


def _with_absent(finding: Finding, sensitive: Any, absent: Sequence[str], released: Baskets) -> Finding:
    """The finding with the names that say nothing here: only the original tells suppressed items from misspelled ones.

    An item that no released basket has cannot be inferred. But if none of them occurs, nothing was looked at.
    """
    if finding.requirement.get("type") != "rho-uncertainty":
        return finding
    common, few = released.sensitive_common, JoinedFindings("rho.between", parts=tuple(absent[:_FEW]))
    names = few if len(absent) <= _FEW else FindingSentence("rho.more", names=few, more=len(absent) - _FEW)
    if common is not None and not len(common):
        sentence = (
            FindingSentence("rho.none_occurs", names=names) if absent else FindingSentence("rho.no_item")
        )
        return replace(finding, holds=False, reached=None, sentence=sentence, violating_rows=0)
    if not absent:
        return finding
    named = len(_listed(sensitive, released) or absent)
    number = "one" if len(absent) == 1 else "many"
    sentence = FindingSentence(
        f"rho.absent.{number}", said=finding.sentence, absent=len(absent), named=named, names=names
    )
    return replace(finding, sentence=sentence)


def _aligned(released: Baskets, folder: Path, manifest: Mapping[str, Any]) -> Baskets | None:
    """The released baskets in the order of the original; None where nobody here knows it."""
    if manifest.get("order", "keep") == "keep":
        return released
    rows = rows_of_original(folder, len(released), len(released))
    return None if rows is None else released.take(np.argsort(rows))


def _unaligned(released: Baskets, original: Baskets, requirement: Mapping[str, Any]) -> Finding:
    """What can be said of a requirement where it is not known which basket is whose: what is the same for all."""
    if requirement.get("type") == "rho-uncertainty":
        if original.sensitive_common is None:
            return Finding(dict(requirement), False, None, FindingSentence("rho.needs_order"), 0)
        common = [original.items[code] for code in original.sensitive_common]
        released = released.describe(sensitive=common, unknown="ignore")
    return verify_baskets(released, None, [requirement])[0]


def _leftovers(data: Path, original: Baskets) -> Finding:
    """Check that a written file holds no original item that was removed from all baskets.

    Files of text hold the items of the baskets and nothing else; a table may hold more than its values.
    """
    readers = {".parquet": pl.read_parquet, ".arrow": pl.read_ipc}
    reader = readers.get(data.suffix.lower())
    items = pl.DataFrame({"items": sorted(map(str, original.items))})
    return check_leftovers(data, items if reader is None else reader(data), items)


def reopen_baskets(before: str, folder: Path) -> tuple[Baskets, Baskets]:
    """The original beside the data of a release's folder, to measure them again."""
    path = manifest_path(folder)
    released = _read_released(path, _load(path))
    original = _read_original(before, folder, None)
    if len(original) != len(released):
        return original, released
    aligned = _aligned(released, folder, _load(path))
    if aligned is None:
        raise InputError("verify.baskets.random_order", folder=folder)
    return original, aligned


def _read_released(path: Path, manifest: dict[str, Any]) -> Baskets:
    about = manifest["data"]
    data = path.parent / about["file"]
    if not is_file(data):
        refuse_internal(path, manifest)
    released = read_baskets(data, layout=about["layout"], delimiter=_delimiter(about))
    # Earlier versions escaped nothing, and said nothing about it.
    return unescaped_baskets(released) if about.get("escape_formulas") is True else released


def _read_original(original: Any, folder: Path, options: Mapping[str, Any] | None) -> Baskets:
    path = folder / "internal" / "manifest.json"
    if not options and isinstance(original, str | Path) and is_file(path) and is_file(original):
        about = _load(path).get("input")
        if isinstance(about, dict) and about.get("sha256") == file_digest(Path(original)):
            options = _kept_options(path, about.get("read"))
    return read_baskets(original, **(options or {}))


def _kept_options(path: Path, kept: Any) -> dict[str, Any]:
    """How the input was read for the release: only what a release keeps, and nothing that would run a query."""
    if kept is None:
        return {}
    if not isinstance(kept, dict) or not all(
        isinstance(value, _READ.get(name, ())) for name, value in kept.items()
    ):
        raise InputError("verify.baskets.reading", path=path)
    return kept


def _described(original: Baskets, folder: Path, sensitive: Any) -> Baskets:
    """The original with what is sensitive: as given, as it says itself, or as the folder keeps it."""
    if sensitive is not None:
        named, absent = _found(sensitive, original)
        if absent:
            raise unknown_item(absent[0], original.items)
        return original.describe(sensitive=named)
    if original.is_described:
        return original
    # The items were known when they were described, though perhaps in more baskets than these: ignore is safe.
    kept = folder / "internal" / SENSITIVE
    if is_file(kept):  # by place, whoever the users are
        nameless = Baskets(BasketCodes(original.items, original.starts, original.codes))
        return nameless.describe(sensitive=kept, unknown="ignore")
    common = _kept_common(folder)
    return original if common is None else original.describe(sensitive=common, unknown="ignore")


def _kept_common(folder: Path) -> list[Any] | None:
    """The items sensitive for all that the internal part of a folder keeps."""
    path = folder / "internal" / "manifest.json"
    listed = _load(path).get("sensitive") if is_file(path) else None
    if listed is None:
        return None
    if not isinstance(listed, list) or not all(_is_item(item) for item in listed):
        raise InputError("verify.baskets.sensitive", path=path)
    return listed


def _is_item(given: Any) -> bool:
    return isinstance(given, str | int) and not isinstance(given, bool)


def _unchanged(path: Path, manifest: dict[str, Any], released: Baskets) -> Finding:
    about = manifest["data"]
    data, sha256 = path.parent / about["file"], about["sha256"].lower()
    changes = [*differing(path, manifest), *digest_changes(data, sha256)]
    if (len(released), released.entries) != (about["baskets"], about["entries"]):
        changes.append(
            FindingSentence(
                "files.other_baskets",
                found=len(released),
                found_entries=released.entries,
                asked=about["baskets"],
                asked_entries=about["entries"],
            )
        )
    size = FindingSentence("files.baskets", count=len(released))
    return unchanged_files(data, sha256, changes, len(released), size)


def _delimiter(about: dict[str, Any]) -> str | None:
    return about.get("delimiter") if about["layout"] in {"lines", "sets"} else None


_MOST = 2**63
_READ: dict[str, type] = {
    "layout": str,
    "delimiter": str,
    "encoding": str,
    "id": str,
    "items": str,
    "header": bool,
}
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
    content = load_manifest(path)
    data, requirements = content.get("data"), content.get("requirements")
    if (
        not isinstance(data, dict)
        or not isinstance(requirements, list)
        or not all(isinstance(data.get(name), kind) for name, kind in _NEEDED.items())
        or any(isinstance(data[name], bool) or abs(data[name]) > _MOST for name in ("baskets", "entries"))
        or not all(isinstance(one, dict) for one in requirements)
        or content.get("format") != NEWEST_FORMAT
    ):
        raise InputError("verify.baskets.manifest", path=path)
    require_inside(path, data["file"])
    return content
