"""`/projects/P/candidates`, `/comparison` and `/releases`: what runs have made, side by side, and what was chosen."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from sudare.measure.compare import compare
from sudare.release.reopen import figures_of
from sudare.verify.manifest import load_manifest
from sudare.web.api.common import (
    PREFIX,
    PROBLEMS,
    Cursor,
    GivenProject,
    Limit,
    jobs_of_server,
    language_of,
    located,
    page,
    user_of,
)
from sudare.web.api.jobs import IdempotencyKey
from sudare.web.guard import REPORT_CSP
from sudare.web.jobs import Job, in_order, job_of
from sudare.web.problems import absent, conflict
from sudare.web.projects import as_json

if TYPE_CHECKING:
    from sudare.web.projects import Project

router = APIRouter(prefix="/projects/{project_id}", tags=["releases"], responses=PROBLEMS)
_SHOWN = ("created", "requirements", "method", "losses", "risk", "verified", "data", "secure_randomness")


class NewRelease(BaseModel):
    """Which candidate is released."""

    model_config = ConfigDict(extra="forbid")
    candidate: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


@router.get("/candidates")
def candidates(
    request: Request, project: GivenProject, limit: Limit = 50, cursor: Cursor = None
) -> dict[str, Any]:
    """Runs that are done, each a whole verified release, the latest first."""
    del request
    found = [job for job in in_order(project, ("run",)) if _is_done(job)]
    return page(found, limit, cursor, lambda job: job.id, _told)


@router.get("/candidates/{candidate_id}")
def candidate(project: GivenProject, candidate_id: str) -> dict[str, Any]:
    """One candidate with the figures of its internal manifest."""
    return _told(_done(project, candidate_id, "run"))


@router.delete("/candidates/{candidate_id}", status_code=204)
def discarded(project: GivenProject, candidate_id: str) -> Response:
    """Remove a candidate; the ledger of the project keeps that it was there."""
    job = _done(project, candidate_id, "run")
    if any(
        one.about["candidate"] == job.id and one.result is None for one in in_order(project, ("promote",))
    ):
        raise conflict("web.releases.under_way")
    shutil.rmtree(job.folder, ignore_errors=True)
    return Response(status_code=204)


@router.get("/comparison")
def comparison(
    project: GivenProject,
    risk: Annotated[str | None, Query(max_length=100)] = None,
    loss: Annotated[str | None, Query(max_length=100)] = None,
) -> dict[str, Any]:
    """All candidates by a risk and a loss: which of them no other beats on both, and the one that is recommended."""
    found = [job for job in in_order(project, ("run",)) if _is_done(job)]
    if not found:
        raise conflict("web.releases.no_candidate")
    compared = compare({job.id: figures_of(job.folder / "release") for job in found}, risk=risk, loss=loss)
    pick = compared.pick
    return {
        "risk": compared.risk,
        "loss": compared.loss,
        "candidates": as_json(compared.releases.to_dicts()),
        "pick": None if pick is None else {"candidate": pick.release, "reason": pick.reason},
    }


@router.get("/releases")
def releases(project: GivenProject, limit: Limit = 50, cursor: Cursor = None) -> dict[str, Any]:
    """What was released, the latest first."""
    found = [job for job in in_order(project, ("promote",)) if _is_done(job)]
    return page(found, limit, cursor, lambda job: job.id, _told)


@router.post("/releases", status_code=202)
def released(
    request: Request, project: GivenProject, given: NewRelease, idempotency_key: IdempotencyKey = None
) -> JSONResponse:
    """Release a candidate: a job verifies it again, copies it and enters it into the ledger. Its identifier is the release's."""
    _done(project, given.candidate, "run")
    job, _ = jobs_of_server(request).add(
        project,
        "promote",
        user=user_of(request),
        candidate=given.candidate,
        key=idempotency_key,
        language=language_of(request),
    )
    place = f"{PREFIX}/projects/{project.id}/jobs/{job.id}"
    return located(job.full(language_of(request)), 202, place)


@router.get("/releases/{release_id}")
def release(project: GivenProject, release_id: str) -> dict[str, Any]:
    """One release with the figures of its internal manifest."""
    return _told(_done(project, release_id, "promote"))


@router.get("/releases/{release_id}/public.zip", response_class=FileResponse)
def archive(project: GivenProject, release_id: str) -> FileResponse:
    """The public part as an archive; the internal part is never in one."""
    place = _done(project, release_id, "promote").folder / "public.zip"
    if not place.is_file():
        raise absent()
    return FileResponse(place, media_type="application/zip", filename=f"release-{release_id}.zip")


@router.get("/{made}/{job_id}/report/{part}", response_class=HTMLResponse)
def report(
    project: GivenProject,
    made: Literal["candidates", "releases"],
    job_id: str,
    part: Literal["public", "internal"],
) -> Response:
    """A report, for a frame that may do nothing but show it."""
    job = _done(project, job_id, "run" if made == "candidates" else "promote")
    place = job.folder / "release" / part / "report.html"
    if not place.is_file():
        raise absent()
    return FileResponse(place, media_type="text/html", headers={"Content-Security-Policy": REPORT_CSP})


def _is_done(job: Job) -> bool:
    result = job.result
    return result is not None and result["state"] == "done"


def _done(project: Project, given: str, kind: str) -> Job:
    """A job of a kind that has made a release."""
    job = job_of(project, given)
    if job.about["kind"] != kind or not _is_done(job):
        raise absent()
    return job


def _told(job: Job) -> dict[str, Any]:
    about = job.about
    manifest = as_json(load_manifest(job.folder / "release" / "internal" / "manifest.json"))
    return {
        "id": job.id,
        "candidate": about["candidate"],
        "by": about["by"],
        **{name: manifest.get(name) for name in _SHOWN},
        "bounds": manifest.get("bounds"),
        "reports": [part for part in ("public", "internal") if _has_report(job, part)],
    }


def _has_report(job: Job, part: str) -> bool:
    return (job.folder / "release" / part / "report.html").is_file()
