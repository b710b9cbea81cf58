"""`/projects`: folders of work, each of its owner and members."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from sudare.errors import ParameterError
from sudare.web.api.common import (
    PREFIX,
    PROBLEMS,
    Cursor,
    GivenProject,
    Limit,
    jobs_of_server,
    located,
    page,
    projects_of,
    settings_of,
    user_of,
)
from sudare.web.projects import Project, label_of

router = APIRouter(prefix="/projects", tags=["projects"], responses=PROBLEMS)
Name = Annotated[str, Field(min_length=1, max_length=200)]


class NewProject(BaseModel):
    """What a project is called."""

    model_config = ConfigDict(extra="forbid")
    name: Name


class ChangedProject(BaseModel):
    """What is changed; what is left out stays."""

    model_config = ConfigDict(extra="forbid")
    name: Name | None = None
    members: Annotated[list[Name], Field(max_length=100)] | None = None


@router.get("")
def listed(request: Request, limit: Limit = 50, cursor: Cursor = None) -> dict[str, Any]:
    """The projects of the user, in the order of their identifiers."""
    found = list(projects_of(request).of_user(user_of(request)))
    return page(found, limit, cursor, lambda one: one.id, Project.told)


@router.post("", status_code=201)
def made(request: Request, given: NewProject) -> JSONResponse:
    """A new, empty project."""
    project = projects_of(request).make(given.name, user_of(request))
    return located(project.told(), 201, f"{PREFIX}/projects/{project.id}")


@router.get("/{project_id}")
def one(project: GivenProject) -> dict[str, Any]:
    """One project."""
    return project.told()


@router.patch("/{project_id}")
def changed(request: Request, project_id: str, given: ChangedProject) -> dict[str, Any]:
    """Another name, or other members; only the owner may."""
    project = projects_of(request).owned(project_id, user_of(request))
    changes: dict[str, Any] = {}
    if given.name is not None:
        changes["name"] = label_of(given.name)
    if given.members is not None:
        for member in given.members:
            if not settings_of(request).knows(member):
                raise ParameterError("web.no_such_user", name=member)
        changes["members"] = sorted(set(given.members))
    project.change(**changes)
    return project.told()


@router.delete("/{project_id}", status_code=204)
def removed(request: Request, project_id: str) -> Response:
    """Remove a project with all that is in it, its jobs too; only the owner may."""
    projects = projects_of(request)
    project = projects.owned(project_id, user_of(request))
    jobs_of_server(request).end_of(project)
    projects.remove(project)
    return Response(status_code=204)
