"""Manifest: what was done to which input, by which versions, with which result; no secret in it.

The internal manifest has everything. The public one leaves out what an outsider could use: the digest, name and
size of the input (a digest confirms a guess of the whole input), paths, and figures about the original. The head of the
ledger is in both: its chain value covers the random number of the run, which is not public, and confirms no guess. Everything was
computed before (see `evaluate`): here it is only put down.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sudare.verify.manifest import NEWEST_FORMAT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.parameters import Catalogue
    from sudare.release.folder import AnyRelease
    from sudare.release.kind import Kind
    from sudare.release.recipe.base import About, AnyOutput, AnyRecipe


def manifest_of(
    release: AnyRelease,
    output: AnyOutput,
    data: dict[str, Any],
    *,
    recipe: AnyRecipe | None,
    about: About | None = None,
    run: str | None,
    head: str | None = None,
) -> dict[str, Any]:
    """The internal manifest of a release whose data file is written; `data` says which file that is."""
    kind = release.kind
    return {
        "format": NEWEST_FORMAT,
        "kind": kind.name,
        "sudare": version("sudare"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "run": run,
        "ledger": head,
        "requirements": [kind.requirements.dump(one) for one in release.requirements],
        "method": [kind.methods.dump(one) for one in release.methods],
        "secure_randomness": release.secure,
        "order": release.order,
        "notes": list(release.notes),
        "seconds": {phase: round(value, 3) for phase, value in release.seconds.items()},
        "recipe": None if recipe is None else recipe.to_dict(),
        **({} if about is None else {"about": about.model_dump(exclude_none=True)}),
        **({} if recipe is None else recipe.facts()),
        "data": data,
        **kind.manifest_parts(release, output),
    }


def public_manifest(kind: Kind, manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest without what helps an attacker."""
    public = {name: value for name, value in manifest.items() if name not in kind.private}
    return {
        **public,
        **kind.public_parts(manifest),
        "method": public_methods(manifest["method"], kind.methods),
    }


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
    """Three digits say how good a release is; JSON has no infinity, so it becomes null."""
    return float(f"{value:.3g}") if math.isfinite(value) else None
