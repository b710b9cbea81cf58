"""Recipe: one YAML file that says everything about a release, validated before anything is read.

    version: 1
    source: {path: patients.csv}
    columns:
      name: {role: identifier}
      age: {role: quasi, hierarchy: {type: intervals, width: 5}}
      disease: {role: sensitive}
    requirements: [{type: k-anonymity, k: 5}]
    method: {type: mondrian}
    output: {folder: release}

Paths are relative to the recipe's own folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from sudare.advise.defaults import default_methods
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.protocol import Anonymizer
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.requirement import Requirement
from sudare.describe.hierarchy.catalogue import CATALOGUE as HIERARCHIES
from sudare.describe.hierarchy.catalogue import HierarchyMaker
from sudare.describe.kinds import Kind, MissingPolicy, Role
from sudare.describe.table import Table
from sudare.errors import DescriptionError, ParameterError, did_you_mean
from sudare.formats.data import EXTENSIONS, Format
from sudare.measure.catalogue import MEASURE_PARAMETERS, chosen_measures
from sudare.parameters import Part
from sudare.read.source import Source
from sudare.release.recipe.base import AnyOutput, AnyRecipe
from sudare.release.recipe.parts import (
    Order,
    absolute_entry,
    as_several,
    entry_of,
    one_or_several,
    several_measures,
)

if TYPE_CHECKING:
    from pathlib import Path

RequirementEntry = Annotated[Requirement, *entry_of(REQUIREMENTS)]
MethodEntry = Annotated[Anonymizer, *entry_of(METHODS)]
HierarchyEntry = Annotated[HierarchyMaker, *entry_of(HIERARCHIES)]


class ColumnPart(Part):
    """What one column is."""

    role: Role
    """identifier, quasi, sensitive, insensitive or weight."""
    kind: Kind | None = None
    """numeric, ordinal, nominal, string, date or set; guessed from the values when left out."""
    hierarchy: HierarchyEntry | None = None
    """How its values are generalized."""
    missing: MissingPolicy = "own"
    """own: missing is a value of its own; reject: missing is an error; drop: such rows are left out."""


class Output(AnyOutput):
    """What is written, and where."""

    format: Format = "csv"
    """Kind of data file."""
    escape_formulas: bool = True
    """Whether text that a spreadsheet would execute (= + - @) is written so that it does not."""
    crosstab: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)] | None = None
    """One or two columns of the cross tabulation in the reports of a randomized release; chosen when left out."""

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
    columns: dict[str, ColumnPart]
    """Every column of the table, by name."""
    requirements: tuple[RequirementEntry, ...] = Field(min_length=1)
    """What the release must satisfy, all of it together."""
    method: Annotated[tuple[MethodEntry, ...], *one_or_several(METHODS)] = Field(
        # Without requirements, because they are wrong, their own sentence is the one that is told.
        default_factory=lambda given: default_methods(given.get("requirements", ()))
    )
    """One method, or several in order; when left out randomization for Pk-anonymity, else mondrian."""
    order: Order = "shuffle"
    """shuffle: records are published in random order; keep: in that of the input, which somebody may know."""
    measures: Annotated[tuple[str, ...], *several_measures(chosen_measures, MEASURE_PARAMETERS)] | None = None
    """Loss measures to report; the usual ones when left out, not ncp, cm, pmse and model_loss.

    A measure with parameters is a text or a mapping: `dm k=5`, `{type: ild, distances: {name: levenshtein}}`."""
    output: Output
    """What is written, and where."""

    @field_validator("columns", mode="before")
    @classmethod
    def _named_columns(cls, given: Any) -> Any:
        """Let an error in a hierarchy name its column."""
        if not isinstance(given, Mapping):
            return given
        for name, part in given.items():
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
        """Reports tabulate what is released."""
        for name in self.output.crosstab or ():
            if name not in self.columns:
                hint = did_you_mean(name, self.columns)
                raise ParameterError("release.recipe.crosstab.unknown", column=name, hint=hint)
            if self.columns[name].role == "identifier":
                raise ParameterError("release.recipe.crosstab.identifier", column=name)
        return self

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

    def assess_options(self, data: Table) -> dict[str, Any]:
        """What the recipe's randomization leaves exact, and its weights."""
        options = (one.noise_options(data) for one in self.method if hasattr(one, "noise_options"))
        return next(options, {})

    def read(self) -> Table:
        """Read the table and give it the recipe's roles."""
        frame, facts = self.source.load()
        return self.describe(Table.from_frame(frame, source=facts))

    def describe(self, table: Table) -> Table:
        """Give the table the recipe's roles; every column must be named, so that none slips through."""
        unnamed = [name for name in table.frame.columns if name not in self.columns]
        if len(unnamed) == 1:
            raise DescriptionError("release.recipe.no_role.one", column=unnamed[0])
        if unnamed:
            raise DescriptionError("release.recipe.no_role.many", column=unnamed[0], more=len(unnamed) - 1)
        roles: dict[str, list[str]] = {}
        for name, part in self.columns.items():
            roles.setdefault(part.role, []).append(name)
        return table.describe(
            **roles,
            kinds={name: part.kind for name, part in self.columns.items() if part.kind is not None},
            hierarchies={
                name: part.hierarchy for name, part in self.columns.items() if part.hierarchy is not None
            },
            missing={name: part.missing for name, part in self.columns.items()},
        )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of recipes, for editors and other programs."""
    return Recipe.model_json_schema()


def _absolute_column(part: Any, folder: Path) -> Any:
    if isinstance(part, Mapping) and "hierarchy" in part:
        return {**part, "hierarchy": absolute_entry(part["hierarchy"], "path", folder)}
    return part
