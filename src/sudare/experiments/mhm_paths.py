"""The paths of Suzaki, Hashimoto, Kamidoi and Wakabayashi (undated) beside NPN: are they faster, and do they lose less?"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from sudare.anonymize.microaggregate.arrays import loss, standardized
from sudare.anonymize.microaggregate.mhm import cut_labels
from sudare.anonymize.microaggregate.paths import (
    farthest_from_centroid,
    flexdice_path,
    grid_path,
    halving_path,
    npn_path,
)
from sudare.errors import InputError
from sudare.experiments.mhm_page import checks, compared, figures, notes, printed, settings_of
from sudare.experiments.result import Experiment, needed_file
from sudare.kernels.points.cut import optimal_cut
from sudare.progress import SILENT, Progress
from sudare.randomness import repeatable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Order = npt.NDArray[np.int64]

_KINDS = ("uniform", "normal", "lognormal", "clusters")
_REAL = ("census", "tarragona")
_SCANNED = 10_000
"""The most records for which the published search, which looks at every remaining record, is run."""
_TREE_COLUMNS = 5
"""The most columns for which 100,000 records are tried: with ten, a path takes minutes."""
_CLUSTERS = 40


class _Table(NamedTuple):
    name: str
    seed: int
    X: Floats


def mhm_paths(
    data: Path | None = None,
    progress: Progress = SILENT,
    *,
    sizes: Sequence[int] = (1_000, 10_000, 100_000),
    columns: Sequence[int] = (2, 5, 10),
    ks: Sequence[int] = (3, 5, 10, 20),
    seeds: int = 3,
    cut_ks: Sequence[int] = (5, 10, 20, 40, 80),
) -> Experiment:
    """Seconds and loss of MHM along the fast paths of grid and FlexDice, against the nearest-point-next path (NPN)."""
    _compile()
    tables = list(_tables(data, sizes, columns, seeds))
    total = sum(len(table.X) for table in tables)
    progress.start("mhm-paths", total)
    rows: list[dict[str, Any]] = []
    done = 0
    for table in tables:
        rows += _runs(table, ks)
        done += len(table.X)
        progress.update(done)
    runs = pl.DataFrame(rows, infer_schema_length=None)
    cuts = _cuts(max(sizes), cut_ks)
    settings = settings_of(runs)
    absent = [name for name in _REAL if name not in {table.name for table in tables}]
    return Experiment(
        name="mhm-paths",
        title="MHM along the paths of grid and FlexDice: faster and better than NPN?",
        paper="Suzaki, Hashimoto, Kamidoi, Wakabayashi: a technique for k-anonymity based on microaggregation toward high "
        "dimensional datasets (undated, in Japanese), sections 5.2 and 5.3.",
        tables={"runs": runs, "settings": settings, "cuts": cuts},
        printed=printed(settings),
        figures=figures(settings),
        checks=tuple(checks(settings, cuts)),
        compared=tuple(compared(settings, cuts)),
        notes=notes(settings, seeds, absent),
    )


def _tables(data: Path | None, sizes: Sequence[int], columns: Sequence[int], seeds: int) -> Iterator[_Table]:
    for size in sizes:
        for p in columns:
            if size <= _SCANNED or p <= _TREE_COLUMNS:
                for kind in _KINDS:
                    for seed in range(seeds if size <= _SCANNED else 1):
                        yield _Table(kind, seed, standardized(_made_up(kind, size, p, repeatable(seed))))
    for name in _REAL:
        try:
            file = needed_file(data, "casc", f"{name}.csv")
        except InputError:
            continue
        yield _Table(name, 0, standardized(pl.read_csv(file).to_numpy().astype(np.float64)))


def _made_up(kind: str, n: int, p: int, random: np.random.Generator) -> Floats:
    if kind == "uniform":
        return random.random((n, p))
    if kind == "clusters":
        centers = 8 * random.standard_normal((_CLUSTERS, p))
        return centers[random.integers(_CLUSTERS, size=n)] + random.standard_normal((n, p))
    drawn = random.standard_normal((n, p))
    return np.exp(drawn) if kind == "lognormal" else drawn


def _runs(table: _Table, ks: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Every path of a table with its processor time, cut for every k."""
    n, p = table.X.shape
    blocks = None if p <= _TREE_COLUMNS else 2
    paths: dict[str, Callable[[int], Order]] = {
        "npn": partial(_for_any_k, partial(npn_path, table.X)),
        "grid": partial(_for_any_k, partial(grid_path, table.X, blocks=blocks)),
        "flexdice": partial(flexdice_path, table.X),
        "halving": partial(halving_path, table.X),
    }
    scan = _timed(partial(scanned_npn, table.X))[1] if n <= _SCANNED else None
    for name, path in paths.items():
        for k in ks:
            order, seconds = _timed(partial(path, k))
            labels, cut = _timed(partial(cut_labels, table.X, k, order))
            yield {
                "data": table.name, "records": n, "columns": p, "seed": table.seed, "k": k, "path": name,
                "loss": loss(table.X, labels), "path_seconds": seconds, "cut_seconds": cut,
                "scan_seconds": scan if name == "npn" else None,
            }  # fmt: skip


def _for_any_k(path: Callable[[], Order], _k: int) -> Order:
    """A path that does not depend on k."""
    return path()


def scanned_npn(X: Floats) -> Order:
    """The path of NPN as published: the next record is searched for among all that remain, in O(n^2)."""
    order = np.empty(len(X), dtype=np.int64)
    order[0] = farthest_from_centroid(X)
    left = np.delete(np.arange(len(X)), order[0])
    points = X[left]
    for place in range(1, len(X)):
        distances = ((points - X[order[place - 1]]) ** 2).sum(axis=1)
        nearest = np.flatnonzero(distances == distances.min())
        chosen = nearest[left[nearest].argmin()]
        order[place] = left[chosen]
        # The last one takes the place of the chosen one, so that nothing else is moved.
        left[chosen], points[chosen] = left[-1], points[-1]
        left, points = left[:-1], points[:-1]
    return order


def _cuts(n: int, ks: Sequence[int]) -> pl.DataFrame:
    """Seconds of the optimal cut of one path by k: building the graph and searching it."""
    X = standardized(repeatable(0).standard_normal((n, 2)))
    X = np.ascontiguousarray(X[np.argsort(X[:, 0], kind="stable")])
    rows = [
        {"k": k, "records": n, "seconds": min(_timed(partial(optimal_cut, X, k))[1] for _ in range(3))}
        for k in ks
    ]
    return pl.DataFrame(rows)


def _compile() -> None:
    """Compile what is timed."""
    X = standardized(repeatable(0).standard_normal((400, 3)))
    for order in (npn_path(X), grid_path(X), flexdice_path(X, 3), halving_path(X, 3)):
        cut_labels(X, 3, order)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the processor time."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began
