"""Table: an immutable frame in which every column has a role, a kind and, if needed, a hierarchy."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from sudare.describe.column import (
    Codes,
    Column,
    check_choice,
    check_column,
    check_weights,
    encode,
    encode_within,
    merged,
)
from sudare.describe.domain import domain_of
from sudare.describe.guess.values import guess_kind
from sudare.describe.hierarchy.catalogue import CATALOGUE, HierarchyMaker
from sudare.describe.hierarchy.makers import suppression_of
from sudare.describe.kinds import UNRELEASED_ROLES, Kind, MissingPolicy, Role, Spelling
from sudare.describe.text import as_text, axis_of, scalar_text
from sudare.display import WIDTH, html_block, html_head, html_table, listed, paragraph, said, shown_words
from sudare.errors import DescriptionError, did_you_mean, shown
from sudare.read.text import days_if_midnight, pattern_among

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from sudare.describe.domain import ColumnDomain, Domain
    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.read.source import SourceFacts
    from sudare.words.sentence import Texts

NativeKind = Literal["polars", "pandas", "arrow"]


def from_native(frame: Any, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, NativeKind]:
    """A polars frame (with NaN as null: both mean missing) of all or some columns, and the type it came from.

    A pandas index is not part of the data and is dropped: it often identifies the rows.
    """
    library = type(frame).__module__.partition(".")[0]
    native: NativeKind = "polars"
    try:
        if isinstance(frame, pl.LazyFrame):
            inner = frame.collect()
        elif isinstance(frame, pl.DataFrame):
            inner = frame
        elif library == "pandas" and hasattr(frame, "columns"):
            native = "pandas"
            chosen = frame if columns is None else frame[_known(columns, list(frame.columns))]
            inner = _from_pandas(chosen)
        elif library != "pandas" and hasattr(frame, "__arrow_c_stream__"):
            native = "arrow"
            inner = pl.DataFrame(frame)
        else:
            raise DescriptionError("describe.frame.not_a_table", kind=type(frame).__name__)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        # Quote everything the library says: Arrow names the column in a second argument.
        raise DescriptionError("describe.frame.not_taken", library=library, why=str(error)) from None
    if columns is not None:
        inner = pl.DataFrame([inner[name] for name in _known(columns, inner.columns)])
    pattern = pattern_among(inner.columns)
    if pattern is not None:
        raise DescriptionError("describe.frame.pattern", name=pattern)
    # Other libraries define extension types on top of plain ones; older versions of polars have none.
    extension: Any = getattr(pl, "BaseExtension", ())
    odd = next((name for name, dtype in inner.schema.items() if isinstance(dtype, extension)), None)
    if odd is not None:
        raise DescriptionError("describe.frame.foreign_type", column=odd, dtype=inner.schema[odd])
    # Series, not pl.col: a column may be named "*".
    floats = [plain_floats(inner[name]) for name, dtype in inner.schema.items() if dtype.is_float()]
    return inner.with_columns(floats) if floats else inner, native


def _known(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns, all of which the frame must have."""
    unknown = next((name for name in columns if name not in names), None)
    if unknown is not None:
        raise DescriptionError("describe.table.no_column", name=unknown, hint=did_you_mean(unknown, names))
    return list(columns)


def plain_floats(series: pl.Series) -> pl.Series:
    """NaN as null, and -0.0 as 0.0: two equal numbers must have the same text."""
    plain = series.fill_nan(None)
    zero = plain == 0
    return plain.set(zero, 0.0) if zero.any() else plain


def to_native(frame: pl.DataFrame, native: NativeKind) -> Any:
    """The frame in the caller's type."""
    if native == "pandas":
        return frame.to_pandas()
    if native == "arrow":
        return frame.to_arrow()
    return frame


def _from_pandas(frame: Any) -> pl.DataFrame:
    names = list(frame.columns)
    wrong = next((name for name in names if not isinstance(name, str)), None)
    if wrong is not None:
        raise DescriptionError("describe.frame.name_not_text", name=shown(wrong), example=str(wrong))
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise DescriptionError("describe.frame.name_repeated", name=repeated)
    plain = frame.reset_index(drop=True)
    texts = {name: _as_texts(plain[name]) for name in names if _is_span(plain[name].dtype)}
    if texts:
        plain = plain.assign(**texts)
    taken: pl.DataFrame = pl.from_pandas(plain, include_index=False)
    return pl.DataFrame([days_if_midnight(series) for series in taken.get_columns()])


