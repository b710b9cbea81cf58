"""Recipe: one YAML file that says everything about a release, validated before anything is read.

    version: 1
    source: {path: patients.csv}
    columns:
      name: {role: identifier}
      age: {role: quasi, hierarchy: {type: intervals, width: 5}}
      disease: {role: sensitive}
      drop: [remarks, "x_*"]
    requirements: [{type: k-anonymity, k: 5}]
    method: {type: mondrian}
    output: {folder: release}

Paths are relative to the recipe's own folder. Under `columns`, a role with a list stands for all columns that the list names
or whose names its patterns match (`*`, `?`, `[abc]`, case as written).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, get_args

from pydantic import (
    BeforeValidator,
    Field,
    SerializeAsAny,
    field_validator,
    model_serializer,
    model_validator,
)

from sudare.advise.defaults import chosen
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.protocol import Anonymizer
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.compromise import CompromiseKind
from sudare.assess.requirement import Requirement
from sudare.describe.hierarchy.catalogue import CATALOGUE as HIERARCHIES
from sudare.describe.hierarchy.catalogue import HierarchyMaker
from sudare.describe.kinds import UNRELEASED_ROLES, Kind, MissingPolicy, Role, role_meant
from sudare.describe.table import Table, roles_by_name
from sudare.errors import DescriptionError, ErrorSentence, ParameterError, did_you_mean, redact
from sudare.formats.data import ENCODING_NAMES, EXTENSIONS, TEXT_FORMATS, Format, TextEncoding
from sudare.formats.database import check_table, is_database
from sudare.measure.catalogue import MEASURE_PARAMETERS, chosen_measures
from sudare.parameters import AnyNames, DescribedSchema, Part
from sudare.read.options import Source
from sudare.release.recipe.base import About, AnyOutput, AnyRecipe
from sudare.release.recipe.parts import (
    Effort,
    Order,
    absolute_entry,
    as_several,
    entry_of,
    one_or_several,
    several_measures,
)
from sudare.release.warnings import ReleaseNote
from sudare.words.sentence import enumerated, in_language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sudare.assess.compromise import Compromise
    from sudare.progress import Progress
    from sudare.release.table.release import Release
    from sudare.words.sentence import Language

RequirementEntry = Annotated[Requirement, *entry_of(REQUIREMENTS)]
MethodEntry = Annotated[Anonymizer, *entry_of(METHODS)]
HierarchyEntry = Annotated[HierarchyMaker, *entry_of(HIERARCHIES)]


class ColumnPart(Part):
    """What one column is."""

    role: Role
    """identifier, quasi, sensitive, insensitive, weight or drop."""
    kind: Kind | None = None
    """numeric, ordinal, nominal, string, date or set; guessed from the values when left out."""
    hierarchy: HierarchyEntry | None = None
    """How its values are generalized."""
    missing: MissingPolicy = "own"
    """own: missing is a value of its own; reject: missing is an error; drop: such rows are left out."""
    format: str | tuple[str, ...] | None = None
    """How the dates of a column of texts are written, such as %d/%m/%Y, or a list of formats; found when left out."""
    missing_values: Annotated[tuple[str | int | float, ...], BeforeValidator(as_several)] = ()
    """Values that mean that a value is missing, such as 999999 or "?"."""


class ColumnGroup(ColumnPart):
    """Several columns of which only the role is said; a recipe lists them under it: `drop: [remarks, "x_*"]`."""

    subject: ClassVar[str | None] = "columns"

    names: AnyNames
    """Names and patterns of the columns."""

    @model_serializer
    def _as_list(self) -> list[str]:
        return list(self.names)


class _ListsToo:
    """The schema of columns by name, in which a role may also have a list."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler(core)
        lists = [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]
        either = {"anyOf": [schema["additionalProperties"], *lists]}
        return {**schema, "properties": dict.fromkeys(get_args(Role), either)}


class CompromisePart(Part):
    """A compromise that was taken; `sudare assess --apply` writes it."""

    kind: CompromiseKind
    """What was given up."""
    what: str
    """The same in a sentence, for reports."""
    instead_of: tuple[RequirementEntry, ...] = ()
    """The requirements that were asked before."""


