"""Randomized records and the tables rebuilt from them: speed, and total variation from the original table.

A table of 16 x 16 x 8 cells from 10^6 made-up records (two correlated numbers, a category that depends on them), each
column randomized for Pk-anonymity with equal budgets. "categories": all three are retention-replaced; "numbers": the
two numbers have bounded Laplace noise and are cut into 16 bins. Reconstruction is timed from the released frame in
memory to the finished table, without and with the draws that its standard errors are made of (with them is the
default, and the bar). Seconds are processor seconds, and beside them those of the clock. Errors are means over 10
seeds. The rival is multi-freq-ldpy: its estimator IBU takes a matrix, so it gets the
Kronecker product of the same three matrices (made in its time, as it has no other way) and the same released counts,
with 100 and 1,000 iterations (its default of 10,000 took longer than 300 s); it is compiled before it is timed. Its
estimator MI gives margins, of which the product is taken.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Report,
    measure,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

_ROWS = 1_000_000
_DRAWS = 10_000_000
_SIZES = (16, 16, 8)
_NAMES = ("first", "second", "third")
_SEEDS = 10
_KINDS = ("categories", "numbers")
_KS = (2, 10)
_RIVAL_STEPS = (100, 1_000)
_measured = partial(measure_into, repeats=3, budget=5.0)


def main() -> None:
    report = Report("randomization", __doc__)
    _draws(report)
    rows = [_table(report, kind, k) for kind in _KINDS for k in _KS]
    columns = [
        "table", "no errors", "with errors", "by the clock", "peak", "estimate", "released", "worst ratio", "inverse",
    ]  # fmt: skip
    report.table("16 x 16 x 8 cells from 10^6 records (total variation, mean of 10 seeds)", columns, rows)
    _beside_rival(report)
    report.save()


def bounded_draws() -> Case:
    """Bounded Laplace noise on 10^7 numbers, from the operating system's generator."""
    import numpy as np

    from sudare.mechanism import Laplace
    from sudare.randomness import Randomness

    values = np.random.default_rng(0).random(_DRAWS)
    mechanism = Laplace(scale=0.4, low=0, high=1, grid=1e-4)
    return Case(lambda: mechanism.randomize(values, Randomness()))


def numpy_draws() -> Case:
    """Plain Laplace noise of numpy on as many numbers: neither bounded nor secure nor rounded."""
    import numpy as np

    random = np.random.default_rng(0)
    values = random.random(_DRAWS)
    return Case(lambda: values + random.laplace(0, 0.4, _DRAWS))


def rebuilt(kind: str, k: int, *, draws: int | None = None) -> Case:
    """One table, from the released frame."""
    import sudare as sd

    _, released, mechanisms = _data(kind, k, 0)
    bins = _bins(kind)

    def work() -> Any:
        table = sd.Table.from_frame(released)
        return sd.crosstab(table, list(_NAMES), bins, mechanisms=mechanisms, draws=draws, seed=0)

    return Case(work, lambda table: {"steps": table.fit.iterations, "draws": table.fit.draws})


def errors(kind: str, k: int) -> Case:
    """Total variations over the seeds."""
    import numpy as np

    import sudare as sd
    from sudare.measure.crosstab.build import count_like

    def work() -> Any:
        found = []
        for seed in range(_SEEDS):
            original, released, mechanisms = _data(kind, k, seed)
            table = sd.crosstab(released, list(_NAMES), _bins(kind), mechanisms=mechanisms, draws=0)
            truth = count_like(table, sd.Table.from_frame(original))
            found.append(
                [
                    float(np.abs(table.array(figure=figure) - truth).sum()) / 2 / _ROWS
                    for figure in ("estimate", "released", "inverse")
                ]
            )
        return found

    return Case(work, lambda found: {"errors": found})


