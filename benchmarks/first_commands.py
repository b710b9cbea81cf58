"""The commands that people type first, on small made-up tables, each with the files it needs."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ROWS = 1_000
_REQUIRE = ("--require", "k-anonymity k=5", "--require", "l-diversity l=3 kind=entropy sensitive=disease")
_K = ("--require", "k-anonymity k=5")


def prepare(folder: Path) -> None:
    """The files: tables, recipes, and the releases that later commands open, made with kernels as they are on this machine."""
    import sudare as sd
    from sudare.cli import main

    table = sd.hospital(ROWS)
    table.write_csv(folder / "patients.csv")
    (folder / "clicks.txt").write_text(
        "".join(f"home {'news' if n % 2 else 'shop'} page{n % 7} item{n % 11}\n" for n in range(ROWS)),
        encoding="utf-8",
    )
    recipe = {
        "version": 1,
        "baskets": {"path": "clicks.txt", "layout": "lines"},
        "sensitive": ["shop"],
        "requirements": [{"type": "rho-uncertainty", "rho": 0.5}],
        "method": {"type": "item-suppression"},
        "output": {"folder": "clicks-released"},
    }
    (folder / "clicks.recipe.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")
    columns = {name: {"role": "drop"} for name in table.columns}
    columns |= {name: {"role": "quasi"} for name in ("sex", "length_of_stay")}
    noise = {
        "version": 1,
        "source": {"path": "patients.csv"},
        "columns": {**columns, "disease": {"role": "sensitive"}},
        "requirements": [{"type": "pk-anonymity", "k": 5}],
        "method": {"type": "randomization", "ranges": {"length_of_stay": [0, 365]}, "missing": "category"},
        "output": {"folder": "noisy"},
    }
    (folder / "noise.recipe.yaml").write_text(yaml.safe_dump(noise), encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        for arguments in (
            ("describe", "patients.csv", "--out", "patients.recipe.yaml"),
            ("run", "patients.recipe.yaml", "--method", "mondrian", *_K, "--out", "released"),
            ("run", "noise.recipe.yaml", "--out", "randomized"),
        ):
            assert main(list(arguments)) == 0, arguments


def _run(method: str, out: str, *require: str) -> tuple[str, ...]:
    return (
        "run",
        "patients.recipe.yaml",
        "--method",
        method,
        *(require or _REQUIRE),
        "--out",
        out,
        "--overwrite",
    )


FIRST: Mapping[str, tuple[str, ...]] = {
    "demo": ("demo", "--out", "demo", "--overwrite"),
    "describe": ("describe", "patients.csv", "--out", "again.recipe.yaml", "--overwrite"),
    "assess": ("assess", "patients.recipe.yaml"),
    "run": ("run", "patients.recipe.yaml", "--out", "default", "--overwrite"),
    "run, generalization": _run("generalization", "generalized"),
    "run, mondrian": _run("mondrian", "mondrian"),
    "run, microaggregation": _run("microaggregation", "microaggregated", *_K),
    "run, randomization": ("run", "noise.recipe.yaml", "--out", "noisy", "--overwrite"),
    "check": ("check", "released"),
    "measure": ("measure", "patients.csv", "released"),
    "compare": ("compare", "mondrian", "microaggregated"),
    "crosstab": ("crosstab", "randomized", "--by", "sex,disease"),
    "run, baskets": ("run", "clicks.recipe.yaml", "--overwrite"),
}
"""What a newcomer types."""

OTHERS: Mapping[str, tuple[str, ...]] = {
    "run, generalization, fast": _run("generalization effort=fast", "fast", *_K),
    "run, generalization, thorough": _run("generalization effort=thorough", "thorough", *_K),
    "run, mindis": _run("mindis", "mindis", *_K),
    "run, diverdis": _run("diverdis", "diverdis"),
    "run, t-closeness": _run(
        "generalization", "close", *_K, "--require", "t-closeness t=0.4 sensitive=disease"
    ),
    "run, full-domain": _run("full-domain", "levels", *_K),
    "run, microaggregation of all kinds": _run("microaggregation", "kinds"),
    "run, mdav": _run("microaggregation algorithm=mdav", "mdav", *_K),
    "assess, baskets": ("assess", "clicks.recipe.yaml"),
}
"""Other commands whose kernels are compiled ahead."""
