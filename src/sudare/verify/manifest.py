"""The public manifest of a release as the verifier reads it: every part checked, one sentence for each fault."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
import polars as pl

from sudare.errors import InputError, SudareError, shown
from sudare.formats.data import EXTENSIONS, TextEncoding, read_data
from sudare.read.source import RECIPES, is_file, is_folder, read_parquet
from sudare.verify.finding import Finding, FindingSentence, JoinedFindings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.words.sentence import Sentence

NEWEST_FORMAT = 1
"""Of the manifests of tables and of baskets: the one that is written, and the newest that can be read."""
ROWS = "rows.parquet"
"""File of the internal part that says, for each released record, which original one it was made from."""
_COMMON = ("data", "columns", "requirements", "hierarchies")
"""What the public and the internal manifest say alike, and the guarantee hangs on."""
_Part = TypeVar("_Part")


@dataclass(frozen=True)
class Manifest:
    """What the verifier needs of a manifest."""

    data_path: Path
    data_format: str
    sha256: str
    rows: int
    escape_formulas: bool
    escaped_inside: bool
    """Whether formulas inside of cells were escaped too, which earlier versions did not do."""
    encoding: str
    """Of a file of text."""
    renamed: dict[str, str]
    """Columns whose name in the file is another one, by that name."""
    columns: dict[str, dict[str, Any]]
    requirements: list[dict[str, Any]]
    hierarchies: dict[str, dict[str, Any]]
    methods: list[dict[str, Any]]
    order: str = "keep"
    """Whether the rows are in random order (shuffle); those of manifests that do not say it are not."""
    differing: tuple[Sentence, ...] = ()
    """What the internal manifest of the same folder says otherwise, in words."""
    dropped: tuple[str, ...] = ()
    """Columns of the original that the internal manifest of the same folder lists as dropped."""
    made_from: str | None = None
    """The SHA-256 of the file that the release was made from, if the internal manifest of the same folder says it."""


def rows_of_original(folder: Path, released: int, original: int) -> npt.NDArray[np.int64] | None:
    """For each released record, the place of its original, as the custodian's part of a release keeps it.

    None where that part is absent, as in a public folder, or does not fit.
    """
    for place in (folder / "internal" / ROWS, folder.absolute().parent / "internal" / ROWS):
        if is_file(place):
            try:
                rows = read_parquet(place)["row"].cast(pl.Int64).to_numpy()
            except (SudareError, pl.exceptions.PolarsError):
                raise InputError("verify.rows", place=place) from None
            if (
                len(rows) != released
                or len(np.unique(rows)) != released
                or not 0 <= rows.min() <= rows.max() < original
            ):
                raise InputError("verify.rows", place=place)
            return rows
    return None


def read_manifest(folder: Path) -> Manifest:
    """Read `manifest.json` or `public/manifest.json` of a release's folder."""
    path = manifest_path(Path(folder))
    manifest = load_manifest(path)
    version = _part(manifest, "format", int, path)
    if version > NEWEST_FORMAT:
        raise InputError("verify.newer", path=path, found=version, newest=NEWEST_FORMAT)
    data = _part(manifest, "data", dict, path)
    return Manifest(
        data_path=_data_path(path, _part(data, "file", str, path), manifest),
        data_format=_data_format(path, _part(data, "format", str, path)),
        sha256=_part(data, "sha256", str, path).lower(),
        rows=_part(data, "rows", int, path),
        escape_formulas=_part(data, "escape_formulas", bool, path),
        escaped_inside=_part(data, "escaped_inside", bool, path, False),
        encoding=_encoding(path, _part(data, "encoding", str, path, "utf-8")),
        renamed={name: str(column) for name, column in _part(data, "renamed", dict, path, {}).items()},
        columns=_mappings(_part(manifest, "columns", dict, path), "columns", path),
        requirements=_requirements(_part(manifest, "requirements", list, path), path),
        hierarchies=_mappings(_part(manifest, "hierarchies", dict, path, {}), "hierarchies", path),
        methods=_part(manifest, "method", list, path, []),
        order=_part(manifest, "order", str, path, "keep"),
        differing=differing(path, manifest),
        dropped=_dropped(path),
        made_from=_made_from(path),
    )


def kind_at(folder: Path) -> str:
    """Whether a folder is the release of a "table" or of "baskets".

    A table also where there is no manifest, or none that can be read: reading it as one says in which way.
    """
    try:
        found = load_manifest(manifest_path(folder)).get("kind")
    except SudareError:
        return "table"
    return "baskets" if found == "baskets" else "table"


def read_released(manifest: Manifest, *, categories: bool = False) -> pl.DataFrame:
    """The data of a release, as its manifest says they are written; texts of CSV and TSV may be read as categories."""
    return read_data(
        manifest.data_path,
        manifest.data_format,
        escape_formulas=manifest.escape_formulas,
        escaped_inside=manifest.escaped_inside,
        encoding=manifest.encoding,
        names=manifest.renamed,
        categories=categories,
    )


def file_digest(path: Path) -> str:
    """Compute the SHA-256 of a file, in hexadecimal."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError("verify.data_unreadable", path=path, why=error.strerror) from None


def digest_changes(data: Path, sha256: str) -> list[Sentence]:
    """That a file is another than the manifest's, in words; nothing where it is the same."""
    digest = file_digest(data)
    if digest == sha256:
        return []
    return [FindingSentence("files.sha256", found=digest[:12], asked=shown(sha256[:12])[1:-1])]


