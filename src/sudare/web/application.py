"""The application: the guard around the routes, errors as problems, and serving all of it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException

from sudare.errors import ErrorSentence, OutputError, SudareError
from sudare.parameters import rule_of
from sudare.web import launcher
from sudare.web.api import catalogue, columns, data, jobs, projects, recipe, releases, service
from sudare.web.api.common import PREFIX
from sudare.web.guard import Guard
from sudare.web.jobs import Job, Jobs, end_now, warm_up
from sudare.web.problems import PROBLEM, kind_of_error, of_status, problem, sentence_in, unexpected
from sudare.web.projects import Projects

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from sudare.web.settings import Settings
    from sudare.words.sentence import Language

_NAME = "Sudare"


def application(settings: Settings) -> FastAPI:
    """The server as an application; its jobs are watched while it runs."""
    found = Projects(settings)
    found.prepare()
    found.sweep()

    @contextlib.asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        app.state.jobs.start()
        yield
        app.state.jobs.stop()

    # Pages that describe the interface would load scripts from elsewhere; the description itself is served.
    app = FastAPI(
        title=_NAME,
        version="1",
        lifespan=running,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        openapi_url=f"{PREFIX}/openapi.json",
        separate_input_output_schemas=False,
    )
    app.state.projects = found
    app.state.jobs = Jobs(found)
    api = APIRouter(prefix=PREFIX)
    for part in (catalogue, projects, data, columns, recipe, jobs, releases, service):
        api.include_router(part.router)
    app.include_router(api)
    app.add_api_route("/", _start, include_in_schema=False)
    app.add_exception_handler(SudareError, _said)
    app.add_exception_handler(HTTPException, _of_framework)
    app.add_exception_handler(RequestValidationError, _of_fields)
    app.add_exception_handler(UnicodeError, _of_signs)
    app.add_middleware(_Faults)
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(_Faults)  # of the guard
    return app


def _start() -> RedirectResponse:
    """Where the printed address leads."""
    return RedirectResponse(f"{PREFIX}/openapi.json", 303)


def _language(request: Request) -> Language:
    return getattr(request.state, "language", "en")


def _problem(content: dict[str, Any], headers: Any = None) -> JSONResponse:
    return JSONResponse(content, content["status"], headers=headers, media_type=PROBLEM)


def _said(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, SudareError):
        return _problem(unexpected(error, _language(request)))
    _, status = kind_of_error(error)
    return _problem({**problem(error, _language(request)), "status": status})


def _of_framework(request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    return _problem(of_status(status, _language(request)), headers)


def _of_signs(request: Request, error: Exception) -> JSONResponse:
    """JSON can escape halves of signs, which no file and no answer can have."""
    del error
    return _problem(of_status(422, _language(request)))


def _of_fields(request: Request, error: Exception) -> JSONResponse:
    """What pydantic says of fields, in our words where we have them; the values stay with the client."""
    language = _language(request)
    found = error.errors() if isinstance(error, RequestValidationError) else []
    fields = [
        {
            "pointer": "".join(f"/{_escaped(part)}" for part in one["loc"]),
            "detail": sentence_in(_rule(one), language),
        }
        for one in found[:20]
    ]
    return _problem({**of_status(422, language), "errors": fields})


def _rule(breach: Any) -> str:
    """What is wrong with a field."""
    if breach["type"] in {"missing", "extra_forbidden"}:
        return ErrorSentence(f"web.field.{breach['type']}")
    return rule_of(breach)


def _escaped(part: object) -> str:
    """A part of a JSON pointer."""
    return str(part)[:100].replace("~", "~0").replace("/", "~1")


class _Faults:
    """Turns a fault of ours into a problem with an identifier; the framework would print values into the log."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on, and answer what nobody else has."""
        begun = False

        async def sent(message: Any) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:  # noqa: BLE001  # the last place before the client
            content = unexpected(error, scope.get("state", {}).get("language", "en"))
            if not begun and scope["type"] == "http":
                await _problem(content)(scope, receive, send)


@contextlib.contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Hold the lock of the root: two servers would start the same jobs."""
    settings.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(settings.root / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError("web.serve.taken", folder=settings.root) from None
        yield
    finally:
        os.close(lock)


def serve(settings: Settings, ready: Callable[[], None]) -> None:
    """Serve until interrupted; `ready` is called when the server listens."""
    with alone(settings):
        app = application(settings)
        config = uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            access_log=False,  # addresses have tokens and names
            log_level="critical",  # messages of errors may quote values; faults have a log of their own
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_graceful_shutdown=3,
        )
        warming: list[Job] = []

        def listening() -> None:
            ready()
            threading.Thread(target=_prepare, args=(settings, warming), daemon=True).start()

        server = _Server(config, listening)
        with contextlib.suppress(
            KeyboardInterrupt
        ):  # how a server is ended; raised again once it has stopped
            server.run()
        for job in warming:
            end_now(job)
        if not server.started:
            raise OutputError("web.serve.port", port=settings.port)


def _prepare(settings: Settings, warming: list[Job]) -> None:
    """What jobs need, so that the first does not wait for it."""
    launcher.prepare()
    if settings.warm and (job := warm_up(settings)) is not None:
        warming.append(job)


class _Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        """Start, then say so."""
        try:
            await super().startup(sockets)
        except SystemExit:
            self.should_exit = True
            return
        if self.started:
            self._ready()