def _is_span(dtype: Any) -> bool:
    """Whether a column contains periods or intervals (or their categories, as from pandas.cut), which only pandas has."""
    categories = getattr(dtype, "categories", None)
    inner = dtype if categories is None else categories.dtype
    return type(inner).__name__ in {"PeriodDtype", "IntervalDtype"}


def _as_texts(column: Any) -> Any:
    return column.astype(object).map(str, na_action="ignore").astype("string")


def roles_by_name(given: Mapping[str, Iterable[str]], names: Sequence[str]) -> dict[str, Role]:
    """The role of every column that lists of names and patterns give one.

    A pattern is one of `fnmatch` (`*`, `?`, `[abc]`), its case as written; a text that is the name of a column is that
    column, whatever characters it has. What fits no column, or gives a column a second role, is an error.

    >>> roles_by_name({"quasi": ["age", "zip*"], "drop": ["x_?"]}, ["age", "zip", "zip4", "x_1", "income"])
    {'age': 'quasi', 'zip': 'quasi', 'zip4': 'quasi', 'x_1': 'drop'}
    """
    roles: dict[str, Role] = {}
    for role, entries in given.items():
        for entry in entries:
            for name in columns_matching(entry, names):
                if roles.get(name, role) != role:
                    raise DescriptionError(
                        "describe.table.two_roles", column=name, one=roles[name], other=role
                    )
                roles[name] = role  # type: ignore[assignment]  # the keys are roles
    return roles


def columns_matching(entry: str, names: Sequence[str]) -> list[str]:
    """The columns that a name or a pattern stands for, at least one."""
    if entry in names:
        return [entry]
    found = [name for name in names if fnmatchcase(name, entry)]
    if not found:
        key = "no_match" if any(sign in entry for sign in "*?[") else "no_column"
        otherwise = [name for name in names if fnmatchcase(name.casefold(), entry.casefold())]
        near = otherwise[0] if otherwise else entry  # one that only the case tells apart is nearest
        raise DescriptionError(f"describe.table.{key}", name=entry, hint=did_you_mean(near, names))
    return found


def without_values(series: pl.Series, values: Iterable[Any]) -> pl.Series:
    """The column with missing cells in place of these values, which are compared as texts."""
    given = [values] if isinstance(values, str | int | float) else values
    texts = {scalar_text(value).strip() for value in given}
    cells = as_text(series).alias("cells").str.strip_chars()
    hidden = cells.is_in(sorted(texts)).fill_null(value=False)
    return series.set(hidden, None) if bool(hidden.any()) else series


def converted(
    series: pl.Series, column: Column, written: str | Sequence[str] | None, *, told: bool = True
) -> tuple[pl.Series, Column]:
    """A column of texts as the dates or numbers that its kind says it has, and its description."""
    if column.role == "drop" or (
        series.dtype != pl.String and (written is None or not series.dtype.is_integer())
    ):
        return series, column
    if written is None and column.kind not in {"date", "numeric"}:
        return series, column
    # Few tables need it, so that it is not loaded with every one.
    from sudare.describe.conversion import read_dates, read_numbers

    if written is not None and told and column.kind not in {"date", "ordinal"}:
        raise DescriptionError("describe.dates.kind", column=column.name, kind=column.kind)
    if written is None and column.kind == "numeric":
        return read_numbers(series), column
    given = written if written is None or isinstance(written, str) else tuple(written)
    found = read_dates(series, given)
    kind: Kind = "ordinal" if found.unit == "time" else "date"
    return found.series, replace(column, kind=kind, format=found.format)


_WIDE = 200
"""The number of characters of column names that a notebook shows on one line."""