def rival(k: int, steps: int) -> Case:
    """IBU of multi-freq-ldpy on the Kronecker product, from the released counts."""
    import numpy as np
    from multi_freq_ldpy.estimators.Histogram_estimator import IBU

    original, released, mechanisms = _data("categories", k, 0)
    truth, counts = _counts(original), _counts(released)
    matrices = [mechanisms[name].matrix() for name in _NAMES]
    # Its first call compiles for seconds, which is not what is compared.
    IBU(2, np.full((2, 2), 0.5), np.full(2, 0.5), 1, 1e-12, "max_abs")

    def work() -> Any:
        whole = np.ascontiguousarray(np.kron(np.kron(matrices[0], matrices[1]), matrices[2]))
        return IBU(truth.size, whole, counts / counts.sum(), steps, 1e-12, "max_abs")

    return Case(work, lambda shares: {"error": float(np.abs(shares * _ROWS - truth).sum()) / 2 / _ROWS})


def rival_margins(k: int) -> Case:
    """MI of multi-freq-ldpy for each attribute, and the product of its margins."""
    import numpy as np
    from multi_freq_ldpy.estimators.Histogram_estimator import MI

    original, released, mechanisms = _data("categories", k, 0)
    truth, counts = _counts(original), _counts(released).reshape(_SIZES)

    def work() -> Any:
        product: Any = np.ones(())
        for axis, name in enumerate(_NAMES):
            matrix = mechanisms[name].matrix()
            own = counts.sum(axis=tuple(other for other in range(3) if other != axis))
            product = np.multiply.outer(product, MI(own, _ROWS, matrix[0, 0], matrix[1, 0]))
        return product.ravel()

    return Case(work, lambda shares: {"error": float(np.abs(shares * _ROWS - truth).sum()) / 2 / _ROWS})


def ours(k: int) -> Case:
    """Sudare from the same counts, without standard errors."""
    import numpy as np

    from sudare.measure.crosstab.fit.contract import Transition
    from sudare.measure.crosstab.fit.estimate import estimate

    original, released, mechanisms = _data("categories", k, 0)
    truth, counts = _counts(original), _counts(released)
    transition = Transition(tuple(mechanisms[name].matrix() for name in _NAMES))
    cells = counts.reshape(transition.released_shape)

    def work() -> Any:
        return estimate(transition, cells).estimate

    return Case(work, lambda found: {"error": float(np.abs(found.ravel() - truth).sum()) / 2 / _ROWS})


