"""Is the original as near as a cross tabulation says? The stated limit and the intervals, on 200 releases per setting.

A table states that its total variation from the original is at most some limit (`fit.total_variation`, 95 %), and an
interval for every cell. Each setting fixes records, columns, noise and bins; the originals are even, peaked, in one cell,
correlated, Zipf, sparse, independent or hilly in turn (crosstab_tables.py), ages of Adult in wide bins, or made-up columns
of numbers in few wide bins, some beside a column of categories. Every release is drawn afresh. Reported are the share of
releases whose original is within the limit, the mean limit and the mean distance, the share of cells whose original count
is inside its interval (rounded counts), and the share of cells that are left out as impossible to estimate. The constants
of `accuracy` were chosen on even seeds of crosstab_stopping.py; nothing here had a part in it.
"""

from __future__ import annotations

import argparse
import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

import sudare as sd
from crosstab_tables import FORMS, matrix_of, shares_of  # type: ignore[import-not-found]  # beside this script
from harness import Report  # type: ignore[import-not-found]  # beside this script
from sudare.measure.crosstab.fit.accuracy import USUAL, accuracy_of
from sudare.measure.crosstab.fit.contract import Transition
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.estimate import Options, estimate
from sudare.mechanism import Laplace, Retention
from sudare.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult_hierarchies" / "adult.csv"
_RELEASES = 200
_ASKED = 0.95
_TABLES = (
    (100, (5,), "retention", 0.5), (10_000, (16,), "laplace", 0.5), (1_000, (64,), "normal", 0.05),
    (300, (4, 3), "retention", 0.2), (10_000, (4, 3), "laplace", 0.8), (3_000, (8, 5), "uniform", 0.5),
    (100_000, (8, 5), "retention", 0.8), (3_000, (6, 4, 3), "mixed", 0.5), (100_000, (6, 4, 3), "normal", 0.2),
    (1_000, (2, 2, 2), "laplace", 0.95),
)  # fmt: skip
_ADULT_BINS = ([0, 20, 40, 110], [0, 30, 50, 110], [0, 40, 110], list(range(0, 111, 11)))
_SCALES = {2: 85.32, 5: 98.57}
"""Of the noise of age beside sex, occupation and salary class, in Pk-anonymous releases of Adult."""
_COLUMNS = ("gamma", "hills", "spike", "even", "rough", "edge")


class Seen(NamedTuple):
    """One release: its distance from the original, the stated limit, and its cells."""

    apart: float
    limit: float
    inside: float
    unknown: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--releases", type=int, default=_RELEASES)
    parser.add_argument("--section", "--part", choices=_SECTIONS, required=True, help="which settings")
    asked = parser.parse_args()
    releases, section = asked.releases, asked.section
    report = Report(f"crosstab_coverage_{section}", __doc__ or "")
    rows = []
    for name, one in _SECTIONS[section]().items():
        seen = [one(number) for number in range(releases)]
        covered = float(np.mean([each.limit >= each.apart - 1e-9 for each in seen]))
        means = np.mean(seen, axis=0)
        rows.append(
            [
                name,
                f"{covered:.1%}",
                f"{means[1]:.3f}",
                f"{means[0]:.3f}",
                f"{means[2]:.1%}",
                f"{means[3]:.1%}",
            ]
        )
        print(rows[-1], flush=True)
        report.ratio(f"share of originals within the limit / 95 %, {name}", covered, _ASKED, "at least 1")
    columns = ["setting", "within the limit", "mean limit", "mean distance", "cells inside", "cells left out"]
    report.table(f"Stated accuracy, {releases} releases per setting", columns, rows)
    report.save()


def _wide() -> dict[str, Callable[[int], Seen]]:
    found: dict[str, Callable[[int], Seen]] = {}
    for k, scale in _SCALES.items():
        for edges in _ADULT_BINS[: 4 if k == 2 else 1]:
            name = f"age of Adult, k = {k}, {len(edges) - 1} bins from {edges[0]}, {edges[1]}"
            found[name] = partial(_adult, scale=scale, edges=edges)
    for records, scale, both in ((1_000, 0.3, False), (10_000, 1.0, False), (10_000, 0.5, True)):
        beside = " x 2 categories" if both else ""
        name = f"{records:,} in 3 wide bins{beside}, laplace {scale}"
        found[name] = partial(_column, records=records, scale=scale, both=both)
    return found


def _tables() -> dict[str, Callable[[int], Seen]]:
    found: dict[str, Callable[[int], Seen]] = {}
    for records, sizes, noise, strength in _TABLES:
        name = f"{records:,} in {' x '.join(map(str, sizes))}, {noise} {strength}"
        found[name] = partial(_table, records=records, sizes=sizes, noise=noise, strength=strength)
    return found


