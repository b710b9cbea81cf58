"""What a recipe of a table and one of baskets have in common: load, change, dump and save."""

from __future__ import annotations

import os
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import yaml
from pydantic import ValidationError

from sudare.errors import ErrorSentence, InputError, ParameterError, redact, shown
from sudare.formats.data import writing
from sudare.parameters import Catalogue, Part, sentence_of
from sudare.release.recipe.parts import Effort, Order, ReportKind, absolute_entry, parse_yaml, read_text
from sudare.words.sentence import Language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.progress import Progress


class About(Part):
    """What readers of a release should know about it; shown in both reports and both manifests."""

    title: str | None = None
    """What the release is called."""
    purpose: str | None = None
    """What it was made for."""
    recipient: str | None = None
    """Whom it is for."""
    contact: str | None = None
    """Who answers questions about it."""


class AnyOutput(Part):
    """What is written, and where."""

    folder: str
    """Folder that the release becomes; it must not exist yet unless `overwrite`."""
    reports: tuple[ReportKind, ...] = ("public", "internal")
    """Which reports are written: public (hand over), internal (for the custodian only)."""
    language: Language = "en"
    """Language of the reports."""
    overwrite: bool = False
    """Whether an earlier release in the folder is replaced."""

    def check_place(self) -> None:
        """Refuse a place other than the folder that is taken, before any work is done."""

    @classmethod
    def into(cls, folder: str | Path, **output: Any) -> Self:
        """The output into a folder that a caller names, which must be a path."""
        if not isinstance(folder, str | os.PathLike):
            raise ParameterError("release.recipe.not_a_folder", folder=shown(folder))
        return cls.of(folder=str(folder), **output)

    def replaced(self, **changes: Any) -> Self:
        """The output with other values; what is None stays."""
        given = {name: value for name, value in changes.items() if value is not None}
        return self.of(**{**self.model_dump(), **given})


class AnyRecipe(Part):
    """Everything about one release; a subclass says where the data are and what is asked of them."""

    source_field: ClassVar[str]  # the field that says where the data are
    requirements_known: ClassVar[Catalogue[Any]]
    methods_known: ClassVar[Catalogue[Any]]

    version: Literal[1] = 1
    """Version of the recipe format."""

    if TYPE_CHECKING:  # declared by each kind of recipe, so that a written recipe begins with its data
        order: Order
        requirements: tuple[Any, ...]
        method: tuple[Any, ...]
        measures: tuple[str, ...] | None
        about: About | None
        output: AnyOutput

    @abstractmethod
    def read(self) -> Any:
        """Read the data and describe them."""

    @classmethod
    @abstractmethod
    def _absolute_rest(cls, raw: dict[str, Any], folder: Path) -> dict[str, Any]:
        """The entries, besides source and output, in which paths were made absolute."""

    @property
    def second_effort(self) -> Effort | None:
        """The effort of a second try, if the recipe asks for one."""
        return None

    def finished(self, release: Any, progress: Progress) -> Any:  # noqa: ARG002  # of other kinds of recipes
        """The release with what the recipe adds to its report."""
        return release

    def facts(self) -> dict[str, Any]:
        """What a manifest tells of the recipe itself."""
        return {}

    def assess_options(self, data: Any) -> dict[str, Any]:  # noqa: ARG002  # of other kinds of recipes
        """What the study of the data has to know beside the requirements."""
        return {}

    @property
    def address(self) -> str:
        """Where the data are: a path, '-' or the address of a database."""
        return str(getattr(self, self.source_field).path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read and validate a recipe file."""
        return cls.parse(read_text(Path(path)), name=str(path), folder=Path(path).parent)

    @classmethod
    def parse(cls, text: str, *, name: str = "recipe", folder: Path | None = None) -> Self:
        """Validate the text of a recipe; relative paths are taken from `folder`."""
        raw = parse_yaml(text, name)
        if not isinstance(raw, dict):
            raise InputError("release.recipe.not_a_mapping", name=name, field=cls.source_field)
        try:
            return cls.model_validate(cls._absolute(raw, (folder or Path()).absolute()))
        except ValidationError as error:
            subject = ErrorSentence("release.recipe.named", name=name)
            raise ParameterError(sentence_of(error, subject)) from None

    @classmethod
    def _absolute(cls, raw: dict[str, Any], folder: Path) -> dict[str, Any]:
        """The recipe with its file paths made absolute, as a new mapping."""
        made = {**raw, **cls._absolute_rest(raw, folder)}
        if cls.source_field in raw:
            made[cls.source_field] = absolute_entry(raw[cls.source_field], "path", folder, or_address=True)
        if "output" in raw:
            made["output"] = absolute_entry(raw["output"], "folder", folder)
        return made

    def replaced(
        self, *, requirements: Sequence[str] | None = None, method: Sequence[str] | None = None
    ) -> Self:
        """The recipe with other requirements or methods, given as texts; what is empty stays.

        A method that nobody named follows the requirements, so what was given is validated again.
        """
        changes: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        if requirements:
            changes["requirements"] = tuple(self.requirements_known.build(text) for text in requirements)
        if method:
            changes["method"] = tuple(self.methods_known.build(text) for text in method)
        return self.of(**changes)

    def without_secrets(self) -> Self:
        """The recipe without passwords: those of database addresses, and any that another text about the source names.

        Only this is kept: in recipe.yaml, the internal manifest and the reports.
        """
        source = getattr(self, self.source_field)
        hidden = {name: redact(value) for name, value in source.__dict__.items() if isinstance(value, str)}
        written = {
            name: redact(value)
            for name, value in self.output.__dict__.items()
            if name == "database" and value
        }
        output = self.output.model_copy(update=written)
        return self.model_copy(update={self.source_field: source.model_copy(update=hidden), "output": output})

    def to_dict(self) -> dict[str, Any]:
        """The mapping that `parse` reads back."""
        full = {"version": self.version, **self.model_dump(mode="json", exclude_defaults=True)}
        if self.method:  # one that nobody named is chosen by the table, again
            full["method"] = [self.methods_known.dump(method, full=False) for method in self.method]
        return full

    def to_yaml(self) -> str:
        """The recipe as a YAML file."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)

    def save(self, path: str | Path) -> None:
        """Write the recipe file."""
        text, place = self.to_yaml(), Path(path)
        with writing(place):
            place.write_text(text, encoding="utf-8")
