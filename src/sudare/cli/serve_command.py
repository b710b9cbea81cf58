"""`sudare serve`: the REST interface on this machine, or for a team behind a proxy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.options import Json, LedgerPath, check_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudare.web.settings import Settings

_EXTRA = ("fastapi", "starlette", "uvicorn")
_MEGABYTE = 1_000_000


def command(
    root: Annotated[Path | None, typer.Option("--root")] = None,
    host: Annotated[str, typer.Option("--host")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 8080,
    tokens: Annotated[Path | None, typer.Option("--tokens")] = None,
    behind_tls_proxy: Annotated[bool, typer.Option("--behind-tls-proxy")] = False,
    public_host: Annotated[list[str] | None, typer.Option("--public-host")] = None,
    allow: Annotated[list[Path] | None, typer.Option("--allow")] = None,
    connection: Annotated[list[str] | None, typer.Option("--connection")] = None,
    allow_query: Annotated[bool, typer.Option("--allow-query")] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=64)] = 1,
    upload: Annotated[int, typer.Option("--upload", min=1)] = 2000,
    rows: Annotated[int, typer.Option("--rows", min=1)] = 50_000_000,
    columns: Annotated[int, typer.Option("--columns", min=1)] = 5000,
    disk: Annotated[int, typer.Option("--disk", min=0)] = 500,
    memory: Annotated[int | None, typer.Option("--memory", min=1)] = None,
    hours: Annotated[float, typer.Option("--hours", min=0.001)] = 24.0,
    warm: Annotated[bool, typer.Option("--warm/--no-warm")] = True,
    ledger: LedgerPath = None,
    lang: Annotated[str, typer.Option("--lang")] = "en",
    json: Json = False,
) -> int:
    """Serve the REST interface of the workbench."""
    from sudare.cli.show import print_json
    from sudare.errors import OutputError, ParameterError
    from sudare.release.summary import words_in
    from sudare.web.settings import LOOPBACK, Limits, Settings, read_connections, read_tokens

    language = check_language(lang)
    if host not in LOOPBACK and (tokens is None or not behind_tls_proxy):
        raise ParameterError("web.serve.host", host=host)
    folders = tuple(one.absolute() for one in allow or ())
    for folder in folders:
        if not folder.is_dir():
            raise OutputError("web.serve.no_folder", folder=folder)
    settings = Settings(
        root=(root or _own_root()).absolute(),
        allowed=folders,
        limits=Limits(
            upload_bytes=upload * _MEGABYTE,
            rows=rows,
            columns=columns,
            jobs=jobs,
            disk_reserve=disk * _MEGABYTE,
            memory=(memory or 0) * _MEGABYTE,
            seconds=hours * 3600,
        ),
        connections=read_connections(connection or ()),
        allow_query=allow_query,
        tokens={} if tokens is None else read_tokens(tokens),
        host=host,
        port=port,
        hosts=tuple(public_host or ()),
        secure=behind_tls_proxy,
        language=language,
        warm=warm,
        ledger=None if ledger is None else ledger.absolute(),
    )
    words = words_in(language)

    def ready() -> None:
        token = None if settings.tokens else settings.token
        opened = settings.address if token is None else f"{settings.address}?token={token}"
        api = f"{settings.address}api/v1/"
        if json:
            print_json({"address": opened, "api": api, "token": token})
        else:
            print(words("serve.ready", address=opened))
            print(words("serve.api", address=api))
        sys.stdout.flush()

    _serve(settings, ready)
    return 0


def _serve(settings: Settings, ready: Callable[[], None]) -> None:
    """Serve, or say which extra is missing."""
    from sudare.errors import InputError

    try:
        from sudare.web.application import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise InputError("web.serve.extra") from None
    serve(settings, ready)


def _own_root() -> Path:
    """Where projects are kept if nothing is said."""
    import platformdirs

    return platformdirs.user_data_path("sudare") / "workbench"