class Output(AnyOutput):
    """What is written, and where."""

    format: Format = "csv"
    """Kind of data file."""
    encoding: TextEncoding = "utf-8"
    """Encoding of CSV and TSV; utf-8-sig and cp932 are opened by Japanese Excel."""
    escape_formulas: bool = True
    """Whether text that a spreadsheet would execute (= + - @) is written so that it does not."""
    database: str | None = None
    """Database that the released table is also written to (postgresql://… or sqlite:///…), in one transaction."""
    table: str | None = None
    """Table of that database (`table` or, in PostgreSQL, `schema.table`); it must not exist yet unless `overwrite`."""
    crosstab: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)] | None = None
    """One or two columns of the cross tabulation in the reports of a randomized release; chosen when left out."""

    @field_validator("encoding", mode="before")
    @classmethod
    def _known_encoding(cls, given: Any) -> Any:
        """The name that Sudare has for an encoding: Shift_JIS as Windows writes it is cp932."""
        return (
            ENCODING_NAMES.get(given.casefold().replace("-", "_"), given) if isinstance(given, str) else given
        )

    @model_validator(mode="after")
    def _encoding_of_text(self) -> Self:
        """Only files of text have an encoding to choose."""
        if self.encoding != "utf-8" and self.format not in TEXT_FORMATS:
            raise ParameterError("release.recipe.encoding", encoding=self.encoding, format=self.format)
        return self

    @model_validator(mode="after")
    def _table_of_database(self) -> Self:
        """A database and a table are given together."""
        if (self.database is None) != (self.table is None):
            raise ParameterError("release.recipe.database.half")
        if self.database is not None and not is_database(self.database):
            raise ParameterError("release.recipe.database.address", address=redact(self.database))
        return self

    def check_place(self) -> None:
        """Refuse a table that is taken, before any work is done."""
        if self.database is not None and self.table is not None:
            check_table(self.database, self.table, overwrite=self.overwrite)

    @property
    def file_name(self) -> str:
        """Name of the data file."""
        return f"data{EXTENSIONS[self.format]}"


