"""Parameter classes: frozen, validated at construction, described field by field.

Requirements, methods, measures and hierarchy makers are such classes. Each field is defined once; the recipe's schema,
the command line's `--require` / `--method` texts and (later) forms are generated from it.

>>> @parameters
... class Example:
...     \"\"\"An example.\"\"\"
...     k: Annotated[int, Field(ge=2)]
...     \"\"\"Smallest group.\"\"\"
>>> Example(5)
Example(k=5)
>>> Example(1)
Traceback (most recent call last):
sudare.errors.ParameterError: Example: 'k' is 1, but it should be greater than or equal to 2.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import json
import math
import re
import sys
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeGuard,
    TypeVar,
    cast,
    dataclass_transform,
)

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticCustomError

from sudare.errors import ErrorSentence, ParameterError, SudareError, did_you_mean, redact, shown
from sudare.words.sentence import Sentence, enumerated, texts

if TYPE_CHECKING:
    from pydantic_core import core_schema

    from sudare.words.sentence import Language, Texts

__all__ = [
    "Annotated",
    "AnyNames",
    "Catalogue",
    "DescribedSchema",
    "Entries",
    "Field",
    "Names",
    "Part",
    "SchemaLater",
    "ShareOrRows",
    "WholeShareOrRows",
    "model_validator",
    "parameters",
    "sentence_of",
]

T = TypeVar("T")

AnyNames = Annotated[
    tuple[str, ...], BeforeValidator(lambda given: (given,) if isinstance(given, str) else given)
]
"""Column names: a tuple or a single name; may be empty."""
Names = Annotated[AnyNames, Field(min_length=1)]
"""Column names: a tuple or a single name; at least one."""


def _share_or_rows(rule: str, fewest: int) -> PlainValidator:
    """Accepts a share below 1 (or 1, if a number of rows is at least 2) or a whole number of rows."""

    def read(given: Any) -> float:
        try:
            value = float(given) if isinstance(given, int | float | str) else math.nan
        except (ValueError, OverflowError):
            value = math.nan
        is_share = 0 <= value < 1 or value == fewest - 1
        if isinstance(given, bool) or not (is_share or (value >= fewest and value.is_integer())):
            raise PydanticCustomError(rule, "should be a share or a number of rows")
        return value if is_share else int(value)

    return PlainValidator(read)


def _share_or_rows_schema(share: dict[str, Any], fewest: int) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [{"type": "number", **share}, {"type": "integer", "minimum": fewest}]})


ShareOrRows = Annotated[
    float,
    _share_or_rows("share_or_rows", 1),
    _share_or_rows_schema({"minimum": 0, "exclusiveMaximum": 1}, 1),
]
"""How many rows at most: a share below 1, or a whole number of rows."""
WholeShareOrRows = Annotated[
    float,
    _share_or_rows("whole_share_or_rows", 2),
    _share_or_rows_schema({"minimum": 0, "maximum": 1}, 2),
]
"""The same where all rows may be meant: 1 is the share of all rows, so a number of rows is at least 2."""

_CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)


@dataclass_transform(frozen_default=True, field_specifiers=(Field, dataclasses.field))
def parameters(cls: type[T]) -> type[T]:
    """Turn a class into a frozen, validated dataclass that reports misuse as a one-sentence `ParameterError`."""
    made: Any = pydantic_dataclass(cls, frozen=True, config=_CONFIG)
    validated_init = made.__init__

    @functools.wraps(validated_init)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        names = [field.name for field in dataclasses.fields(made)]
        try:
            validated_init(self, *args, **kwargs)
        except ValidationError as error:
            raise ParameterError(sentence_of(error, cls.__name__, names)) from None
        for name, given in {**dict(zip(names, args, strict=False)), **kwargs}.items():
            # pydantic accepts True as 1, but here it means that the user confused two parameters.
            if (
                isinstance(given, bool)
                and isinstance(getattr(self, name), int | float)
                and getattr(self, name) is not given
            ):
                raise ParameterError("parameters.not_a_number", subject=cls.__name__, field=name, given=given)

    made.__init__ = init  # same constructor, different error class
    return cast("type[T]", made)


def sentence_of(error: ValidationError, subject: str, fields: Sequence[str] = ()) -> ErrorSentence:
    """The first problem in a pydantic error as one sentence: subject, field, value, rule.

    `fields` are the names of a class's fields in order: positions become names, and the branches of a union,
    which pydantic adds to the location, are left out.
    """
    first = error.errors()[0]
    kind, given = first["type"], shown(first["input"])
    place = first["loc"][:1] if fields else first["loc"]
    field = ".".join(
        fields[part] if isinstance(part, int) and 0 <= part < len(fields) else str(part) for part in place
    )
    about = {"subject": subject, "field": field}
    if kind == "too_long" or (kind == "missing" and isinstance(first["loc"][-1], int)):
        return ErrorSentence("parameters.too_many_or_few", **about, given=given)
    if kind == "missing" and first["loc"][-1] == "role":
        without = [one["loc"] for one in error.errors() if one["type"] == kind and one["loc"][-1] == "role"]
        columns = enumerated(ErrorSentence("hint.name", name=str(loc[-2])) for loc in without if len(loc) > 1)
        return ErrorSentence("parameters.no_role", subject=subject, columns=columns)
    if kind in {"missing", "missing_argument"}:
        misspelled = _misspelled(error, about)
        if misspelled is not None:
            return misspelled
        return ErrorSentence("parameters.missing", **about)
    if kind in {"unexpected_keyword_argument", "extra_forbidden"}:
        hint = did_you_mean(field, fields) if fields else ErrorSentence("parameters.remove")
        return ErrorSentence("parameters.unknown_field", **about, hint=hint)
    if kind == "unexpected_positional_argument":
        names = ", ".join(fields) or ErrorSentence("parameters.none")
        return ErrorSentence("parameters.too_many_values", subject=subject, names=names)
    if kind == "value_error":
        return ErrorSentence(
            "parameters.of_subject", subject=subject, sentence=said_by(first["ctx"]["error"])
        )
    if kind in {"model_type", "dict_type", "dataclass_type"}:
        return ErrorSentence("parameters.not_a_mapping", **about, given=given)
    if kind in {"tuple_type", "list_type", "set_type"}:
        return ErrorSentence("parameters.not_a_list", **about, given=given)
    return ErrorSentence("parameters.rule", **about, given=given, rule=rule_of(first))


def _misspelled(error: ValidationError, about: Mapping[str, str]) -> ErrorSentence | None:
    """A name beside the first missing field that may be meant for a missing one there."""
    breaches = error.errors()
    place = breaches[0]["loc"][:-1]
    beside = [one for one in breaches if one["loc"][:-1] == place]
    lacking = [str(one["loc"][-1]) for one in beside if one["type"] == "missing"]
    for one in beside:
        if one["type"] == "extra_forbidden":
            hint = did_you_mean(str(one["loc"][-1]), lacking)
            if hint.key == "hint.did_you_mean":
                field = ".".join(map(str, one["loc"]))
                return ErrorSentence("parameters.unknown_field", **{**about, "field": field}, hint=hint)
    return None


def said_by(error: BaseException) -> str:
    """The message of an error: the sentence with its key if the error was raised with one."""
    if isinstance(error, SudareError):
        return error.sentence
    said = error.args[0] if error.args else ""
    return said if isinstance(said, str) else str(error)


_RULES = {
    "bool_parsing": "boolean",
    "bool_type": "boolean",
    "float_parsing": "number",
    "float_type": "number",
    "finite_number": "finite",
    "greater_than": "greater_than",
    "greater_than_equal": "at_least",
    "int_from_float": "whole",
    "int_parsing": "whole",
    "int_type": "whole",
    "less_than": "less_than",
    "less_than_equal": "at_most",
    "share_or_rows": "share_or_rows",
    "string_type": "text",
    "too_short": "several",
    "whole_share_or_rows": "whole_share_or_rows",
}
"""The kinds of pydantic errors for which we have our own texts."""


def rule_of(breach: Mapping[str, Any]) -> str:
    """The rule that a value breaks; in pydantic's words if we have no text for it."""
    if breach["type"] == "literal_error":
        names, several, last = breach["ctx"]["expected"].rpartition(" or ")
        if several:
            return ErrorSentence("parameters.rules.one_of", names=names, last=last)
        return ErrorSentence("parameters.rules.only", name=last)
    if breach["type"] in _RULES:
        return ErrorSentence(f"parameters.rules.{_RULES[breach['type']]}", **_limits(breach.get("ctx", {})))
    # Cut off what the parser tried: "a valid number, unable to parse string as a number".
    message = breach["msg"].partition(", unable to")[0].partition(", got")[0]
    return re.sub(r"^\w+ should", "should", message)


