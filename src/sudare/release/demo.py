"""The demonstration: a made-up hospital table, its recipe, and the release made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from sudare.errors import OutputError
from sudare.formats.data import write_data, writing
from sudare.read.examples.hospital import hospital, hospital_columns
from sudare.read.source import exists
from sudare.release.ledger.ledger import Ledger
from sudare.release.recipe.table import Recipe
from sudare.release.run import run
from sudare.release.staging import check_target

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.progress import Progress
    from sudare.release.folder import Written
    from sudare.release.table.release import Release


def demo(
    folder: Path, *, rows: int, language: str, overwrite: bool, progress: Progress | None = None
) -> Written[Release]:
    """Write table and recipe into a folder and run the recipe; the ledger of the demonstration stays there too."""
    table, recipe = folder / "patients.csv", folder / "recipe.yaml"
    if (exists(table) or exists(recipe)) and not overwrite:
        raise OutputError("release.demo.exists", folder=folder)
    check_target(folder / "release", overwrite=overwrite)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_data(hospital(rows, language="ja" if language == "ja" else "en"), table, format="csv")
    with writing(recipe):
        recipe.write_text(_recipe_text(language), encoding="utf-8")
    written: Written[Any] = run(
        Recipe.load(recipe), overwrite=overwrite, ledger=Ledger(folder / "ledger.sqlite"), progress=progress
    )
    return written


def _recipe_text(language: str) -> str:
    columns = hospital_columns("ja" if language == "ja" else "en")
    recipe: dict[str, Any] = {
        "version": 1,
        "source": {"path": "patients.csv"},
        "columns": dict(columns),
        "requirements": [
            {"type": "k-anonymity", "k": 5},
            {"type": "l-diversity", "l": 3, "kind": "entropy", "sensitive": [_disease(columns)]},
        ],
        "output": {"folder": "release", "language": language},
    }
    return yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=100)


def _disease(columns: Any) -> str:
    """The nominal sensitive column."""
    return next(
        str(name)
        for name, part in columns.items()
        if part["role"] == "sensitive" and part["kind"] == "nominal"
    )
