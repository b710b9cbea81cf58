"""ILD on UCI Adult (Akiyama 2018, chapter 4.1): three ways of grouping, two distances, k = 2 … 100."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.distance import Discrete, Euclid, NormalizedLevenshtein, Product
from sudare.experiments.result import Check, Compared, Experiment, Figure, needed_file
from sudare.measure.information import ild
from sudare.progress import SILENT, Progress
from sudare.read.source import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from sudare.describe.distance import ColumnDistance

_NUMBER, _CATEGORY = "capital-gain", "marital-status"
_PLACES = {_NUMBER: 10, _CATEGORY: 5}
_ORDERS = {"D_A": [_NUMBER], "D_B": [_CATEGORY], "D_C": [_CATEGORY, _NUMBER]}
_DISTANCES: dict[str, ColumnDistance] = {"discrete": Discrete(), "levenshtein": NormalizedLevenshtein()}
_SMALLEST, _LARGEST = 2, 100


def ild_adult(data: Path | None = None, progress: Progress = SILENT, largest: int = _LARGEST) -> Experiment:
    """Figures 4.1-4.6: ILD of the number, the category and both, for groups of k in three orders."""
    frame, _ = load(needed_file(data, "adult", "adult.data"), header=False)
    adult = pl.DataFrame({name: frame.to_series(place) for name, place in _PLACES.items()})
    sizes = range(_SMALLEST, largest + 1)
    progress.start("ild-adult", len(_ORDERS) * len(sizes))
    rows: list[dict[str, Any]] = []
    for done, (order, k) in enumerate((order, k) for order in _ORDERS for k in sizes):
        rows.extend(_losses(adult.sort(_ORDERS[order]), order, k))
        progress.update(done + 1)
    table = pl.DataFrame(rows)
    return Experiment(
        name="ild-adult",
        title="ILD of microaggregated Adult: three orders, two distances",
        paper="Akiyama: information loss by anonymization (thesis, Nara Women's University 2018, in Japanese), "
        "chapter 4.1, figures 4.1-4.6.",
        tables={"losses": table},
        figures=dict(_figures(table)),
        checks=tuple(_checks(table)),
        compared=tuple(_compared(table)),
        notes=(_note(adult.height),),
    )


def _note(rows: int) -> str:
    return (
        f"{rows:,} rows; {_NUMBER} by Euclid, {_CATEGORY} by the discrete or the normalized Levenshtein distance, "
        "both together by the product distance with weights 1/I."
    )


def _losses(ordered: pl.DataFrame, order: str, k: int) -> Iterator[dict[str, Any]]:
    grouped = _microaggregated(ordered, k)
    for name, distance in _DISTANCES.items():
        loss = ild(ordered, grouped, Product({_NUMBER: Euclid(), _CATEGORY: distance}))
        for column, value in [
            (_NUMBER, float(loss.columns[_NUMBER])),
            (_CATEGORY, float(loss.columns[_CATEGORY])),
            ("joint", float(loss)),
        ]:
            yield {"order": order, "distance": name, "k": k, "column": column, "ild": value}


def _microaggregated(ordered: pl.DataFrame, k: int) -> pl.DataFrame:
    """Consecutive groups of k, the last with the remainder: mean of the number, most frequent category."""
    group = np.minimum(np.arange(ordered.height) // k, max(ordered.height // k, 1) - 1)
    codes = ordered[_CATEGORY].rank("dense").to_numpy().astype(np.int64) - 1
    names = ordered[_CATEGORY].unique().sort()
    counts = np.zeros((int(group[-1]) + 1, len(names)), dtype=np.int64)
    np.add.at(counts, (group, codes), 1)
    most: npt.NDArray[np.intp] = counts.argmax(axis=1)
    numbers = ordered[_NUMBER].to_numpy().astype(np.float64)
    means = np.bincount(group, weights=numbers) / np.bincount(group)
    return pl.DataFrame({_NUMBER: means[group], _CATEGORY: names.gather(most[group])})


def _figures(table: pl.DataFrame) -> Iterator[tuple[str, Figure]]:
    import altair as alt

    number = 1
    for distance in _DISTANCES:
        for order, sorted_by in _ORDERS.items():
            shown = table.filter((pl.col("order") == order) & (pl.col("distance") == distance))
            chart = (
                alt.Chart(shown, title=f"Figure 4.{number}: {order}, {distance}")
                .mark_line()
                .encode(x="k:Q", y=alt.Y("ild:Q", title="ILD"), color=alt.Color("column:N", title=None))
                .properties(width=360, height=240)
            )
            yield (
                f"figure-4-{number}",
                Figure(
                    chart,
                    f"Figure 4.{number}: ILD by k of {_NUMBER}, {_CATEGORY} and both together (joint), records grouped in the order "
                    f"{order} (sorted by {', then '.join(sorted_by)}), {distance} distance of categories; look for {_LOOK[order]}.",
                ),
            )
            number += 1


_LOOK = {
    "D_A": f"the loss of {_CATEGORY}, which grows with k, above a small one of {_NUMBER}",
    "D_B": f"the loss of {_NUMBER}, which grows with k, above a small one of {_CATEGORY}",
    "D_C": "a joint loss that grows little, the smallest of the three orders",
}
_ONLY_DRAWN = (
    "The same direction. The paper prints curves without numbers, so only their order can be compared."
)


def _compared(table: pl.DataFrame) -> Iterator[Compared]:
    """What section 4.1.4 says about the figures, with our values at the smallest and the largest k."""
    joint = table.filter((pl.col("column") == "joint") & (pl.col("distance") == "discrete"))
    least, most = int(joint["k"].to_numpy().min()), int(joint["k"].to_numpy().max())
    for order, said in (
        ("D_A", "grows with k: categories are scattered over the groups"),
        ("D_B", "the same with numbers"),
        ("D_C", "grows little, smallest of the three"),
    ):
        line = joint.filter(pl.col("order") == order).sort("k")["ild"]
        yield Compared(
            f"joint ILD of {order}",
            said,
            f"{line[0]:.4f} at k = {least}, {line[-1]:.4f} at k = {most}",
            _ONLY_DRAWN,
        )


def _checks(table: pl.DataFrame) -> Iterator[Check]:
    for distance in _DISTANCES:
        joint = table.filter((pl.col("distance") == distance) & (pl.col("column") == "joint"))
        wide = joint.pivot("order", index="k", values="ild")
        wins = int((wide["D_C"] <= wide.select(pl.min_horizontal("D_A", "D_B")).to_series()).sum())
        yield Check(
            f"D_C has the smallest joint ILD ({distance}) for {wins} of {wide.height} values of k.",
            wins == wide.height,
        )
        for order, column in (("D_A", _CATEGORY), ("D_B", _NUMBER)):
            line = table.filter(
                (pl.col("order") == order) & (pl.col("column") == column) & (pl.col("distance") == distance)
            ).sort("k")
            trend = float(np.corrcoef(line["k"].rank().to_numpy(), line["ild"].rank().to_numpy())[0, 1])
            yield Check(
                f"The ILD of {column} in {order} ({distance}) grows with k: rank correlation {trend:.3f}.",
                trend > 0.9,
            )
