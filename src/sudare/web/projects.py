"""Projects: each is a folder below the server's root, and all that is known of it is in this folder.

    ID/
        project.json        name, owner, members, source
        data/upload.EXT     what the user sent; the user's name of the file is only a label
        table.parquet       the table with its types, as `profile` has read it, and facts.json of its source
        values/N.parquet    values of each column with their numbers of rows
        profile.json        guessed roles with reasons, or sizes of baskets
        recipe.yaml         as the user wrote it; its source is called by the label
        history/NNNN.yaml   every recipe there was; history/at names the present one
        jobs/ID/            job.json, recipe.yaml, lock, events.jsonl, result.json, log.txt, release/
        ledger.sqlite       of candidates

Folders are for their owner alone (0700), and every file is written beside its place and renamed into it: a kill at any
moment leaves the old one or the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from sudare.read.source import FORMATS
from sudare.release.recipe.load import class_of
from sudare.release.recipe.parts import parse_yaml
from sudare.web.confine import Confined, check_parsed, confined, real_place
from sudare.web.problems import RefusedError, absent, conflict, disk_full, forbidden, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.release.recipe.base import AnyRecipe
    from sudare.web.settings import Limits, Settings

_ID = re.compile(r"[0-9a-f]{16}")
_LONGEST_NAME = 200
_HISTORY = re.compile(r"[0-9]{4,}\.yaml")
RECIPE = "recipe"
"""What errors call a recipe that came by HTTP."""


def new_id() -> str:
    """An identifier that nobody can guess."""
    return secrets.token_hex(8)


def is_id(given: str) -> bool:
    """Whether a text has the form of an identifier; nothing else becomes a part of a path."""
    return _ID.fullmatch(given) is not None


def now() -> str:
    """This moment, as files have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_whole(place: Path, content: bytes) -> None:
    """Write a file that is there wholly or not at all, for its owner alone."""
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(place)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def write_json(place: Path, content: Any) -> None:
    """Write JSON wholly or not at all."""
    write_whole(place, json.dumps(content, ensure_ascii=False).encode())


def as_json(content: Any) -> Any:
    """Content as JSON has it: numbers that are not finite become null, what JSON has no form for a list or a text."""
    return json.loads(json.dumps(content, default=_plain), parse_constant=lambda _: None)


def _plain(value: object) -> Any:
    return list(value) if isinstance(value, tuple | set | frozenset) else str(value)


def read_json(place: Path) -> Any:
    """What a JSON file holds; None where there is none."""
    try:
        return json.loads(place.read_text(encoding="utf-8"), parse_constant=lambda _: None)
    except FileNotFoundError:
        return None


def check_disk(folder: Path, limits: Limits, coming: int = 0) -> None:
    """Refuse what would fill the disk."""
    if shutil.disk_usage(folder).free - coming < limits.disk_reserve:
        raise disk_full()


