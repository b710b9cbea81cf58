"""Information loss by distances (ILD): Adult exactly, closed forms up to a million rows, and a plain loop over pairs.

The work is `sd.measure.ild` from two polars frames to the loss, so coding the columns is in its time. Adult
(32,561 rows) is microaggregated in groups of 10 sorted by marital-status and capital-gain, as in the paper. The
plain loops compute what the definition says, over all ordered pairs, with the same weights: their result must be
Sudare's. A measurement is rejected when it was not computed in the way its table says.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Measurement,
    Report,
    growth,
    measure,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    import polars as pl

_FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult" / "adult.data"
_ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *(
        "relationship",
        "race",
        "sex",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
        "native-country",
        "class",
    ),
]
_TWO = ["capital-gain", "marital-status"]
_GROUP = 10
_SIZES = (10_000, 100_000, 1_000_000)
_CLOSED = (
    "Euclid, p = 2",
    "Euclid, p = 1",
    "Euclid, ranges, p = 2",
    "discrete",
    "tree",
    "joint of all, p = 2",
)
_PLAIN_ROWS = 5_000
_DISTINCT = (1_000, 3_000, 10_000)


def main() -> None:
    report = Report("information_loss", __doc__)
    if _FILE.exists():
        _on_adult(report)
    else:
        report.note(f"Adult is skipped because {_FILE} is absent.")
    for form in _CLOSED:
        _growing(report, form)
    _against_loops(report)
    _other_ways(report)
    report.save()


def adult(columns: list[str], texts: str) -> Case:
    """ILD of microaggregated Adult: numbers by Euclid, texts by the named distance, all together."""
    import sudare as sd

    before = _adult().select(columns)
    after = _microaggregated(before)
    chosen = {"discrete": sd.distance.Discrete(), "Levenshtein": sd.distance.NormalizedLevenshtein()}[texts]
    distances: dict[str, Any] = {
        name: sd.distance.Euclid() if before[name].dtype.is_numeric() else chosen for name in columns
    }
    return Case(lambda: sd.measure.ild(before, after, distances), _facts)


def closed(form: str, rows: int) -> Case:
    """One closed form on made-up columns: 10 % of the numbers distinct, 500 leaves below 50 and 5 nodes."""
    import sudare as sd

    before, after = _made(rows)
    distance: dict[str, Any] = {"discrete": sd.distance.Discrete(), "tree": sd.distance.TreeDistance()}
    column = {"discrete": "leaf", "tree": "leaf", "Euclid, ranges, p = 2": "ranged"}.get(form, "number")
    columns = ["number", "leaf"] if form.startswith("joint") else [column]
    nodes = {f"top{top}": {f"node{top}{low}": _leaves(top, low) for low in range(10)} for top in range(5)}
    table = sd.read(before).describe(
        quasi=["number", "ranged", "leaf"], hierarchies={"leaf": sd.hierarchy.tree(nodes)}
    )
    power = 1.0 if form.endswith("p = 1") else 2.0
    return Case(
        lambda: sd.measure.ild(table, after, distance.get(form), columns=columns, p=power),
        _facts,
    )


def sudare_pairs(rows: int) -> Case:
    """Number and category together on the rows that the plain loops can do."""
    import sudare as sd

    before, after = _pairs(rows)
    distances: dict[str, Any] = {"number": sd.distance.Euclid(), "leaf": sd.distance.Discrete()}
    return Case(lambda: sd.measure.ild(before, after, distances), _facts)


def plain_python(rows: int) -> Case:
    """The definition: two loops over rows."""
    sides = [
        list(zip(side["number"].to_list(), side["leaf"].to_list(), strict=True)) for side in _pairs(rows)
    ]

    def work() -> dict[str, float]:
        sums = []
        for side in sides:
            numbers = texts = 0.0
            for x, a in side:
                for y, b in side:
                    numbers += (x - y) * (x - y)
                    texts += a != b
            sums.append((numbers, texts))
        return _loss(*sums)

    return Case(work, lambda found: found)


def plain_numpy(rows: int) -> Case:
    """The definition with whole matrices of distances."""
    import numpy as np

    sides = [(side["number"].to_numpy(), side["leaf"].rank("dense").to_numpy()) for side in _pairs(rows)]

    def work() -> dict[str, float]:
        return _loss(
            *(
                (
                    float(((numbers[:, None] - numbers[None, :]) ** 2).sum()),
                    float(np.not_equal(codes[:, None], codes[None, :]).sum()),
                )
                for numbers, codes in sides
            )
        )

    return Case(work, lambda found: found)


def other_way(form: str, rows: int) -> Case:
    """Sums without closed form, over distinct points or sampled, on `rows` rows that are all different."""
    import numpy as np
    import polars as pl

    import sudare as sd

    random = np.random.default_rng(1)
    numbers = random.permutation(rows).astype(float)
    letters = random.integers(97, 123, (rows, 12), dtype=np.uint8)
    before = pl.DataFrame({"number": numbers, "text": [bytes(row).decode() for row in letters]})
    after = before.with_columns(pl.col("number") // 10 * 10, pl.col("text").str.slice(0, 8))
    columns, distance, power = {
        "Euclid, p = 3": (["number"], sd.distance.Euclid(), 3.0),
        "Levenshtein": (["text"], sd.distance.Levenshtein(), 2.0),
        "joint, p = 1": (
            ["number", "text"],
            {"number": sd.distance.Euclid(), "text": sd.distance.Discrete()},
            1.0,
        ),
        "joint with Levenshtein, p = 1": (
            ["number", "text"],
            {"number": sd.distance.Euclid(), "text": sd.distance.Levenshtein()},
            1.0,
        ),
    }[form]
    return Case(
        lambda: sd.measure.ild(before, after, distance, columns=columns, p=power, seed=1),  # type: ignore[arg-type]  # one of the forms above
        _facts,
    )


def _facts(found: Any) -> dict[str, Any]:
    return {"ild": float(found), "way": found.way, "interval": found.interval}


def _loss(before: tuple[float, float], after: tuple[float, float]) -> dict[str, float]:
    """Both columns with weights 1/I."""
    now = sum(left / whole for whole, left in zip(before, after, strict=True))
    return {"ild": (len(before) - now) / len(before)}


def _adult() -> pl.DataFrame:
    import polars as pl

    frame = pl.read_csv(_FILE, has_header=False, new_columns=_ADULT, infer_schema_length=None)
    texts = frame.drop_nulls().with_columns(pl.col(pl.String).str.strip_chars())  # the last line is empty
    numbers = [name for name in _ADULT if texts[name].cast(pl.Int64, strict=False).null_count() == 0]
    return texts.with_columns(pl.col(numbers).cast(pl.Int64))


def _microaggregated(frame: pl.DataFrame) -> pl.DataFrame:
    """Groups of 10 sorted by category, then number; the mean, and the most frequent category."""
    import polars as pl

    ordered = frame.with_row_index("row").sort(_TWO[1], _TWO[0])
    last = max(frame.height // _GROUP, 1) - 1
    group = (pl.int_range(pl.len()) // _GROUP).clip(upper_bound=last)
    made = ordered.with_columns(group=group).with_columns(
        (
            pl.col(name).mean()
            if frame[name].dtype.is_numeric()
            else pl.col(name).mode(maintain_order=True).first()
        ).over("group")
        for name in frame.columns
    )
    return made.sort("row").select(frame.columns)


def _made(rows: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    numbers = random.integers(0, rows // 10, rows)
    leaves = random.integers(0, 500, rows)
    names = np.array([leaf for top in range(5) for low in range(10) for leaf in _leaves(top, low)])
    above = np.array([f"node{top}{low}" for top in range(5) for low in range(10) for _ in range(10)])
    before = pl.DataFrame({"number": numbers, "ranged": numbers, "leaf": names[leaves]})
    start = pl.col("ranged") // 10 * 10
    return before, pl.DataFrame({"number": numbers // 10 * 10 + 4.5, "leaf": above[leaves]}).with_columns(
        before.select(ranged=pl.format("[{}, {}]", start, start + 9))
    )


def _leaves(top: int, low: int) -> list[str]:
    return [f"leaf{top}{low}{leaf}" for leaf in range(10)]


def _pairs(rows: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    before, after = _made(rows)
    return before.select("number", "leaf"), after.select("number", "leaf")


def _on_adult(report: Report) -> None:
    rows = []
    for title, columns in (
        ("capital-gain, marital-status", _TWO),
        ("all 14 attributes and the class", _ADULT),
    ):
        for texts in ("discrete", "Levenshtein"):
            taken = measure_into(report, adult, columns=columns, texts=texts)
            if taken.facts["way"] == "sampled":
                raise RuntimeError(f"{title} by {texts} was sampled, not exact.")
            rows.append(
                [f"{title}, {texts}", *_shown(taken), f"{taken.facts['ild']:.6f}", taken.facts["way"]]
            )
            if columns is _TWO:
                report.ratio(f"a second / exact joint ILD of Adult, {texts}", 1.0, taken.median, "above 1")
    columns = ["columns, distance of texts", "median", "cpu", "first call", "peak", "ILD", "way"]
    report.table("Adult, 32,561 rows, groups of 10: exact joint ILD", columns, rows)


def _growing(report: Report, form: str) -> None:
    taken = [measure_into(report, closed, form=form, rows=rows) for rows in _SIZES]
    if any(each.facts["way"] != "closed form" for each in taken):
        raise RuntimeError(f"{form} was not computed by its closed form.")
    slopes = ["", *(f"n^{slope:.2f}" for slope in growth(_SIZES, [each.median for each in taken]))]
    rows = [
        [
            f"{size:,}",
            *_shown(each),
            f"{each.peak_mb - each.base_mb:,.0f} MB",
            f"{each.facts['ild']:.6f}",
            slope,
        ]
        for size, each, slope in zip(_SIZES, taken, slopes, strict=True)
    ]
    columns = ["rows", "median", "cpu", "first call", "peak", "above its data", "ILD", "growth"]
    report.table(f"closed form: {form}", columns, rows)
    report.ratio(
        f"exponent of growth from {_SIZES[1]:,} to {_SIZES[2]:,} rows, {form}", *_slope(taken), "about 1"
    )


def _slope(taken: list[Measurement]) -> tuple[float, float]:
    return growth(_SIZES[1:], [each.median for each in taken[1:]])[0], 1.0


def _against_loops(report: Report) -> None:
    ours = measure_into(report, sudare_pairs, rows=_PLAIN_ROWS)
    rows = [["Sudare", *_shown(ours), f"{ours.facts['ild']:.9f}", ""]]
    for name, case in (("numpy matrices", plain_numpy), ("Python loops", plain_python)):
        theirs = measure_into(report, case, rows=_PLAIN_ROWS)
        if abs(theirs.facts["ild"] - ours.facts["ild"]) > 1e-9:
            raise RuntimeError(f"Sudare found {ours.facts['ild']}, {name} {theirs.facts['ild']}.")
        ratio = theirs.median / ours.median
        rows.append([name, *_shown(theirs), f"{theirs.facts['ild']:.9f}", f"{ratio:,.0f}"])
        report.ratio(
            f"{name} / Sudare, {_PLAIN_ROWS:,} rows",
            theirs.median,
            ours.median,
            "hundreds",
            why="The whole call takes milliseconds, about half of them a fixed cost that 50 rows have as well; the ratio "
            "grows with the rows, since the closed form takes n log n steps and matrices n^2.",
        )
    columns = ["way", "median", "cpu", "first call", "peak", "ILD", "ratio"]
    report.table(f"{_PLAIN_ROWS:,} rows, number and category together", columns, rows)


def _other_ways(report: Report) -> None:
    rows = []
    for form in ("Euclid, p = 3", "Levenshtein", "joint, p = 1", "joint with Levenshtein, p = 1"):
        for size in (*_DISTINCT, 1_000_000):
            taken = measure(other_way, form=form, rows=size, repeats=2, budget=10.0, limit=240.0)
            if taken is None:
                rows.append([f"{form}, {size:,}", "over 240 s", "", "", "", "", ""])
                continue
            report.measurements.append(taken)
            interval = taken.facts["interval"]
            width = "" if interval is None else f"+- {(interval[1] - interval[0]) / 2:.1e}"
            shown = [f"{taken.facts['ild']:.6f} {width}".rstrip(), taken.facts["way"]]
            rows.append([f"{form}, {size:,}", *_shown(taken), *shown])
    columns = ["distance, distinct rows", "median", "cpu", "first call", "peak", "ILD", "way"]
    report.table("no closed form: distinct points, then sampled", columns, rows)


def _shown(taken: Measurement) -> list[str]:
    return [seconds(taken.median), seconds(taken.cpu), seconds(taken.first), megabytes(taken.peak_mb)]


if __name__ == "__main__":
    main()
