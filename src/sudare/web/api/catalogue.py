"""`/catalogue`: everything that a recipe can name, with JSON Schema."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from fastapi import APIRouter, Request

from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.catalogue import METHODS
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.describe.hierarchy.catalogue import CATALOGUE as HIERARCHIES
from sudare.measure.baskets.catalogue import BASKET_MEASURE_PARAMETERS, BASKET_MEASURES
from sudare.measure.catalogue import MEASURE_PARAMETERS, MEASURES
from sudare.web.api.common import PROBLEMS, language_of
from sudare.web.problems import absent

router = APIRouter(prefix="/catalogue", tags=["catalogue"], responses=PROBLEMS)
What = Literal["requirements", "methods", "hierarchies", "measures"]
_CATALOGUES: dict[str, tuple[Any, ...]] = {
    "requirements": (REQUIREMENTS, BASKET_REQUIREMENTS),
    "methods": (METHODS, BASKET_METHODS),
    "hierarchies": (HIERARCHIES,),
    "measures": (MEASURE_PARAMETERS, BASKET_MEASURE_PARAMETERS),
}
_KINDS = ("table", "baskets")


@cache
def _schemas(what: str) -> dict[str, dict[str, Any]]:
    """The schema of every entry by its name; an entry of tables and one of baskets have different names."""
    found: dict[str, dict[str, Any]] = {}
    for catalogue in _CATALOGUES[what]:
        for option in catalogue.schema()["oneOf"]:
            name = option.get("properties", {}).get("type", {}).get("const")
            if name is not None:
                found.setdefault(str(name), option)
    return found


@router.get("/{what}")
def listed(what: What, request: Request) -> dict[str, Any]:
    """The names of a catalogue, each with what it does."""
    language = language_of(request)
    if what == "measures":
        measures = {**MEASURES, **BASKET_MEASURES}
        items = [{"name": one.name, "about": one.meaning.into(language)} for one in measures.values()]
        return {"items": items, "next": None}
    items = [
        {"name": name, "kind": kind, "about": catalogue.about(name, language)}
        for kind, catalogue in zip(_KINDS, _CATALOGUES[what], strict=False)
        for name in catalogue
    ]
    return {"items": items, "next": None}


@router.get("/{what}/{name}")
def schema(what: What, name: str, request: Request) -> dict[str, Any]:
    """JSON Schema of the parameters of one entry."""
    language = language_of(request)
    if what == "measures":
        measure = {**MEASURES, **BASKET_MEASURES}.get(name)
        if measure is None:
            raise absent()
        plain = {"type": "object", "properties": {"type": {"const": name}}, "required": ["type"]}
        return {**_schemas(what).get(name, plain), "title": measure.meaning.into(language)}
    catalogue = next((one for one in _CATALOGUES[what] if name in one.entries), None)
    found = _schemas(what).get(name)
    if catalogue is None or found is None:
        raise absent()
    return {**found, "title": catalogue.about(name, language)}
