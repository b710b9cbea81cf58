"""Generalize beside optima that integer programming proves; and those beside exhaustive search."""

# mypy: disable-error-code="attr-defined, import-not-found, arg-type"

import numpy as np
import pytest
from tests.cases.benchmark_scripts import BENCHMARKS, importable
from tests.cases.places import PROJECT
from tests.twins import generalize as twins

import sudare as sd

ADULT = PROJECT.parent / "shared" / "data" / "adult_hierarchies" / "adult.csv"


@pytest.fixture(scope="module")
def benchmark():
    """The benchmark's own search for the optimum."""
    with importable(BENCHMARKS):
        import generalization_optimum

        yield generalization_optimum


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("kind", ["mixed", "constant", "equal", "duplicates"])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_of_the_benchmark_is_that_of_exhaustive_search(benchmark, k, kind, seed):
    example = twins.example(np.random.default_rng(seed), 8, 2, kind=kind)
    one_group = example.cost(range(8)) / 8
    assert benchmark.optimum(example.table, k, one_group, 60.0) * 8 == pytest.approx(
        twins.optimum(example, k)
    )


@pytest.mark.slow
def test_small_tables_come_near_the_optimum(benchmark):
    k, lost, optima = 6, dict.fromkeys(("fast", "default", "thorough"), 0.0), 0.0
    for seed in range(3):
        table = twins.example(np.random.default_rng(seed), 60, 4).table
        reached = {
            effort: sd.anonymize(table, sd.KAnonymity(k), method=sd.Generalize(effort=effort)).losses["loss"]
            for effort in lost
        }
        least = benchmark.optimum(table, k, min(reached.values()), 120.0)
        assert all(least <= loss + 1e-9 for loss in reached.values())
        optima += least
        lost = {effort: lost[effort] + reached[effort] for effort in lost}
    assert lost["fast"] <= 1.05 * optima
    assert lost["default"] <= 1.03 * optima
    assert lost["thorough"] <= 1.02 * optima


@pytest.mark.slow
@pytest.mark.skipif(not ADULT.exists(), reason=f"{ADULT} is absent")
@pytest.mark.parametrize(
    ("marital_status", "education", "least"),
    [
        ("Divorced", "Masters", 0.11978106484279322),
        ("Never-married", "Assoc-acdm", 0.1042287673940335),
        ("Never-married", "10th", 0.09460431543764877),
    ],
)
def test_parts_of_adult_reach_the_proven_optimum(benchmark, marital_status, education, least):
    """Tables about as large as a region, which thorough missed while all regions were of one size."""
    table = benchmark.adult(9)
    shown = table.frame.with_row_index("row").filter(
        sex="Female", race="White", **{"marital-status": marital_status}, education=education
    )
    part = table.take(shown["row"].to_numpy())
    release = sd.anonymize(part, sd.KAnonymity(10), method=sd.Generalize(effort="thorough"))
    assert release.losses["loss"] == pytest.approx(least)
