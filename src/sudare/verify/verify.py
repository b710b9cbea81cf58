"""The independent verifier: recompute the guarantee of a release from its written files alone.

It recomputes from the data and the public manifest of a release; the internal manifest, where it lies beside, is only
compared with the public one (releases of baskets: `baskets.check`). It shares no code with the
anonymizer, with `sudare.assess` or with the kernels: only the definitions are common (see
`verify_blocks`, `verify_requirements` and `verify_distances`). What it cannot check does not hold.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sudare.arrays import give_back
from sudare.errors import InputError, ParameterError, shown
from sudare.progress import SILENT, Plan
from sudare.read.source import load
from sudare.verify.blocks import Evidence, gather_evidence, listed
from sudare.verify.finding import CannotCheckError, Finding, FindingSentence
from sudare.verify.manifest import (
    Manifest,
    digest_changes,
    kind_at,
    read_manifest,
    read_released,
    unchanged_files,
)
from sudare.verify.requirements import CHECKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from sudare.progress import Progress
    from sudare.words.sentence import Sentence

__all__ = ["Finding", "verify_frame", "verify_release"]

_ROLES = ("identifier", "quasi", "sensitive", "insensitive", "weight", "drop")
_UNRELEASED = ("identifier", "drop")
_DROPPED: dict[str, Any] = {"role": "drop"}
_NO_HIERARCHIES: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


def verify_release(
    folder: Path | str,
    *,
    original: Any = None,
    sensitive: Any = None,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Verify the release in a folder; the first finding says whether its files are those of the manifest.

    The folder says itself whether it is of a table or of baskets. Promises about baskets speak of the original: without it
    only what the release alone can show is checked.

    Args:
        folder: The folder of a release, or its public part.
        original: The original baskets or table, or where they are. The promises about baskets speak of it; of a table, the
            bytes of the release are searched for values that it has and the release has not.
        sensitive: Sensitive items of the original, as `Baskets.describe` takes them, or a list of items and patterns
            (`*`, `?`, `[abc]`); those that the internal part of the folder keeps when left out.
        options: How to read the original, as `sudare.read` and `sudare.read_baskets` take them.
        progress: Told how far the work is.

    Raises:
        InputError: the folder has no release that this version can read, or the original is not what it was made from.
    """
    place = Path(folder)
    if kind_at(place) == "baskets":
        from sudare.verify.baskets.check import check_basket_folder

        return check_basket_folder(
            place, original=original, sensitive=sensitive, options=options, progress=progress
        )
    manifest = read_manifest(place)
    if sensitive is not None:
        raise ParameterError("verify.only_for_baskets", folder=folder, name="sensitive")
    described = {} if original is None else _dropped_roles(original)
    columns = {**manifest.columns, **described, **dict.fromkeys(manifest.dropped, _DROPPED)}
    frame, digest = (None, None) if original is None else _frame(original, options)
    if frame is not None:
        _require_original(frame, digest, manifest)
    return _verify_table(replace(manifest, columns=columns), frame, progress or SILENT)


def _dropped_roles(original: Any) -> dict[str, dict[str, Any]]:
    """Columns that the description of the original drops: they must not be in the data, whatever the manifest says."""
    return {
        column.name: _DROPPED
        for column in getattr(original, "columns", ())
        if getattr(column, "role", "") == "drop"
    }


def _frame(original: Any, options: Mapping[str, Any] | None) -> tuple[pl.DataFrame, str | None]:
    """The original table as a frame (given as one, as a table, or by its place), and the digest of its file if it has one."""
    if isinstance(original, str | Path):
        frame, source = load(original, **(options or {}))
        return frame, source.sha256
    return getattr(original, "frame", original), getattr(getattr(original, "source", None), "sha256", None)


def _require_original(original: pl.DataFrame, digest: str | None, manifest: Manifest) -> None:
    """Refuse a table that the release was not made from: no value of another table was ever removed from this one."""
    if manifest.made_from is not None and digest is not None and digest != manifest.made_from:
        raise InputError("verify.other_original.input", path=manifest.data_path)
    if original.height < manifest.rows:
        raise InputError(
            "verify.other_original.rows",
            path=manifest.data_path,
            rows=original.height,
            records=manifest.rows,
        )
    released = [name for name, about in manifest.columns.items() if about.get("role") not in _UNRELEASED]
    absent = [name for name in released if name not in original.columns]
    if absent:
        raise InputError("verify.other_original.columns", path=manifest.data_path, name=absent[0])


def _verify_table(manifest: Manifest, original: pl.DataFrame | None, progress: Progress) -> list[Finding]:
    plan = Plan(progress, {"read": 2, "verify": 3})
    changes = [*manifest.differing, *digest_changes(manifest.data_path, manifest.sha256)]
    try:
        with plan.phase("read"):
            frame = read_released(manifest, categories=True)
            give_back()
    except InputError:
        if not changes:
            raise
        return [_unchanged(manifest, [*changes, FindingSentence("files.unreadable")], 0)]
    changes += _shape_changes(frame, manifest)
    with plan.phase("verify") as step:
        findings = verify_frame(
            frame, manifest.columns, manifest.requirements, manifest.hierarchies, progress=step
        )
    left = []
    if original is not None:
        # Only who has the original searches the bytes, and loads what takes them apart.
        from sudare.verify.leftovers import check_leftovers

        give_back()
        labels = {name: tree.get("labels") or () for name, tree in manifest.hierarchies.items()}
        left = [check_leftovers(manifest.data_path, frame, original, labels, encoding=manifest.encoding)]
    return [_unchanged(manifest, changes, frame.height), *findings, *left]


