"""`/projects/P/jobs`: long work, in processes of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from anyio import sleep
from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from sudare.errors import ParameterError
from sudare.web.api.common import (
    PREFIX,
    PROBLEMS,
    Cursor,
    GivenProject,
    Limit,
    ServerSettings,
    jobs_of_server,
    language_of,
    located,
    page,
    user_of,
)
from sudare.web.events import events_of
from sudare.web.jobs import ENDED, Job, in_order, job_of
from sudare.web.problems import absent, conflict
from sudare.web.worker import EVENTS, dumped

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sudare.web.projects import Project
    from sudare.web.settings import Settings

router = APIRouter(prefix="/projects/{project_id}/jobs", tags=["jobs"], responses=PROBLEMS)
_PAUSE = 0.2
IdempotencyKey = Annotated[str | None, Header(min_length=1, max_length=200)]


class NewJob(BaseModel):
    """What is to be done."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["profile", "assess", "run", "warm"]
    """profile: read and guess; assess: risk and bounds; run: a candidate; warm: compile kernels. Releases are promoted."""
    recipe: dict[str, Any] | Annotated[str, Field(max_length=1_000_000)] | None = None
    """Another recipe than that of the project, as YAML or JSON: a candidate to compare."""


@router.get("")
def listed(
    request: Request, project: GivenProject, limit: Limit = 50, cursor: Cursor = None
) -> dict[str, Any]:
    """The jobs of a project, the latest first."""
    language = language_of(request)
    found = in_order(project)
    return page(found, limit, cursor, lambda job: job.id, lambda job: _short(job, language))


def _short(job: Job, language: str) -> dict[str, Any]:
    full = job.full(language)
    return {name: value for name, value in full.items() if name != "result"}


@router.post("", status_code=202)
def added(
    request: Request,
    project: GivenProject,
    settings: ServerSettings,
    given: NewJob,
    idempotency_key: IdempotencyKey = None,
) -> JSONResponse:
    """Queue a job; with the same `Idempotency-Key` and body, the same job is answered again."""
    recipe = _recipe(project, settings, given)
    job, _ = jobs_of_server(request).add(
        project,
        given.kind,
        user=user_of(request),
        recipe=recipe,
        key=idempotency_key,
        language=language_of(request),
    )
    place = f"{PREFIX}/projects/{project.id}/jobs/{job.id}"
    return located(job.full(language_of(request)), 202, place)


def _recipe(project: Project, settings: Settings, given: NewJob) -> str | None:
    """The recipe of a job that needs one, validated before it is queued."""
    if given.kind in {"profile", "warm"}:
        if given.recipe is not None:
            raise ParameterError("web.jobs.no_recipe", kind=given.kind)
        if given.kind == "profile" and project.source is None:
            raise conflict("web.no_source")
        return None
    text = dumped(given.recipe) if isinstance(given.recipe, dict) else given.recipe
    if text is None and (text := project.recipe_text()) is None:
        raise conflict("web.no_recipe")
    project.parsed(text, settings.allowed, project.folder / "release")
    return text


@router.get("/{job_id}")
def one(request: Request, project: GivenProject, job_id: str) -> dict[str, Any]:
    """One job with its result, or why it failed."""
    return job_of(project, job_id).full(language_of(request))


@router.get("/{job_id}/recipe", response_class=Response)
def recipe_of(project: GivenProject, job_id: str) -> Response:
    """The recipe that a job was started with."""
    try:
        text = (job_of(project, job_id).folder / "recipe.yaml").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise absent() from None
    return Response(text, media_type="application/yaml; charset=utf-8")


@router.delete("/{job_id}", status_code=202)
def canceled(request: Request, project: GivenProject, job_id: str) -> dict[str, Any]:
    """Cancel a job; it ends within four seconds."""
    job = job_of(project, job_id)
    jobs_of_server(request).cancel(job)
    return job.full(language_of(request))


@router.get("/{job_id}/events", response_class=StreamingResponse)
async def events(
    project: GivenProject, job_id: str, last_event_id: Annotated[str | None, Header(max_length=20)] = None
) -> StreamingResponse:
    """The events of a job (server-sent events): `progress` while it runs, then `state`, then `idle`, which ends the stream."""
    job = await run_in_threadpool(job_of, project, job_id)
    known = last_event_id or ""
    first = int(known) + 1 if known.isascii() and known.isdigit() else 0
    return StreamingResponse(_stream(job, first), media_type="text/event-stream")


async def _stream(job: Job, first: int) -> AsyncIterator[str]:
    while True:
        state = await run_in_threadpool(lambda: job.state)
        # The state first: what was written before the end is sent before it.
        for number, event in await run_in_threadpool(_events, job, first):
            yield f"id: {number}\nevent: progress\ndata: {json.dumps(event)}\n\n"
            first = number + 1
        if state in ENDED or not job.folder.exists():
            yield f"event: state\ndata: {json.dumps({'state': state})}\n\n"
            yield "event: idle\ndata: {}\n\n"
            return
        await sleep(_PAUSE)


def _events(job: Job, first: int) -> list[tuple[int, dict[str, Any]]]:
    return list(events_of(job.folder / EVENTS, first))
