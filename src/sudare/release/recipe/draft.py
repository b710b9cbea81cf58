"""A first recipe from a file: of a table with guessed roles and their reasons, of baskets with what is known of their items."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import polars as pl
import yaml

from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.catalogue import METHODS
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.block_requirements import KAnonymity, LDiversity
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.people import people_warnings, quasi_warnings
from sudare.describe.guess.guess import guess_roles
from sudare.describe.guess.oddities import (
    hidden_kind,
    missing_codes,
    oddities_of,
    words_read_as_missing,
    written_codes,
)
from sudare.describe.guess.reason import Reason
from sudare.describe.guess.values import are_measured
from sudare.describe.kinds import COUNTED_ROLES, MEASURED_KINDS, UNRELEASED_ROLES, Role
from sudare.describe.table import Table
from sudare.display import Block, Grid, Line, figure, share
from sudare.errors import (
    InputError,
    OutputError,
    ParameterError,
    redact,
)
from sudare.formats.data import writing
from sudare.progress import Plan
from sudare.read.baskets.sniff import looks_like_baskets
from sudare.read.options import Source
from sudare.read.source import is_path
from sudare.words.sentence import enumerated, in_language, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sudare.describe.baskets.baskets import Baskets
    from sudare.describe.guess.guess import Guess
    from sudare.describe.kinds import Kind
    from sudare.parameters import Catalogue
    from sudare.progress import Progress
    from sudare.read.source import SourceFacts
    from sudare.words.sentence import Language

_BETWEEN_ITEMS = r"\S[\s,;|]+\S"
_LONGEST_KEY = 100
_FOLDED = 3
"""Columns of the rest from which one line is enough for all."""
_FREQUENT = 10
"""Items that a draft names."""


@dataclass(frozen=True)
class Draft(ABC):
    """A recipe to correct, with comments."""

    kind: ClassVar[str]
    """The kind of data, by which the command says what comes next."""
    recipe: dict[str, Any]
    """The mapping of the recipe."""
    language: Language
    left_out: bool = field(default=False, kw_only=True)
    """Whether a password was left out of the recipe."""

    @abstractmethod
    def comments(self, key: str) -> Iterator[str]:
        """Comments above an entry of the recipe."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """What was found, for people."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What was found, for JSON, with the recipe."""

    def lines(self, key: str) -> Iterator[str]:
        """One entry of the recipe."""
        yield _yaml({key: self.recipe[key]})

    def _about_the_password(self, key: str) -> Iterator[str]:
        """That a recipe has none, above the address that needs one."""
        if key in {"source", "baskets"} and self.left_out:
            yield texts(self.language, "draft")("password")

    def write(self, path: Path, *, overwrite: bool) -> None:
        """Write the draft, a comment above what a person has to decide."""
        parts = [f"# {texts(self.language, 'draft')('head')}"]
        for key in self.recipe:
            comments = [*self._about_the_password(key), *self.comments(key)]
            parts += [*(f"# {comment}" for comment in comments), *self.lines(key)]
        with writing(path):
            try:
                file = path.open("w" if overwrite else "x", encoding="utf-8")
            except FileExistsError:
                raise OutputError("release.recipe.draft_exists", path=path) from None
            with file:
                file.write("\n".join(parts) + "\n")


