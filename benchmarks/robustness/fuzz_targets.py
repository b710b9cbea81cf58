"""What is fuzzed: which file is spoiled, from which valid ones, and what then reads it, as the command line does."""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fuzz_seeds as seeds  # type: ignore[import-not-found]  # beside this script
from fuzz_mutate import spoil, spoil_archive, spoil_json  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

_ENCODINGS = ("ascii", "cp932", "euc_jp", "utf-16", "utf-16-le", "utf-32", "utf-7", "latin-1", "idna", "punycode", "hex", "rot13",
              "undefined", "unicode_escape", "raw_unicode_escape", "iso2022_jp", "klingon", "", "a\0b", "cp037")  # fmt: skip
_DELIMITERS = (",", ";", "tab", "|", " ", "", "ab", '"', "'", "\0", "\n", ".", "-", "e", "あ", "0")
_HEADERS = ("true", "false")
_LAYOUTS = ("lines", "json", "long", "lists", "sets")
_FORMATS = ("csv", "tsv", "parquet", "arrow", "excel", "spss", "stata", "sas", "sqlite", "postgresql")


@dataclass(frozen=True)
class Target:
    """One kind of file."""

    name: str
    file: str
    """Its name in the folder of the case."""
    begin: Callable[[], list[bytes]]
    """Valid files."""
    call: Callable[[Path, dict[str, str]], int]
    """Reads it: an exit code, or an error of Sudare's."""
    options: Callable[[Random], dict[str, str]] = lambda _: {}
    spoil: Callable[[bytes, Random, Sequence[bytes], Sequence[bytes]], bytes] = spoil
    words: Callable[[], list[str]] = list
    """Words of the format that take part in the changes."""
    patience: float = 5.0
    """Processor seconds after which a case counts as a hang."""
    share: float = 1.0
    """How often it gets its turn."""


def neighbors(folder: Path) -> None:
    """The valid files that stand beside a spoiled one, a release among them."""
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.recipe.baskets import BasketRecipe
    from sudare.release.recipe.table import Recipe
    from sudare.release.run import run as run_recipe

    (folder / "patients.csv").write_text(seeds.PATIENTS.write_csv(), encoding="utf-8")
    (folder / "zip.csv").write_text(seeds.LEVELS, encoding="utf-8")
    (folder / "levels.recipe.yaml").write_text(
        seeds.RECIPE.replace("{type: mask}", "{type: csv, path: hierarchy.csv}"), encoding="utf-8"
    )
    (folder / "baskets.txt").write_text(seeds.BASKETS, encoding="utf-8")
    (folder / "private.txt").write_text("hospital\n\n\n\nhospital\n\n\n\n", encoding="utf-8")
    book = folder / "checked.ledger"
    run_recipe(
        Recipe.parse(seeds.RECIPE, folder=folder),
        folder=folder / "checked",
        overwrite=True,
        ledger=Ledger(book),
    )
    run_recipe(
        BasketRecipe.parse(seeds.BASKET_RECIPE, folder=folder),
        folder=folder / "checked-baskets",
        overwrite=True,
        ledger=Ledger(folder / "baskets.ledger"),
    )
    with closing(sqlite3.connect(book)) as connection:  # everything into the one file
        connection.execute("PRAGMA journal_mode = DELETE")


def describe(path: Path, options: dict[str, str]) -> int:
    """`sudare describe FILE --json`: reads a table, guesses its roles, drafts a recipe."""
    given = [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()]
    return _main(["describe", str(path), "--json", *given])


def run(path: Path, options: dict[str, str]) -> int:
    """`sudare run RECIPE`, from the recipe to a verified release."""
    return _main(["run", str(path), "--json", "--out", str(path.parent / "release"), "--overwrite", *options])


def assess(path: Path, options: dict[str, str]) -> int:
    """`sudare assess RECIPE`."""
    return _main(["assess", str(path), "--json", "--no-compromises", *options])


def describe_with_levels(path: Path, options: dict[str, str]) -> int:
    """What every command does with the recipe that names this hierarchy."""
    from sudare.release.recipe.table import Recipe

    text = (path.parent / "levels.recipe.yaml").read_text(encoding="utf-8")
    extra = "".join(f", {name}: {value!r}" for name, value in options.items()).replace("'true'", "true")
    recipe = Recipe.parse(text.replace("hierarchy.csv", f"hierarchy.csv{extra}"), folder=path.parent)
    table = recipe.read()
    tree: Any = table.hierarchy("zip")
    tree.leaf_of(table.frame["zip"])
    return 0