class Recipe(AnyRecipe):
    """Everything about one release."""

    source_field = "source"
    requirements_known = REQUIREMENTS
    methods_known = METHODS

    source: Source
    """Where the table is."""
    columns: Annotated[dict[str, SerializeAsAny[ColumnPart]], _ListsToo()]
    """Every column of the table: by its name, or in the list of its role, where patterns are allowed too."""
    requirements: tuple[RequirementEntry, ...] = Field(min_length=1)
    """What the release must satisfy, all of it together."""
    method: Annotated[tuple[MethodEntry, ...], *one_or_several(METHODS)] = ()
    """One method, or several in order; when left out the table and the requirements decide, and the report says why."""
    order: Order = "shuffle"
    """shuffle: records are published in random order; keep: in that of the input, which somebody may know."""
    measures: Annotated[tuple[str, ...], *several_measures(chosen_measures, MEASURE_PARAMETERS)] | None = None
    """Loss measures to report; the usual ones when left out, not ncp, cm, pmse and model_loss.

    A measure with parameters is a text or a mapping: `dm k=5`, `{type: ild, distances: {name: levenshtein}}`."""
    retry: Effort | None = None
    """Try again with this effort (default or thorough), and keep the release that lost less."""
    compromise: CompromisePart | None = None
    """The compromise that this recipe takes, for manifest and reports."""
    about: About | None = None
    """Title, purpose, recipient and contact, for both reports and both manifests."""
    output: Output
    """What is written, and where."""

    @field_validator("columns", mode="before")
    @classmethod
    def _named_columns(cls, given: Any) -> Any:
        """Make groups of lists, and let an error in a hierarchy name its column."""
        if not isinstance(given, Mapping):
            return given
        given = {
            name: _group(name, part) if isinstance(part, str | list | tuple) else part
            for name, part in given.items()
        }
        for name, part in given.items():
            role = part.get("role") if isinstance(part, Mapping) else None
            if isinstance(role, str) and role not in get_args(Role):
                hint = role_hint(role)
                raise ParameterError("release.recipe.not_a_role", column=name, role=role, hint=hint)
            if isinstance(part, Mapping) and part.get("hierarchy") is not None:
                try:
                    HIERARCHIES.build(part["hierarchy"])
                except ParameterError as error:
                    raise ParameterError(
                        "release.recipe.of_column", column=name, why=error.sentence
                    ) from None
        return given

    @model_validator(mode="after")
    def _known_crosstab(self) -> Self:
        """Reports tabulate what is released; a name that only a pattern can match is looked for in the table."""
        roles = self._roles_by_name
        for name in self.output.crosstab or ():
            if name not in roles and not self._has_patterns:
                hint = did_you_mean(name, roles)
                raise ParameterError("release.recipe.crosstab.unknown", column=name, hint=hint)
            if roles.get(name) in UNRELEASED_ROLES:
                raise ParameterError(f"release.recipe.crosstab.{roles[name]}", column=name)
        return self

    @model_validator(mode="after")
    def _in_one_place(self) -> Self:
        """A column that is named twice is told before anything is read."""
        found: dict[str, str] = {}
        for key, part in self.columns.items():
            listed = isinstance(part, ColumnGroup)
            for name in dict.fromkeys(part.names) if isinstance(part, ColumnGroup) else (key,):
                if name in found:
                    raise _two_places(name, found[name], part.role if listed else "")
                found[name] = part.role if listed else ""
        return self

    @property
    def _groups(self) -> dict[str, tuple[str, ...]]:
        """Names and patterns by role."""
        return {part.role: part.names for part in self.columns.values() if isinstance(part, ColumnGroup)}

    @property
    def _single(self) -> dict[str, ColumnPart]:
        """The columns that are described one by one."""
        return {name: part for name, part in self.columns.items() if not isinstance(part, ColumnGroup)}

    @property
    def _roles_by_name(self) -> dict[str, str]:
        """The role of every column that is named, whatever patterns match."""
        listed = {name: role for role, names in self._groups.items() for name in names}
        return {**listed, **{name: part.role for name, part in self._single.items()}}

    @property
    def _has_patterns(self) -> bool:
        return any(sign in name for names in self._groups.values() for name in names for sign in "*?[")

    @classmethod
    def _absolute_rest(cls, raw: dict[str, Any], folder: Path) -> dict[str, Any]:
        """Hierarchies of columns and keys of methods may be files beside the recipe."""
        made: dict[str, Any] = {}
        if isinstance(raw.get("columns"), Mapping):
            made["columns"] = {name: _absolute_column(part, folder) for name, part in raw["columns"].items()}
        if raw.get("method") is not None:
            made["method"] = [
                absolute_entry(method, "key_file", folder) for method in as_several(raw["method"])
            ]
        return made

    @property
    def second_effort(self) -> Effort | None:
        """The effort of a second try, if the recipe asks for one."""
        return self.retry

    def finished(self, release: Release, progress: Progress) -> Release:
        """The release with a note of the compromise, and how suited its table was to diversity."""
        from sudare.advise.advise import suitability
        from sudare.advise.bounds import only_generalized
        from sudare.anonymize.mondrian import Mondrian

        judged = None
        if only_generalized(release.original, release.methods):
            mondrian = any(isinstance(one, Mondrian) for one in release.methods)
            judged = suitability(release.original, release.requirements, progress, by_mondrian=mondrian)
        return replace(release, notes=(*self.notes(), *release.notes), suitability=judged)

    def notes(self) -> tuple[str, ...]:
        """The compromise that was taken, and what was asked before."""
        if self.compromise is None:
            return ()
        before = enumerated(REQUIREMENTS.text(one) for one in self.compromise.instead_of)
        return (ReleaseNote("compromise", what=self.compromise.what, before=before),)

    def facts(self) -> dict[str, Any]:
        """The compromise, which readers of the release may know; its sentence has figures of the original."""
        if self.compromise is None:
            return {}
        asked = [REQUIREMENTS.dump(one, full=False) for one in self.compromise.instead_of]
        return {"compromise": {"kind": self.compromise.kind, "instead_of": asked}}

    def assess_options(self, data: Table) -> dict[str, Any]:
        """What the recipe's randomization leaves exact, and its weights."""
        options = (one.noise_options(data) for one in self.methods_for(data) if hasattr(one, "noise_options"))
        return next(options, {})

    def methods_for(self, data: Table) -> tuple[Anonymizer, ...]:
        """The methods that a run applies to this table."""
        return self.method or chosen(data, self.requirements).methods

    def read(self) -> Table:
        """Read the table and give it the recipe's roles."""
        frame, facts = self.source.load()
        return self.describe(Table.from_frame(frame, source=facts))

    def describe(self, table: Table) -> Table:
        """Give the table the recipe's roles; every column must be named, so that none slips through."""
        parts = self.parts_of(table.frame.columns)
        for name in parts:
            table.column(name)  # a misspelled one is told with what it may mean
        unnamed = [name for name in table.frame.columns if name not in parts]
        if len(unnamed) == 1:
            raise DescriptionError("release.recipe.no_role.one", column=unnamed[0])
        if unnamed:
            raise DescriptionError("release.recipe.no_role.many", column=unnamed[0], more=len(unnamed) - 1)
        roles: dict[str, list[str]] = {}
        for name, part in parts.items():
            roles.setdefault(part.role, []).append(name)
        return table.describe(
            **roles,
            kinds={name: part.kind for name, part in parts.items() if part.kind is not None},
            hierarchies={name: part.hierarchy for name, part in parts.items() if part.hierarchy is not None},
            missing={name: part.missing for name, part in parts.items()},
            formats={name: part.format for name, part in parts.items() if part.format is not None},
            missing_values={name: part.missing_values for name, part in parts.items() if part.missing_values},
        )

    def parts_of(self, names: Sequence[str]) -> dict[str, ColumnPart]:
        """What the recipe says about each column of a table with these columns, the lists of roles written out."""
        parts = self._single
        for name, role in roles_by_name(self._groups, names).items():
            if name in parts:
                raise _two_places(name, "", role)
            parts[name] = ColumnPart(role=role)
        return parts