def draft_of(
    source: str,
    options: Mapping[str, Any],
    *,
    requirements: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    language: Language = "en",
    folder: Path | None = None,
    baskets: bool = False,
    roles: Mapping[str, Sequence[str]] | None = None,
    rest: Role | None = None,
    explain: bool = False,
    already: tuple[pl.DataFrame, SourceFacts] | None = None,
    progress: Progress | None = None,
) -> Draft:
    """A draft for `folder` of the recipe of a file, which says itself whether it is a table or baskets.

    `baskets` says that it is baskets where it does not show it. `roles` and `rest` are what is known of the columns (see
    `guess_roles`); each text of `roles` lists names or patterns, separated by commas. Of baskets only sensitive items are known. With `explain`, the recipe says of each
    column why it has its role.
    """
    if is_path(source) and Path(source).suffix.lower() in {".yaml", ".yml"}:
        raise InputError("release.recipe.is_recipe", source=source)
    plan = Plan(progress, {"read": 3, "guess": 2})
    asked: dict[str, Any] = {
        "requirements": requirements,
        "methods": methods,
        "language": language,
        "folder": folder,
    }
    if baskets and (rest is not None or set(roles or {}) - {"sensitive"}):
        raise ParameterError("release.recipe.roles_of_baskets")
    sensitive = (roles or {}).get("sensitive", ())
    # Other roles are of columns, and sensitive is what the first line names, too, unless it is said that it is baskets.
    is_open = rest is None and set(roles or {}) <= {"sensitive"}
    if baskets or (already is None and is_open and looks_like_baskets(source, sensitive)):
        from sudare.describe.baskets.sources import read_baskets

        with plan.phase("read"):
            given = read_baskets(source, **options)
        return draft_baskets(source, given, options, sensitive=sensitive, **asked)
    with plan.phase("read"):
        frame, facts = already or Source.of(path=source, **options).load()
        table = Table.from_frame(frame, source=facts)
    if facts.sheet is not None:
        options = {**options, "sheet": facts.sheet}  # other sheets may be filled later
    if table.rows == 0:
        number = "one" if len(table.columns) == 1 else "many"
        raise InputError(f"release.recipe.no_rows.{number}", source=source, columns=len(table.columns))
    kinds = {column.name: column.kind for column in table.columns}
    with plan.phase("guess"):
        table, read_missing = _without_words(table)
        guesses = guess_roles(table, _listed(roles or {}, table.frame.columns), rest)
    read_missing = {
        one.column: read_missing[one.column]
        for one in guesses
        if one.column in read_missing and one.role not in UNRELEASED_ROLES
    }
    measured = not methods and _are_all_measured(table, guesses)
    if measured:
        guesses[:] = [replace(one, hierarchy=None) for one in guesses]
    codes_by_name = {
        one.column: missing_codes(table.frame[one.column])
        for one in guesses
        if one.role not in UNRELEASED_ROLES
    }
    codes = {name: found for name, found in codes_by_name.items() if found}
    drafted = draft_table(
        source,
        table.rows,
        guesses,
        options,
        kinds=kinds,
        codes=codes,
        missing=read_missing,
        explain=explain,
        **asked,
    )
    found: dict[str, Any] = {
        role: [one.column for one in guesses if one.role == role] for role in get_args(Role)
    }
    asked_for = [REQUIREMENTS.build(one) for one in drafted.recipe["requirements"]]
    described = table.describe(**found)
    return replace(
        drafted,
        measured=measured,
        shift_jis=facts.encoding == "cp932",
        may_be_baskets=_is_one_column_of_lists(table),
        warnings=(
            *quasi_warnings(described, asked_for),
            *people_warnings(described, asked_for),
            *words_read_as_missing(read_missing),
            *oddities_of(table.frame, guesses),
        ),
    )


