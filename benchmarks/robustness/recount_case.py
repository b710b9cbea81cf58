"""Release one hostile case, count its written file again, and say what is not as promised."""

from __future__ import annotations

import json
import re
import shutil
import traceback
import warnings
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
from recount import (  # type: ignore[import-not-found]  # beside this script
    Distance,
    InGroups,
    Ordered,
    alike,
    blocks_of,
    k_of,
    l_of,
    moments,
    pk_of,
    ranks_of,
    rarest_set,
    reaches,
    t_of,
    unsafe_shares,
)
from recount_read import found_in, read_baskets, read_data  # type: ignore[import-not-found]  # beside this script
from recount_tables import BasketCase, TableCase  # type: ignore[import-not-found]  # beside this script

import sudare as sd

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recount_read import Cell, Data
    from recount_tables import Case

_LEAST_SURE = 1e-6
_MOST_SHRINKING = 400
"""Cases that are tried to make a finding smaller."""


class Outcome(NamedTuple):
    """How a case ended: released, refused in a sentence, or found to be wrong."""

    state: str
    kind: str = ""
    """The refusal, or what is wrong, without figures and values: one word for all of a kind."""
    details: str = ""


def outcome_of(case: Case, place: Path) -> Outcome:
    """Release a case below an empty folder, count again, and leave the folder empty."""
    place.mkdir(parents=True, exist_ok=True)
    folder = place / "release"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            release(case, folder)
            wrong = list(faults_of(case, folder))
        found = Outcome("wrong", _shape(wrong[0]), "\n".join(wrong)) if wrong else Outcome("released")
    except sd.SudareError as error:
        found = _refused(error, place)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a panic of Rust is no Exception
        kind = f"{type(error).__name__} at {_place_of(error)}"
        found = Outcome("wrong", kind, traceback.format_exc()[-4000:])
    for left in place.iterdir():
        shutil.rmtree(left)
    return found


def _refused(error: sd.SudareError, place: Path) -> Outcome:
    key = getattr(error.sentence, "key", "")
    left = sorted(path.name for path in place.iterdir())
    if left:
        return Outcome("wrong", "a refusal leaves something behind", f"{left}: {error}")
    if key == "release.not_verified":
        return Outcome("wrong", f"refused by the verifier: {_shape(str(error))}", str(error))
    return Outcome("refused", key or _shape(str(error)), str(error))


def release(case: Case, folder: Path) -> None:
    """Write the release of a case."""
    if isinstance(case, BasketCase):
        sensitive = [list(one) if isinstance(one, tuple) else one for one in case.sensitive]
        baskets = sd.read_baskets([list(basket) for basket in case.baskets]).describe(sensitive=sensitive)
        hidden = sd.anonymize(baskets, *case.requirements, method=list(case.methods), seed=1)
        hidden.write(folder, layout=case.format, **case.options)
        return
    described = {role: case.names(role) for role in ("identifier", "quasi", "sensitive", "insensitive")}
    table = sd.read(_handed(case)).describe(
        **described, kinds=case.kinds, hierarchies=case.hierarchies, missing=case.missing
    )
    options = {name: value for name, value in case.options.items() if name != "counted"}
    made = sd.anonymize(table, *case.requirements, method=list(case.methods), measures=case.measures, seed=1)
    made.write(folder, format=case.format, **options)


def _handed(case: TableCase) -> Any:
    """The frame as the library of the case has it; in pandas some numerals are numbers among texts."""
    if case.library == "arrow":
        return case.frame.to_arrow()
    if case.library != "pandas":
        return case.frame
    frame = case.frame.to_pandas()
    for name in case.frame.columns:
        if case.frame[name].dtype == pl.String:
            frame[name] = [
                int(text) if place % 3 == 0 and re.fullmatch("[1-9][0-9]?", text or "") else text
                for place, text in enumerate(case.frame[name].to_list())
            ]
    return frame


def faults_of(case: Case, folder: Path) -> Iterator[str]:
    """What is not as promised in a written release: figures counted again, the verifier, words that had to go."""
    if isinstance(case, BasketCase):
        yield from _basket_faults(case, folder)
    else:
        yield from _table_faults(case, folder)


def _manifest(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "public" / "manifest.json").read_text(encoding="utf-8"))
    return manifest


# Tables


