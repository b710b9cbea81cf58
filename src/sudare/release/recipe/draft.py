"""A first recipe from guessed roles, with the reason for each guess beside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from sudare.advise.defaults import default_methods
from sudare.anonymize.catalogue import METHODS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.k_anonymity import KAnonymity
from sudare.assess.l_diversity import LDiversity
from sudare.errors import OutputError
from sudare.formats.data import writing
from sudare.read.source import is_path
from sudare.words.sentence import texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.describe.guess.guess import Guess
    from sudare.words.sentence import Language


def draft_recipe(
    source: str,
    options: Mapping[str, Any],
    guesses: Sequence[Guess],
    *,
    requirements: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    language: str = "en",
    folder: Path | None = None,
) -> dict[str, Any]:
    """The mapping of a recipe for `folder`: guessed columns, 5-anonymity and 2-diversity unless told otherwise."""
    sensitive = any(guess.role == "sensitive" for guess in guesses)
    asked = [REQUIREMENTS.build(text) for text in requirements or ()]
    if not asked:
        asked = [KAnonymity(5), LDiversity(2)] if sensitive else [KAnonymity(5)]
    applied = [METHODS.build(text) for text in methods or ()] or default_methods(asked)
    place = os.path.relpath(source, folder) if is_path(source) else source
    return {
        "version": 1,
        "source": {"path": place, **{name: _plain(value) for name, value in options.items()}},
        "columns": {guess.column: _column(guess) for guess in guesses},
        "requirements": [REQUIREMENTS.dump(requirement, full=False) for requirement in asked],
        "method": [METHODS.dump(method, full=False) for method in applied],
        "output": {"folder": f"{stem_of(source)}-release", "language": language},
    }


def write_draft(
    draft: Mapping[str, Any], guesses: Sequence[Guess], path: Path, *, language: Language, overwrite: bool
) -> None:
    """Write the draft with each column's reason as a comment above it."""
    words = texts(language, "draft")
    parts = [f"# {words('head')}"]
    for key, value in draft.items():
        if key == "method" and (names := ranges_needed(draft)):
            ends = {"ranges": {name: ["LOW", "HIGH"] for name in names}}
            parts += [f"# {words('ranges')}", f"#   {_one_line(ends)}"]
        if key != "columns":
            parts.append(_yaml({key: value}))
            continue
        parts.append("columns:")
        for guess in guesses:
            reason = guess.reason.into(language)
            parts.append(f"  # {' '.join(reason.split())}")
            parts.append(
                "\n".join(f"  {line}" for line in _yaml({guess.column: value[guess.column]}).splitlines())
            )
    with writing(path):
        try:
            file = path.open("w" if overwrite else "x", encoding="utf-8")
        except FileExistsError:
            raise OutputError("release.recipe.draft_exists", path=path) from None
        with file:
            file.write("\n".join(parts) + "\n")


def ranges_needed(draft: Mapping[str, Any]) -> list[str]:
    """Columns of a draft that will be randomized within a range, which is known from elsewhere and yet to be written."""
    numbers = [
        name
        for name, column in draft["columns"].items()
        if column["role"] in {"quasi", "sensitive"} and column["kind"] in {"numeric", "date"}
    ]
    asking = [getattr(METHODS.build(method), "columns_without_range", None) for method in draft["method"]]
    return list(dict.fromkeys(name for ask in asking if ask is not None for name in ask(numbers)))


def stem_of(source: str) -> str:
    """What a recipe and its release are named after."""
    return Path(source).stem if is_path(source) else "data"


def _column(guess: Guess) -> dict[str, Any]:
    column: dict[str, Any] = {"role": guess.role, "kind": guess.kind}
    if guess.hierarchy is not None:
        column["hierarchy"] = guess.hierarchy
    return column


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _one_line(content: Any) -> str:
    """Content that fits behind a `#`, whatever names are in it."""
    flow = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=10**9, default_flow_style=True)
    return flow.strip().removeprefix("{").removesuffix("}")


def _yaml(content: Any) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100).rstrip()