@dataclass(frozen=True)
class TableDraft(Draft):
    """The draft for a table: guessed roles, with their reasons."""

    kind: ClassVar[str] = "table"

    rows: int
    guesses: tuple[Guess, ...]
    measured: bool = False
    """Whether the quasi-identifiers have no hierarchies because all are measured numbers, of which means keep more."""
    may_be_baskets: bool = False
    """Whether its one column looks like lists: lines of items have no columns, so they are read as one."""
    explain: bool = False
    """Whether the recipe lists the columns one by one, each with the reason."""
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values that seem to mean that a value is missing, by column: a line that is ready to be used."""
    shift_jis: bool = False
    """Whether the table was read from a text in this encoding, in which others may expect the release."""
    warnings: tuple[str, ...] = ()
    """What the custodian should know before anything else: people with several rows, and oddities of the values."""

    @property
    def ranges_needed(self) -> list[str]:
        """Columns that will be randomized within a range, which is known from elsewhere and yet to be written."""
        return self._asked_by_methods("columns_without_range", measured=True)

    @property
    def values_needed(self) -> list[str]:
        """Columns that will be randomized among the values in the data, unless all possible values are written."""
        return self._asked_by_methods("columns_without_values", measured=False)

    def _asked_by_methods(self, question: str, *, measured: bool) -> list[str]:
        names = [
            guess.column
            for guess in self.guesses
            if guess.role in COUNTED_ROLES and (guess.kind in MEASURED_KINDS) == measured
        ]
        asking = [getattr(METHODS.build(method), question, None) for method in self.recipe.get("method", ())]
        return list(dict.fromkeys(name for ask in asking if ask is not None for name in ask(names)))

    def comments(self, key: str) -> Iterator[str]:
        """What the custodian should know, and ranges that are yet to be written."""
        if key == "columns":
            for warning in self.warnings:
                yield " ".join(in_language(warning, self.language).split())
            if self.measured:
                yield texts(self.language, "draft")("measured")
            if self.codes:
                yield texts(self.language, "draft")("codes")
            if not self.explain:
                yield texts(self.language, "draft")("lists")
        if key == "output" and "method" not in self.recipe:
            yield texts(self.language, "draft")("method")
        if key == "output":
            yield texts(self.language, "draft")("about")
            yield "about: {title: '', purpose: '', recipient: '', contact: ''}"
        if key == "output" and self.shift_jis:
            yield texts(self.language, "draft")("excel_sjis")
        elif key == "output" and self.language == "ja":
            yield texts(self.language, "draft")("excel")
        if key == "method" and (names := self.ranges_needed):
            yield texts(self.language, "draft")("ranges", columns=enumerated(names).into(self.language))
        if key == "method" and (names := self.values_needed):
            yield texts(self.language, "draft")("values", columns=enumerated(names).into(self.language))

    def lines(self, key: str) -> Iterator[str]:
        """Columns are one line each, and those of one role on one line where nothing else is said; or have reasons above.

        In the method, lines are ready for the ranges and the values that are yet to be written.
        """
        wanted = {
            "ranges": {name: ["LOW", "HIGH"] for name in self.ranges_needed},
            "values": {name: ["EVERY", "POSSIBLE", "VALUE"] for name in self.values_needed},
        }
        if key == "method" and any(wanted.values()):
            ready = "\n".join(f"  # {_one_line({name: given})}" for name, given in wanted.items() if given)
            first = "- type: randomization"
            yield from (
                f"{line}\n{ready}" if line == first else line
                for line in _yaml({key: self.recipe[key]}).splitlines()
            )
            return
        if key != "columns":
            yield from super().lines(key)
            return
        yield "columns:"
        reasons = {guess.column: guess.reason for guess in self.guesses} if self.explain else {}
        before = ""
        for name, column in self.recipe["columns"].items():
            reason = " ".join(reasons[name].into(self.language).split()) if name in reasons else ""
            if reason and reason != before:  # the columns below share it
                yield f"  # {reason}"
            before = reason
            codes = self.codes.get(name)
            written = _yaml({name: column}) if self.explain or codes else _short_yaml(name, column)
            if codes:
                written += f"\n  # missing_values: {written_codes(codes)}"
            yield "\n".join(f"  {line}" for line in written.splitlines())

    def blocks(self) -> Iterator[Block]:
        """Each column with its role, its kind and the reason."""
        words = texts(self.language, "cli")
        sizes = {"rows": self.rows, "columns": len(self.guesses)}
        counted = {
            name: words(f"describe.{name}.{'one' if count == 1 else 'many'}", count=count)
            for name, count in sizes.items()
        }
        shown, folded = self._shown_and_folded()
        yield Grid(
            words("describe.title", **counted),
            [words(f"describe.{head}") for head in ("column", "role", "kind", "why")],
            [
                (_span(run), run[0].role, run[0].kind, run[0].reason.into(self.language))
                for run in _runs_alike(shown, self.language)
            ],
        )
        for role, count in folded.items():
            yield Line(words("describe.rest", count=count, role=role))
        if "sheet" in self.recipe["source"]:
            yield Line(words("describe.sheet", sheet=self.recipe["source"]["sheet"]))
        for warning in self.warnings:
            yield Line(words("warning", warning=in_language(warning, self.language)))
        if self.may_be_baskets:
            yield Line(words("warning", warning=words("describe.baskets")))
        if names := self.ranges_needed:
            columns = enumerated(names).into(self.language)
            yield Line(words("warning", warning=words("describe.ranges", columns=columns)))
        if names := self.values_needed:
            columns = enumerated(names).into(self.language)
            yield Line(words("warning", warning=words("describe.values", columns=columns)))

    def _shown_and_folded(self) -> tuple[list[Guess], dict[Role, int]]:
        """The guesses that say something, and how many columns have the role that was given to all others."""
        rest = [guess for guess in self.guesses if _is_of_the_rest(guess)]
        if len(rest) < _FOLDED:
            return list(self.guesses), {}
        return [guess for guess in self.guesses if not _is_of_the_rest(guess)], {rest[0].role: len(rest)}

    def to_dict(self) -> dict[str, Any]:
        """Reasons in both languages."""
        told = [{**guess.__dict__, "reason_ja": guess.reason.into("ja")} for guess in self.guesses]
        return {"rows": self.rows, "guesses": told, "warnings": list(self.warnings), "recipe": self.recipe}


@dataclass(frozen=True)
class BasketDraft(Draft):
    """The draft for baskets: what they are like; which items are sensitive, only their owner knows."""

    kind: ClassVar[str] = "baskets"

    baskets: int
    items: int
    entries: int
    longest: int
    frequent: tuple[tuple[str, int], ...]
    """The most frequent items and in how many baskets each is."""
    examinable: bool = True
    """Whether baskets are so short that an adversary may know any number of their items."""
    sensitive: int = 0
    """Number of items that were named as sensitive."""

    def comments(self, key: str) -> Iterator[str]:
        """How to name sensitive items, and the requirement that protects them."""
        if key == "sensitive" and not self.sensitive:
            yield texts(self.language, "draft")("sensitive")
            which = "any" if self.examinable else "few"
            yield texts(self.language, "draft")(f"rho.{which}", longest=self.longest)

    def blocks(self) -> Iterator[Block]:
        """Sizes, and the most frequent items."""
        words = texts(self.language, "cli")
        rows = [
            (words(f"describe.of_baskets.{name}"), figure(getattr(self, name)))
            for name in ("baskets", "items", "entries", "longest")
        ]
        heads = [words("describe.of_baskets.figure"), words("describe.of_baskets.value")]
        yield Grid(words("describe.of_baskets.title"), heads, rows)
        heads = [words(f"describe.of_baskets.{head}") for head in ("item", "in_baskets", "share")]
        frequent = [
            (item, figure(count), share(count / max(self.baskets, 1))) for item, count in self.frequent
        ]
        if frequent:
            yield Grid(words("describe.of_baskets.frequent"), heads, frequent)
        if self.sensitive:
            yield Line(words("describe.of_baskets.named", count=self.sensitive))
        else:
            yield Line(words("describe.of_baskets.sensitive"))

    def to_dict(self) -> dict[str, Any]:
        """Sizes and the recipe."""
        sizes = {name: getattr(self, name) for name in ("baskets", "items", "entries", "longest")}
        return {**sizes, "frequent": dict(self.frequent), "recipe": self.recipe}


def draft_table(
    source: str,
    rows: int,
    guesses: Sequence[Guess],
    options: Mapping[str, Any],
    *,
    requirements: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    language: Language = "en",
    folder: Path | None = None,
    kinds: Mapping[str, Kind] | None = None,
    codes: Mapping[str, tuple[str, ...]] | None = None,
    missing: Mapping[str, tuple[str, ...]] | None = None,
    explain: bool = False,
) -> TableDraft:
    """Guessed columns, 5-anonymity and 2-diversity unless told otherwise.

    `kinds` are those that the table finds by itself, of which a short recipe says nothing; `codes` seem to mean that a value is
    missing, and a comment that is ready to be used names them; `missing` are taken to mean it.
    """
    sensitive = any(guess.role == "sensitive" for guess in guesses)
    asked = [REQUIREMENTS.build(text) for text in requirements or ()]
    if not asked:
        asked = [KAnonymity(5), LDiversity(2)] if sensitive else [KAnonymity(5)]
    applied = [METHODS.build(text) for text in methods or ()]
    if not applied and any(REQUIREMENTS.name_of(one) == "pk-anonymity" for one in asked):
        applied = [METHODS.build("randomization")]  # named, because its ranges must be written
    recipe = {
        "version": 1,
        "source": _place(source, options, folder),
        "columns": (
            {guess.column: _column(guess) for guess in guesses}
            if explain
            else _columns(guesses, kinds or {}, {**(codes or {}), **(missing or {})})
        ),
        **_rest(source, (asked, REQUIREMENTS), (applied, METHODS), language),
    }
    for name, values in (missing or {}).items():
        recipe["columns"][name]["missing_values"] = list(values)
    return TableDraft(
        recipe,
        language,
        rows,
        tuple(guesses),
        explain=explain,
        codes=codes or {},
        left_out=_leaves_out(source, options, recipe["source"]),
    )


def draft_baskets(
    source: str,
    baskets: Baskets,
    options: Mapping[str, Any],
    *,
    requirements: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    language: Language = "en",
    folder: Path | None = None,
    sensitive: Sequence[str] = (),
) -> BasketDraft:
    """5^2-anonymity unless told otherwise: it needs no sensitive items, which nobody can guess.

    `sensitive` names them: items and patterns, separated by commas, or one rule `re:…`. What nobody may infer about a
    person is then protected by rho-uncertainty besides.
    """
    # What only baskets need is not loaded for a table.
    from sudare.anonymize.baskets.suppress import SuppressItems
    from sudare.assess.baskets.km_anonymity import KmAnonymity
    from sudare.assess.baskets.pairing import are_examinable
    from sudare.assess.baskets.rho_uncertainty import RhoUncertainty

    named = _sensitive_items(sensitive, baskets)
    described = baskets.describe(sensitive=named) if named else baskets
    asked = [BASKET_REQUIREMENTS.build(text) for text in requirements or ()] or [KmAnonymity(5, 2)]
    if named and not requirements:
        asked.append(RhoUncertainty(0.5) if are_examinable(baskets) else RhoUncertainty(0.5, m=2))
    applied = [BASKET_METHODS.build(text) for text in methods or ()] or [SuppressItems()]
    layout = {"layout": baskets.source.layout} if baskets.source and "layout" not in options else {}
    recipe: dict[str, Any] = {
        "version": 1,
        "baskets": _place(source, {**options, **layout}, folder),
        "sensitive": named,
        **_rest(source, (asked, BASKET_REQUIREMENTS), (applied, BASKET_METHODS), language),
    }
    recipe["requirements"] = [_with_numbers(one) for one in recipe["requirements"]]
    supports = baskets.supports()
    most = sorted(range(len(supports)), key=lambda code: (-int(supports[code]), code))[:_FREQUENT]
    return BasketDraft(
        recipe,
        language,
        len(baskets),
        len(baskets.items),
        baskets.entries,
        int(baskets.lengths.max(initial=0)),
        tuple((str(baskets.items[code]), int(supports[code])) for code in most),
        are_examinable(baskets),
        len(described.sensitive.common) if described.sensitive.common is not None else 0,
        left_out=_leaves_out(source, options, recipe["baskets"]),
    )


def _with_numbers(requirement: dict[str, Any]) -> dict[str, Any]:
    """The requirement with a rho that is a plain decimal as a number; a fraction such as 1/3 stays a text."""
    rho = requirement.get("rho")
    if not isinstance(rho, str) or "/" in rho or repr(float(rho)) != rho:
        return requirement
    return {**requirement, "rho": float(rho)}


def _sensitive_items(given: Sequence[str], baskets: Baskets) -> list[str | int] | str:
    """What texts from a command name: items of the baskets, those that fit a pattern, or a rule."""
    from sudare.describe.baskets.sensitive import items_named, unknown_item

    if len(given) == 1 and given[0].startswith("re:"):
        return given[0]
    named = items_named(_listed({"": given}, [str(item) for item in baskets.items])[""], baskets.items)
    if named.absent:
        raise unknown_item(named.absent[0], baskets.items)
    return named.items


def _without_words(table: Table) -> tuple[Table, dict[str, tuple[str, ...]]]:
    """The table with numbers and dates in columns that only words for missing values made texts, and these words."""
    found: dict[str, tuple[str, ...]] = {}
    kinds: dict[str, Kind] = {}
    for series in table.frame:
        words = missing_codes(series) if series.dtype == pl.String else ()
        kind = hidden_kind(series, words)
        if kind is not None:
            found[series.name], kinds[series.name] = words, kind
    return (table.describe(kinds=kinds, missing_values=found) if found else table), found


def _are_all_measured(table: Table, guesses: Sequence[Guess]) -> bool:
    """Whether a release with no named method would be microaggregated if no quasi-identifier had a hierarchy."""
    quasi = [guess for guess in guesses if guess.role == "quasi"]
    return bool(quasi) and all(are_measured(guess.kind, table.frame[guess.column]) for guess in quasi)


def _runs_alike(guesses: Sequence[Guess], language: Language) -> Iterator[list[Guess]]:
    """Guesses one by one, but neighbors of which the same is said together: twenty questions are one line."""
    for _, run in groupby(guesses, key=lambda one: (one.role, one.kind, one.reason.into(language))):
        alike = list(run)
        yield from [alike] if len(alike) > _FOLDED else [[one] for one in alike]


def _span(run: Sequence[Guess]) -> str:
    """The name of a column, or the first and the last of several and how many they are."""
    return run[0].column if len(run) == 1 else f"{run[0].column} … {run[-1].column} ({len(run)})"


def _is_of_the_rest(guess: Guess) -> bool:
    return isinstance(guess.reason, Reason) and guess.reason.key == "rest"


def _is_one_column_of_lists(table: Table) -> bool:
    if len(table.columns) != 1:
        return False
    values = table.frame.to_series().cast(str).drop_nulls()
    return bool(values.str.contains(_BETWEEN_ITEMS).any())


def stem_of(source: str) -> str:
    """What a recipe and its release are named after."""
    return Path(source).stem if is_path(source) else "data"


def _place(source: str, options: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Where the data are, as seen from the folder of the recipe."""
    place = os.path.relpath(source, folder) if is_path(source) else redact(source, settings=True)
    plain = {name: _plain(value) for name, value in options.items()}
    return {"path": place, **plain}


