"""10^7 draws of every mechanism, secure and seeded, beside numpy's plain Laplace noise on the same values.

The bar: bounded Laplace draws from the operating system's cryptographic generator, rounded to a grid, take at most three
times as long as `values + Generator.laplace(…)`, which is neither bounded nor secure nor rounded. Figures are ratios of
processor seconds in the same run: on a busy machine they are steadier than times. "retry" draws again until the number fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Report,
    measure,
    seconds,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_DRAWS = 10_000_000
_LOW, _HIGH = 0.0, 100.0
_CASES: tuple[tuple[str, dict[str, Any], bool, str, str], ...] = (
    # name, mechanism, secure, draw, goal
    ("bounded Laplace", {"type": "laplace", "scale": 50}, True, "inverse", "below 3"),
    ("bounded Laplace on a grid", {"type": "laplace", "scale": 50, "grid": 0.01}, True, "inverse", "below 3"),
    (
        "bounded Laplace, scale 10^-6 of the range",
        {"type": "laplace", "scale": 1e-4},
        True,
        "inverse",
        "below 3",
    ),
    (
        "bounded Laplace, scale 10^6 of the range",
        {"type": "laplace", "scale": 1e8},
        True,
        "inverse",
        "below 3",
    ),
    ("bounded Laplace, seeded", {"type": "laplace", "scale": 50}, False, "inverse", "below 3"),
    ("bounded Laplace, retry", {"type": "laplace", "scale": 50}, True, "retry", ""),
    ("bounded normal", {"type": "normal", "deviation": 50}, True, "inverse", ""),
    ("bounded uniform", {"type": "uniform", "half_width": 100}, True, "inverse", ""),
    (
        "bounded logistic (scipy)",
        {"type": "density", "noise": {"name": "logistic", "scale": 30}},
        True,
        "inverse",
        "",
    ),
    (
        "retention of 16 values",
        {"type": "retention", "keep": 0.3, "values": list(range(16))},
        True,
        "inverse",
        "",
    ),
)


def main() -> None:
    report = Report("randomization_draws", __doc__)
    plain = measure(numpy_laplace, repeats=7)
    if plain is None:
        raise SystemExit("numpy's draws took too long to compare with.")
    report.measurements.append(plain)
    taken: dict[str, float] = {}
    rows = [["numpy Laplace noise", seconds(plain.cpu), "1.00", ""]]
    for name, mechanism, secure, draw, goal in _CASES:
        found = measure(mechanism_draws, budget=12.0, mechanism=mechanism, secure=secure, draw=draw)
        if found is None:
            rows.append([name, "too long", "", goal])
            continue
        report.measurements.append(found)
        taken[name] = found.cpu
        rows.append([name, seconds(found.cpu), f"{found.cpu / plain.cpu:.2f}", goal])
    for name, *_, goal in (case for case in _CASES if case[-1]):
        if name in taken:
            report.ratio(f"{name} over numpy's Laplace, 10^7 draws", taken[name], plain.cpu, goal)
    report.table("10^7 draws", ["draws", "processor seconds", "ratio to numpy", "goal of the ratio"], rows)
    report.save()


def numpy_laplace() -> Case:
    import numpy as np

    values, generator = _values(), np.random.default_rng(1)
    return Case(lambda: values + generator.laplace(0.0, 50.0, len(values)))


def mechanism_draws(mechanism: dict[str, Any], *, secure: bool, draw: str) -> Case:
    from sudare.mechanism import MECHANISMS
    from sudare.randomness import Randomness

    values = _values() % (16 if mechanism["type"] == "retention" else _HIGH)
    if mechanism["type"] != "retention":
        mechanism = {**mechanism, "low": _LOW, "high": _HIGH}
    made, random = MECHANISMS.build(mechanism), Randomness(None if secure else 1)
    return Case(lambda: made.randomize(values, random, draw=draw))  # type: ignore[arg-type]  # from the table above


def _values() -> npt.NDArray[np.float64]:
    import numpy as np

    return np.random.default_rng(0).random(_DRAWS) * _HIGH


if __name__ == "__main__":
    main()
