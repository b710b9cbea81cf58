"""MDAV, k = 5: the kd-tree beside brute force, which gives the identical partition, and growth to a million rows.

Seconds are processor seconds. Brute force looks at every record left for each decision; for large tables it is
extrapolated from its first rounds: a round over n records costs n times what a record costs, and what is left falls
evenly from n to 0, so the whole takes as long as n / 4k first rounds. Where it is short enough the whole is run too,
beside the extrapolation, and the partitions are compared, label by label (`--identity` does this alone and stores
nothing). Data are standardized: normal, lognormal (exp of normal), Cauchy and rounded (normal to one digit: ties and
duplicates) columns without correlation, the worst case for any index. "peak" is the memory of the whole process.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Report,
    growth,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_K = 5
_ROUNDS = 20
_WARM = 100
"""Records of the call before the clock runs, which compiles the kernels or loads them."""
_TABLES = (
    # kind, columns, sizes, goal of the ratio at the largest size
    ("normal", 2, (10_000, 100_000, 1_000_000), "at least 50"),
    ("normal", 5, (10_000, 100_000, 1_000_000), "at least 50"),
    ("normal", 10, (10_000, 100_000), "at least 4"),
    ("normal", 20, (10_000, 100_000), ""),
    ("lognormal", 2, (10_000, 100_000, 1_000_000), ""),
    ("lognormal", 5, (10_000, 100_000, 1_000_000), ""),
    ("lognormal", 10, (10_000, 100_000), ""),
    ("cauchy", 5, (10_000, 100_000), ""),
)
_WHOLE = (
    ("normal", 2, 30_000),
    ("normal", 5, 30_000),
    ("normal", 10, 30_000),
    ("lognormal", 2, 30_000),
    ("lognormal", 5, 30_000),
    ("cauchy", 5, 30_000),
    ("rounded", 2, 30_000),
    ("rounded", 5, 30_000),
)
_measured = partial(measure_into, repeats=3, budget=10.0)
_VARIABLE = (("normal", 2), ("normal", 5), ("lognormal", 5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--identity", action="store_true", help="only compare whole partitions with brute force"
    )
    report = Report("mdav_speed", __doc__)
    if parser.parse_args().identity:
        _whole(report)
        return
    _against_brute(report)
    _whole(report)
    _variable(report)
    report.save()


def indexed(kind: str, rows: int, columns: int) -> Case:
    """MDAV with the kd-tree."""
    from sudare.anonymize.microaggregate.mdav import mdav

    records = _records(kind, rows, columns)
    mdav(records[:_WARM], _K, method="indexed")
    return Case(lambda: mdav(records, _K, method="indexed"), _facts)


def brute(kind: str, rows: int, columns: int) -> Case:
    """MDAV by brute force, to the end."""
    from sudare.anonymize.microaggregate.mdav import mdav

    records = _records(kind, rows, columns)
    mdav(records[:_WARM], _K, method="brute")
    return Case(lambda: mdav(records, _K, method="brute"), _facts)


def first_rounds(kind: str, rows: int, columns: int) -> Case:
    """The next rounds of brute force, each of two groups; the first call sums up the records."""
    import numpy as np

    from sudare.kernels.points.mdav import initial_state, mdav_brute
    from sudare.kernels.points.scan import pool_of

    records = _records(kind, rows, columns)
    pool, state = pool_of(records, np.arange(rows)), initial_state(records, _K)
    return Case(lambda: mdav_brute(records, _K, pool, state, _ROUNDS))


def variable(kind: str, rows: int, columns: int, method: str) -> Case:
    """V-MDAV, gamma 0.2."""
    from sudare.anonymize.microaggregate.vmdav import vmdav

    records = _records(kind, rows, columns)
    vmdav(records[:_WARM], _K, 0.2, method=method)  # type: ignore[arg-type]  # from JSON
    return Case(lambda: vmdav(records, _K, 0.2, method=method), _facts)  # type: ignore[arg-type]  # from JSON


def _records(kind: str, rows: int, columns: int) -> npt.NDArray[np.float64]:
    import numpy as np

    from sudare.anonymize.microaggregate.arrays import standardized

    rng = np.random.default_rng(1)
    if kind == "cauchy":
        return standardized(rng.standard_cauchy(size=(rows, columns)))
    drawn = rng.normal(size=(rows, columns))
    if kind == "rounded":
        return standardized(drawn.round(1))
    return standardized(np.exp(drawn) if kind == "lognormal" else drawn)


def _facts(labels: npt.NDArray[np.int64]) -> dict[str, Any]:
    import hashlib

    return {"groups": int(labels.max()) + 1, "partition": hashlib.sha256(labels.tobytes()).hexdigest()[:16]}


def _against_brute(report: Report) -> None:
    rows = []
    for kind, columns, sizes, goal in _TABLES:
        times: list[float] = []
        for size in sizes:
            tree = _measured(report, indexed, kind=kind, rows=size, columns=columns)
            rounds = _measured(report, first_rounds, kind=kind, rows=size, columns=columns)
            whole = rounds.cpu / _ROUNDS * size / (4 * _K)
            times.append(tree.cpu)
            at = len(times)
            exponents = growth(sizes[at - 2 : at], times[at - 2 :]) if at > 1 else []
            rows.append(
                [
                    f"{kind} {size:,} x {columns}",
                    seconds(tree.cpu),
                    "".join(f"{exponent:.2f}" for exponent in exponents),
                    seconds(whole),
                    f"{whole / tree.cpu:,.0f}",
                    megabytes(tree.peak_mb),
                ]
            )
            if size == sizes[-1]:
                report.ratio(
                    f"MDAV {kind} {size:,} x {columns}: brute force (extrapolated) over kd-tree",
                    whole,
                    tree.cpu,
                    goal,
                )
                name = f"2 GB / peak memory of kd-tree, MDAV {kind} {size:,} x {columns}"
                report.ratio(name, 2048.0, tree.peak_mb, "above 1" if goal else "")
    report.table(
        "MDAV: kd-tree and brute force extrapolated",
        ["table", "kd-tree", "growth", "brute force", "ratio", "peak"],
        rows,
    )


def _whole(report: Report) -> None:
    rows = []
    for kind, columns, size in _WHOLE:
        tree = _measured(report, indexed, kind=kind, rows=size, columns=columns)
        scan = _measured(report, brute, kind=kind, rows=size, columns=columns)
        rounds = _measured(report, first_rounds, kind=kind, rows=size, columns=columns)
        rows.append(
            [
                f"{kind} {size:,} x {columns}",
                seconds(tree.cpu),
                seconds(scan.cpu),
                seconds(rounds.cpu / _ROUNDS * size / (4 * _K)),
                "identical" if tree.facts == scan.facts else "DIFFERENT",
            ]
        )
    report.table(
        "MDAV: brute force to the end",
        ["table", "kd-tree", "brute force", "extrapolated", "partitions"],
        rows,
    )


def _variable(report: Report) -> None:
    rows = []
    for kind, columns in _VARIABLE:
        tree = _measured(report, variable, kind=kind, rows=10_000, columns=columns, method="indexed")
        scan = _measured(report, variable, kind=kind, rows=10_000, columns=columns, method="brute")
        large = _measured(report, variable, kind=kind, rows=100_000, columns=columns, method="indexed")
        rows.append(
            [
                f"{kind} x {columns}",
                seconds(tree.cpu),
                seconds(scan.cpu),
                f"{scan.cpu / tree.cpu:,.0f}",
                "identical" if tree.facts == scan.facts else "DIFFERENT",
                seconds(large.cpu),
                f"{growth((10_000, 100_000), (tree.cpu, large.cpu))[0]:.2f}",
            ]
        )
    report.table(
        "V-MDAV, gamma 0.2",
        ["table", "kd-tree 10,000", "brute force 10,000", "ratio", "partitions", "kd-tree 100,000", "growth"],
        rows,
    )


if __name__ == "__main__":
    main()