def _leaves_out(source: str, options: Mapping[str, Any], place: Mapping[str, Any]) -> bool:
    """Whether the place in a recipe lacks something secret that was given."""
    address = not is_path(source) and place["path"] != source
    return address or any(place[name] != value for name, value in options.items() if isinstance(value, str))


def _plain(value: Any) -> Any:
    """An option as a recipe has it; a query may connect to another database, with a password."""
    if isinstance(value, tuple):
        return list(value)
    return redact(value) if isinstance(value, str) else value


def _rest(
    source: str,
    asked: tuple[Sequence[Any], Catalogue[Any]],
    applied: tuple[Sequence[Any], Catalogue[Any]],
    language: Language,
) -> dict[str, Any]:
    """What every recipe ends with."""
    methods = [applied[1].dump(one, full=False) for one in applied[0]]
    return {
        "requirements": [asked[1].dump(one, full=False) for one in asked[0]],
        **({"method": methods} if methods else {}),
        "output": {"folder": f"{stem_of(source)}-release", "language": language},
    }


def _column(guess: Guess) -> dict[str, Any]:
    column: dict[str, Any] = {"role": guess.role, "kind": guess.kind}
    if guess.format is not None:
        column["format"] = guess.format if isinstance(guess.format, str) else list(guess.format)
    if guess.hierarchy is not None:
        column["hierarchy"] = guess.hierarchy
    return column