def load_hierarchy(path: Path, options: dict[str, str]) -> int:
    """`sd.hierarchy.load`, and the tree used."""
    from sudare.describe.hierarchy.tree import Hierarchy

    tree = Hierarchy.load(path)
    assert tree.first[tree.root] == 0 and tree.leaf_counts[tree.root] == tree.leaves, options  # noqa: PT018
    return 0


def read_baskets(path: Path, options: dict[str, Any]) -> int:
    """What `sudare run` reads baskets with; now and then the whole run."""
    from sudare.describe.baskets.sources import read_baskets as read

    given: dict[str, Any] = dict(options)
    if "header" in given:
        given["header"] = given["header"] == "true"
    found = read(str(path), **given)
    assert sum(map(len, found.lists())) == len(found.codes), options
    return 0


def check(path: Path, options: dict[str, str]) -> int:
    """`sudare check` of a release of which one file was spoiled."""
    return _main(["check", str(path.parents[1]), "--json", *options])


def check_baskets(path: Path, options: dict[str, str]) -> int:
    """`sudare check` of a release of baskets of which a manifest was spoiled, with or without the original."""
    folder = path.parents[1]
    original = ["--original", str(folder.parent / "baskets.txt")] if options else []
    return _main(["check", str(folder), "--json", *original])


def ledger(path: Path, options: dict[str, str]) -> int:
    """`sudare ledger` of a spoiled ledger."""
    return _main(["ledger", "--ledger", str(path), "--json", *options])


def _main(arguments: list[str]) -> int:
    from sudare.cli import main

    return main(arguments)


def _some(choices: dict[str, Sequence[str]], often: float = 0.25) -> Callable[[Random], dict[str, str]]:
    """Each option at random, most of the time none."""

    def chosen(random: Random) -> dict[str, str]:
        return {
            name: random.choice(values)
            for name, values in choices.items()
            if random.random() < often / len(choices)
        }

    return chosen


def _recipe_words() -> list[str]:
    from sudare.anonymize.catalogue import METHODS
    from sudare.assess.catalogue import REQUIREMENTS
    from sudare.describe.hierarchy.catalogue import CATALOGUE
    from sudare.measure.catalogue import MEASURES

    words = [*_words_of(METHODS), *_words_of(REQUIREMENTS), *_words_of(CATALOGUE), *MEASURES]
    words += [
        "identifier",
        "quasi",
        "sensitive",
        "insensitive",
        "weight",
        "numeric",
        "ordinal",
        "nominal",
        "string",
        "date",
    ]
    words += [
        "set",
        "own",
        "reject",
        "drop",
        *seeds.PATIENTS.columns,
        "{type: ",
        "hierarchy: ",
        "-",
        "true",
        "null",
        "[]",
        "{}",
    ]
    words += [
        "fast",
        "thorough",
        "retention",
        "laplace",
        "normal",
        "uniform",
        "[name, age]",
        "{age: [0, 100]}",
        "{age: 2}",
    ]
    # How long an honest wait is was asked for: no hang.
    return sorted(set(words) - {"seconds", "certificate", "budget"})


def _basket_words() -> list[str]:
    from sudare.anonymize.baskets.catalogue import BASKET_METHODS
    from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
    from sudare.measure.baskets import BASKET_MEASURES

    words = [
        *_words_of(BASKET_METHODS),
        *_words_of(BASKET_REQUIREMENTS),
        *BASKET_MEASURES,
        *_LAYOUTS,
        "re:",
        "re:(a+)+$",
        "{file: ",
    ]
    return sorted(
        {
            *words,
            "bread",
            "hospital",
            "ignore",
            "error",
            "layout: ",
            "header: ",
            "id: ",
            "items: ",
            "private.txt",
        }
        - {"seconds"}
    )


def _words_of(catalogue: Any) -> list[str]:
    return list(
        itertools.chain(
            catalogue, *([f"{field[0]}: " for field in catalogue.fields(name)] for name in catalogue)
        )
    )


def _json_words() -> list[str]:
    return [
        "parent",
        "level",
        "labels",
        "lower",
        "upper",
        "null",
        "NaN",
        "Infinity",
        "[",
        "]",
        "-1",
        "2.5",
        "true",
        '"a"',
        "1e999",
    ]


