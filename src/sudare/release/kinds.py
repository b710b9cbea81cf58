"""The kinds of data there are, and which one something is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.describe.baskets.baskets import Baskets

if TYPE_CHECKING:
    from sudare.release.kind import Kind


def kind_of(data: Any) -> Kind:
    """The kind of data in memory: baskets are `Baskets`, or a release of them; all else is, or becomes, a table."""
    from sudare.release.baskets.kind import BASKETS
    from sudare.release.table.kind import TABLE

    if isinstance(data, Baskets) or isinstance(getattr(data, "released", None), Baskets):
        return BASKETS
    return TABLE