def _limits(context: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers and names in a rule, under the names that our sentences use."""
    named = {"ge": "limit", "gt": "limit", "le": "limit", "lt": "limit"}
    found = {named[key]: value for key, value in context.items() if key in named}
    return {key: _whole(value) for key, value in found.items()}


def require_made(given: Any) -> None:
    """Raise an error if a class was passed instead of an instance."""
    if isinstance(given, type):
        raise ParameterError("parameters.is_a_class", name=given.__name__)


class Part(BaseModel):
    """A part of a recipe, or options of a source: frozen, and without fields that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    subject: ClassVar[str | None] = None
    """What sentences about wrong fields call it; the name of the class when left out."""

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """The fields without the passwords of addresses: a notebook shows them."""
        for name, value in super().__repr_args__():
            yield name, redact(value) if isinstance(value, str) else value

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Validate, with one sentence for the first breach."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise ParameterError(sentence_of(error, cls.subject or cls.__name__.lower())) from None


@dataclasses.dataclass(frozen=True)
class SchemaLater:
    """The JSON Schema of a field, made when somebody asks for it: that of a catalogue needs those of all its entries."""

    make: Callable[[], dict[str, Any]]

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        """In place of the schema that pydantic makes of the type."""
        return self.make()


_CHOICES = ("algorithm", "strategy")
"""Fields whose values have names of their own in the papers."""


class Entries(UserDict[str, type[T]]):
    """Classes by their published names; one that is given by its place, `module:Class`, is loaded when it is asked for."""

    data: dict[str, Any]

    def __getitem__(self, name: str) -> type[T]:
        found: Any = self.data[name]
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = self.data[name] = getattr(import_module(module), attribute)
        return cast("type[T]", found)

    def name_of(self, cls: type) -> str | None:
        """The name of a class; none is loaded for the answer."""
        place = f"{cls.__module__}:{cls.__qualname__}"
        return next((name for name, one in self.data.items() if one is cls or one == place), None)


class Catalogue(Generic[T]):
    """An explicit mapping from published names to parameter classes, and back.

    A mapping `{"type": name, field: value, …}` (as in a recipe) and a text `name field=value …` (as on the
    command line) both become instances; `schema` is one JSON Schema for all of them.
    """

    def __init__(
        self, what: str, entries: Mapping[str, type[T] | str], *, others: Iterable[str] = ()
    ) -> None:
        self.what = what
        self.others = frozenset(others)
        """Names for the other kind of data, tables or baskets: given here, they are known but do not apply."""
        self.entries: Entries[T] = Entries()
        self.entries.data.update(entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __getitem__(self, name: str) -> type[T]:
        if name in self.others:
            raise ParameterError(f"parameters.other_data.{self.what.replace(' ', '_')}", name=name)
        if name not in self.entries:
            choice = self.choice_of(name)
            if choice is not None:
                what = ErrorSentence(f"parameters.what.{self.what}")
                raise ParameterError(
                    "parameters.is_a_choice", name=name, what=what, entry=choice[0], field=choice[1]
                )
            what, hint = ErrorSentence(f"parameters.what.{self.what}"), did_you_mean(name, self.entries)
            raise ParameterError("parameters.unknown_entry", name=name, what=what, hint=hint)
        return self.entries[name]

    def choice_of(self, name: str) -> tuple[str, str] | None:
        """The entry and its field that take the name of an algorithm, such as microaggregation and `algorithm` for mdav."""
        for entry, cls in self.entries.items():
            properties = _schema_of(cls).get("properties", {})
            for field in _CHOICES:
                if name in properties.get(field, {}).get("enum", ()):
                    return entry, field
        return None

    def knows(self, instance: object) -> TypeGuard[T]:
        """Whether an instance's class has a published name."""
        return self.entries.name_of(type(instance)) is not None

    def name_of(self, instance: T) -> str:
        """The published name of an instance's class."""
        name = self.entries.name_of(type(instance))
        if name is None:
            own = type(instance).__name__
            raise ParameterError("parameters.nameless", own=own, name=own.lower())
        return name

    def build(self, given: Any) -> T:
        """An instance from a text, a mapping with `type`, or an instance, which is returned unchanged."""
        if any(self.entries.name_of(cls) is not None for cls in type(given).__mro__):
            return cast("T", given)
        if isinstance(given, str):
            return self._from_text(given)
        if not isinstance(given, Mapping) or "type" not in given:
            raise ParameterError(
                "parameters.no_type",
                given=shown(given),
                what=ErrorSentence(f"parameters.what.{self.what}"),
                example=next(iter(self.entries)),
            )
        rest = {key: value for key, value in given.items() if key != "type"}
        return self._make(str(given["type"]), rest)

    def dump(self, instance: T, *, full: bool = True) -> dict[str, Any]:
        """The mapping that `build` turns back into an equal instance; if not `full`, without default values."""
        name = self.name_of(instance)
        if not dataclasses.is_dataclass(instance):
            raise ParameterError("parameters.not_parameters", name=type(instance).__name__)
        adapter: TypeAdapter[T] = TypeAdapter(type(instance))
        given = adapter.dump_python(instance, mode="json", exclude_defaults=not full)
        return {"type": name, **{field: _whole(value) for field, value in given.items()}}

    def text(self, instance: T) -> str:
        """The text that `build` turns back into an equal instance, without fields at their defaults.

        Values with spaces or nested parts are shown, but `build` does not read them: `label` writes these as JSON.
        """
        name, *fields = self.dump(instance, full=False).items()
        return " ".join([str(name[1]), *(f"{field}={_shown(value)}" for field, value in fields)])

    def label(self, instance: T) -> str:
        """The shortest text that `build` turns back into an equal instance: fields, or JSON where these do not suffice."""
        text = self.text(instance)
        try:
            if self.build(text) == instance:
                return text
        except ParameterError:
            pass
        given = self.dump(instance, full=False)
        return f"{given.pop('type')} {json.dumps(given, ensure_ascii=False)}"

    def schema(self) -> dict[str, Any]:
        """JSON Schema (2020-12) of any entry: a mapping identified by its `type`, or a text."""
        return {"oneOf": [*(self._entry_schema(name) for name in self.entries), {"type": "string"}]}

    def about(self, name: str, language: Language = "en") -> str:
        """What one entry does, in one or two sentences; from its docstring if the catalogue texts do not cover it."""
        words = texts(language, "catalogue")
        return words.or_else(f"{self.what}.{name}.about", first_paragraph(self[name].__doc__))

    def fields(self, name: str, language: Language = "en") -> list[tuple[str, str, str]]:
        """(field, type and default, description) of one entry, for tables and help texts."""
        schema, words = _schema_of(self[name]), texts(language, "catalogue")
        required = set(schema.get("required", []))
        rows = []
        for field, about in schema.get("properties", {}).items():
            kind = words(
                "type.field",
                type=_type_name(about, words),
                presence=_presence(about, words, required=field in required),
            )
            said = str(about.get("description", ""))
            rows.append((field, kind, words.or_else(f"{self.what}.{name}.parameters.{field}", said)))
        return rows

    def _from_text(self, text: str) -> T:
        name, *pairs = re.sub(r"^(\s*[^\s:=]+):", r"\1 ", text).split() or [""]
        if pairs and pairs[0].startswith("{"):
            return self._make(name, _read_json(text.partition("{")[2], text))
        values: dict[str, Any] = {}
        maps = self._maps(name) if any(":" in pair for pair in pairs) else {}
        for pair in pairs:
            field, equals, value = pair.partition("=")
            if not equals:
                raise ParameterError("parameters.not_a_pair", pair=pair, text=text)
            if field in values:
                raise ParameterError("parameters.given_twice", field=field, text=text)
            if field in maps:
                values[field] = dict(_key_and_value(part, pair, maps[field]) for part in value.split(","))
            else:
                values[field] = value.split(",") if "," in value else value
        return self._make(name, values)

    def _maps(self, name: str) -> dict[str, int]:
        """The fields of an entry that are mappings, written as key:value,key:value, and how many values each key has: ends of ranges are two."""
        properties = TypeAdapter(self[name]).json_schema().get("properties", {})
        maps = {field: about for field, about in properties.items() if about.get("type") == "object"}
        inner = {field: about.get("additionalProperties") for field, about in maps.items()}
        return {
            field: len(about.get("prefixItems", ["one"])) if isinstance(about, dict) else 1
            for field, about in inner.items()
        }

    def _make(self, name: str, values: Mapping[str, Any]) -> T:
        cls = self[name]
        try:
            return cls(**{str(key): value for key, value in values.items()})
        except ParameterError as error:
            # The sentence names the class, but the user wrote the published name and should read that.
            raise ParameterError(_about(error.sentence, cls.__name__, name)) from None

    def _entry_schema(self, name: str) -> dict[str, Any]:
        schema = _schema_of(self[name])
        schema["properties"] = {"type": {"const": name}, **schema.get("properties", {})}
        schema["required"] = ["type", *schema.get("required", [])]
        return schema


class DescribedSchema(GenerateJsonSchema):
    """JSON Schema in which each field is described by the docstring below it.

    pydantic can read these texts, too, but does so whenever a class is made: a fifth of a second in every start of the program,
    for texts that only a schema or a catalogue shows.
    """

    def model_schema(self, schema: core_schema.ModelSchema) -> dict[str, Any]:
        """The schema of a part of a recipe."""
        return _described(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> dict[str, Any]:
        """The schema of a class of parameters."""
        return _described(super().dataclass_schema(schema), schema["cls"])


def _schema_of(cls: type) -> dict[str, Any]:
    return TypeAdapter(cls).json_schema(schema_generator=DescribedSchema)


def _described(schema: dict[str, Any], cls: type) -> dict[str, Any]:
    for base in reversed(cls.__mro__):
        for field, text in _field_texts(base.__module__).get(base.__qualname__, {}).items():
            if field in schema.get("properties", {}):
                schema["properties"][field]["description"] = text
    return schema


@functools.cache
def _field_texts(module: str) -> dict[str, dict[str, str]]:
    """The docstrings below the fields of the classes of a module, by class and field; empty where it has no source."""
    if module == "builtins" or module.partition(".")[0] == "pydantic":
        return {}
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, dict[str, str]] = {}
    waiting: list[tuple[str, list[ast.stmt]]] = [("", tree.body)]
    while waiting:
        prefix, body = waiting.pop()
        for node in body:
            if isinstance(node, ast.ClassDef):
                found[prefix + node.name] = _texts_below(node.body)
                waiting.append((f"{prefix}{node.name}.", node.body))
            elif isinstance(node, ast.FunctionDef):
                waiting.append((f"{prefix}{node.name}.<locals>.", node.body))
    return found


def _texts_below(body: Sequence[ast.stmt]) -> dict[str, str]:
    found = {}
    for field, text in pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            found[field.target.id] = inspect.cleandoc(text.value.value)
    return found


def _key_and_value(part: str, pair: str, count: int) -> tuple[str, Any]:
    key, *values = part.rsplit(":", count)
    if len(values) < count or not key or not all(values):
        if count > 1:
            raise ParameterError("parameters.not_a_range", part=part, pair=pair)
        raise ParameterError("parameters.not_a_map", part=part, pair=pair)
    return key, values[0] if count == 1 else [_as_number(value) for value in values]


def _as_number(text: str) -> float | str:
    try:
        return _whole(float(text))  # type: ignore[no-any-return]  # of a number, a number
    except ValueError:
        return text


def _read_json(rest: str, text: str) -> dict[str, Any]:
    try:
        found = json.loads("{" + rest)
    except ValueError:
        raise ParameterError("parameters.not_json", text=text) from None
    return cast("dict[str, Any]", found)


def _about(sentence: str, subject: str, name: str) -> str:
    """The same sentence with the published name in place of the class."""
    if isinstance(sentence, ErrorSentence) and sentence.values.get("subject") == subject:
        return ErrorSentence(sentence.key, **{**sentence.values, "subject": name})
    return sentence if isinstance(sentence, Sentence) else sentence.replace(subject, name, 1)


def _whole(value: Any) -> Any:
    """Integral floats as integers: a recipe says l: 3, not l: 3.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{key}:{_whole(one)}" for key, one in value.items())
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def first_paragraph(text: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((text or "").split("\n\n")[0].split())


def _presence(about: Mapping[str, Any], words: Texts, *, required: bool) -> str:
    """Whether a field is required, and its default if it is not."""
    if required:
        return words("type.required")
    if about.get("default") is None:
        return words("type.optional")
    return words("type.default", value=about["default"])


def _type_name(about: Mapping[str, Any], words: Texts) -> str:
    if "enum" in about:
        return " | ".join(str(value) for value in about["enum"])
    if "anyOf" in about:
        return " | ".join(_type_name(option, words) for option in about["anyOf"])
    name = str(about.get("type", "any"))
    return words.or_else(f"type.name.{name}", name)
