"""Recipe of a release of baskets: one YAML file, validated before anything is read.

    version: 1
    baskets: {path: clicks.txt}
    sensitive: [shop, clinic]
    requirements: [{type: rho-uncertainty, rho: 0.5}]
    method: {type: item-suppression}
    output: {folder: release}

Paths are relative to the recipe's own folder.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError

from sudare.anonymize.itemsets.catalogue import BASKET_METHODS
from sudare.anonymize.itemsets.suppress import SuppressItems
from sudare.assess.itemsets.catalogue import BASKET_REQUIREMENTS
from sudare.describe.basket_sources import read_baskets
from sudare.errors import InputError, ParameterError
from sudare.parameters import sentence_of
from sudare.progress import SILENT, Progress
from sudare.release.basket_release import BasketRelease, anonymize_baskets
from sudare.release.ledger import Ledger
from sudare.release.run import shown_source
from sudare.release.staging import check_target

if TYPE_CHECKING:
    from sudare.release.basket_folder import WrittenBaskets


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, arbitrary_types_allowed=True
    )


class BasketSource(_Part):
    """Where the baskets are; the options of `sudare.read_baskets`."""

    path: str
    """File, '-' for standard input, or database address."""
    layout: str | None = None
    """lines, json, long, lists or sets; guessed when left out."""
    delimiter: str | None = None
    """Between items of a line or cell, or columns of a long text table; detected when left out."""
    encoding: str | None = None
    """Encoding of a text; detected when left out."""
    id: str | None = None
    """Column of the users."""
    items: str | None = None
    """Column of the items."""
    sensitive: str | None = None
    """Column with the sensitive items of each user."""
    format: str | None = None
    """Format of a table; by the name when left out."""
    table: str | None = None
    """Table of a database."""
    query: str | None = None
    """Query to a database, instead of a table."""
    sheet: str | None = None
    """Sheet of a workbook."""


class BasketOutput(_Part):
    """What is written, and where."""

    folder: str
    """Folder that the release becomes."""
    layout: str | None = None
    """Layout of the data file; that of the source when left out."""
    overwrite: bool = False
    """Whether an earlier release in the folder is replaced."""


class SensitiveFile(_Part):
    """Sensitive items of each user in a file."""

    file: str
    """A table of users and items, or a line of items for each basket."""


class BasketRecipe(_Part):
    """Everything about one release of baskets."""

    version: Literal[1] = 1
    """Version of the recipe format."""
    baskets: BasketSource
    """Where the baskets are."""
    sensitive: list[str | int] | str | SensitiveFile | None = None
    """Items sensitive for all, a rule 're:…', or a file with those of each user."""
    unknown: Literal["error", "ignore"] = "error"
    """What a sensitive item is that no basket has."""
    requirements: tuple[Annotated[Any, PlainValidator(BASKET_REQUIREMENTS.build)], ...] = Field(min_length=1)
    """What the release must satisfy, all of it together."""
    method: Annotated[
        tuple[Annotated[Any, PlainValidator(BASKET_METHODS.build)], ...],
        BeforeValidator(lambda given: given if isinstance(given, (list, tuple)) else [given]),
    ] = Field(default_factory=lambda: (SuppressItems(),))
    """One method, or several in order."""
    measures: tuple[str, ...] | None = None
    """Loss measures to report; all when left out."""
    output: BasketOutput
    """What is written, and where."""

    @classmethod
    def load(cls, path: str | Path) -> BasketRecipe:
        """Read and validate a recipe file."""
        raw = _raw(Path(path))
        if not isinstance(raw, dict):
            raise InputError(f"The recipe '{path}' holds no mapping; start with 'version: 1' and 'baskets:'.")
        try:
            return cls.model_validate(_absolute(raw, Path(path).parent.absolute()))
        except ValidationError as error:
            raise ParameterError(sentence_of(error, f"Recipe '{path}'")) from None

    def replaced(
        self, *, requirements: Sequence[str] | None = None, method: Sequence[str] | None = None
    ) -> BasketRecipe:
        """The recipe with other requirements or methods, given as texts; what is empty stays."""
        changes: dict[str, Any] = {}
        if requirements:
            changes["requirements"] = tuple(BASKET_REQUIREMENTS.build(text) for text in requirements)
        if method:
            changes["method"] = tuple(BASKET_METHODS.build(text) for text in method)
        return self.model_copy(update=changes)


def is_basket_recipe(path: Path) -> bool:
    """Whether a recipe file speaks of baskets."""
    try:
        raw = _raw(path)
    except InputError:
        return False  # the recipe of a table says better what is wrong
    return isinstance(raw, dict) and "baskets" in raw


def run_baskets(
    recipe: BasketRecipe | str | Path,
    *,
    folder: str | Path | None = None,
    overwrite: bool | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> tuple[WrittenBaskets, BasketRelease]:
    """Read, describe, anonymize, write, verify and enter into the ledger: the whole job of a recipe."""
    asked = recipe if isinstance(recipe, BasketRecipe) else BasketRecipe.load(recipe)
    target = Path(folder) if folder else Path(asked.output.folder)
    replace = asked.output.overwrite if overwrite is None else overwrite
    check_target(target, overwrite=replace)
    book, number = ledger or Ledger(), str(uuid.uuid4())
    address = asked.baskets.path
    book.append("started", number, {"source": shown_source(address), "folder": str(target)})
    with book.failures(number):
        baskets = read_baskets(address, **asked.baskets.model_dump(exclude={"path"}))
        if asked.sensitive is not None:
            named = (
                Path(asked.sensitive.file) if isinstance(asked.sensitive, SensitiveFile) else asked.sensitive
            )
            baskets = baskets.describe(sensitive=named, unknown=asked.unknown)
        release = anonymize_baskets(
            baskets,
            *asked.requirements,
            method=asked.method,
            measures=asked.measures,
            seed=seed,
            progress=progress or SILENT,
        )
        written = release.write(target, layout=asked.output.layout, overwrite=replace)
    details = {
        "folder": str(written.folder),
        "rows": len(release.released),
        "data_sha256": written.manifest["data"]["sha256"],
        "verdicts": [finding.sentence for finding in written.findings],
    }
    book.append("released", number, details)
    return written, release


def _raw(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"The recipe '{path}' cannot be read ({error.strerror}); check its name.") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"The recipe '{path}' is not valid YAML; mend it.") from None


def _absolute(raw: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The recipe with its file paths made absolute, as a new mapping."""
    made = dict(raw)
    for part, field in (("baskets", "path"), ("output", "folder"), ("sensitive", "file")):
        given = raw.get(part)
        if isinstance(given, Mapping) and isinstance(given.get(field), str):
            path = given[field]
            made[part] = {**given, field: path if path == "-" or "://" in path else str(folder / path)}
    return made
