"""Guard: who may ask, and the headers of every answer.

A server on one's own machine is reached by every page that the browser shows, and by every name that leads to 127.0.0.1. So
each request, whatever it asks for, needs a Host that is ours (against DNS rebinding), an Origin that is ours where the browser
sends one, and a token; a change that comes with a cookie must also come from our own pages.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from sudare.web.problems import PROBLEM, RefusedError, forbidden, problem, too_large
from sudare.web.settings import secret_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sudare.web.settings import Settings
    from sudare.words.sentence import Language

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
REPORT_CSP = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
"""For reports, which have their style inside and are shown in a frame."""
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_OPEN = frozenset({"/api/v1/health"})
"""What is told without a token: that the server is there."""
_DAYS = 7
_UPLOAD = "/data"


class Guard:
    """The outermost part of the application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._secret = secret_of(settings.root)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it; add the headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        language = language_asked(scope, headers, self._settings.language)
        scope.setdefault("state", {})["language"] = language
        guarded = _with_headers(send)
        try:
            self._check_place(scope, headers)
            if await self._exchanged(scope, guarded):
                return
            scope["state"]["user"] = self._user(scope, headers)
            if not _is_upload(scope):
                receive = await _bounded(headers, receive, self._settings.limits.body_bytes)
        except RefusedError as error:
            await _refuse(guarded, error, language)
            return
        await self._app(scope, receive, guarded)

    def _check_place(self, scope: Scope, headers: dict[str, str]) -> None:
        """Refuse names that are not ours, and pages of others."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = headers.get("host", "")
        if len(hosts) != 1 or name_of(host) not in self._settings.known_hosts:
            raise forbidden("web.guard.host")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and not self._is_ours(origin, host):
            raise forbidden("web.guard.origin")
        # A link on another site may lead here, but nothing of it may be asked for by a script, a form or a frame.
        is_visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if site in {"cross-site", "same-site"} and not (is_visit and scope["method"] in _READS):
            raise forbidden("web.guard.origin")

    def _is_ours(self, origin: str, host: str) -> bool:
        """Whether an origin is the address under which the server is asked."""
        found = urlsplit(origin)
        scheme = "https" if self._settings.secure else "http"
        return found.scheme == scheme and found.netloc.lower() == host.lower()

    def _user(self, scope: Scope, headers: dict[str, str]) -> str:
        """Who asks: by a bearer token, or by a cookie and then only from our own pages."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            user = self._settings.user_of(token.strip())
            if user is not None:
                return user
        elif (user := self._of_cookie(headers.get("cookie", ""))) is not None:
            if scope["method"] not in _READS and not self._is_from_our_page(headers):
                raise forbidden("web.guard.origin")
            return user
        if scope["path"] in _OPEN:
            return ""
        raise RefusedError(401, "unauthorized", "web.status.unauthorized")

    def _is_from_our_page(self, headers: dict[str, str]) -> bool:
        """Sec-Fetch-Site first: some settings of Referrer-Policy make browsers send `Origin: null`."""
        site = headers.get("sec-fetch-site")
        return site == "same-origin" if site is not None else "origin" in headers

    async def _exchanged(self, scope: Scope, send: Send) -> bool:
        """Give a cookie for the token in the address, and lead to the address without it."""
        if scope["method"] != "GET" or scope["path"] != "/":
            return False
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        token = next((value for name, value in query if name == "token"), None)
        if token is None:
            return False
        user = self._settings.user_of(token)
        if user is None:
            raise RefusedError(401, "unauthorized", "web.status.unauthorized")
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        secure = "; Secure" if self._settings.secure else ""
        cookie = (
            f"{self._settings.cookie}={self._signed(user)}; Path=/; Max-Age={_DAYS * 86400}; HttpOnly; "
            f"SameSite=Lax{secure}"
        )
        found = [
            (b"location", f"/{'?' if rest else ''}{rest}".encode()),
            (b"set-cookie", cookie.encode()),
            (b"content-length", b"0"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": found})
        await send({"type": "http.response.body", "body": b""})
        return True

    def _signed(self, user: str) -> str:
        """A user and a time, signed; it is no token, and ends."""
        said = f"{user}\n{int(time.time()) + _DAYS * 86400}".encode()
        return f"{_text(said)}.{_text(self._mark(said))}"

    def _mark(self, said: bytes) -> bytes:
        """Signed together with the token's digest: a new token ends what an old one opened."""
        user = said.partition(b"\n")[0].decode()
        return hmac.new(
            self._secret, said + self._settings.tokens.get(user, "").encode(), hashlib.sha256
        ).digest()

    def _of_cookie(self, header: str) -> str | None:
        try:
            morsel = SimpleCookie(header).get(self._settings.cookie)
            said, mark = (
                (_bytes(part) for part in morsel.value.split(".")) if morsel is not None else (b"", b"")
            )
            user, until = said.decode().split("\n")
            if hmac.compare_digest(mark, self._mark(said)) and int(until) > time.time():
                return user if self._settings.knows(user) else None
        except (CookieError, ValueError):
            pass
        return None


def name_of(host: str) -> str:
    """A Host header without its port; an address of IPv6 is in brackets.

    >>> name_of("LocalHost:8080"), name_of("[::1]:8080"), name_of("::1"), name_of("a:b")
    ('localhost', '::1', '', '')
    """
    if host.startswith("["):
        name, end, rest = host[1:].partition("]")
        return name.lower() if end and (rest == "" or (rest[0] == ":" and rest[1:].isdigit())) else ""
    name, colon, port = host.partition(":")
    return name.lower() if not colon or (port.isascii() and port.isdigit()) else ""


def language_asked(scope: Scope, headers: dict[str, str], otherwise: Language) -> Language:
    """`?lang`, the cookie, what the browser prefers, what the server was started with."""
    query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    asked = [query.get("lang", "")]
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get("lang")
        asked.append(morsel.value if morsel is not None else "")
    except CookieError:
        pass
    asked += [
        one.partition(";")[0].strip()[:2].lower() for one in headers.get("accept-language", "").split(",")
    ]
    for one in asked:
        if one == "ja":
            return "ja"
        if one == "en":
            return "en"
    return otherwise


def _is_upload(scope: Scope) -> bool:
    """The one body that may be large; its route counts the bytes itself."""
    path = str(scope["path"])
    return scope["method"] == "PUT" and path.startswith("/api/v1/projects/") and path.endswith(_UPLOAD)


async def _bounded(headers: dict[str, str], receive: Receive, most: int) -> Receive:
    """The body, read here up to what is allowed: the framework would take any."""
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > most:
        raise too_large("web.status.too_large")
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return receive
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > most:
            raise too_large("web.status.too_large")
    body: bytes | None = b"".join(parts)

    async def replay() -> Message:
        nonlocal body
        if body is None:
            return await receive()  # that the client has gone
        given, body = body, None
        return {"type": "http.request", "body": given, "more_body": False}

    return replay


def _with_headers(send: Send) -> Send:
    """Answers with the headers that all have; a route may have its own policy for reports."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            known = {name.lower() for name, _ in headers}
            for name, value in (
                ("content-security-policy", CSP),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "same-origin"),
                ("cache-control", "no-store"),
            ):
                if name.encode() not in known:
                    headers.append((name.encode(), value.encode()))
            message = {**message, "headers": headers}
        await send(message)

    return sent


async def _refuse(send: Send, error: RefusedError, language: Language) -> None:
    body = json.dumps(problem(error, language), ensure_ascii=False).encode()
    headers: list[Any] = [(b"content-type", PROBLEM.encode()), (b"content-length", str(len(body)).encode())]
    if error.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if error.status == 413:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _text(given: bytes) -> str:
    return base64.urlsafe_b64encode(given).decode().rstrip("=")


def _bytes(given: str) -> bytes:
    return base64.urlsafe_b64decode(given + "=" * (-len(given) % 4))
