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

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    field_validator,
)

from sudare.anonymize.itemsets.catalogue import BASKET_METHODS
from sudare.anonymize.itemsets.suppress import SuppressItems
from sudare.assess.itemsets.catalogue import BASKET_REQUIREMENTS
from sudare.errors import InputError, ParameterError, did_you_mean
from sudare.measure.itemsets import BASKET_MEASURES
from sudare.parameters import sentence_of
from sudare.read.database import redact
from sudare.release.recipe_parts import (
    Language,
    Part,
    ReportKind,
    absolute_entry,
    entry_of,
    parse_yaml,
    read_text,
)

Layout = Literal["lines", "json", "long", "lists", "sets"]


class BasketSource(Part):
    """Where the baskets are; the options of `sudare.read_baskets`."""

    path: str
    """File, '-' for standard input, or database address."""
    layout: Layout | None = None
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
    header: bool | None = None
    """Whether the first line of a long text table names its columns; without names users come first, then items."""


class BasketOutput(Part):
    """What is written, and where."""

    folder: str
    """Folder that the release becomes."""
    layout: Layout | None = None
    """Layout of the data file: lines, json, long, lists or sets; that of the source when left out."""
    reports: tuple[ReportKind, ...] = ("public", "internal")
    """Which reports are written: public (hand over), internal (for the custodian only)."""
    language: Language = "en"
    """Language of the reports."""
    overwrite: bool = False
    """Whether an earlier release in the folder is replaced."""


class SensitiveFile(Part):
    """Sensitive items of each user in a file."""

    file: str
    """A table of users and items, or a line of items for each basket."""


def _sensitive(given: Any) -> tuple[str | int, ...] | str | SensitiveFile | None:
    """One sentence for what names no items; pydantic would say one for each kind that it is not."""
    if given is None or isinstance(given, SensitiveFile):
        return given
    if isinstance(given, Mapping):
        if set(given) == {"file"} and isinstance(given["file"], str):
            return SensitiveFile(file=given["file"])
        raise ParameterError(
            f"'sensitive' is {dict(given)!r}, but a mapping should name a file with the items of each user; write "
            "{file: private.csv}."
        )
    if isinstance(given, str) and given.startswith("re:"):
        return given
    if isinstance(given, list | tuple) and all(
        isinstance(item, str | int) and not isinstance(item, bool) for item in given
    ):
        return tuple(given)
    raise ParameterError(
        f"'sensitive' is {given!r}, but it should be a list of items such as [shop], a rule such as 're:^health', or "
        "{file: private.csv} with the items of each user."
    )


def _named(given: Any) -> Any:
    return (
        {"file": given.file}
        if isinstance(given, SensitiveFile)
        else list(given)
        if isinstance(given, tuple)
        else given
    )


_NAMED: dict[str, Any] = {
    "anyOf": [
        {"type": "array", "items": {"type": ["string", "integer"]}},
        {"type": "string", "pattern": "^re:"},
        {
            "type": "object",
            "properties": {"file": {"type": "string"}},
            "required": ["file"],
            "additionalProperties": False,
        },
        {"type": "null"},
    ],
    "default": None,
}


class BasketRecipe(Part):
    """Everything about one release of baskets."""

    version: Literal[1] = 1
    """Version of the recipe format."""
    baskets: BasketSource
    """Where the baskets are."""
    sensitive: Annotated[
        tuple[str | int, ...] | str | SensitiveFile | None,
        PlainValidator(_sensitive),
        PlainSerializer(_named),
        WithJsonSchema(_NAMED),
    ] = None
    """Items sensitive for all (a list), a rule 're:…', or {file: …} with those of each user."""
    unknown: Literal["error", "ignore"] = "error"
    """What a sensitive item is that no basket has."""
    requirements: tuple[Annotated[Any, *entry_of(BASKET_REQUIREMENTS)], ...] = Field(min_length=1)
    """What the release must satisfy, all of it together."""
    method: Annotated[
        tuple[Annotated[Any, *entry_of(BASKET_METHODS)], ...],
        BeforeValidator(lambda given: given if isinstance(given, (list, tuple)) else [given]),
        WithJsonSchema(
            {"anyOf": [BASKET_METHODS.schema(), {"type": "array", "items": BASKET_METHODS.schema()}]}
        ),
    ] = Field(default_factory=lambda: (SuppressItems(),))
    """One method, or several in order."""
    measures: tuple[str, ...] | None = None
    """Loss measures to report; all when left out."""
    output: BasketOutput
    """What is written, and where."""

    @field_validator("measures")
    @classmethod
    def _known_measures(cls, given: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in given or ():
            if name not in BASKET_MEASURES:
                raise ParameterError(
                    f"'{name}' is not a measure of baskets; {did_you_mean(name, BASKET_MEASURES)}"
                )
        return given

    @classmethod
    def load(cls, path: str | Path) -> BasketRecipe:
        """Read and validate a recipe file."""
        return cls.parse(read_text(Path(path)), name=str(path), folder=Path(path).parent)

    @classmethod
    def parse(cls, text: str, *, name: str = "recipe", folder: Path | None = None) -> BasketRecipe:
        """Validate the text of a recipe; relative paths are taken from `folder`."""
        raw = parse_yaml(text, name)
        if not isinstance(raw, dict):
            raise InputError(f"The recipe '{name}' holds no mapping; start with 'version: 1' and 'baskets:'.")
        try:
            return cls.model_validate(_absolute(raw, (folder or Path()).absolute()))
        except ValidationError as error:
            raise ParameterError(sentence_of(error, f"Recipe '{name}'")) from None

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

    def without_secrets(self) -> BasketRecipe:
        """The recipe with the password of a database address left out: fit to be kept."""
        if "://" not in self.baskets.path:
            return self
        return self.model_copy(
            update={"baskets": self.baskets.model_copy(update={"path": redact(self.baskets.path)})}
        )

    def to_dict(self) -> dict[str, Any]:
        """The mapping that `parse` reads back."""
        full = {"version": self.version, **self.model_dump(mode="json", exclude_defaults=True)}
        full["method"] = [BASKET_METHODS.dump(method) for method in self.method]
        return full

    def to_yaml(self) -> str:
        """The recipe as a YAML file."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of recipes of baskets, for editors and other programs."""
    return BasketRecipe.model_json_schema()


def is_basket_recipe(path: Path) -> bool:
    """Whether a recipe file speaks of baskets."""
    try:
        raw = parse_yaml(read_text(path), str(path))
    except InputError:
        return False  # the recipe of a table says better what is wrong
    return isinstance(raw, dict) and "baskets" in raw


def _absolute(raw: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The recipe with its file paths made absolute, as a new mapping."""
    made = dict(raw)
    methods = raw.get("method")
    if methods is not None:
        listed = methods if isinstance(methods, list) else [methods]
        made["method"] = [_absolute_method(method, folder) for method in listed]
    for part, field in (("baskets", "path"), ("output", "folder"), ("sensitive", "file")):
        given = raw.get(part)
        if isinstance(given, Mapping) and isinstance(given.get(field), str):
            path = given[field]
            made[part] = {**given, field: path if path == "-" or "://" in path else str(folder / path)}
    return made


def _absolute_method(method: Any, folder: Path) -> Any:
    """A method whose hierarchy of items is read from a file beside the recipe."""
    if isinstance(method, Mapping) and "hierarchy" in method:
        return {**method, "hierarchy": absolute_entry(method["hierarchy"], "path", folder)}
    return method