def _table_faults(case: TableCase, folder: Path) -> Iterator[str]:
    manifest = _manifest(folder)
    escaped = case.options.get("escape_formulas", True)
    data = read_data(folder / "public" / manifest["data"]["file"], escaped=escaped)
    pseudonyms = any(method["type"] == "pseudonyms" for method in case.methods)
    left = [name for name in case.names("identifier") if name in data.columns]
    if left and not pseudonyms:
        yield f"identifiers are released: {left}"
    gone = [name for role in ("quasi", "sensitive") for name in case.names(role) if name not in data.columns]
    if gone and data.columns:  # a file of JSON lines without a line names no column
        yield f"columns are not released: {gone}"
        return
    found = sd.verify_release(folder)
    yield from (f"the verifier says: {one.sentence}" for one in found if not one.holds)
    reached = [
        one.reached for one in found if one.requirement["type"] not in {"unchanged-files", "no-identifiers"}
    ]
    if len(reached) != len(case.requirements):
        yield f"the verifier checks {len(reached)} requirements"
    for requirement, by_verifier in zip(case.requirements, reached, strict=False):
        if not data.rows:
            continue
        figure = figure_of(case, requirement, data, manifest)
        if not reaches(requirement, figure):
            yield f"{requirement['type']} does not hold: {figure} counted, {requirement} asked"
        if by_verifier is None or abs(by_verifier - figure) > _LEAST_SURE * max(1, figure):
            yield f"{requirement['type']} is {figure} counted again, {by_verifier} by the verifier ({requirement})"
    yield from _leaks(_tokens(case.frame), data, folder)


def figure_of(case: TableCase, requirement: dict[str, Any], data: Data, manifest: dict[str, Any]) -> float:
    """What the written cells reach, in the least good block and sensitive column."""
    if requirement["type"] == "pk-anonymity":
        [method] = case.methods
        return float(pk_of(data, manifest["columns"], method["exact"]))
    quasi = case.names("quasi")
    if requirement["type"] == "k-anonymity":
        return float(k_of(data, quasi))
    blocks = blocks_of(data, quasi)
    exact = requirement.get("spelling") == "exact"
    figures = []
    for name in requirement.get("sensitive") or case.names("sensitive"):
        cells = data.columns[name]
        values = _values(cells, manifest["columns"][name]["kind"], exact=exact)
        if requirement["type"] == "l-diversity":
            figures.append(l_of(values, blocks, requirement["kind"], requirement.get("c")))
        else:
            figures.append(
                t_of(values, blocks, _distance(case, name, requirement["distance"], cells, values))
            )
    return float(min(figures) if requirement["type"] == "l-diversity" else max(figures))


def _values(cells: Sequence[Cell], kind: str, *, exact: bool) -> list[Any]:
    if not exact:
        return list(alike(cells, kind))
    return list(moments(cells) if kind == "date" else cells)


def _distance(
    case: TableCase, name: str, distance: str, cells: Sequence[Cell], values: Sequence[Any]
) -> Distance:
    if distance == "equal":
        return Distance()
    if distance == "hierarchical":
        mapping = case.hierarchies[name]["mapping"]
        groups = {text: group for group, texts in mapping.items() for text in texts}
        return InGroups(
            {value: groups[cell] for cell, value in zip(cells, values, strict=True) if cell is not None}
        )
    dtype = case.frame[name].dtype
    listed = dtype.categories.to_list() if isinstance(dtype, pl.Enum) else None
    return Ordered(ranks_of(cells, values, listed))


def _tokens(frame: pl.DataFrame) -> set[str]:
    """Texts of twelve letters, which no file contains by chance."""
    texts = {text for column in frame if column.dtype == pl.String for text in column.drop_nulls().to_list()}
    return {text for text in texts if re.fullmatch("[b-z]{12}", text)}


def _leaks(tokens: set[str], data: Data, folder: Path) -> Iterator[str]:
    released = {cell for column in data.columns.values() for cell in column}
    # A set of values is released as one cell.
    gone = {token for token in tokens - released if not any(token in cell for cell in released if cell)}
    found = found_in(folder / "public", gone)
    if found:
        yield f"removed values are in the public bytes: {sorted(found)}"


# Baskets