def _columns(
    guesses: Sequence[Guess], kinds: Mapping[str, Kind], single_too: Iterable[str]
) -> dict[str, Any]:
    """The columns in few words: by name where there is more to say than the role, then a list for each role."""
    entries = {guess.column: _short_column(guess, kinds.get(guess.column)) for guess in guesses}
    single = {name for name, entry in entries.items() if len(entry) > 1}.union(single_too)
    # A column that is named like a role has the name for itself.
    roles = [role for role in get_args(Role) if role not in single]
    lists = {
        role: [name for name, entry in entries.items() if entry == {"role": role} and name not in single]
        for role in roles
    }
    grouped = {name for names in lists.values() for name in names}
    return {
        **{name: entry for name, entry in entries.items() if name not in grouped},
        **{role: names for role, names in lists.items() if names},
    }


def _short_column(guess: Guess, kind: Kind | None) -> dict[str, Any]:
    """What has to be said of a column: not a kind that is found anyway, or that matters to nobody."""
    column = _column(guess)
    if guess.kind == kind or guess.role in UNRELEASED_ROLES:
        del column["kind"]
    return column


def _short_yaml(name: str, content: Any) -> str:
    """An entry on one line; lists of names on as many as they need."""
    if isinstance(content, list):
        flow = yaml.safe_dump(content, allow_unicode=True, width=100, default_flow_style=True).rstrip()
        return f"{name}: " + flow.replace("\n", "\n  ")
    line = _one_line({name: content})
    # Beyond this length YAML marks a name as a key, on a line of its own.
    return line if len(name) < _LONGEST_KEY else _yaml({name: content})


def _listed(roles: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, list[str]]:
    """Names and patterns by role, out of texts that list them; a text that is a column is not a list."""
    return {
        role: [
            entry.strip()
            for text in given
            for entry in ([text] if text in names else text.split(","))
            if entry.strip()
        ]
        for role, given in roles.items()
    }


def _one_line(content: Any) -> str:
    """Content that fits behind a `#`, whatever names are in it."""
    flow = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=10**9, default_flow_style=True)
    return flow.strip().removeprefix("{").removesuffix("}")


def _yaml(content: Any) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100).rstrip()