def verify_frame(
    frame: pl.DataFrame,
    columns: Mapping[str, Mapping[str, Any]],
    requirements: Sequence[Mapping[str, Any]],
    hierarchies: Mapping[str, Mapping[str, Any]] = _NO_HIERARCHIES,
    *,
    progress: Progress | None = None,
) -> list[Finding]:
    """Check that no identifier is left, then each requirement, on a released table.

    Args:
        frame: the released rows, typed or all text.
        columns: name -> `{"role": …, "kind": …}`, as in the manifest.
        requirements: as in the manifest, for instance `{"type": "k-anonymity", "k": 5}`.
        hierarchies: name -> `{"parent": […], "level": […], "labels": […]}`, for distances on a hierarchy.
        progress: told how far the work is.

    Returns:
        The finding `{"type": "no-identifiers"}`, then one for each requirement in the given order.
    """
    findings = [_no_identifiers(frame, columns)]
    shown = progress or SILENT
    shown.start("verify", len(requirements) + 1)
    evidence = gather_evidence(frame, columns, hierarchies) if frame.height else None
    for done, requirement in enumerate(requirements, start=1):
        shown.update(done)
        findings.append(_check(evidence, requirement))
    return findings


def _check(evidence: Evidence | None, requirement: Mapping[str, Any]) -> Finding:
    kind = requirement.get("type")
    check = CHECKS.get(kind) if isinstance(kind, str) else None
    if check is None:
        sentence = FindingSentence("requirement.unknown", kind=shown(kind))
        return Finding(dict(requirement), False, None, sentence, 0)
    if evidence is None:
        return Finding(dict(requirement), True, None, FindingSentence("requirement.no_rows", kind=kind), 0)
    try:
        return check(evidence, requirement)
    except CannotCheckError as error:
        sentence = FindingSentence("requirement.cannot", kind=kind, why=error.why)
        return Finding(dict(requirement), False, None, sentence, 0)


def _no_identifiers(frame: pl.DataFrame, columns: Mapping[str, Mapping[str, Any]]) -> Finding:
    """Check that every column of the data has a role, and none that of an identifier or of a column to drop."""
    requirement: dict[str, Any] = {"type": "no-identifiers"}
    if frame.height == 0:
        return Finding(requirement, True, None, FindingSentence("identifiers.no_rows"), 0)
    roles = {name: columns.get(name, {}).get("role") for name in frame.columns}
    identifiers = [name for name, role in roles.items() if role == "identifier"]
    unknown = [name for name, role in roles.items() if role not in _ROLES]
    if identifiers:
        left = _columns(identifiers, "identifier", "identifiers")
        return Finding(
            requirement, False, None, FindingSentence("identifiers.left", columns=left), frame.height
        )
    dropped = [name for name, role in roles.items() if role == "drop"]
    if dropped:
        left = _columns(dropped, "the_one", "the_many")
        return Finding(
            requirement, False, None, FindingSentence("identifiers.dropped", columns=left), frame.height
        )
    if unknown:
        nameless = FindingSentence("identifiers.no_role", columns=_columns(unknown, "the_one", "the_many"))
        return Finding(requirement, False, None, nameless, frame.height)
    undescribed = [name for name in roles if columns[name].get("described") is False]
    if undescribed:
        number = "one" if len(undescribed) == 1 else "many"
        named = _columns(undescribed, "the_one", "the_many")
        sentence = FindingSentence(f"identifiers.undescribed.{number}", columns=named)
        return Finding({**requirement, "undescribed": undescribed}, True, None, sentence, 0)
    if len(roles) == 1:
        return Finding(requirement, True, None, FindingSentence("identifiers.only"), 0)
    return Finding(requirement, True, None, FindingSentence("identifiers.none", count=len(roles)), 0)


def _shape_changes(frame: pl.DataFrame, manifest: Manifest) -> list[Sentence]:
    """Say where rows and columns differ from the manifest; an identifier that was removed is no difference."""
    changes: list[Sentence] = []
    if frame.height != manifest.rows:
        changes.append(FindingSentence("files.other_rows", found=frame.height, asked=manifest.rows))
    expected = [name for name, about in manifest.columns.items() if about.get("role") not in _UNRELEASED]
    present = set(frame.columns)
    absent = [name for name in expected if name not in present]
    added = [name for name in frame.columns if name not in manifest.columns]
    if absent:
        changes.append(FindingSentence("files.lacks", columns=_columns(absent, "the_one", "the_many")))
    if added:
        changes.append(FindingSentence("files.unknown", columns=_columns(added, "one", "many")))
    return changes


def _unchanged(manifest: Manifest, changes: list[Sentence], rows: int) -> Finding:
    size = FindingSentence("files.rows", count=rows)
    return unchanged_files(manifest.data_path, manifest.sha256, changes, rows, size)


def _columns(names: list[str], one: str, many: str) -> FindingSentence:
    return FindingSentence(f"columns.{one if len(names) == 1 else many}", names=listed(names))