class Table:
    """An immutable table of persons with its description; every change returns a new Table.

    >>> import polars as pl
    >>> table = Table.from_frame(pl.DataFrame({"age": [34, 36, 71], "disease": ["flu", "flu", "gout"]}))
    >>> table = table.describe(quasi=["age"], sensitive=["disease"])
    >>> table
    Table(3 rows; quasi: age; sensitive: disease)
    >>> table.codes("disease").codes
    array([0, 0, 1], dtype=int32)
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        columns: Iterable[Column],
        *,
        native: NativeKind = "polars",
        source: SourceFacts | None = None,
        domain: Domain | None = None,
    ) -> None:
        self.frame = frame
        self.columns = tuple(columns)
        self.source = source
        self.domain = domain
        """What is known of the whole table that this is a part of; None where the table is its own whole."""
        self._native = native
        self._by_name = {column.name: column for column in self.columns}
        self._codes: dict[str, Codes] = {}
        self._merged: dict[str, tuple[Codes, npt.NDArray[np.int32]] | None] = {}
        self._hierarchies: dict[str, Hierarchy] = {}

    @classmethod
    def from_frame(cls, frame: Any, source: SourceFacts | None = None) -> Table:
        """A table from polars, pandas, Arrow, or anything with the Arrow stream interface."""
        inner, native = from_native(frame)
        columns = (Column(name, guess_kind(inner[name])) for name in inner.columns)
        return cls(inner, columns, native=native, source=source)

    @classmethod
    def with_roles(cls, frame: Any, quasi: Iterable[str], sensitive: Iterable[str]) -> Table:
        """The table of these columns alone, for checking a requirement; kinds are guessed of the sensitive ones only."""
        roles = {"quasi": [quasi] if isinstance(quasi, str) else list(quasi)}
        roles["sensitive"] = [sensitive] if isinstance(sensitive, str) else list(sensitive)
        inner, native = from_native(frame, list(dict.fromkeys([*roles["quasi"], *roles["sensitive"]])))
        columns = (
            Column(name, guess_kind(inner[name]) if name in roles["sensitive"] else "string")
            for name in inner.columns
        )
        return cls(inner, columns, native=native).describe(**roles)  # type: ignore[arg-type]  # roles only

    @property
    def given_as(self) -> NativeKind:
        """The kind of frame that the caller passed; frames made from this table are given back as that kind."""
        return self._native

    @property
    def rows(self) -> int:
        """Number of records."""
        return self.frame.height

    def column(self, name: str) -> Column:
        """The description of one column."""
        if name not in self._by_name:
            raise DescriptionError(
                "describe.table.no_column", name=name, hint=did_you_mean(name, self._by_name)
            )
        return self._by_name[name]

    def names(self, *roles: Role) -> list[str]:
        """Names of the columns with any of these roles, in table order."""
        return [column.name for column in self.columns if column.role in roles]

    @property
    def undescribed(self) -> list[str]:
        """Columns without an assigned role."""
        return [column.name for column in self.columns if not column.described]

    def describe(
        self,
        *,
        identifier: Iterable[str] = (),
        quasi: Iterable[str] = (),
        sensitive: Iterable[str] = (),
        insensitive: Iterable[str] = (),
        weight: Iterable[str] = (),
        drop: Iterable[str] = (),
        kinds: Mapping[str, Kind] | None = None,
        hierarchies: Mapping[str, HierarchyMaker | Mapping[str, Any] | str] | None = None,
        missing: Mapping[str, MissingPolicy] | None = None,
        formats: Mapping[str, str | Sequence[str]] | None = None,
        missing_values: Mapping[str, Iterable[Any]] | None = None,
    ) -> Table:
        """A table with these columns described; columns not named keep their description.

        Besides names, patterns such as `"zip*"` or `"*"` give columns their role, as in recipes.
        A column of texts whose kind is numeric or date is converted: numbers as people write them, dates in the format that
        `formats` has for the column (as `strftime` writes it, and `%EY` for years of Japanese eras; several if not all values
        have the same), or in the format that is found. `missing_values` are values that mean that a value is missing (999999, "?").
        """
        roles = self._roles_given(
            identifier=identifier,
            quasi=quasi,
            sensitive=sensitive,
            insensitive=insensitive,
            weight=weight,
            drop=drop,
        )
        described = dict(self._by_name)
        for name, role in roles.items():
            described[name] = replace(self.column(name), role=role, described=True)
        for name, kind in (kinds or {}).items():
            check_choice(name, "kind", kind, get_args(Kind))
            self.column(name)
            described[name] = replace(described[name], kind=kind)
        frame = self.frame
        for name, values in (missing_values or {}).items():
            self.column(name)
            frame = frame.with_columns(without_values(frame[name], values))
        for name in dict.fromkeys([*(kinds or {}), *(formats or {})]):
            column = replace(self.column(name), kind=described[name].kind, role=described[name].role)
            series, column = converted(
                frame[name], column, (formats or {}).get(name), told=name in (kinds or {})
            )
            described[name] = replace(described[name], kind=column.kind, format=column.format)
            frame = frame.with_columns(series)
        for name, given in (hierarchies or {}).items():
            self.column(name)
            maker = given if isinstance(given, HierarchyMaker) else CATALOGUE.build(given)
            described[name] = replace(described[name], hierarchy=maker)
        for name, policy in (missing or {}).items():
            check_choice(name, "missing_policy", policy, get_args(MissingPolicy))
            self.column(name)
            described[name] = replace(described[name], missing=policy)
        table = self.changed(frame, described.values())
        return table.validated()

    def codes(self, name: str, spelling: Spelling = "exact") -> Codes:
        """The column as codes (computed once); with `alike`, values that differ only in their spelling have one code."""
        if spelling == "alike":
            together = self._alike(name)
            return self.codes(name) if together is None else together[0]
        found = self._codes.get(name)
        if found is None:
            self.column(name)
            whole = self._domain_of(name)
            found = self._codes[name] = (
                encode(self.frame[name])
                if whole is None
                else encode_within(self.frame[name], whole.values, has_missing=whole.has_missing)
            )
        return found

    def is_coded(self, names: Iterable[str]) -> bool:
        """Whether the codes of all these columns are known already."""
        return self.domain is not None or all(name in self._codes for name in names)

    def hierarchy(self, name: str) -> Hierarchy | None:
        """The column's hierarchy, built for its values (once), or None if it has none."""
        maker = self.column(name).hierarchy
        if maker is None:
            return None
        if (whole := self._domain_of(name)) is not None:
            return whole.hierarchy
        if name not in self._hierarchies:
            self._hierarchies[name] = maker.build(self.frame[name], name)
        return self._hierarchies[name]

    def values(self, name: str) -> pl.Series:
        """Every value of a column, in the whole table that this is a part of; how often each occurs is not said."""
        whole = self._domain_of(name)
        return self.frame[name] if whole is None else whole.values

    def generalization(self, name: str) -> Hierarchy:
        """The column's hierarchy, or for one that was given none the hierarchy of its values and `*`."""
        tree, whole = self.hierarchy(name), self._domain_of(name)
        if tree is None and whole is not None:
            tree = whole.suppression
        return suppression_of(self.frame[name]) if tree is None else tree

    def shares(self, name: str, spelling: Spelling = "exact") -> npt.NDArray[np.float64]:
        """The share of each code of a column, in the whole table that this is a part of."""
        codes, whole = self.codes(name), self._domain_of(name)
        counts = np.bincount(codes.codes, minlength=codes.count) if whole is None else whole.counts
        found = self._alike(name) if spelling == "alike" else None
        if found is not None:
            together, new_code = found
            counts = np.bincount(new_code, weights=counts, minlength=together.count)
        return counts / max(int(counts.sum()), 1)

    def _alike(self, name: str) -> tuple[Codes, npt.NDArray[np.int32]] | None:
        """The codes with alike values merged, and the new code of each old one (computed once); None if no two are alike."""
        if name in (known := self._merged):
            return known[name]
        found = known[name] = merged(self.codes(name))
        return found

    def extent(self, name: str) -> float:
        """Length of the axis of a column of numbers or dates, in the whole table that this is a part of."""
        whole = self._domain_of(name)
        if whole is not None:
            return whole.extent
        places = axis_of(self.frame[name].drop_nulls()).to_numpy()
        return float(places.max() - places.min()) if len(places) else 0.0

    def fixed(self) -> Table:
        """The table with the domain of its columns fixed: what is taken of it is coded and generalized as the whole."""
        return self if self.domain is not None else self._as(self.frame, self.columns, domain_of(self))

    def leaves(self, name: str, hierarchy: Hierarchy) -> npt.NDArray[np.int32]:
        """The leaf of every row in a hierarchy that covers the column."""
        codes = self.codes(name)
        return hierarchy.leaves_of(codes.values, missing=codes.missing is not None)[codes.codes]

    def changed(self, frame: pl.DataFrame | None = None, columns: Iterable[Column] | None = None) -> Table:
        """The table with another frame, other descriptions, or both; its origin stays known, its domain does not."""
        return self._as(self.frame if frame is None else frame, self.columns if columns is None else columns)

    def recoded(self, frame: pl.DataFrame) -> Table:
        """The released counterpart: generalized quasi-identifiers have no values for their hierarchies any more."""
        columns = [
            replace(column, hierarchy=None) if column.role == "quasi" else column
            for column in (self.column(name) for name in frame.columns)
        ]
        gone = {*self.names("quasi"), *(name for name in self.frame.columns if name not in frame.columns)}
        return self._as(frame, columns, None if self.domain is None else self.domain.without(gone))

    def with_values(self, series: pl.Series) -> Table:
        """The table with one column's values replaced."""
        frame = self.frame.with_columns(plain_floats(series) if series.dtype.is_float() else series)
        return self._as(
            frame, self.columns, None if self.domain is None else self.domain.without({series.name})
        )

    def take(self, rows: npt.NDArray[np.int64]) -> Table:
        """The table of these rows, in this order; a domain that was fixed stays that of the whole."""
        return self._as(self.frame[rows], self.columns, self.domain)

    def permuted(self, rows: npt.NDArray[np.int64]) -> Table:
        """The table of all rows in another order, which takes the codes along: this one finds them again if it is asked."""
        table = self._as(self.frame[rows], self.columns, self.domain)
        # All values are still there, in the same columns, so codes and values belong together as before.
        known, self._codes = self._codes, {}
        while known:
            name, codes = known.popitem()
            table._codes[name] = codes.taken(rows)  # noqa: SLF001  # of the same class
        return table

    def forget(self) -> None:
        """Let go of the codes, an array of all rows for each column; they are computed again if they are asked for."""
        # New dictionaries: another thread may be reading the old ones.
        self._codes, self._merged = {}, {}

    def _as(self, frame: pl.DataFrame, columns: Iterable[Column], domain: Domain | None = None) -> Table:
        return Table(frame, columns, native=self._native, source=self.source, domain=domain)

    def _domain_of(self, name: str) -> ColumnDomain | None:
        return None if self.domain is None else self.domain.columns.get(name)

    def native(self) -> Any:
        """The frame in the type that the caller passed: polars, pandas or Arrow."""
        return to_native(self.frame, self._native)

    def to_pandas(self) -> Any:
        """The values as a pandas frame, whatever was given."""
        return self.frame.to_pandas()

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        words = shown_words()
        roles = (
            words("fact", name=role, value=listed(names, WIDTH - 20)) for role, names in self._by_role(words)
        )
        return said("Table", [words("table.rows", rows=self.rows), *roles])

    def _repr_html_(self) -> str:
        """Roles and the first rows; what no release contains is hidden, because notebooks get shared."""
        words = shown_words()
        size = words("table.title", rows=self.rows, columns=len(self.columns))
        roles = [(role, listed(names, _WIDE)) for role, names in self._by_role(words)]
        return html_block(
            paragraph(words("fact", name="Table", value=size), bold=True),
            html_table([words("head.role"), words("head.columns")], roles, _WIDE),
            html_head(self.frame, hidden=self.names(*UNRELEASED_ROLES)),
        )

    def _by_role(self, words: Texts) -> list[tuple[str, list[str]]]:
        """The columns of each role that occurs; those without a role come last."""
        found = [
            (
                str(role),
                [
                    column.name
                    for column in self.columns
                    if column.role == role and (column.described or role != "insensitive")
                ],
            )
            for role in get_args(Role)
        ]
        return [
            (role, names)
            for role, names in [*found, (words("table.without_role"), self.undescribed)]
            if names
        ]

    def _roles_given(self, **given: Iterable[str]) -> dict[str, Role]:
        """The role of each column named, or meant by a pattern; one name alone is what it looks like."""
        entries = {role: [names] if isinstance(names, str) else names for role, names in given.items()}
        return roles_by_name(entries, self.frame.columns)

    def validated(self) -> Table:
        """The same table, after checking its description against the values; raises an error if they disagree."""
        for column in self.columns:
            check_column(column, self.frame[column.name])
            if column.role in {"quasi", "sensitive"} and column.hierarchy is not None:
                self.hierarchy(column.name)
        check_weights(self.names("weight"))
        return self