def _basket_faults(case: BasketCase, folder: Path) -> Iterator[str]:
    about = _manifest(folder)["data"]
    path = folder / "public" / about["file"]
    released = read_baskets(path, case.format, about["delimiter"], escaped=about["escape_formulas"])
    original = [frozenset(basket) for basket in case.baskets]
    if len(released) != len(original):
        yield f"{len(released)} baskets of {len(original)} are released"
    sensitive = case.sensitive_sets()
    asked = sd.read_baskets([list(basket) for basket in case.baskets])
    found = sd.verify_release(folder, original=asked)
    yield from (f"the verifier says: {one.sentence}" for one in found if not one.holds)
    if case.methods[0]["type"] == "item-suppression":
        added = {item for basket in released for item in basket} - {
            item for basket in original for item in basket
        }
        if added:
            yield f"items appear that were not there: {sorted(added)}"
    for requirement in case.requirements:
        if requirement["type"] == "km-anonymity":
            rarest = rarest_set(released, requirement["m"])
            if rarest is not None and rarest < requirement["k"]:
                yield f"km-anonymity does not hold: {rarest} counted, {requirement} asked"
            continue
        rho = Fraction(str(requirement["rho"]))
        shares = unsafe_shares(original, sensitive, released, rho, requirement.get("m"))
        most = Fraction(str(requirement.get("eps", 0)))
        for size, share in shares.items():
            if share > most:
                yield f"rho-uncertainty does not hold: {float(share)} of those who know {size} items infer, {requirement} asked"


# Words


def _shape(sentence: str) -> str:
    """The sentence without what it quotes and counts."""
    without = re.sub(r"'[^']*'|\"[^\"]*\"|\([^)]*\)|\[.*\]|\{.*\}|-?\d[\d.,e+-]*", "…", sentence)
    return " ".join(without.split())[:110]


def _place_of(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/sudare/" in frame.filename]
    frame = (ours or frames)[-1]
    return f"{'/'.join(Path(frame.filename).parts[-2:])}:{frame.lineno} ({frame.name})"


def shrunk(case: Case, kind: str, place: Path) -> Case:
    """The case with rows, columns and requirements left out as long as the same is wrong with it."""
    tries = 0
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(case):
            tries += 1
            if tries > _MOST_SHRINKING:
                return case
            if outcome_of(smaller, place).kind == kind:
                case, progress = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    rows = len(case.baskets) if isinstance(case, BasketCase) else case.frame.height
    step = rows // 2
    while step:
        for start in range(0, rows, step):
            kept = [row for row in range(rows) if not start <= row < start + step]
            if isinstance(case, BasketCase):
                own = bool(case.sensitive) and isinstance(case.sensitive[0], tuple)
                sensitive = tuple(case.sensitive[row] for row in kept) if own else case.sensitive
                yield replace(case, baskets=tuple(case.baskets[row] for row in kept), sensitive=sensitive)
            else:
                yield replace(case, frame=case.frame[kept])
        step //= 2
    for place in range(len(case.requirements)):
        if len(case.requirements) > 1:
            yield replace(case, requirements=case.requirements[:place] + case.requirements[place + 1 :])
    for place in range(len(case.methods)):
        if len(case.methods) > 1:
            yield replace(case, methods=case.methods[:place] + case.methods[place + 1 :])
    if isinstance(case, BasketCase):
        for item in sorted({item for basket in case.baskets for item in basket}):
            fewer = tuple(tuple(one for one in basket if one != item) for basket in case.baskets)
            yield replace(case, baskets=fewer)
        return
    for name in case.frame.columns:
        parts = {
            part: {key: value for key, value in getattr(case, part).items() if key != name}
            for part in ("roles", "kinds", "hierarchies", "missing")
        }
        yield replace(case, frame=case.frame.drop(name), **parts)
    for part in ("kinds", "hierarchies", "missing"):
        if getattr(case, part):
            yield replace(case, **{part: {}})


def told(case: Case) -> str:
    """A case as Python that somebody can paste."""
    if isinstance(case, BasketCase):
        return f"{case}"
    # Python's moments have no nanoseconds, so times are told as the numbers that are stored.
    columns = {
        column.name: (
            str(column.dtype),
            (column.to_physical() if column.dtype.is_temporal() else column).to_list(),
        )
        for column in case.frame
    }
    rest = {part.name: getattr(case, part.name) for part in fields(case) if part.name != "frame"}
    return f"{columns}\n{rest}"
