"""Options of a source of baskets: recipes, the command line and `sudare.read_baskets` share them."""

from __future__ import annotations

from typing import Literal, get_args

from sudare.parameters import Part

Layout = Literal["lines", "json", "long", "lists", "sets"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
"""A basket a line; JSON lists; a row for each user and item; a column of lists; a column of texts, each a set."""


class BasketOptions(Part):
    """How baskets are read."""

    subject = "baskets"

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
    header: bool | None = None
    """Whether the first line of a long text table names its columns; without names users come first, then items."""

    @property
    def columns(self) -> dict[str, str | None]:
        """Names of columns."""
        return {"id": self.id, "items": self.items, "sensitive": self.sensitive}

    @property
    def of_tables(self) -> dict[str, str | None]:
        """What the reader of tables takes."""
        names = ("format", "table", "query", "sheet", "encoding")
        return {name: getattr(self, name) for name in names}

    @property
    def names_a_column(self) -> bool:
        """Whether any column is named, which only tables have."""
        return any(name is not None for name in self.columns.values())
