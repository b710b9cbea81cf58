"""Settings: what a server was started with. Nothing of it can be changed, or read, by a request."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sudare.errors import InputError, ParameterError
from sudare.read.source import POSTGRESQL, SQLITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sudare.words.sentence import Language

OWNER = "owner"
"""The user of a server on this machine alone."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_NAME = re.compile(r"[A-Za-z0-9._@-]{1,64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Limits:
    """How much a request or a job may take."""

    upload_bytes: int = 2_000_000_000
    """The largest file that is sent, and the largest that it may unpack to times ten."""
    body_bytes: int = 2_000_000
    """The largest body of any other request."""
    rows: int = 50_000_000
    columns: int = 5_000
    cell: int = 1_000_000
    """Characters of the longest text in a table."""
    jobs: int = 1
    """Jobs that run at the same time."""
    queued: int = 50
    """Jobs of one project that wait or run."""
    projects: int = 10_000
    disk_reserve: int = 500_000_000
    """Bytes that stay free on the disk."""
    memory: int = 0
    """Bytes of memory that a job may use; 0 for three quarters of the machine."""
    seconds: float = 24 * 3600.0
    """How long a job may run."""

    @property
    def memory_bytes(self) -> int:
        """The memory of a job in bytes."""
        return self.memory or int(0.75 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


@dataclass(frozen=True)
class Settings:
    """What a server was started with."""

    root: Path
    """The folder of the projects."""
    allowed: tuple[Path, ...] = ()
    """Folders below which a recipe may name files, besides what was uploaded."""
    limits: Limits = Limits()
    connections: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Addresses of databases by the names that clients use."""
    allow_query: bool = False
    """Whether clients may send queries to these databases, instead of choosing tables."""
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    """SHA-256 of each user's token, by name."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """The token of this start, where no tokens are given."""
    host: str = "127.0.0.1"
    port: int = 8080
    hosts: tuple[str, ...] = ()
    """Other names under which browsers reach the server, such as that of a proxy."""
    secure: bool = False
    """Whether browsers reach the server by https: behind a proxy."""
    language: Language = "en"
    warm: bool = True
    """Whether kernels are compiled in the background."""
    ledger: Path | None = None
    """The ledger of releases; the user's own when left out."""

    @property
    def known_hosts(self) -> frozenset[str]:
        """The names that the Host header may have, without ports."""
        # Behind a proxy, the name is that of the proxy: others are of nobody who came through it, besides this machine.
        return frozenset({*LOOPBACK, self.host.lower(), *(host.lower() for host in self.hosts)})

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies ignore ports, so it has ours."""
        return f"sudare-{self.port}"

    @property
    def address(self) -> str:
        """Where the server is reached from this machine."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"

    def user_of(self, token: str) -> str | None:
        """Whose token it is; compared in a time that does not tell how much of it is right."""
        digest = digest_of(token)
        if not self.tokens:
            return OWNER if hmac.compare_digest(digest, digest_of(self.token)) else None
        found = [name for name, kept in self.tokens.items() if hmac.compare_digest(digest, kept)]
        return found[0] if found else None

    def knows(self, user: str) -> bool:
        """Whether a user may still come in: a cookie outlives a line that was taken out of the file."""
        return user in self.tokens if self.tokens else user == OWNER


def digest_of(token: str) -> str:
    """What a file of tokens has of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_tokens(path: Path) -> dict[str, str]:
    """A file of tokens: in each line a name and the SHA-256 of a token; `#` begins a comment."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError("web.tokens.unreadable", path=path) from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not _NAME.fullmatch(words[0]) or not _DIGEST.fullmatch(words[1].lower()):
            raise InputError("web.tokens.line", path=path, line=number)
        if words[0] in found:
            raise InputError("web.tokens.twice", path=path, name=words[0])
        found[words[0]] = words[1].lower()
    if not found:
        raise InputError("web.tokens.none", path=path)
    return found


def read_connections(given: Iterable[str]) -> dict[str, str]:
    """Named databases, each as `name=postgresql://…`; the address is quoted nowhere."""
    found: dict[str, str] = {}
    for one in given:
        name, _, address = one.partition("=")
        if not _NAME.fullmatch(name) or not address.startswith((*POSTGRESQL, SQLITE)):
            raise ParameterError("web.connection", name=name if _NAME.fullmatch(name) else "…")
        found[name] = address
    return found


def secret_of(root: Path) -> bytes:
    """The key that signs cookies, kept beside the projects: a restart logs nobody out."""
    place = root / "secret"
    try:
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return place.read_bytes()
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(32))
    return place.read_bytes()
