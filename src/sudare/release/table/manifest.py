"""What only the manifest of a table has: columns, hierarchies, losses, bounds, risk."""

from __future__ import annotations

import hashlib
import io
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from sudare.display import rounded_down
from sudare.mechanism.catalogue import MECHANISMS
from sudare.release.manifest import short
from sudare.verify.manifest import file_digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sudare.describe.column import Column
    from sudare.describe.table import Table
    from sudare.release.recipe.table import Output
    from sudare.release.table.release import Release

_Figure = TypeVar("_Figure", float, float | None)
_LIBRARIES = ("polars", "numpy", "numba")


def data_facts(release: Release, output: Output, data: Path) -> dict[str, Any]:
    """The data file that was written."""
    return {
        "file": data.name,
        "format": output.format,
        "sha256": file_digest(data),
        "rows": release.table.rows,
        "escape_formulas": output.escape_formulas,
        "escaped_inside": output.escape_formulas,
    }


def manifest_parts(release: Release) -> dict[str, Any]:
    """Everything about a table that is not told of baskets as well."""
    return {
        "input": _input(release.original),
        "columns": {column.name: _column(column) for column in release.table.columns},
        "hierarchies": _sensitive_hierarchies(release),
        "verdicts": [verdict.to_dict() for verdict in release.verdicts],
        # Null where a measure does not apply: 0 would look like nothing lost.
        "losses": {**release.losses, **dict.fromkeys(release.not_applicable)},
        "column_losses": release.column_losses,
        "lower_bound": release.lower_bound,
        "lower_bounds": {
            name: {"value": bound.value, "exact": bound.exact} for name, bound in release.lower_bounds.items()
        },
        "risk": {"before": release.risk_before.to_dict(), "after": release.risk_after.to_dict()},
        "warnings": list(release.warnings),
        "machine": {
            "python": platform.python_version(),
            **{library: version(library) for library in _LIBRARIES},
        },
    }


def public_losses(losses: Mapping[str, _Figure]) -> dict[str, _Figure]:
    """What may be told of the losses of a randomized release.

    Its k and epsilon are computed from what is published; a figure that compares with the original, or that depends on
    which record is whose (as a squared error does), would be published on top of that.
    """
    return {name: value for name, value in losses.items() if name == "suppressed"}


def public_parts(manifest: dict[str, Any]) -> dict[str, Any]:
    """Losses and bounds as far as readers of the public part may know them."""
    public: dict[str, Any] = {}
    # Losses say how good the release is; more digits would only help to work out figures of the original.
    losses, column_losses = manifest["losses"], manifest["column_losses"]
    if any("mechanism" in column for column in manifest["columns"].values()):
        losses, column_losses = public_losses(losses), {}
    public["losses"] = {name: None if value is None else short(value) for name, value in losses.items()}
    public["column_losses"] = {name: short(value) for name, value in column_losses.items()}
    # A bound is rounded down: it must still hold.
    if manifest.get("lower_bound") is not None:
        public["lower_bound"] = rounded_down(manifest["lower_bound"], 4)
    public["lower_bounds"] = {
        name: {**bound, "value": rounded_down(bound["value"], 4)}
        for name, bound in manifest.get("lower_bounds", {}).items()
    }
    return public


def _column(column: Column) -> dict[str, Any]:
    """Role and kind, and how a randomized column was randomized: what an analyst may and must know."""
    about: dict[str, Any] = {"role": column.role, "kind": column.kind}
    if not column.described:
        about["described"] = False
    if column.mechanism is not None:
        about["mechanism"] = MECHANISMS.dump(column.mechanism)
    return about


def _input(table: Table) -> dict[str, Any]:
    source = table.source
    if source is None:
        buffer = io.BytesIO()
        table.frame.write_ipc(buffer)
        return {
            "name": "frame",
            "format": "frame",
            "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
            "rows": table.rows,
        }
    return {**source.__dict__, "rows": table.rows}


def _sensitive_hierarchies(release: Release) -> dict[str, Any]:
    """Trees that the verifier needs for the distance between sensitive values, without what was not released."""
    found = {}
    for name in release.table.names("sensitive"):
        tree = release.original.hierarchy(name)
        if tree is not None:
            found[name] = tree.pruned(release.table.frame[name]).to_dict()
    return found