def _table(number: int, records: int, sizes: tuple[int, ...], noise: str, strength: float) -> Seen:
    """A table of categories, or of bins that are not wide."""
    random = np.random.default_rng([11, number, records, math.prod(sizes)])
    names = ("retention", "laplace", "normal", "uniform")
    each = [str(random.choice(names)) if noise == "mixed" else noise for _ in sizes]
    transition = Transition(
        tuple(matrix_of(one, size, strength) for one, size in zip(each, sizes, strict=True))
    )
    shape = transition.original_shape
    shares = shares_of(FORMS[number % len(FORMS)], shape, random)
    original = random.multinomial(records, shares.ravel()).astype(np.float64).reshape(shape)
    released = draw(transition, original, random)
    found = estimate(transition, released)
    seen = accuracy_of(transition, released, found, Options(), USUAL, seed=number)
    return Seen(
        float(np.abs(found.estimate - original).sum()) / 2 / records,
        seen.limit,
        float(_inside(original, seen.low, seen.high).mean()),
        float((seen.high - seen.low > 0.9 * records).mean()),
    )


def _adult(number: int, scale: float, edges: list[int]) -> Seen:
    ages = pl.read_csv(_ADULT, separator=";")["age"].to_numpy().astype(np.float64)
    mechanism = Laplace(scale=scale, low=0, high=110, grid=1)
    released = mechanism.randomize(ages, Randomness(20_000 + number)).astype(np.int64)
    truth = np.histogram(ages, edges)[0].astype(np.float64)
    return _seen(pl.DataFrame({"age": released}), {"age": edges}, {"age": mechanism}, truth, number)


def _column(number: int, records: int, scale: float, both: bool) -> Seen:
    """A made-up column of numbers in three bins anywhere, alone or beside a column that depends on it."""
    random, secret = np.random.default_rng([12, number, records]), Randomness(30_000 + number)
    size = 100
    values = random.choice(size, records, p=_shares(_COLUMNS[number % len(_COLUMNS)], size, random))
    edges = [0, *sorted(random.choice(np.arange(5, size - 5), 2, replace=False).tolist()), size]
    mechanisms: dict[str, Any] = {"number": Laplace(scale=scale * size, low=0, high=size - 1, grid=1)}
    released = {"number": mechanisms["number"].randomize(values.astype(float), secret).astype(np.int64)}
    if not both:
        truth = np.histogram(values, edges)[0].astype(np.float64)
        return _seen(pl.DataFrame(released), {"number": edges}, mechanisms, truth, number)
    other = (random.random(records) < 0.2 + 0.6 * values / size).astype(np.int64)
    mechanisms["other"] = Retention(keep=0.5, values=(0, 1))
    released["other"] = mechanisms["other"].randomize(other.astype(float), secret).astype(np.int64)
    joint = np.histogramdd([values, other], [edges, [0, 1, 2]])[0]
    return _seen(pl.DataFrame(released), {"number": edges}, mechanisms, joint, number)


def _shares(form: str, size: int, random: np.random.Generator) -> Floats:
    x = np.linspace(0.0, 1.0, size)
    if form == "gamma":
        found = x ** random.uniform(1, 6) * np.exp(-x * random.uniform(5, 30))
    elif form == "hills":
        found = np.zeros(size)
        for _ in range(3):
            center, width = random.random(), random.uniform(0.03, 0.2)
            found += random.random() * np.exp(-((x - center) ** 2) / 2 / width**2)
    elif form == "spike":
        found = np.exp(-((x - 0.4) ** 2) / 2 / 0.1**2)
        found[int(random.integers(size))] += 4 * found.sum()
    elif form == "rough":
        found = random.gamma(0.2, size=size)
    elif form == "edge":
        found = np.exp(-x * random.uniform(5, 40))[:: int(random.choice([-1, 1]))]
    else:
        found = np.ones(size)
    total: Floats = found / found.sum()
    return total


def _seen(
    released: pl.DataFrame, bins: dict[str, list[int]], mechanisms: dict[str, Any], truth: Floats, seed: int
) -> Seen:
    """What a user sees."""
    found = sd.crosstab(released, by=released.columns, bins=bins, mechanisms=mechanisms, seed=seed)
    low, high = found.array(figure="low"), found.array(figure="high")
    limit = found.fit.total_variation
    return Seen(
        found.total_variation(truth),
        1.0 if limit is None else limit,
        float(_inside(truth, low, high).mean()),
        found.fit.unknown / found.fit.cells,
    )


def _inside(truth: Floats, low: Floats, high: Floats) -> npt.NDArray[np.bool_]:
    """Whether counts are inside, to the nearest record."""
    return (np.floor(low) <= truth) & (truth <= np.ceil(high))


_SECTIONS = {"wide": _wide, "tables": _tables}

if __name__ == "__main__":
    main()
