"""Manifest: what was done to which input, by which versions, with which result; no secret in it.

The internal manifest has everything. The public one leaves out what an outsider could use: the digest, name and
size of the input (a digest confirms a guess of the whole input), paths, and figures about the original.
"""

from __future__ import annotations

import hashlib
import io
import math
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from sudare.anonymize.catalogue import METHODS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.display import rounded_down
from sudare.mechanism.catalogue import MECHANISMS
from sudare.verify.manifest import NEWEST_FORMAT, file_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sudare.describe.column import Column
    from sudare.describe.table import Table
    from sudare.parameters import Catalogue
    from sudare.release.baskets.release import BasketRelease
    from sudare.release.recipe.base import AnyRecipe
    from sudare.release.recipe.table import Output
    from sudare.release.table.release import Release

_Figure = TypeVar("_Figure", float, float | None)
_LIBRARIES = ("polars", "numpy", "numba")
_PRIVATE = ("input", "recipe", "risk", "run", "seconds", "machine", "notes")


def manifest_of(
    release: Release, output: Output, data: Path, *, recipe: AnyRecipe | None, run: str | None
) -> dict[str, Any]:
    """The internal manifest of a release whose data file is written."""
    table = release.table
    return {
        **common_facts(release, REQUIREMENTS, METHODS, recipe=recipe, run=run),
        "input": _input(release.original),
        "data": {
            "file": data.name,
            "format": output.format,
            "sha256": file_digest(data),
            "rows": table.rows,
            "escape_formulas": output.escape_formulas,
        },
        "columns": {column.name: _column(column) for column in table.columns},
        "hierarchies": _sensitive_hierarchies(release),
        "verdicts": [verdict.to_dict() for verdict in release.verdicts],
        "losses": _losses(release),
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


def common_facts(
    release: Release | BasketRelease,
    requirements: Catalogue[Any],
    methods: Catalogue[Any],
    *,
    recipe: AnyRecipe | None,
    run: str | None,
) -> dict[str, Any]:
    """What the internal manifest of a table and that of baskets tell alike."""
    return {
        "format": NEWEST_FORMAT,
        "sudare": version("sudare"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "run": run,
        "requirements": [requirements.dump(one) for one in release.requirements],
        "method": [methods.dump(one) for one in release.methods],
        "secure_randomness": release.secure,
        "notes": list(release.notes),
        "seconds": {phase: round(value, 3) for phase, value in release.seconds.items()},
        "recipe": None if recipe is None else recipe.to_dict(),
    }


def public_losses(losses: Mapping[str, _Figure]) -> dict[str, _Figure]:
    """What may be told of the losses of a randomized release.

    Its k and epsilon are computed from what is published; a figure that compares with the original, or that depends on
    which record is whose (as a squared error does), would be published on top of that.
    """
    return {name: value for name, value in losses.items() if name == "suppressed"}


def public_part(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest without what helps an attacker."""
    public = {key: value for key, value in manifest.items() if key not in _PRIVATE}
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
    public["method"] = public_methods(manifest["method"], METHODS)
    return public


def public_methods(methods: Sequence[Mapping[str, Any]], known: Catalogue[Any]) -> list[dict[str, Any]]:
    """Methods as a manifest tells them, without the parameters that they call private."""
    return [
        {
            field: value
            for field, value in method.items()
            if field not in getattr(known[str(method["type"])], "private_fields", ())
        }
        for method in methods
    ]


def short(value: float) -> float | None:
    """Three digits say how good a release is; infinity, which JSON has not, is None."""
    return float(f"{value:.3g}") if math.isfinite(value) else None


def _losses(release: Release) -> dict[str, float | None]:
    """Null where a measure does not apply: its 0 would be taken for a release that has lost nothing."""
    telling = release.telling_losses
    return {name: telling.get(name) for name in release.losses}


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