def _data(kind: str, k: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    """Original, released, and the mechanisms between them."""
    import numpy as np
    import polars as pl

    from sudare.mechanism import calibrate, rate_for, shares
    from sudare.randomness import Randomness

    random = np.random.default_rng(seed)
    group = random.random(_ROWS) < 0.4
    one = np.where(group, random.normal(0.3, 0.12, _ROWS), random.normal(0.65, 0.15, _ROWS))
    other = np.where(group, random.normal(0.25, 0.1, _ROWS), 0.2 + 0.6 * one + random.normal(0, 0.1, _ROWS))
    category = np.clip(8 * (0.5 * one + 0.5 * random.random(_ROWS)), 0, 7).astype(np.int64)
    numbers = [np.clip(one, 0, 0.999_999), np.clip(other, 0, 0.999_999)]
    if kind == "categories":
        numbers = [np.floor(16 * values).astype(np.int64) for values in numbers]
    original = pl.DataFrame(dict(zip(_NAMES, [*numbers, category], strict=True)))
    secret, mechanisms, released = Randomness(seed), {}, {}
    for name, size, rate in zip(
        _NAMES, _SIZES, shares(rate_for(k, _ROWS), list(_NAMES)).values(), strict=True
    ):
        if original[name].dtype.is_float():
            mechanisms[name] = calibrate("laplace", rate, low=0, high=1, grid=1e-4)
        else:
            mechanisms[name] = calibrate("retention", rate, values=tuple(range(size)))
        values = mechanisms[name].randomize(original[name].to_numpy().astype(np.float64), secret)
        released[name] = pl.Series(values).cast(original[name].dtype)
    return original, pl.DataFrame(released), mechanisms


def _bins(kind: str) -> dict[str, int]:
    return {"first": 16, "second": 16} if kind == "numbers" else {}


def _counts(frame: pl.DataFrame) -> npt.NDArray[np.float64]:
    import numpy as np

    flat = np.zeros(frame.height, dtype=np.int64)
    for name, size in zip(_NAMES, _SIZES, strict=True):
        flat = flat * size + frame[name].to_numpy()
    return np.bincount(flat, minlength=16 * 16 * 8).astype(np.float64)


def _draws(report: Report) -> None:
    mine, plain = _measured(report, bounded_draws), _measured(report, numpy_draws)
    report.table(
        "10^7 draws",
        ["what", "seconds", "by the clock", "peak"],
        [
            [name, seconds(one.cpu), seconds(one.median), megabytes(one.peak_mb)]
            for name, one in (("bounded Laplace, secure, on a grid", mine), ("numpy, as it comes", plain))
        ],
    )
    report.ratio("10^7 bounded secure draws / plain numpy, processor seconds", mine.cpu, plain.cpu, "below 3")
    report.ratio(
        "10^7 bounded secure draws / plain numpy, seconds by the clock", mine.median, plain.median, "below 3"
    )


def _table(report: Report, kind: str, k: int) -> list[str]:
    import statistics

    bare = _measured(report, rebuilt, kind=kind, k=k, draws=0)
    whole = _measured(report, rebuilt, kind=kind, k=k)
    found = _measured(report, errors, kind=kind, k=k).facts["errors"]
    means = [statistics.mean(column) for column in zip(*found, strict=True)]
    worst = max(estimate / released for estimate, released, _ in found)
    goal = "at most 0.5, every seed" if k == 2 else "clearly below 1, every seed"
    report.ratio(f"estimate / released counts, worst seed, {kind}, k = {k}", worst, 1.0, goal)
    for how, value in (("processor", whole.cpu), ("clock", whole.median)):
        name = f"a second / {how} seconds of a table with standard errors, {kind}, k = {k}"
        report.ratio(name, 1.0, value, "above 1")
    return [
        f"{kind}, k = {k}",
        seconds(bare.cpu),
        seconds(whole.cpu),
        seconds(whole.median),
        megabytes(whole.peak_mb),
        *(f"{mean:.3f}" for mean in means[:2]),
        f"{worst:.3f}",
        f"{means[2]:.3f}",
    ]


def _beside_rival(report: Report) -> None:
    from importlib.util import find_spec

    if find_spec("multi_freq_ldpy") is None:
        report.note("multi-freq-ldpy is not installed: no rival.")
        return
    rows = []
    for k in _KS:
        mine = _measured(report, ours, k=k)
        rows.append(
            [f"sudare, k = {k}", seconds(mine.cpu), megabytes(mine.peak_mb), f"{mine.facts['error']:.3f}"]
        )
        margins = _measured(report, rival_margins, k=k)
        rows.append(
            [
                f"MI, product of margins, k = {k}",
                seconds(margins.cpu),
                megabytes(margins.peak_mb),
                f"{margins.facts['error']:.3f}",
            ]
        )
        for steps in _RIVAL_STEPS:
            theirs = measure(rival, repeats=1, budget=1.0, limit=300.0, k=k, steps=steps)
            if theirs is None:
                report.note(
                    f"IBU with up to {steps:,} iterations, k = {k}, took longer than 300 s and was ended."
                )
                continue
            report.measurements.append(theirs)
            rows.append(
                [
                    f"IBU, up to {steps:,} iterations, k = {k}",
                    seconds(theirs.cpu),
                    megabytes(theirs.peak_mb),
                    f"{theirs.facts['error']:.3f}",
                ]
            )
            report.ratio(f"IBU ({steps:,}) / sudare, seconds, k = {k}", theirs.cpu, mine.cpu)
            report.ratio(
                f"IBU ({steps:,}) / sudare, total variation, k = {k}",
                theirs.facts["error"],
                mine.facts["error"],
            )
    columns = ["from the same released counts, seed 0", "seconds", "peak", "total variation"]
    report.table("Beside multi-freq-ldpy (categories)", columns, rows)


if __name__ == "__main__":
    main()
