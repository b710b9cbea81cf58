"""Manifest of a release of baskets: what was done to which input, with which result; no secret in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.release.table.manifest import common_facts, public_methods, short
from sudare.verify.baskets.check import KIND
from sudare.verify.manifest import file_digest

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.describe.baskets.baskets import Baskets
    from sudare.read.baskets.load import BasketFacts
    from sudare.release.baskets.release import BasketRelease
    from sudare.release.recipe.base import AnyRecipe

_PRIVATE = ("input", "sensitive", "notes", "seconds", "run", "recipe")


def basket_manifest_of(
    release: BasketRelease,
    data: Path,
    *,
    delimiter: str | None,
    layout: str,
    recipe: AnyRecipe | None,
    run: str | None,
) -> dict[str, Any]:
    """The internal manifest of a release of baskets whose data file is written."""
    source = release.original.source
    return {
        **common_facts(release, BASKET_REQUIREMENTS, BASKET_METHODS, recipe=recipe, run=run),
        "kind": KIND,
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
        "losses": {name: short(value) for name, value in release.losses.items()},
        "sensitive": _common(release.original),
    }


def public_basket_part(manifest: dict[str, Any]) -> dict[str, Any]:
    """Without what only the custodian may know; a hierarchy of items names items that are not released."""
    shown = {key: value for key, value in manifest.items() if key not in _PRIVATE}
    shown["method"] = public_methods(manifest["method"], BASKET_METHODS)
    return shown


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


def _common(original: Baskets) -> list[Any] | None:
    if original.sensitive_common is None:
        return None
    return [original.items[code] for code in original.sensitive_common]
