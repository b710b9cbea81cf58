"""Run a recipe of baskets: read, describe, anonymize, write, verify, and enter into the ledger."""

from __future__ import annotations

import uuid
from pathlib import Path

from sudare.describe.basket_sources import read_baskets
from sudare.progress import SILENT, Progress
from sudare.release.basket_folder import WrittenBaskets, write_basket_folder
from sudare.release.basket_recipe import BasketOutput, BasketRecipe, SensitiveFile
from sudare.release.basket_release import BasketRelease, anonymize_baskets
from sudare.release.ledger import Ledger
from sudare.release.run import shown_source
from sudare.release.staging import check_target


def run_baskets(
    recipe: BasketRecipe | str | Path,
    *,
    folder: str | Path | None = None,
    overwrite: bool | None = None,
    language: str | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> tuple[WrittenBaskets, BasketRelease]:
    """Read, describe, anonymize, write, verify and enter into the ledger: the whole job of a recipe."""
    asked = recipe if isinstance(recipe, BasketRecipe) else BasketRecipe.load(recipe)
    changes = {
        "folder": None if folder is None else str(folder),
        "overwrite": overwrite,
        "language": language,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    output = BasketOutput.of(**{**asked.output.model_dump(), **given})
    check_target(Path(output.folder), overwrite=output.overwrite)
    book, number = ledger or Ledger(), str(uuid.uuid4())
    address = asked.baskets.path
    book.append("started", number, {"source": shown_source(address), "folder": output.folder})
    with book.failures(number):
        baskets = read_baskets(address, **asked.baskets.model_dump(exclude={"path"}))
        if asked.sensitive is not None:
            listed = asked.sensitive
            named = Path(listed.file) if isinstance(listed, SensitiveFile) else listed
            baskets = baskets.describe(sensitive=named, unknown=asked.unknown)
        release = anonymize_baskets(
            baskets,
            *asked.requirements,
            method=asked.method,
            measures=asked.measures,
            seed=seed,
            progress=progress or SILENT,
        )
        written = write_basket_folder(release, output, recipe=asked, run=number, progress=progress)
    details = {
        "folder": str(written.folder),
        "rows": len(release.released),
        "data_sha256": written.manifest["data"]["sha256"],
        "verdicts": [finding.sentence for finding in written.findings],
    }
    book.append("released", number, details)
    return written, release
