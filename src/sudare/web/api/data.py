"""`/projects/P/data` and `/source`: where the data of a project are from."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from sudare.errors import ParameterError
from sudare.web.api.common import PROBLEMS, GivenProject, ServerSettings, projects_of, user_of
from sudare.web.confine import real_place
from sudare.web.problems import disk_full, forbidden, too_large
from sudare.web.projects import check_disk, label_of

if TYPE_CHECKING:
    from sudare.web.projects import Project
    from sudare.web.settings import Settings

router = APIRouter(prefix="/projects/{project_id}", tags=["data"], responses=PROBLEMS)
_RAW = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_CHECK_EVERY = 50_000_000
"""Bytes after which the room on the disk is looked at again."""


class Reading(BaseModel):
    """How the data are read, where it is not found out right."""

    model_config = ConfigDict(extra="forbid")
    delimiter: Annotated[str, Field(max_length=10)] | None = None
    encoding: Annotated[str, Field(max_length=40)] | None = None
    header: bool | None = None
    sheet: Annotated[str, Field(max_length=200)] | None = None
    missing: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)] | None = None
    baskets: bool | None = None
    """Whether the file has baskets where it does not show it."""


class GivenSource(Reading):
    """A source that the server has: exactly one of path, connection and example."""

    path: Annotated[str, Field(max_length=1000)] | None = None
    """A file below a folder that the server was started with."""
    connection: Annotated[str, Field(max_length=64)] | None = None
    """The name of a database that the server was started with."""
    table: Annotated[str, Field(max_length=200)] | None = None
    """A table of the connection, or of a database file."""
    query: Annotated[str, Field(max_length=20_000)] | None = None
    example: Literal["hospital"] | None = None
    rows: Annotated[int, Field(ge=100, le=1_000_000)] = 10_000
    """Rows of the example."""


@router.put("/data", openapi_extra=_RAW)
async def uploaded(
    request: Request,
    project_id: str,
    settings: ServerSettings,
    filename: Annotated[str, Query(min_length=1, max_length=400)],
) -> dict[str, Any]:
    """The raw bytes of a file, streamed to the disk; the name of the file is a label, and its ending says what it is."""
    user = user_of(request)
    project = await run_in_threadpool(projects_of(request).get, project_id, user)
    length = request.headers.get("content-length", "0")
    most = settings.limits.upload_bytes
    if not length.isdigit() or int(length) > most:
        raise too_large("web.upload.too_large", most=most)
    await run_in_threadpool(check_disk, project.folder, settings.limits, int(length))
    label = label_of(filename)
    place = await run_in_threadpool(project.upload_place, label)
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".new-")
    new = Path(name)
    try:
        size = 0
        with os.fdopen(descriptor, "wb") as file:
            checked = 0
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise too_large("web.upload.too_large", most=most)
                if size - checked > _CHECK_EVERY:
                    checked = size
                    await run_in_threadpool(check_disk, project.folder, settings.limits)
                await run_in_threadpool(file.write, part)
            file.flush()
            await run_in_threadpool(os.fsync, file.fileno())
        if size == 0:
            raise ParameterError("web.upload.empty")
        await run_in_threadpool(_moved, project, new, place, label)
    except ClientDisconnect:
        raise ParameterError("web.upload.broken") from None
    except OSError as error:
        if error.errno in {28, 122}:
            raise disk_full() from None
        raise
    finally:
        await run_in_threadpool(new.unlink, missing_ok=True)
    return {**project.told(), "bytes": size}


def _moved(project: Project, new: Path, place: Path, label: str) -> None:
    new.replace(place)
    _kept(project, place, label)


def _kept(project: Project, place: Path, label: str) -> None:
    project.keep_only(place)
    project.set_source({"kind": "upload", "label": label, "file": place.name, "options": {}})


@router.put("/source")
def chosen(project: GivenProject, settings: ServerSettings, given: GivenSource) -> dict[str, Any]:
    """A file, a database or an example that the server has; or only how the present source is read."""
    named = [one for one in ("path", "connection", "example") if getattr(given, one) is not None]
    if len(named) > 1:
        raise ParameterError("web.source.one")
    fields = set(Reading.model_fields)
    options = given.model_dump(include={*fields, "table"}, exclude_none=True)
    if not named:
        if project.source is None:
            raise ParameterError("web.source.one")
        project.set_source({**project.source, "options": options})
    elif given.path is not None:
        place = real_place(given.path, settings.allowed)
        label = label_of(place.name)
        project.set_source({"kind": "path", "label": label, "place": str(place), "options": options})
    elif given.connection is not None:
        project.set_source(_connected(given, settings, options))
    else:
        _example(project, given.rows)
    return project.told()


def _connected(given: GivenSource, settings: Settings, options: dict[str, Any]) -> dict[str, Any]:
    """A database by its name; a query only where the server was started to allow it."""
    if given.connection not in settings.connections:
        raise forbidden("web.no_connection", name=given.connection)
    if given.query is not None and not settings.allow_query:
        raise forbidden("web.source.query")
    asked = {} if given.query is None else {"query": given.query}
    return {"kind": "connection", "label": given.connection, "options": {**options, **asked}}


def _example(project: Project, rows: int) -> None:
    """The made-up hospital, as if it had been sent."""
    from sudare.formats.data import write_data
    from sudare.read.examples.hospital import hospital

    place = project.upload_place("patients.csv")
    new = place.with_name(".new-patients.csv")
    write_data(hospital(rows), new, format="csv")
    new.chmod(0o600)
    new.replace(place)
    _kept(project, place, "patients.csv")
