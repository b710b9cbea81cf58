"""What only the manifest of a release of baskets has: how the input was read, sizes in entries, sensitive items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.release.manifest import short
from sudare.verify.manifest import file_digest

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.describe.baskets.baskets import Baskets
    from sudare.read.baskets.load import BasketFacts
    from sudare.release.baskets.release import BasketRelease


def data_facts(release: BasketRelease, data: Path, layout: str, delimiter: str | None) -> dict[str, Any]:
    """The data file that was written."""
    return {
        "file": data.name,
        "layout": layout,
        "delimiter": delimiter,
        "escape_formulas": data.suffix == ".csv",
        "sha256": file_digest(data),
        "baskets": len(release.released),
        "entries": release.released.entries,
    }


def manifest_parts(release: BasketRelease) -> dict[str, Any]:
    """Everything about baskets that is not told of tables as well."""
    source = release.original.source
    return {
        "input": {
            "name": source.name if source else "memory",
            "sha256": source.sha256 if source else None,
            "read": _read_options(source),
            "baskets": len(release.original),
            "entries": release.original.entries,
        },
        "losses": {name: short(value) for name, value in release.losses.items()},
        "risk": {"after": release.risk_after},
        "sensitive": _common(release.original),
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


def _common(original: Baskets) -> list[Any] | None:
    if original.sensitive_common is None:
        return None
    return [original.items[code] for code in original.sensitive_common]
