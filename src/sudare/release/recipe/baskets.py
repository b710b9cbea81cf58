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

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.baskets.suppress import SuppressItems
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.describe.baskets.sources import read_baskets
from sudare.errors import ParameterError, shown
from sudare.measure.baskets.catalogue import BASKET_MEASURE_PARAMETERS, chosen_basket_measures
from sudare.parameters import DescribedSchema, Part
from sudare.read.baskets.options import BasketOptions, Layout
from sudare.read.source import is_path
from sudare.release.recipe.base import About, AnyOutput, AnyRecipe
from sudare.release.recipe.parts import (
    Order,
    absolute_entry,
    as_several,
    entry_of,
    one_or_several,
    several_measures,
)

if TYPE_CHECKING:
    from sudare.describe.baskets.baskets import Baskets


class BasketSource(BasketOptions):
    """Where the baskets are; the options of `sudare.read_baskets`."""

    subject = "source"

    path: str
    """File, '-' for standard input, or database address."""
    layout: Layout | None = None
    """lines, json, long, lists or sets; guessed when left out."""


class BasketOutput(AnyOutput):
    """What is written, and where."""

    subject = "output"

    layout: Layout | None = None
    """Layout of the data file: lines, json, long, lists or sets; that of the source when left out."""


class SensitiveFile(Part):
    """Sensitive items of each user in a file."""

    file: str
    """A table of users and items, or a line of items for each basket."""


def _sensitive(given: Any) -> tuple[str | int, ...] | str | SensitiveFile | None:
    """One sentence for what names no items; pydantic would say one for each kind that it is not."""
    if given is None or isinstance(given, SensitiveFile):
        return given
    _refuse_address(given)
    if isinstance(given, Mapping):
        if set(given) == {"file"} and isinstance(given["file"], str):
            return SensitiveFile(file=given["file"])
        raise ParameterError("release.recipe.sensitive.not_a_file", given=shown(dict(given)))
    if isinstance(given, str) and given.startswith("re:"):
        return given
    if isinstance(given, list | tuple) and all(
        isinstance(item, str | int) and not isinstance(item, bool) for item in given
    ):
        return tuple(given)
    raise ParameterError("release.recipe.sensitive.not_items", given=shown(given))


def _refuse_address(given: Any) -> None:
    """Items of a list and rules may look like addresses; what names a place may not, nor be repeated: passwords are in it."""
    names = given.values() if isinstance(given, Mapping) else [given]
    if any(isinstance(name, str) and not name.startswith("re:") and not is_path(name) for name in names):
        raise ParameterError("release.recipe.sensitive.address")


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
            "properties": {"file": {"type": "string", "not": {"pattern": "^-$|://"}}},
            "required": ["file"],
            "additionalProperties": False,
        },
        {"type": "null"},
    ],
    "default": None,
}


class BasketRecipe(AnyRecipe):
    """Everything about one release of baskets."""

    source_field = "baskets"
    requirements_known = BASKET_REQUIREMENTS
    methods_known = BASKET_METHODS

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
        tuple[Annotated[Any, *entry_of(BASKET_METHODS)], ...], *one_or_several(BASKET_METHODS)
    ] = Field(default_factory=lambda: (SuppressItems(),))
    """One method, or several in order."""
    order: Order = "shuffle"
    """shuffle: records are published in random order; keep: in that of the input, which somebody may know."""
    measures: (
        Annotated[tuple[str, ...], *several_measures(chosen_basket_measures, BASKET_MEASURE_PARAMETERS)]
        | None
    ) = None
    """Loss measures to report, with parameters as in `rule_distance top=50`; all when left out."""
    about: About | None = None
    """Title, purpose, recipient and contact, for both reports and both manifests."""
    output: BasketOutput
    """What is written, and where."""

    @classmethod
    def _absolute_rest(cls, raw: dict[str, Any], folder: Path) -> dict[str, Any]:
        """Sensitive items and hierarchies of methods may be files beside the recipe."""
        made: dict[str, Any] = {}
        if "sensitive" in raw:
            made["sensitive"] = absolute_entry(raw["sensitive"], "file", folder, or_address=True)
        if raw.get("method") is not None:
            made["method"] = [_absolute_method(method, folder) for method in as_several(raw["method"])]
        return made

    def read(self) -> Baskets:
        """Read the baskets and say which items are sensitive."""
        baskets = read_baskets(self.baskets.path, **self.baskets.model_dump(exclude={"path"}))
        if self.sensitive is None:
            return baskets
        named = Path(self.sensitive.file) if isinstance(self.sensitive, SensitiveFile) else self.sensitive
        return baskets.describe(sensitive=named, unknown=self.unknown)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of recipes of baskets, for editors and other programs."""
    return BasketRecipe.model_json_schema(schema_generator=DescribedSchema)


def _absolute_method(method: Any, folder: Path) -> Any:
    """A method whose hierarchy of items is read from a file beside the recipe."""
    if isinstance(method, Mapping) and "hierarchy" in method:
        return {**method, "hierarchy": absolute_entry(method["hierarchy"], "path", folder)}
    return method
