"""What recipes of tables and of baskets are made of: strict YAML, validated parts, entries of catalogues, paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import yaml
from pydantic import BeforeValidator, PlainSerializer, PlainValidator

from sudare.errors import ErrorSentence, InputError
from sudare.parameters import SchemaLater
from sudare.read.source import is_path
from sudare.read.text import document_kind
from sudare.release.recipe.yaml import load
from sudare.release.recipe.yaml_faults import fault_in_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sudare.parameters import Catalogue

ReportKind = Literal["internal", "public"]
Effort = Literal["default", "thorough"]
Order = Literal["shuffle", "keep"]
"""Released records in random order, or in that of the original."""


def entry_of(catalogue: Catalogue[Any]) -> tuple[Any, ...]:
    """How an entry of a catalogue is read, written and described in a schema."""

    def written(instance: Any) -> dict[str, Any]:
        return catalogue.dump(instance, full=False)

    return (
        PlainValidator(catalogue.build),
        PlainSerializer(written),
        SchemaLater(catalogue.schema),
    )


def one_or_several(catalogue: Catalogue[Any]) -> tuple[Any, ...]:
    """How a field is read and described that holds one entry of a catalogue, or a list of them."""

    def schema() -> dict[str, Any]:
        return {"anyOf": [catalogue.schema(), {"type": "array", "items": catalogue.schema()}]}

    return (BeforeValidator(as_several), SchemaLater(schema))


def several_measures(chosen: Callable[[Any], list[str]], parameterized: Catalogue[Any]) -> tuple[Any, ...]:
    """How a list of measures is read, each by name, as a text or as a mapping with parameters, and described."""
    return (
        BeforeValidator(lambda given: chosen(given) if isinstance(given, (list, tuple)) else given),
        SchemaLater(lambda: {"type": "array", "items": parameterized.schema()}),
    )


def as_several(given: Any) -> Any:
    """One or several as several."""
    return given if isinstance(given, (list, tuple)) else [given]


def read_text(path: Path) -> str:
    """The text of a recipe file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError("release.recipe.unreadable", path=path, why=error.strerror) from None
    kind = document_kind(data)
    if kind is not None:
        raise InputError("release.recipe.document", path=path, kind=ErrorSentence(f"read.text.kinds.{kind}"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("release.recipe.not_utf8", path=path) from None


def parse_yaml(text: str, name: str) -> Any:
    """What a recipe's text holds; no key may be given twice."""
    try:
        return load(text)
    except yaml.YAMLError as error:
        raise InputError("release.recipe.not_yaml", name=name, why=fault_in_words(error, text)) from None


def absolute_entry(entry: Any, field: str, folder: Path, *, or_address: bool = False) -> Any:
    """An entry with the path in one of its fields made absolute; `or_address`: '-' and addresses of databases stay."""
    if isinstance(entry, Mapping) and isinstance(entry.get(field), str):
        path = entry[field]
        keep = or_address and not is_path(path)
        return {**entry, field: path if keep else str(folder / path)}
    return entry
