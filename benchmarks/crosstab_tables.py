"""Made-up tables for crosstab_stopping.py: each seed is one table and one way to randomize it, anywhere in a wide grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.measure.crosstab.fit.contract import Transition
from sudare.measure.crosstab.input.transition import interval_matrix
from sudare.mechanism import Laplace, Normal, Retention, Uniform

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

RECORDS = (30, 100, 300, 1_000, 3_000, 10_000, 100_000)
SIZES = (
    (2,), (5,), (16,), (64,), (256,),
    (2, 2), (4, 3), (8, 5), (16, 16),
    (2, 2, 2), (6, 4, 3), (8, 8, 4), (16, 16, 8),
    (2, 2, 2, 2), (3, 3, 3, 2), (6, 5, 4, 4), (8, 8, 8, 4),
)  # fmt: skip
NOISES = ("retention", "laplace", "normal", "uniform", "mixed")
STRENGTHS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95)
"""From almost exact to almost nothing kept: the share of replaced values; for noise a width of s / (1 - s) ranges."""
FORMS = ("even", "peaked", "one cell", "correlated", "Zipf", "sparse", "independent", "hills")


class Made(NamedTuple):
    """One table, its noise, and where in the grid it is."""

    seed: int
    records: int
    sizes: tuple[int, ...]
    exact: int
    noise: str
    strength: float
    form: str
    transition: Transition
    original: Floats


def made(seed: int) -> Made:
    """The table of a seed."""
    random = np.random.default_rng([6, seed])
    records = int(random.choice(RECORDS))
    sizes = SIZES[random.integers(len(SIZES))]
    # Every sixth table has a column that was not randomized.
    exact = int(random.choice((1, 1, 1, 1, 1, 3))) if math.prod(sizes) < 1_000 else 1
    noise, form = str(random.choice(NOISES)), str(random.choice(FORMS))
    strength = float(random.choice(STRENGTHS))
    each = [str(random.choice(NOISES[:-1])) if noise == "mixed" else noise for _ in sizes]
    transition = Transition(
        tuple(matrix_of(one, size, strength) for one, size in zip(each, sizes, strict=True)), exact
    )
    shape = transition.original_shape
    counts = random.multinomial(records, shares_of(form, shape, random).ravel())
    return Made(
        seed, records, sizes, exact, noise, strength, form, transition,
        counts.astype(np.float64).reshape(shape),
    )  # fmt: skip


def matrix_of(noise: str, size: int, strength: float) -> Floats:
    if noise == "retention":
        return Retention(keep=1 - strength, values=tuple(range(size))).matrix()
    width, edges = strength / (1 - strength), np.linspace(0, 1, size + 1)
    mechanism = {
        "laplace": lambda: Laplace(scale=width, low=0, high=1),
        "normal": lambda: Normal(deviation=width, low=0, high=1),
        "uniform": lambda: Uniform(half_width=width, low=0, high=1),
    }[noise]()
    return interval_matrix(mechanism, edges, edges[:-1], edges[1:])


def shares_of(form: str, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    cells = math.prod(shape)
    found = np.zeros(shape)
    if form == "even":
        found += 1.0 / cells
    elif form == "peaked":
        found += random.dirichlet(np.full(cells, 0.1)).reshape(shape)
    elif form == "one cell":
        found.flat[random.integers(cells)] = 1.0
    elif form == "Zipf":
        found += random.permutation(1.0 / np.arange(1, cells + 1)).reshape(shape)
    elif form == "sparse":
        found.flat[random.choice(cells, max(1, cells // 10), replace=False)] = 1.0
    elif form == "independent":
        found += 1.0
        for axis, size in enumerate(shape):
            ends = [1] * len(shape)
            ends[axis] = size
            found *= random.dirichlet(np.ones(size)).reshape(ends)
    else:
        grid = np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij")
        if form == "correlated":
            middle = sum(grid) / len(grid)
            found += np.exp(-sum((axis - middle) ** 2 for axis in grid) / (2 * 0.08**2))
        for _ in range(4 if form == "hills" else 0):
            center, width = random.random(len(shape)), 0.1 + 0.2 * random.random(len(shape))
            parts = zip(grid, center, width, strict=True)
            found += random.random() * np.exp(-sum((axis - c) ** 2 / (2 * w**2) for axis, c, w in parts))
    total: Floats = found / found.sum()
    return total
