"""`/projects/P/recipe`: the recipe with its history; who changes it says which one was read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from sudare.errors import InputError
from sudare.release.recipe.baskets import json_schema as baskets_schema
from sudare.release.recipe.parts import parse_yaml
from sudare.release.recipe.table import json_schema as table_schema
from sudare.release.recipe.yaml import edited
from sudare.web.api.common import PROBLEMS, GivenProject, ServerSettings
from sudare.web.problems import absent
from sudare.web.projects import RECIPE, Project, as_json, tag_of
from sudare.web.settings import Settings
from sudare.web.worker import dumped

router = APIRouter(prefix="/projects/{project_id}/recipe", tags=["recipe"], responses=PROBLEMS)
_YAML = "application/yaml"
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            _YAML: {"schema": {}},
            "application/json": {"schema": {"type": "object"}},
        },
    }
}
_DESCRIBED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The recipe: YAML, or JSON if the client prefers it.",
        "content": {
            _YAML: {"schema": {}},
            "application/json": {"schema": {"type": "object"}},
        },
    }
}
IfMatch = Annotated[str | None, Header(max_length=100)]


@router.get("", responses=_DESCRIBED, response_class=Response)
def read(request: Request, project: GivenProject) -> Response:
    """The recipe as it was written, with its tag; JSON on request."""
    text = project.recipe_text()
    if text is None:
        raise absent()
    return _answer(request, text)


@router.get("/schema")
def schema(project: GivenProject) -> dict[str, Any]:
    """JSON Schema of the recipe, made from the same classes that read it: of a table, or of baskets."""
    text = project.recipe_text() or ""
    raw = parse_yaml(text, RECIPE)
    return baskets_schema() if isinstance(raw, dict) and "baskets" in raw else table_schema()


@router.put("", openapi_extra=_BODY, responses=_DESCRIBED, response_class=Response)
async def replaced(
    request: Request, project: GivenProject, settings: ServerSettings, if_match: IfMatch = None
) -> Response:
    """Another recipe; nothing is kept unless all of it is right. `If-Match` is needed where there is one."""
    text = _text_of(await request.body(), request)
    return await run_in_threadpool(_kept, request, project, settings, text, if_match)


@router.patch("", openapi_extra=_BODY, responses=_DESCRIBED, response_class=Response)
async def patched(
    request: Request, project: GivenProject, settings: ServerSettings, if_match: IfMatch = None
) -> Response:
    """A merge patch (RFC 7396): what it names changes, null removes; comments of other entries stay."""
    given = parse_yaml(_text_of(await request.body(), request), RECIPE)
    if not isinstance(given, dict):
        raise InputError("web.recipe.patch")
    return await run_in_threadpool(_patched, request, project, settings, given, if_match)


@router.post("/{step}", responses=_DESCRIBED, response_class=Response)
def stepped(
    request: Request, project: GivenProject, step: Literal["undo", "redo"], if_match: IfMatch = None
) -> Response:
    """One step back or forth in the history."""
    return _answer(request, project.step(-1 if step == "undo" else 1, if_match))


def _patched(
    request: Request, project: Project, settings: Settings, given: dict[str, Any], if_match: str | None
) -> Response:
    text = project.recipe_text()
    if text is None:
        raise absent()
    # The tag of what was patched: a change in between is a conflict, also for those who sent none.
    made = edited(text, merged(parse_yaml(text, RECIPE), given))
    return _kept(request, project, settings, made, if_match or tag_of(text))


def _kept(
    request: Request, project: Project, settings: Settings, text: str, if_match: str | None
) -> Response:
    project.parsed(text, settings.allowed, project.folder / "release")
    project.write_recipe(text, if_match, must=True)
    return _answer(request, text)


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396.

    >>> merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": None}, "d": 4})
    {'a': {'c': 2}, 'd': 4}
    """
    if not isinstance(patch, dict):
        return patch
    made = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            made.pop(name, None)
        else:
            made[name] = merged(made.get(name), value)
    return made


def _text_of(body: bytes, request: Request) -> str:
    """The recipe as YAML; one that came as JSON is written anew."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("release.recipe.not_utf8", path=RECIPE) from None
    if "json" in request.headers.get("content-type", ""):
        return dumped(parse_yaml(text, RECIPE))  # JSON is YAML, and the reader of YAML has limits
    return text


def _answer(request: Request, text: str) -> Response:
    headers = {"ETag": tag_of(text)}
    if "json" in request.headers.get("accept", ""):
        return JSONResponse(as_json(parse_yaml(text, RECIPE)), headers=headers)
    return Response(text, media_type=f"{_YAML}; charset=utf-8", headers=headers)