def _manifest_words() -> list[str]:
    from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS

    fields = [f'"{field[0]}": ' for name in BASKET_REQUIREMENTS for field in BASKET_REQUIREMENTS.fields(name)]
    names = [
        f'"{name}"'
        for name in (
            *BASKET_REQUIREMENTS,
            *_LAYOUTS,
            "layout",
            "delimiter",
            "header",
            "query",
            "format",
            "table",
        )
    ]
    return [
        *_json_words(),
        *fields,
        *names,
        '"1/3"',
        '"1e-999999999"',
        '"1e999999999"',
        "1e-9",
        "0.5",
        "1000000000",
        "[]",
        "{}",
        '""',
        '".."',
    ]


_TABLE = _some(
    {"encoding": _ENCODINGS, "delimiter": _DELIMITERS, "no-header": ("",), "missing": ("", "0", "x")}
)
_BASKETS = _some({"encoding": _ENCODINGS, "delimiter": _DELIMITERS, "layout": _LAYOUTS, "header": _HEADERS, "format": _FORMATS,
                  "id": ("user", "id", ""), "items": ("item", "items"), "sensitive": ("item",)}, often=0.6)  # fmt: skip
_ORIGINAL = _some({"original": ("yes",)}, often=0.6)
_PUBLIC = "checked-baskets/public/manifest.json"
_INTERNAL = "checked-baskets/internal/manifest.json"
_LEVELS = _some({"encoding": _ENCODINGS, "delimiter": (",", ";", "\t", '"', "\n", "あ"), "header": ("true",)})

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("text", "data.csv", seeds.texts, describe, _TABLE, share=2.0),
        Target("excel", "data.xlsx", seeds.excels, describe, _some({"no-header": ("",), "sheet": ("one", "two", "x")}), spoil_archive),
        Target("parquet", "data.parquet", seeds.parquets, describe),
        Target("arrow", "data.arrow", seeds.arrows, describe),
        Target("sqlite", "data.sqlite", seeds.databases, describe, _some({"table": ("t", "v", ""), "query": ("SELECT 1", "SELECT", "DROP TABLE t")})),
        Target("spss", "data.sav", lambda: seeds.statistical("sav"), describe, share=0.5),
        Target("stata", "data.dta", lambda: seeds.statistical("dta"), describe, share=0.5),
        Target("sas", "data.xpt", lambda: seeds.statistical("xpt"), describe, share=0.5),
        Target("baskets", "baskets.fuzzed", seeds.basket_texts, read_baskets, _BASKETS, share=2.0),
        Target("baskets-json", "baskets.json", seeds.basket_texts, read_baskets, _BASKETS, words=_json_words),
        Target("baskets-parquet", "baskets.parquet", seeds.parquets, read_baskets, _BASKETS, share=0.5),
        Target("recipe", "fuzzed.yaml", seeds.recipes, run, words=_recipe_words, patience=20.0, share=3.0),
        Target("recipe-assess", "fuzzed.yaml", seeds.recipes, assess, words=_recipe_words, patience=20.0, share=0.5),
        Target("basket-recipe", "fuzzed.yaml", seeds.basket_recipes, run, words=_basket_words, patience=20.0, share=1.5),
        Target("hierarchy", "hierarchy.csv", seeds.levels, describe_with_levels, _LEVELS, share=2.0),
        Target("hierarchy-json", "hierarchy.json", seeds.stored_hierarchies, load_hierarchy, words=_json_words),
        Target("manifest", "checked/public/manifest.json", lambda: _released("checked/public/manifest.json"), check, spoil=spoil_json, words=_json_words),
        Target("basket-manifest", _PUBLIC, lambda: seeds.basket_manifests(_released(_PUBLIC)[0]), check_baskets, _ORIGINAL, spoil_json, words=_manifest_words, patience=60.0),
        Target("basket-internal", _INTERNAL, lambda: seeds.basket_manifests(_released(_INTERNAL)[0]), check_baskets, _ORIGINAL, spoil_json, words=_manifest_words, patience=60.0, share=0.5),
        Target("released-data", "checked/public/data.csv", lambda: _released("checked/public/data.csv"), check, share=0.5),
        Target("ledger", "fuzzed.ledger", lambda: _released("checked.ledger"), ledger, share=0.5),
    )
}  # fmt: skip


def _released(name: str) -> list[bytes]:
    """A file of a release of the valid recipe, or the ledger that has it."""
    with tempfile.TemporaryDirectory() as made:
        neighbors(Path(made))
        return [(Path(made) / name).read_bytes()]
