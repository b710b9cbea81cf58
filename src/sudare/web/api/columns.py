"""`/projects/P/profile`, the values of columns, and hierarchies tried out on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
from fastapi import APIRouter, Body

from sudare.describe.hierarchy.catalogue import CATALOGUE as HIERARCHIES
from sudare.errors import ParameterError
from sudare.web.api.common import PROBLEMS, Cursor, GivenProject, Limit, ServerSettings
from sudare.web.confine import confined_part
from sudare.web.problems import absent
from sudare.web.projects import read_json
from sudare.web.values import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudare.describe.hierarchy.tree import Hierarchy

router = APIRouter(prefix="/projects/{project_id}", tags=["columns"], responses=PROBLEMS)
_LISTED = ("tree", "csv")
"""Hierarchies that list their values: those that they do not are found."""
_MOST_NODES = 2000
_MOST_NAMED = 200


@router.get("/profile")
def profile(project: GivenProject) -> dict[str, Any]:
    """What a job of the kind `profile` has found: guessed roles with reasons, or sizes of baskets."""
    found = read_json(project.folder / "profile.json")
    if not isinstance(found, dict):
        raise absent()
    return found


@router.get("/columns/{name}/values")
def values(
    project: GivenProject,
    name: str,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The distinct values of a column, the most frequent first, with their numbers of rows."""
    found = counted(project, name)
    first = 0
    if cursor is not None:
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 12):
            raise ParameterError("web.cursor")
        first = int(cursor)
    distinct = found.distinct
    return {
        "items": [{"value": value, "rows": rows} for value, rows in found.part(first, limit)],
        "next": str(first + limit) if first + limit < distinct else None,
        "distinct": distinct,
    }


@router.post("/columns/{name}/hierarchy-preview")
def preview(
    project: GivenProject, settings: ServerSettings, name: str, given: Annotated[dict[str, Any], Body()]
) -> dict[str, Any]:
    """The tree that a hierarchy makes of the column's values, values that it does not cover, and names that no value has.

    The body is a hierarchy as in a recipe, `{"type": "mask"}`. Nothing is kept.
    """
    found = counted(project, name)
    maker = HIERARCHIES.build(confined_part(given, settings.allowed))
    rows, values = found.rows_of_texts(), found.typed(name)
    if given.get("type") not in _LISTED:
        return {"tree": _nodes(maker.build(values, name), rows), "uncovered": [], "unused": []}
    whole = maker.build(pl.Series(name, [], dtype=pl.String), name)
    without = whole.uncovered(values)
    leaves = [label for label in whole.labels[: whole.leaves] if label is not None]
    unused = [label for label in leaves if label not in rows]
    uncovered = [{"value": value, "rows": rows[value]} for value in without[:_MOST_NAMED]]
    return {
        "tree": _nodes(whole, rows),
        "uncovered": uncovered,
        "uncovered_count": len(without),
        "unused": unused[:_MOST_NAMED],
        "unused_count": len(unused),
    }


def _nodes(tree: Hierarchy, rows: Mapping[str, int]) -> dict[str, Any]:
    """The nodes from the root down, with the rows below each, as many as a page can show."""
    counts = [rows.get(label, 0) if label is not None else 0 for label in tree.labels[: tree.leaves]]
    counts += [0] * (tree.nodes - tree.leaves)
    for node in sorted(range(tree.nodes - 1), key=lambda one: int(tree.level[one])):
        counts[int(tree.parent[node])] += counts[node]
    shown = list(range(tree.nodes - 1, -1, -1))[:_MOST_NODES]
    nodes = [
        {
            "node": node,
            "parent": None if node == tree.root else int(tree.parent[node]),
            "level": int(tree.level[node]),
            "label": tree.labels[node],
            "rows": counts[node],
        }
        for node in shown
    ]
    return {"height": tree.height, "nodes": nodes, "count": tree.nodes}
