"""What only the manifest of a table has: columns, hierarchies, losses, bounds, risk."""

from __future__ import annotations

import hashlib
import io
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.assess.block_requirements import TCloseness
from sudare.describe.kinds import UNRELEASED_ROLES
from sudare.describe.text import as_text
from sudare.display import rounded_down
from sudare.formats.data import TEXT_FORMATS
from sudare.formats.statistical import variable_names
from sudare.mechanism.catalogue import MECHANISMS
from sudare.release.manifest import short
from sudare.release.table.evaluate import public_figure
from sudare.release.table.warnings import is_about_original
from sudare.verify.manifest import file_digest

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.describe.column import Column
    from sudare.describe.table import Table
    from sudare.release.recipe.table import Output
    from sudare.release.table.release import Release

_LIBRARIES = ("polars", "numpy", "numba")


def data_facts(release: Release, output: Output, data: Path) -> dict[str, Any]:
    """The data file that was written."""
    renamed: dict[str, str] = {}
    if output.format == "spss" or output.format == "stata":  # noqa: PLR1714  # mypy narrows comparisons one by one
        named = variable_names(release.table.frame.columns, output.format)
        renamed = {written: name for name, written in named.items() if written != name}
    return {
        "file": data.name,
        "format": output.format,
        "sha256": file_digest(data),
        "rows": release.table.rows,
        "escape_formulas": output.escape_formulas,
        "escaped_inside": output.escape_formulas,
        **({"encoding": output.encoding} if output.format in TEXT_FORMATS else {}),
        **({"renamed": renamed} if renamed else {}),
    }


def manifest_parts(release: Release) -> dict[str, Any]:
    """Everything about a table that is not told of baskets as well."""
    released = set(release.table.frame.columns)  # a pseudonym keeps the name of its identifier
    return {
        "input": _input(release.original),
        "columns": {column.name: _column(column, release.table) for column in release.table.columns},
        "left_out": {
            role: names
            for role in UNRELEASED_ROLES
            if (names := [name for name in release.original.names(role) if name not in released])
        },
        "hierarchies": _sensitive_hierarchies(release),
        "verdicts": [verdict.to_dict() for verdict in release.verdicts],
        # Null where a measure does not apply: 0 would look like nothing lost.
        "losses": {**release.losses, **dict.fromkeys(release.not_applicable)},
        "publishable": list(release.publishable),
        "column_losses": release.column_losses,
        "column_errors": release.column_errors,
        "lower_bound": release.lower_bound,
        "lower_bounds": {
            name: {"value": bound.value, "exact": bound.exact} for name, bound in release.lower_bounds.items()
        },
        "suitability": None if release.suitability is None else release.suitability.to_dict(),
        "risk": {"before": release.risk_before.to_dict(), "after": release.risk_after.to_dict()},
        "warnings": list(release.warnings),
        "machine": {
            "python": platform.python_version(),
            **{library: version(library) for library in _LIBRARIES},
        },
    }


def public_parts(manifest: dict[str, Any]) -> dict[str, Any]:
    """Losses, bounds and warnings as far as readers of the public part may know them (see `publishable`)."""
    allowed = manifest["publishable"]
    losses, column_losses = manifest["losses"], manifest["column_losses"]
    public: dict[str, Any] = {
        "warnings": [one for one in manifest["warnings"] if not is_about_original(one)],
        "losses": {
            name: None if losses[name] is None else public_figure(name, losses[name]) for name in allowed
        },
        "column_losses": {name: short(value) for name, value in column_losses.items() if "loss" in allowed},
        # A bound is rounded down: it must still hold.
        "lower_bounds": {
            name: {**bound, "value": rounded_down(bound["value"], 4)}
            for name, bound in manifest.get("lower_bounds", {}).items()
            if name in allowed
        },
    }
    least = public["lower_bounds"].get("loss")
    return {**public, "lower_bound": None if least is None else least["value"]}


def _column(column: Column, released: Table) -> dict[str, Any]:
    """Role and kind, and how a randomized column was randomized: what an analyst may and must know.

    A text file does not say which of two ordered categories comes first, and the ordered distance depends on it. Only the
    values that are released are listed: the type of the column may know others.
    """
    about: dict[str, Any] = {"role": column.role, "kind": column.kind}
    if column.role == "sensitive" and (
        column.kind == "ordinal" or released.frame[column.name].dtype == pl.Duration
    ):
        values = released.frame[column.name].drop_nulls().unique().sort()
        about["order"] = as_text(values).to_list()
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
    return {**source.told(), "rows": table.rows}


def _sensitive_hierarchies(release: Release) -> dict[str, Any]:
    """Trees that the verifier needs for the distance between sensitive values, and no more of them than it needs.

    Labels of groups and bounds of intervals would tell of values that were not released: the income at a quantile may be
    that of a person left out. The distance needs the released values and how they lie in the tree.
    """
    needed = [one for one in release.requirements if isinstance(one, TCloseness) and one.distance != "equal"]
    found = {}
    for name in release.table.names("sensitive"):
        tree = release.original.hierarchy(name)
        if tree is not None and any(not one.sensitive or name in one.sensitive for one in needed):
            kept = tree.pruned(release.table.frame[name])
            labels = [
                label if level == 0 else "" for label, level in zip(kept.labels, kept.level, strict=True)
            ]
            found[name] = {"parent": kept.parent.tolist(), "level": kept.level.tolist(), "labels": labels}
    return found