@dataclass(frozen=True)
class Project:
    """A project by its folder."""

    folder: Path

    @property
    def id(self) -> str:
        """Its identifier, the name of its folder."""
        return self.folder.name

    @property
    def about(self) -> dict[str, Any]:
        """What project.json holds."""
        found = read_json(self.folder / "project.json")
        if not isinstance(found, dict):
            raise absent()
        return found

    @property
    def jobs(self) -> Path:
        """The folder of its jobs."""
        return self.folder / "jobs"

    @property
    def source(self) -> dict[str, Any] | None:
        """Where its data are; None before there are any."""
        found = self.about.get("source")
        return found if isinstance(found, dict) else None

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Alone while reading and writing: two requests may want to change the same file."""
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def change(self, **given: Any) -> dict[str, Any]:
        """Change entries of project.json."""
        with self.changing():
            made = {**self.about, **given}
            write_json(self.folder / "project.json", made)
        return made

    def told(self) -> dict[str, Any]:
        """What clients are told of the project."""
        about = self.about
        source = about.get("source")
        return {
            "id": self.id,
            "name": about["name"],
            "owner": about["owner"],
            "members": about["members"],
            "created": about["created"],
            "source": None if source is None else {k: source[k] for k in ("kind", "label", "options")},
            "has_profile": (self.folder / "profile.json").is_file(),
            "has_recipe": (self.folder / "recipe.yaml").is_file(),
        }

    def set_source(self, source: dict[str, Any]) -> None:
        """Other data: what was computed of the earlier ones goes."""
        self.change(source=source)
        self.forget_profile()

    def forget_profile(self) -> None:
        """Remove what was computed of the data."""
        for name in ("profile.json", "table.parquet", "facts.json"):
            with contextlib.suppress(FileNotFoundError):
                (self.folder / name).unlink()
        shutil.rmtree(self.folder / "values", ignore_errors=True)

    def upload_place(self, label: str) -> Path:
        """Where a file is kept: of the user's name only a known ending is used."""
        ending = Path(label).suffix.lower()
        (self.folder / "data").mkdir(mode=0o700, exist_ok=True)
        return self.folder / "data" / f"upload{ending if ending in FORMATS else '.csv'}"

    def keep_only(self, place: Path) -> None:
        """Remove earlier uploads."""
        for other in (self.folder / "data").iterdir():
            if other != place:
                other.unlink()

    def confinement(self, allowed: Sequence[Path]) -> Confined:
        """What recipes of this project may name."""
        source = self.source
        if source is None:
            raise conflict("web.no_source")
        if source["kind"] == "upload":
            place = str(self.folder / "data" / source["file"])
        elif source["kind"] == "path":
            place = str(real_place(source["place"], allowed))  # it may have become a link meanwhile
        else:
            place = str(self.folder / "data" / source["label"])  # the address is known to the server alone
        return Confined(source["label"], place, allowed)

    def parsed(self, text: str, allowed: Sequence[Path], output: Path) -> AnyRecipe:
        """A recipe, confined to what it may name, and validated; its output is `output`."""
        raw = parse_yaml(text, RECIPE)
        to = self.confinement(allowed)
        made = confined(raw, to, output)
        source = {k: v for k, v in (self.source or {}).get("options", {}).items() if k != "baskets"}
        for field in ("source", "baskets"):
            if isinstance(made, dict) and isinstance(made.get(field), dict):
                made[field] = {**source, **made[field]}
        if isinstance(made, dict) and "baskets" not in made:
            made.setdefault("source", {"path": to.place, **source})
        recipe = class_of(made).parse(yaml.safe_dump(made, allow_unicode=True), name=RECIPE, folder=output)
        check_parsed(recipe, to, output)
        return recipe

    def recipe_text(self) -> str | None:
        """The recipe as the user wrote it."""
        try:
            return (self.folder / "recipe.yaml").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def write_recipe(self, text: str, expected: str | None = None, *, must: bool = False) -> str:
        """Keep a recipe as the present one; the later ones that were undone go. Returns its tag.

        `expected` is the tag of the recipe that it replaces; another one there now is a conflict. With `must`, one is needed.
        """
        with self.changing():
            self._check_tag(expected, must=must)
            history, at = self._history()
            number = at + 1
            for later in history:
                if later >= number:
                    self._revision(later).unlink()
            content = text.encode()
            write_whole(self._revision(number), content)
            write_whole(self.folder / "history" / "at", str(number).encode())
            write_whole(self.folder / "recipe.yaml", content)
        return tag_of(text)

    def step(self, by: int, expected: str | None = None) -> str:
        """Go back (-1) or forth (1) in the history; the text that is the present one then."""
        with self.changing():
            self._check_tag(expected, must=False)
            history, at = self._history()
            if at + by not in history:
                raise conflict("web.history.first" if by < 0 else "web.history.last")
            content = self._revision(at + by).read_bytes()
            write_whole(self.folder / "history" / "at", str(at + by).encode())
            write_whole(self.folder / "recipe.yaml", content)
        return content.decode()

    def _check_tag(self, expected: str | None, *, must: bool) -> None:
        text = self.recipe_text()
        if expected is None:
            if must and text is not None:
                raise RefusedError(428, "precondition", "web.recipe.tag_needed")
            return
        if expected != "*" and (text is None or expected != tag_of(text)):
            raise RefusedError(412, "precondition", "web.recipe.changed")

    def _revision(self, number: int) -> Path:
        return self.folder / "history" / f"{number:04}.yaml"

    def _history(self) -> tuple[list[int], int]:
        """The numbers of all recipes, and that of the present one; 0 before the first."""
        folder = self.folder / "history"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = sorted(int(one.stem) for one in folder.iterdir() if _HISTORY.fullmatch(one.name))
        try:
            at = int((folder / "at").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            at = found[-1] if found else 0
        return found, at


def tag_of(text: str) -> str:
    """The entity tag of a recipe."""
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'


@dataclass(frozen=True)
class Projects:
    """All projects below a root."""

    settings: Settings

    @property
    def root(self) -> Path:
        """The folder of all projects."""
        return self.settings.root / "projects"

    def prepare(self) -> None:
        """Make the folders, for their owner alone."""
        self.settings.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root.mkdir(mode=0o700, exist_ok=True)
        self.settings.root.chmod(0o700)

    def every(self) -> Iterator[Project]:
        """All projects, in the order of their identifiers."""
        for name in sorted(os.listdir(self.root)):  # noqa: PTH208  # names only: of 1,000 folders, paths take longer
            if is_id(name):
                yield Project(self.root / name)

    def of_user(self, user: str) -> Iterator[Project]:
        """Those that a user may see."""
        for project in self.every():
            with contextlib.suppress(RefusedError):
                if _may(project.about, user):
                    yield project

    def get(self, given: str, user: str) -> Project:
        """One project, if the user may see it; one of others is told as one that does not exist."""
        if not is_id(given):
            raise absent()
        project = Project(self.root / given)
        if not _may(project.about, user):
            raise absent()
        return project

    def owned(self, given: str, user: str) -> Project:
        """One project that belongs to the user."""
        project = self.get(given, user)
        if project.about["owner"] != user:
            raise forbidden("web.only_owner")
        return project

    def make(self, name: str, user: str) -> Project:
        """A new project."""
        check_disk(self.root, self.settings.limits)
        if sum(1 for _ in self.every()) >= self.settings.limits.projects:
            raise too_large("web.too_many_projects", most=self.settings.limits.projects)
        # Made under another name, so that one without its file is never seen.
        made = Path(tempfile.mkdtemp(dir=self.root, prefix=".new-"))
        about: dict[str, Any] = {
            "name": label_of(name),
            "owner": user,
            "members": [],
            "created": now(),
            "source": None,
        }
        for part in ("data", "jobs", "history"):
            (made / part).mkdir(mode=0o700)
        write_json(made / "project.json", about)
        place = self.root / new_id()
        made.rename(place)
        return Project(place)

    def remove(self, project: Project) -> None:
        """Remove a project; it is gone from the list at once, whatever happens while its files go."""
        gone = self.root / f".gone-{project.id}-{secrets.token_hex(4)}"
        project.folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def sweep(self) -> None:
        """Remove what was being made or removed when the server was killed."""
        for left in self.root.iterdir():
            if left.name.startswith((".new-", ".gone-")):
                shutil.rmtree(left, ignore_errors=True)


def _may(about: dict[str, Any], user: str) -> bool:
    return user == about["owner"] or user in about["members"]


def label_of(given: str) -> str:
    """A name as a label: one line, no folders, not too long; never a part of a path."""
    cleaned = "".join(sign for sign in given.replace("\\", "/").rpartition("/")[2] if sign.isprintable())
    cleaned = cleaned.strip()[:_LONGEST_NAME].strip()
    return cleaned if cleaned not in {"", ".", "..", "-"} and "://" not in cleaned else "unnamed"
