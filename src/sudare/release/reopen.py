"""Open a table and its written release side by side, to measure them again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.protocol import traits_of
from sudare.describe.baskets.sources import read_baskets
from sudare.describe.table import Table
from sudare.errors import InputError, ParameterError, SudareError
from sudare.measure.baskets.pair import BasketPair, basket_pair
from sudare.measure.catalogue import base_name
from sudare.measure.compare import Figures
from sudare.measure.pair import Pair, pair_of
from sudare.read.baskets.sniff import looks_like_baskets
from sudare.read.source import exists, is_file, is_folder, load
from sudare.read.text import narrow_column
from sudare.release.baskets.kind import BASKETS
from sudare.release.manifest import short
from sudare.release.recipe.table import Recipe
from sudare.release.table.evaluate import OF_GENERALIZATION, generalization_tells
from sudare.release.table.kind import TABLE
from sudare.verify.baskets.check import reopen_baskets
from sudare.verify.manifest import (
    Manifest,
    kind_at,
    load_manifest,
    read_manifest,
    read_released,
    rows_of_original,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl


def reopen(
    before: str,
    after: str,
    recipe: Path | None = None,
    *,
    baskets: bool = False,
    sheet: str | None = None,
) -> Pair | BasketPair:
    """Pair the original with what was released from it: a table or baskets, as the release or the file says itself.

    `baskets` says that plain files hold baskets, where they do not show it; `sheet` is that of the original table.
    """
    place = Path(after)
    if kind_at(place) == "baskets":
        given, released = reopen_baskets(before, place)
    elif not is_folder(place) and (baskets or (looks_like_baskets(before) and looks_like_baskets(after))):
        given, released = read_baskets(before), read_baskets(after)
    else:
        return reopen_pair(before, after, recipe, sheet=sheet)
    if recipe is not None:
        raise ParameterError("release.reopen.recipe_of_baskets")
    known = set(given.items)
    group = next((item for item in released.items if item not in known), None)
    if group is not None:
        raise InputError("release.reopen.groups_of_items", after=after, group=group, before=before)
    return basket_pair(given, released)


def reopen_pair(before: str, after: str, recipe: Path | None = None, *, sheet: str | None = None) -> Pair:
    """Pair the original with the data of a release's folder, or with a released file, alone or with its manifest beside it.

    Given the file, that of a release is read as its manifest says, and the original may be another copy of the same rows.
    """
    place = Path(after)
    manifest = manifest_at(place)
    if manifest is None:
        released, _ = load(after)
        return pair_of(_original(before, recipe, sheet), released)
    folder = manifest.data_path.parent
    asked = _recipe(recipe or _kept(folder, "recipe.yaml"))
    original = _loaded(before, asked, sheet)
    # Of another file, that comes before the columns it lacks.
    if is_folder(place):
        _require_same_input(original, before, after, folder)
    original = original if asked is None else asked.describe(original)
    rows = rows_of_original(folder, manifest.rows, original.rows)
    if rows is not None:
        return pair_of(original, _released(manifest, original), rows)
    if manifest.order != "keep" or any(_reorders(method) for method in manifest.methods):
        raise InputError("release.reopen.random_order", after=after, before=before)
    if original.rows > manifest.rows:
        raise InputError(
            "release.reopen.rows_left_out",
            after=after,
            left_out=original.rows - manifest.rows,
            rows=original.rows,
            before=before,
        )
    return pair_of(original, _released(manifest, original))


def reopen_original(before: str, after: str, records: int, *, sheet: str | None = None) -> Table:
    """The table that so many released records were made from, without roles, to count it beside them.

    Another one is refused as far as the release tells: by the digest of its input (given the folder, as for `reopen_pair`), by
    its number of rows, by the share of rows that were left out, or because it is the released file itself.
    """
    place = Path(after)
    manifest = manifest_at(place)
    if manifest is None:
        original = _loaded(before, None, sheet)
    else:
        folder = manifest.data_path.parent
        kept = _kept(folder, "recipe.yaml")
        original = _loaded(before, _recipe(kept), sheet)
        if is_folder(place):
            _require_same_input(original, before, after, folder)
        noisy = any("mechanism" in column for column in manifest.columns.values())
        if noisy and original.source is not None and original.source.sha256 == manifest.sha256:
            raise InputError("release.reopen.released_itself", before=before)
    if not _may_be_of(original.rows, records, manifest):
        raise InputError(
            "release.reopen.other_rows", before=before, rows=original.rows, after=after, records=records
        )
    return original


def manifest_at(place: Path) -> Manifest | None:
    """The manifest of a release, given its folder or its data file; none where a file is of no release."""
    return read_manifest(place) if is_folder(place) else _manifest_beside(place)


def _manifest_beside(path: Path) -> Manifest | None:
    """The manifest of the release that a file is the data of."""
    if not is_file(path.absolute().parent / "manifest.json"):
        return None
    try:
        manifest = read_manifest(path.absolute().parent)
    except InputError:
        return None  # of something else
    return manifest if manifest.data_path.name == path.name else None


def _may_be_of(rows: int, records: int, manifest: Manifest | None) -> bool:
    """Whether a release of so many records may be of a table of so many rows, by what its manifests tell of it."""
    if manifest is None:
        return rows >= records
    folder = manifest.data_path.parent
    known = _made_from(folder).get("rows")
    if isinstance(known, int):
        return rows == known
    losses = load_manifest(folder / "manifest.json").get("losses")
    left_out = losses.get("suppressed") if isinstance(losses, dict) else None
    if isinstance(left_out, int | float) and rows:
        return short(1 - records / rows) == left_out
    return rows >= records


def _require_same_input(original: Table, before: str, after: str, folder: Path) -> None:
    """Stop where the internal manifest says that the release was made from another file, or another answer of a database."""
    made_from = _made_from(folder)
    known = None if made_from.get("format") == "frame" else made_from.get("sha256")
    if known and original.source is not None and original.source.sha256 != known:
        raise InputError("release.reopen.other_input", before=before, after=after)


def _made_from(folder: Path) -> dict[str, Any]:
    """What the custodian's manifest says of the input; nothing where it does not lie beside."""
    found = (_internal(folder) or {}).get("input")
    return found if isinstance(found, dict) else {}