def unchanged_files(
    data: Path, sha256: str, changes: Sequence[Sentence], rows: int, size: Sentence
) -> Finding:
    """The finding whether a file is the one of the manifest; `size` tells its rows, or baskets, in words."""
    if changes:
        named = JoinedFindings("files.between", parts=tuple(changes))
        sentence = FindingSentence("files.changed", file=data.name, changes=named)
    else:
        sentence = FindingSentence("files.unchanged", file=data.name, size=size, sha256=sha256[:12])
    return Finding({"type": "unchanged-files"}, not changes, None, sentence, rows if changes else 0)


def require_inside(path: Path, name: str) -> None:
    """Stop where a manifest names a file elsewhere: it comes from others, who must not choose what is read here."""
    try:
        plain = "\0" not in name and name not in {"", ".."} and Path(name).name == name
        inside = plain and (path.parent / name).resolve().parent == path.parent.resolve()
    except (OSError, ValueError):  # longer than names may be, links in a circle, or no text at all
        inside = False
    if not inside:
        raise InputError("verify.outside", path=path, name=shown(name))


def differing(path: Path, manifest: dict[str, Any]) -> tuple[Sentence, ...]:
    """What the custodian's own manifest, where it lies beside the public folder, says otherwise, in words."""
    internal = _internal(path)
    if internal is None:
        return ()
    try:
        own = load_manifest(internal)
    except InputError:
        return (FindingSentence("files.internal_unreadable"),)
    return tuple(
        FindingSentence("files.internal_differs", key=key)
        for key in _COMMON
        if manifest.get(key) != own.get(key)
    )


def _internal(path: Path) -> Path | None:
    """The custodian's own manifest, where it lies beside the public folder."""
    public = path.resolve().parent
    internal = public.parent / "internal" / "manifest.json"
    return internal if public.name == "public" and is_file(internal) else None


def _dropped(path: Path) -> tuple[str, ...]:
    """The dropped columns that the custodian's own manifest lists; earlier versions list none."""
    internal = _internal(path)
    try:
        left_out = {} if internal is None else load_manifest(internal).get("left_out")
    except InputError:
        return ()  # which `differing` says
    listed = left_out.get("drop") if isinstance(left_out, dict) else None
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def _made_from(path: Path) -> str | None:
    """The digest of the input that the custodian's own manifest records; a frame of the caller has none."""
    internal = _internal(path)
    try:
        made_from = {} if internal is None else load_manifest(internal).get("input")
    except InputError:
        return None  # which `differing` says
    if not isinstance(made_from, dict) or made_from.get("format") == "frame":
        return None
    digest = made_from.get("sha256")
    return digest if isinstance(digest, str) else None


def refuse_internal(path: Path, manifest: dict[str, Any]) -> None:
    """Stop where the manifest beside which there are no data is the custodian's, whose data lie in the public folder."""
    if "input" in manifest:  # a public manifest does not tell what the release was made from
        raise InputError("verify.internal_part", folder=path.parent)


def manifest_path(folder: Path) -> Path:
    """`manifest.json` or `public/manifest.json` of a release's folder."""
    if is_file(folder):
        if folder.suffix.lower() in RECIPES:
            raise InputError("verify.is_a_recipe", path=folder)
        if is_file(folder.parent / "manifest.json"):
            raise InputError("verify.is_inside", path=folder, folder=folder.parent)
        raise InputError("verify.is_a_file", folder=folder)
    if not is_folder(folder):
        raise InputError("verify.no_folder", folder=folder)
    for path in (folder / "manifest.json", folder / "public" / "manifest.json"):
        if is_file(path):
            return path
    raise InputError("verify.no_manifest", folder=folder)


def load_manifest(path: Path) -> dict[str, Any]:
    """A manifest as it is: a JSON object, in which no name stands twice."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_without_repetition)
    except _RepeatedError as error:
        raise InputError("verify.repeated", path=path, name=shown(error.args[0])) from None
    except OSError as error:
        raise InputError("verify.manifest_unreadable", path=path, why=error.strerror) from None
    except (ValueError, RecursionError):
        raise InputError("verify.not_json", path=path) from None
    if not isinstance(manifest, dict):
        raise InputError("verify.not_an_object", path=path)
    return manifest


class _RepeatedError(Exception):
    """A name stands twice in a JSON object, of which readers take one or the other."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _RepeatedError(name)
        found[name] = value
    return found


def _data_path(manifest_path: Path, name: str, manifest: dict[str, Any]) -> Path:
    require_inside(manifest_path, name)
    path = manifest_path.parent / name
    if not is_file(path):
        refuse_internal(manifest_path, manifest)
        raise InputError("verify.no_data", path=path)
    return path


def _data_format(path: Path, name: str) -> str:
    if name not in EXTENSIONS:
        raise InputError("verify.format", path=path, name=shown(name), formats=", ".join(EXTENSIONS))
    return name


def _encoding(path: Path, name: str) -> str:
    if name not in get_args(TextEncoding):
        listed = ", ".join(get_args(TextEncoding))
        raise InputError("verify.encoding", path=path, name=shown(name), encodings=listed)
    return name


def _part(
    mapping: dict[str, Any], key: str, kind: type[_Part], path: Path, default: _Part | None = None
) -> _Part:
    value = mapping.get(key, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError("verify.part", path=path, key=key)
    return value


def _mappings(mapping: dict[str, Any], key: str, path: Path) -> dict[str, dict[str, Any]]:
    for name, value in mapping.items():
        if not isinstance(value, dict):
            raise InputError("verify.entry", path=path, key=key, name=shown(name))
    return mapping


def _requirements(requirements: list[Any], path: Path) -> list[dict[str, Any]]:
    if not all(isinstance(requirement, dict) for requirement in requirements):
        raise InputError("verify.requirement", path=path)
    return requirements
