"""What the routes share: who asks, for which project, in which language; pages of lists; problems in the description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.responses import JSONResponse

from sudare.errors import ParameterError
from sudare.web.projects import Project
from sudare.web.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sudare.web.jobs import Jobs
    from sudare.web.projects import Projects
    from sudare.words.sentence import Language

PREFIX = "/api/v1"
_PROBLEM = {
    "description": "What was wrong, as application/problem+json.",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "required": ["type", "title", "status", "detail"],
                "properties": {
                    "type": {"type": "string", "pattern": "^urn:sudare:"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "errors": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["pointer", "detail"],
                            "properties": {"pointer": {"type": "string"}, "detail": {"type": "string"}},
                        },
                    },
                },
            }
        }
    },
}
PROBLEMS: dict[int | str, dict[str, Any]] = {"4XX": _PROBLEM, "5XX": _PROBLEM}
"""For the description of every route."""
MOST = 200


def user_of(request: Request) -> str:
    """Who asks; the guard has found out."""
    return str(request.state.user)


def language_of(request: Request) -> Language:
    """The language of the answer."""
    return request.state.language  # type: ignore[no-any-return]  # the guard's


def projects_of(request: Request) -> Projects:
    """The projects of the server."""
    return request.app.state.projects  # type: ignore[no-any-return]  # the application's


def jobs_of_server(request: Request) -> Jobs:
    """The queue of the server."""
    return request.app.state.jobs  # type: ignore[no-any-return]  # the application's


def settings_of(request: Request) -> Settings:
    """What the server was started with."""
    return projects_of(request).settings


def _project(request: Request, project_id: str) -> Project:
    return projects_of(request).get(project_id, user_of(request))


GivenProject = Annotated[Project, Depends(_project)]
"""The project of the address, if the user may see it."""
ServerSettings = Annotated[Settings, Depends(settings_of)]
Limit = Annotated[int, Query(ge=1, le=MOST)]
Cursor = Annotated[str | None, Query(max_length=100)]


def page(
    items: Sequence[Any],
    limit: int,
    cursor: str | None,
    key: Callable[[Any], str],
    told: Callable[[Any], Any],
) -> dict[str, Any]:
    """A part of a list: `next` is the cursor of what follows, null at the end."""
    first = 0
    if cursor is not None:
        places = [place for place, item in enumerate(items) if key(item) == cursor]
        if not places:
            raise ParameterError("web.cursor")
        first = places[0] + 1
    shown = items[first : first + limit]
    more = first + limit < len(items)
    return {"items": [told(item) for item in shown], "next": key(shown[-1]) if more else None}


def located(content: dict[str, Any], status: int, place: str) -> JSONResponse:
    """An answer that says where what was made is found."""
    return JSONResponse(content, status, {"Location": place})