def _internal(folder: Path) -> dict[str, Any] | None:
    """The custodian's manifest of a release."""
    place = _kept(folder, "manifest.json")
    return None if place is None else load_manifest(place)


def _kept(folder: Path, name: str) -> Path | None:
    """A file that the custodian keeps, given the folder of a release or the public part of it."""
    places = (folder / "internal" / name, folder.absolute().parent / "internal" / name)
    return next((place for place in places if exists(place)), None)


def figures_of(folder: Path) -> Figures:
    """What a written release is compared by, from its internal manifest.

    A loss that does not apply to the release is None.
    """
    manifest = _internal(folder)
    if manifest is None:
        if not exists(folder):
            raise InputError("verify.no_folder", folder=folder)
        raise InputError("release.reopen.not_internal", folder=folder)
    try:
        known = manifest["input"]["sha256"]
        if manifest.get("kind", "table") == BASKETS.name:
            if not manifest.get("risk", {}).get(
                "after"
            ):  # of no requirement, or written by an earlier version
                raise InputError("release.reopen.no_risk", folder=folder)
            losses = manifest["losses"] or dict.fromkeys(BASKETS.measures)
            return Figures(manifest["risk"]["after"], losses, BASKETS.name, known)
        quasi = [name for name, column in manifest["columns"].items() if column["role"] == "quasi"]
        randomized = any("mechanism" in column for column in manifest["columns"].values())
        return Figures(manifest["risk"]["after"], _applying(manifest), TABLE.name, known, quasi, randomized)
    except (KeyError, TypeError, AttributeError):
        raise InputError("release.reopen.internal_unreadable", folder=folder) from None


_OF_DETAIL = tuple(name for name, measure in TABLE.measures.items() if measure.of_detail)


def _applying(manifest: dict[str, Any]) -> dict[str, float | None]:
    """Losses of a manifest, None where they do not apply: older manifests have 0 there."""
    noisy = {
        name
        for name, column in manifest["columns"].items()
        if column["role"] == "quasi" and "mechanism" in column
    }
    left_out = manifest["losses"].get("suppressed") or 0.0
    averaged = any(method.get("type") == "microaggregation" for method in manifest["method"])
    if averaged and not any(value > left_out + 1e-9 for value in manifest["column_losses"].values()):
        return _without(manifest["losses"], _OF_DETAIL)
    if generalization_tells(noisy, manifest["column_losses"], left_out):
        return dict(manifest["losses"])
    return _without(manifest["losses"], OF_GENERALIZATION)


def _without(losses: Mapping[str, float], names: Sequence[str]) -> dict[str, float | None]:
    """Losses with None for these measures, whatever their parameters."""
    kept = {label: None if base_name(label) in names else value for label, value in losses.items()}
    return {**kept, **dict.fromkeys(names)}


def _reorders(method: dict[str, Any]) -> bool:
    """Whether a method of a manifest puts rows into another order; a public manifest may not have all its parameters."""
    try:
        return traits_of(METHODS.build(method)).reorders
    except SudareError:
        return False


def _original(before: str, recipe: Path | None, sheet: str | None) -> Table:
    asked = _recipe(recipe)
    table = _loaded(before, asked, sheet)
    return table if asked is None else asked.describe(table)


def _recipe(path: Path | None) -> Recipe | None:
    return None if path is None else Recipe.load(path)


def _loaded(before: str, recipe: Recipe | None, sheet: str | None) -> Table:
    """The table, read as the recipe says, or from another sheet."""
    options = {} if recipe is None else recipe.source.model_dump(exclude={"path"})
    frame, facts = load(before, **{**options, **({} if sheet is None else {"sheet": sheet})})
    return Table.from_frame(frame, source=facts)


def _released(manifest: Manifest, original: Table) -> pl.DataFrame:
    """The released data, with columns that were not recoded in the type of the original again."""
    frame = read_released(manifest)
    restored: list[Any] = []
    for name in frame.columns:
        series = frame[name]
        if name in original.frame.columns and series.dtype != original.frame[name].dtype:
            typed = narrow_column(series)
            series = typed if typed.dtype == original.frame[name].dtype else series
        restored.append(series)
    return frame.with_columns(restored)