def _group(name: Any, given: Any) -> ColumnGroup:
    """A list under a role."""
    roles = get_args(Role)
    if name not in roles:
        hint = role_hint(str(name))
        raise ParameterError("release.recipe.list.not_a_role", name=name, hint=hint)
    return ColumnGroup.of(role=name, names=given)


def role_hint(given: str, roles: Sequence[str] = get_args(Role)) -> ErrorSentence:
    """The end of a sentence about a word that is not a role: the role that it means, is nearest to, or all roles."""
    meant = role_meant(given)
    return did_you_mean(given if meant is None else meant, roles)


def _two_places(column: str, *places: str) -> ParameterError:
    """A column that is described twice; a place is the role of a list, or empty for the column's own entry."""
    one, other = (
        ErrorSentence("release.recipe.list.in_list", role=place)
        if place
        else ErrorSentence("release.recipe.list.itself")
        for place in places
    )
    return ParameterError("release.recipe.list.two_places", column=column, one=one, other=other)


def taking(
    raw: Mapping[str, Any], recipe: Recipe, taken: Compromise, data: Table, language: Language
) -> dict[str, Any]:
    """A recipe, as its file has it, changed so that a run takes a compromise of the study of its table."""
    changes, made = taken.changes, dict(raw)
    if changes.requirements is not None:
        made["requirements"] = [REQUIREMENTS.dump(one, full=False) for one in changes.requirements]
    methods = [METHODS.dump(one, full=False) for one in recipe.methods_for(data)]
    if changes.suppression is not None:
        methods = [_suppressing(method, changes.suppression) for method in methods]
    if changes.first or changes.suppression is not None:
        made["method"] = [*(dict(one) for one in changes.first), *methods]
    if changes.drop is not None:
        made["columns"] = _dropping(made["columns"], changes.drop, data.frame.columns)
    made["compromise"] = {
        "kind": taken.kind,
        "what": str(in_language(taken.what, language)),
        "instead_of": [REQUIREMENTS.dump(one, full=False) for one in recipe.requirements],
    }
    output = made.pop("output", None)  # it comes last
    return made if output is None else {**made, "output": output}


def _dropping(columns: Mapping[str, Any], dropped: str, names: Sequence[str]) -> dict[str, Any]:
    """Columns as a recipe has them, one of them dropped; a list that had it, maybe by a pattern, is written out without it."""
    made = {}
    for name, given in columns.items():
        if name in get_args(Role) and not isinstance(given, Mapping):
            listed = roles_by_name({name: as_several(given)}, names)
            made[name] = [one for one in listed if one != dropped] if dropped in listed else given
        elif name != dropped:
            made[name] = given
    if "drop" in made and not isinstance(made["drop"], Mapping):
        made["drop"] = [*as_several(made["drop"]), dropped]
    else:
        made[dropped] = {"role": "drop"}
    return {name: given for name, given in made.items() if given}


_NEVER_SUPPRESS = ("mondrian", "microaggregation")


def _suppressing(method: dict[str, Any], most: float) -> dict[str, Any]:
    """A method that may leave out rows; one that cannot becomes generalization, which can."""
    known = METHODS[str(method["type"])]
    if "suppression" in getattr(known, "__dataclass_fields__", {}):
        return {**method, "suppression": most}
    return {"type": "generalization", "suppression": most} if method["type"] in _NEVER_SUPPRESS else method


def json_schema() -> dict[str, Any]:
    """The JSON Schema of recipes, for editors and other programs."""
    return Recipe.model_json_schema(schema_generator=DescribedSchema)


def _absolute_column(part: Any, folder: Path) -> Any:
    if isinstance(part, Mapping) and "hierarchy" in part:
        return {**part, "hierarchy": absolute_entry(part["hierarchy"], "path", folder)}
    return part
