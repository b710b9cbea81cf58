"""Tables that differ, in two halves by name: settings of the search are chosen on one and reported on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

import sudare as sd
from data import hospital_described  # type: ignore[import-not-found]  # beside this script
from generalization import DATA, adult  # type: ignore[import-not-found]  # beside this script
from generalization_tables import skewed  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

Shape = tuple[int, tuple[int, ...]]
"""A column: the number of its values, and the widths of the runs of values that form the levels of its hierarchy."""
AGE: Shape = (103, (5, 10, 20, 50))


class Entry(NamedTuple):
    """A table of the suite."""

    half: str
    ks: tuple[int, ...]
    make: Callable[[], Any]
    needs: str = ""
    """The folder of real data it is read from."""


def tables() -> dict[str, Entry]:
    """All tables of the suite whose data are present."""
    return {name: entry for name, entry in _all().items() if not entry.needs or (DATA / entry.needs).exists()}


def _all() -> dict[str, Entry]:
    narrow: list[Shape] = [
        AGE,
        (2, ()),
        (5, ()),
        (9, (3,)),
        (7, (4,)),
        (16, (4, 8)),
        (41, (7,)),
        (2, ()),
        (12, (4,)),
    ]
    deep: list[Shape] = [
        AGE,
        (2, ()),
        (8, (2, 4)),
        (24, (3, 6, 12)),
        (7, (4,)),
        (16, (4, 8)),
        (41, (7,)),
        (9, (3,)),
        (52, (2, 13, 26)),
    ]
    other: list[Shape] = [
        AGE,
        (2, ()),
        (6, ()),
        (7, (3,)),
        (14, (7,)),
        (9, (3,)),
        (35, (5,)),
        (3, ()),
        (20, (5, 10)),
    ]
    steep: list[Shape] = [
        AGE,
        (30, (2, 6, 15)),
        (2, ()),
        (10, (5,)),
        (12, (3, 6)),
        (64, (4, 16, 32)),
        (6, (2,)),
        (9, (3,)),
        (18, (3, 9)),
    ]
    wide: list[Shape] = [
        (5, ()),
        (4, ()),
        (8, (2, 4)),
        (6, (3,)),
        (12, (4,)),
        (3, ()),
        (20, (5,)),
        (50, (5, 25)),
        (2, ()),
        (9, (3,)),
        (7, ()),
        (16, (4,)),
        (3, ()),
        (2, ()),
        (30, (6,)),
    ]
    flat: list[Shape] = [(40, ()), (12, ()), (25, ()), (6, ()), (3, ())]
    return {
        "adult": Entry("tune", (5, 10), lambda: adult(9), "adult_hierarchies"),
        "coil 5,822 x 12": Entry("tune", (5,), _coil, "coil2000"),
        "hospital 10,000 x 6": Entry(
            "tune", (5, 10), lambda: hospital_described(sd.hospital(10_000, seed=10_000))
        ),
        "skewed 4,000 x 6": Entry("tune", (3, 10), lambda: skewed(4000, 6)),
        "persons 7,000 x 9": Entry("tune", (5, 10), lambda: persons(7000, narrow, 12, 1)),
        "persons 5,000 x 9, deep": Entry("tune", (5, 10), lambda: persons(5000, deep, 20, 2)),
        "persons 2,000 x 15": Entry("tune", (5,), lambda: persons(2000, wide, 8, 3)),
        "numbers 3,000 x 5": Entry("tune", (5,), _numbers),
        "adult, 3,000 rows": Entry("report", (5, 10), _part_of_adult, "adult_hierarchies"),
        "bank 45,211 x 8": Entry("report", (5,), _bank, "bank"),
        "diabetes 5,399 x 10": Entry("report", (5, 10), _diabetes, "diabetes"),
        "vowels 5,687 x 5": Entry("report", (5,), _vowels, "vowels"),
        "casc 1,080 x 6": Entry("report", (3, 10), _casc, "casc"),
        "persons 7,019 x 9, other": Entry("report", (5, 10), lambda: persons(7019, other, 15, 4)),
        "persons 6,000 x 9, steep": Entry("report", (5, 10), lambda: persons(6000, steep, 25, 5)),
        "persons 3,000 x 14": Entry("report", (5,), lambda: persons(3000, wide[:14], 10, 6)),
        "flat 1,000 x 5": Entry("report", (3, 10), lambda: persons(1000, flat, 6, 7)),
        "skewed 100,000 x 4": Entry("report", (10,), lambda: skewed(100_000, 4)),
    }


def persons(rows: int, shapes: Sequence[Shape], classes: int, seed: int) -> Any:
    """A table like a census: every row has a latent class, which has likely values that are near in the hierarchy."""
    random = np.random.default_rng(seed)
    chances = random.dirichlet(np.full(classes, 0.8))
    latent = random.choice(classes, rows, p=chances)
    columns, makers = {}, {}
    for number, (values, widths) in enumerate(shapes):
        places = np.arange(values)
        common = random.dirichlet(np.full(values, 0.5))
        drawn = np.empty(rows, dtype=np.int64)
        for own in range(classes):
            center, spread = random.integers(values), values * random.uniform(0.02, 0.2)
            likely = np.exp(-np.abs(places - center) / spread) * random.gamma(0.5, 1.0, values)
            share = random.uniform(0.8, 0.98)
            mixed = share * likely / likely.sum() + (1 - share) * common
            chosen = np.flatnonzero(latent == own)
            drawn[chosen] = random.choice(values, len(chosen), p=mixed / mixed.sum())
        name = f"c{number}"
        columns[name] = pl.Series([f"{value}" for value in drawn])
        makers[name] = sd.hierarchy.tree(_tree(0, values, (*widths,)))
    return sd.read(pl.DataFrame(columns)).describe(quasi=list(columns), hierarchies=makers)


def _tree(start: int, stop: int, widths: tuple[int, ...]) -> Any:
    if not widths:
        return [f"{value}" for value in range(start, stop)]
    width = widths[-1]
    return {
        f"{low} to {min(low + width, stop) - 1}, {len(widths)}": _tree(
            low, min(low + width, stop), widths[:-1]
        )
        for low in range(start, stop, width)
    }


def _coil() -> Any:
    frame = pl.read_csv(
        DATA / "coil2000" / "ticdata2000.txt", separator="\t", has_header=False, infer_schema=False
    )
    return _numbered(frame.select(frame.columns[:12]), {})


def _bank() -> Any:
    frame = pl.read_csv(DATA / "bank" / "bank-full.csv", separator=";", infer_schema=False)
    quasi = ["age", "job", "marital", "education", "housing", "loan", "day", "month"]
    jobs = {
        "office": ["management", "admin.", "technician"],
        "manual": ["blue-collar", "services", "housemaid"],
        "own": ["self-employed", "entrepreneur"],
        "none": ["retired", "student", "unemployed", "unknown"],
    }
    months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    quarters = {f"q{quarter}": months[3 * quarter : 3 * quarter + 3] for quarter in range(4)}
    makers = {"job": sd.hierarchy.tree(jobs), "month": sd.hierarchy.tree(quarters)}
    return _numbered(frame.select(quasi), makers)


def _diabetes() -> Any:
    frame = pl.read_csv(DATA / "diabetes" / "encounters.csv", infer_schema=False)
    decades = [f"[{low}-{low + 10})" for low in range(0, 100, 10)]
    ages = {"under 40": decades[:4], "40 to 70": decades[4:7], "70 on": decades[7:]}
    quasi = [
        "age", "race", "gender", "admission_type_id", "discharge_disposition_id", "admission_source_id",
        "time_in_hospital", "num_lab_procedures", "num_procedures", "num_medications",
    ]  # fmt: skip
    return _numbered(frame.select(quasi), {"age": sd.hierarchy.tree(ages)})


def _numbered(frame: pl.DataFrame, makers: dict[str, Any]) -> Any:
    """Columns of whole numbers get runs of 5, 10, 20, … values; those of at most twelve values, and texts, only a root."""
    made = dict(makers)
    for name in frame.columns:
        if name in made:
            continue
        values = frame[name].unique().sort().to_list()
        if all(value.lstrip("-").isdigit() for value in values):
            numbers = sorted(int(value) for value in values)
            made[name] = sd.hierarchy.tree(_runs(numbers, 5 if len(numbers) > 12 else 3))
        else:
            made[name] = sd.hierarchy.tree({value: [] for value in values})
    return sd.read(frame).describe(quasi=frame.columns, hierarchies=made)


def _runs(numbers: list[int], width: int) -> Any:
    """Runs of neighboring values, in runs of twice the length again and again until there are at most three."""
    nodes: list[tuple[str, Any]] = [
        (f"{part[0]} to {part[-1]}, {width}", [f"{number}" for number in part])
        for part in (numbers[start : start + width] for start in range(0, len(numbers), width))
    ]
    while len(nodes) > 3:
        nodes = [
            (f"{pair[0][0]} and on, {len(nodes)}", dict(pair))
            for pair in (nodes[start : start + 2] for start in range(0, len(nodes), 2))
        ]
    return dict(nodes)


def _vowels() -> Any:
    lines = (DATA / "vowels" / "ae.test").read_text(encoding="ascii").splitlines()
    return _plain(np.array([line.split() for line in lines if line.strip()], dtype=np.float64)[:, :5])


def _casc() -> Any:
    frame = pl.read_csv(DATA / "casc" / "census.csv")
    return _plain(frame.select(frame.columns[:6]).cast(pl.Float64).to_numpy())


def _numbers() -> Any:
    random = np.random.default_rng(8)
    return _plain(np.round(random.normal(size=(3000, 5)) @ random.normal(size=(5, 5)), 3))


def _plain(points: npt.NDArray[np.float64]) -> Any:
    """Numbers without hierarchies, published as intervals."""
    names = [f"c{column}" for column in range(points.shape[1])]
    frame = pl.DataFrame({name: points[:, column] for column, name in enumerate(names)})
    return sd.read(frame).describe(quasi=names, kinds=dict.fromkeys(names, "numeric"))


def _part_of_adult() -> Any:
    whole = adult(9)
    return whole.take(np.sort(np.random.default_rng(0).choice(whole.rows, 3000, replace=False)))
