"""Generalization hierarchies: the tree, and its makers under their public names.

`csv` a file of levels · `mask` starred characters · `intervals` of numbers · `dates` by calendar period ·
`tree` a nested mapping · `order` groups of an ordinal column · `suppress` one level · `load`, `save` files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.describe.hierarchy.makers import Dates as dates  # noqa: N813  # sd.hierarchy.… are verbs
from sudare.describe.hierarchy.makers import Intervals as intervals  # noqa: N813  # sd.hierarchy.… are verbs
from sudare.describe.hierarchy.makers import LevelsFile as csv  # noqa: N813  # sd.hierarchy.… are verbs
from sudare.describe.hierarchy.makers import Mask as mask  # noqa: N813  # sd.hierarchy.… are verbs
from sudare.describe.hierarchy.makers import Order as order  # noqa: N813  # sd.hierarchy.… are verbs
from sudare.describe.hierarchy.makers import Suppress as suppress  # noqa: N813  # sd.hierarchy.… are verbs
from sudare.describe.hierarchy.makers import Tree as tree  # noqa: N813  # sd.hierarchy.… are verbs
from sudare.describe.hierarchy.tree import Hierarchy

# `tree` is the maker here; import the module of that name with `from sudare.describe.hierarchy.tree import …`

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Hierarchy",
    "csv",
    "dates",
    "intervals",
    "load",
    "mask",
    "order",
    "save",
    "suppress",
    "tree",
]

load = Hierarchy.load


def save(hierarchy: Hierarchy, path: str | Path) -> None:
    """Write a hierarchy: completely as `.json`, or as a table of levels in `.csv`."""
    hierarchy.save(path)
