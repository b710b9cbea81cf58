"""The page of the experiment `crosstab`: figures, expectations, and how many records are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.experiments.result import Check, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

WANTED = (0.2, 0.1, 0.05)
"""Total variation distances for which advice is given."""
_ROOM = 1.02
_SETTING = ["mechanism", "bins", "k"]


def advice(means: pl.DataFrame) -> pl.DataFrame:
    """For each setting, the number of records for each wanted error, between and beyond the measured sizes.

    Errors fall like a power of the number of records: values are interpolated between two sizes on a logarithmic
    scale, and extrapolated from the last two, up to a hundred times as many records; null if even these are not
    enough.
    """
    rows = []
    for setting, group in means.group_by(_SETTING, maintain_order=True):
        line = group.sort("records")
        row: dict[str, Any] = dict(zip(_SETTING, setting, strict=True))
        for wanted in WANTED:
            row[f"error {wanted}"] = _reached(line["records"].to_numpy(), line["estimate"].to_numpy(), wanted)
        rows.append(row)
    return pl.DataFrame(rows, schema_overrides={f"error {wanted}": pl.Int64 for wanted in WANTED})


def _reached(records: Any, errors: Any, wanted: float) -> int | None:
    x, y = np.log(records), np.log(np.maximum(errors, 1e-12))
    below = np.flatnonzero(errors <= wanted)
    if len(below) and below[0] == 0:
        return int(records[0])
    if len(records) < 2:
        return None
    place = int(below[0]) if len(below) else len(records) - 1
    slope = (y[place] - y[place - 1]) / (x[place] - x[place - 1])
    if slope >= -0.05:
        return None
    found = np.exp(x[place - 1] + (np.log(wanted) - y[place - 1]) / slope)
    if found > 100 * records[-1]:
        return None
    digits = 10 ** (len(str(int(found))) - 2)
    return int(np.ceil(found / digits) * digits)


def figures(means: pl.DataFrame) -> dict[str, Figure]:
    """Error by records, k, bins and mechanism."""
    import altair as alt

    long = means.unpivot(
        on=["estimate", "released"], index=[*_SETTING, "records"], variable_name="table", value_name="error"
    )
    middle_bins, middle_k = _middle(means["bins"]), _middle(means["k"])
    most = int(means["records"].to_numpy().max())

    def lines(shown: pl.DataFrame, x: Any, title: str) -> Any:
        y = alt.Y("error:Q", title="total variation", scale=alt.Scale(type="log"))
        both = alt.Chart(shown, title=title).encode(x=x, y=y, color=alt.Color("mechanism:N"))
        # Draw points separately: otherwise the legend would show points instead of solid and dashed lines.
        dashed = both.mark_line().encode(strokeDash=alt.StrokeDash("table:N", title=None))
        return (dashed + both.mark_circle()).properties(width=360, height=240)

    def measured(column: str, title: str, scale: Any) -> Any:
        # Ticks only at measured values: the default ticks of a logarithmic axis overlap.
        values = sorted(set(means[column].to_list()))
        axis = alt.Axis(values=values, format="~s", labelOverlap=False)
        return alt.X(f"{column}:Q", title=title, axis=axis, scale=alt.Scale(type=scale))

    about = "solid the estimate, dashed the released counts; look for how far the solid line lies below the dashed one"
    return {
        "records": Figure(
            lines(
                long.filter((pl.col("bins") == middle_bins) & (pl.col("k") == middle_k)),
                measured("records", "records", "log"),
                f"Error by records (k = {middle_k}, {middle_bins} bins a number)",
            ),
            f"Error of the cross tabulation by the number of records, for each mechanism (k = {middle_k}, {middle_bins} bins a "
            f"number): {about}, and how both fall with more records.",
        ),
        "k": Figure(
            lines(
                long.filter((pl.col("bins") == middle_bins) & (pl.col("records") == most)),
                measured("k", "k", "log"),
                f"Error by k ({most:,} records, {middle_bins} bins a number)",
            ),
            f"Error of the cross tabulation by k, for each mechanism ({most:,} records, {middle_bins} bins a number): {about}, "
            "and how the error grows with k.",
        ),
        "bins": Figure(
            lines(
                long.filter((pl.col("k") == middle_k) & (pl.col("records") == most)),
                measured("bins", "bins a number", "linear"),
                f"Error by bins ({most:,} records, k = {middle_k})",
            ),
            f"Error of the cross tabulation by the bins of a number, for each mechanism ({most:,} records, k = {middle_k}): "
            f"{about}, and how fast the error grows with finer bins.",
        ),
    }


def checks(means: pl.DataFrame) -> Iterator[Check]:
    """What users must be able to rely on."""
    better = means.filter(pl.col("estimate") <= _ROOM * pl.col("released")).height
    yield Check(
        f"The estimate is no worse than the released counts (room: 2 %) in {better} of {means.height} settings.",
        better == means.height,
    )
    ratios = (means["estimate"] / means["released"]).to_numpy()
    yield Check(
        f"On average its error is {ratios.mean():.2f} of that of the released counts.", ratios.mean() < 1
    )
    for column, word, sign in (("records", "falls", -1), ("k", "grows", 1), ("bins", "grows", 1)):
        others = [name for name in (*_SETTING, "records") if name != column]
        ends = (
            means.sort(column)
            .group_by(others)
            .agg(pl.col("estimate").first().alias("first"), pl.col("estimate").last().alias("last"), pl.len())
        )
        moved = ends.filter(pl.col("len") > 1)
        if moved.height:
            right = int(((moved["last"] - moved["first"]) * sign > 0).sum())
            yield Check(
                f"The error {word} with {column} from its least to its largest in {right} of {moved.height} settings.",
                right >= 0.9 * moved.height,
            )


def notes(source: str, columns: list[str], needed: pl.DataFrame, most: int) -> tuple[str, ...]:
    """The method, and the advice as a table."""
    head = [*_SETTING, *(f"records for error {wanted}" for wanted in WANTED)]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in needed.iter_rows():
        cells = [
            "too many" if cell is None else _records(cell, most) if place >= len(_SETTING) else str(cell)
            for place, cell in enumerate(row)
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return (
        (
            f"Records are drawn with replacement from {source}, the table is {' x '.join(columns)}; numbers have so many bins of "
            "equal width over a range known beforehand. Each column is randomized so that all together are k-anonymous "
            "among the records (equal budgets): with more records each needs less noise. `laplace` and `normal` are bounded "
            "noise on numbers, with retention-replacement of the category; `retention` replaces the bins of numbers, too. "
            "The error is the total variation between the estimated table and that of the drawn records."
        ),
        "",
        "## How many records do I need?",
        "",
        *lines,
        "",
        (
            f"Numbers above {most:,}, the largest size measured, are marked ~: they are extrapolated and rough, and need not "
            "grow with k. Few bins and retention instead of noise on numbers help most; where a cell says *too many*, "
            "tabulate fewer attributes."
        ),
    )


def _records(needed: int, most: int) -> str:
    return f"~{needed:,}" if needed > most else f"{needed:,}"


def _middle(column: pl.Series) -> int:
    values = sorted(set(column.to_list()))
    return int(values[len(values) // 2])
