"""The page of the experiment `mil`: figures, expectations, and results beyond the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.experiments.mil_data import COMPONENTS, FALLS, OVERALL, PRINTED_LOSSES, SUMMED, made_up
from sudare.experiments.result import Check, Compared, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGE = 1_000  # below, k is a substantial part of N and the published counts after MDAV grow, too
_SHARE_ROOM, _FALL_ROOM = 10.0, 4.0  # percentage points; the paper's random numbers are unknown
_FIGURES = {
    "improved": "improved %",
    "mean_fall_of_improved": "mean fall %",
    "largest_fall": "largest fall %",
}
_DIGIT = 0.05
"""Figures are printed with one decimal place."""


def figures(losses: pl.DataFrame, tests: pl.DataFrame, counts: pl.DataFrame) -> dict[str, Figure]:
    """Distributions (A.3, A.6), losses by k (A.1, A.2, A.4, A.5, A.7, A.8), tests by k (A.9-A.14), tests by N."""
    import altair as alt

    found = {
        f"{name.lower()}-distribution": _distribution(name, number)
        for name, number in (("DS1", "A.3"), ("DS9", "A.6"))
        if name in losses["dataset"].unique()
    }
    found |= {
        f"{name.lower()}-{start.lower()}": _by_k(losses, name, start)
        for name in ("DS0", "DS1", "DS9")
        if name in losses["dataset"].unique()
        for start in OVERALL
    }
    for start in OVERALL:
        # A logarithmic axis has no 0, but MDAV's counts are 0 whenever k divides N.
        own = tests.filter((pl.col("dataset") == "DS0") & (pl.col("start") == start))
        chart = (
            alt.Chart(own)
            .mark_line(strokeWidth=1)
            .encode(
                x="k:Q",
                y=alt.Y(
                    "tests:Q",
                    axis=alt.Axis(values=[0, *(10**power for power in range(6))], format=",d"),
                    scale=alt.Scale(type="symlog"),
                ),
                color=alt.Color("seed:N", title="seed"),
                facet=alt.Facet("N:O", columns=2, title="records (N)", header=alt.Header(format=",")),
            )
            .properties(width=260, height=170, title=f"DS0: tests that MIL makes after {start}")
        )
        found[f"tests-ds0-{start.lower()}"] = Figure(
            chart,
            f"Tests that MIL makes on DS0 after {start}, by k, a panel for each number of records and a line for each seed: "
            f"{_LOOK_TESTS[start]}.",
        )
    sizes = sorted(set(counts["N"].to_list()))
    chart = (
        alt.Chart(counts, title="Tests that MIL makes, all data sets")
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "N:Q",
                title="records (N)",
                axis=alt.Axis(values=sizes, format="~s"),
                scale=alt.Scale(type="log"),
            ),
            y=alt.Y("mean:Q", title="mean tests", axis=alt.Axis(format="~s"), scale=alt.Scale(type="log")),
            color=alt.Color("start:N", title="MIL after"),
        )
        .properties(width=360, height=240)
    )
    found["tests"] = Figure(
        chart,
        "Mean number of tests that MIL makes by the number of records, after each start: look for the flat line after MDAV, and the "
        "one after V-MDAV that grows with the records.",
    )
    return found


_LOOK_TESTS = {
    "MDAV": "the counts fall to 0 where k divides N, and do not grow with N from 1,000 records on",
    "V-MDAV": "the counts grow tenfold from panel to panel, as N does",
}


def _distribution(name: str, number: str) -> Figure:
    """The density of a data set of table A.1 over the records that we draw from it."""
    import altair as alt

    drawn = made_up(name, None, 0)
    places = np.linspace(drawn.min() - 1, drawn.max() + 1, 200)
    density = np.mean(
        [
            np.exp(-(((places - mean) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi))
            for mean, deviation in COMPONENTS[name]
        ],
        axis=0,
    )
    shares, borders = np.histogram(drawn, bins=30, density=True)
    bars = (
        alt.Chart(pl.DataFrame({"from": borders[:-1], "to": borders[1:], "density": shares}))
        .mark_bar(color="#b0c4de")
        .encode(
            x=alt.X("from:Q", title="value"),
            x2="to:Q",
            y=alt.Y("density:Q", title="density"),
            y2=alt.datum(0),
        )
    )
    line = (
        alt.Chart(pl.DataFrame({"value": places, "density": density}))
        .mark_line()
        .encode(x="value:Q", y="density:Q")
    )
    title = f"Figure {number}: distribution of {name}"
    return Figure(
        (bars + line).properties(width=360, height=240, title=title),
        f"{title}, as table A.1 defines it (line), and the {len(drawn)} records that we draw from it with seed 0 (bars): look for "
        f"{len(COMPONENTS[name])} peaks.",
    )


def _by_k(losses: pl.DataFrame, name: str, start: str) -> Figure:
    """Loss of one data set by k: the starting method, MIL after it, the optimum."""
    import altair as alt

    named = {"before": start, "after": f"{start}, then MIL", "optimum": "optimum"}
    order = alt.Scale(domain=list(named.values()))
    lines = (
        losses.filter((pl.col("seed") == 0) & (pl.col("dataset") == name) & (pl.col("start") == start))
        .rename(named)
        .unpivot(on=list(named.values()), index=["k"], variable_name="groups", value_name="loss")
    )
    chart = (
        alt.Chart(lines, title=f"{name}: loss of {start}, before and after MIL")
        .mark_line()
        .encode(
            x="k:Q",
            y=alt.Y("loss:Q", title="SSE / SST"),
            color=alt.Color("groups:N", title=None, scale=order),
            strokeDash=alt.StrokeDash("groups:N", title=None, scale=order),
        )
        .properties(width=360, height=240)
    )
    return Figure(
        chart,
        f"Loss of {name} by k for the groups of {start}, those that MIL makes of them, and the optimum (seed 0): look for how much of "
        f"the gap between {start} and the optimum MIL closes.",
    )


def checks(
    losses: pl.DataFrame, overall: pl.DataFrame, falls: pl.DataFrame, counts: pl.DataFrame
) -> Iterator[Check]:
    """What the paper and the mathematics suggest."""
    room = 1e-9
    between = losses.filter(
        (pl.col("after") <= pl.col("before") * (1 + room))
        & (pl.col("optimum") <= pl.col("after") * (1 + room))
    ).height
    yield Check(
        f"MIL lies between its start and the optimum in {between:,} of {losses.height:,} cases.",
        between == losses.height,
    )
    same = int(losses["same_groups"].sum())
    yield Check(
        f"MDAV and V-MDAV for a sorted column, which the tests are counted after, give the groups of those for any table "
        f"in {same:,} of {losses.height:,} cases.",
        same == losses.height,
    )
    for start, (share, fall, most) in OVERALL.items():
        found = overall.row(by_predicate=pl.col("start") == start, named=True)
        mean, mean_of_all = _mean_falls(falls, start)
        yield Check(
            f"MIL improves {found['improved']:.1f} % of the {start} cases (published {share} %; room: {_SHARE_ROOM:g} "
            "percentage points to either side).",
            abs(found["improved"] - share) <= _SHARE_ROOM,
        )
        yield Check(
            f"The mean fall after {start} over improved cases, averaged over the data sets, is {mean:.1f} % "
            f"(published {fall} %; room: {_FALL_ROOM:g} percentage points to either side; over all cases it is "
            f"{mean_of_all:.1f} %, and the reading was chosen because it fits). The largest, of which nothing is expected, is {found['largest_fall']:.1f} % (published {most} %).",
            abs(mean - fall) <= _FALL_ROOM,
        )
    for start, published, low, high in (("MDAV", 0.0, -0.5, 0.5), ("V-MDAV", 1.1, 0.75, 1.35)):
        line = counts.filter((pl.col("start") == start) & (pl.col("N") >= _LARGE))
        if line.height > 1:
            slope = float(np.polyfit(np.log(line["N"].to_numpy()), np.log(line["mean"].to_numpy()), 1)[0])
            yield Check(
                f"The tests after {start} grow like N^{slope:.2f} from N = {_LARGE:,} on (published: N^{published}; "
                f"room: N^{low} to N^{high}).",
                low <= slope <= high,
            )


def _mean_falls(falls: pl.DataFrame, start: str) -> tuple[float, float]:
    """The decrease of the loss, averaged over the data sets: among improved cases, and among all."""
    each = falls.filter(pl.col("start") == start)
    improved = each["mean_fall_of_improved"].drop_nulls()
    return float(improved.to_numpy().mean()), float(each["mean_fall"].to_numpy().mean())


_OTHER_NUMBERS = "The paper's random numbers are not known; ours are drawn anew after its table A.1."


def compared(overall: pl.DataFrame, falls: pl.DataFrame, counts: pl.DataFrame) -> Iterator[Compared]:
    """The figures in the text and in table A.9 next to ours."""
    for start, (share, fall, most) in OVERALL.items():
        found = overall.row(by_predicate=pl.col("start") == start, named=True)
        mean, mean_of_all = _mean_falls(falls, start)
        yield Compared(
            f"cases that MIL improves, {start}", f"{share} %", f"{found['improved']:.1f} %", _OTHER_NUMBERS
        )
        yield Compared(
            f"mean fall, {start}",
            f"{fall} %",
            f"{mean:.1f} %",
            f"{_OTHER_NUMBERS} Read as the mean over data sets of the fall of improved cases; "
            f"of all cases it is {mean_of_all:.1f} %.",
        )
        yield Compared(
            f"largest fall, {start}",
            f"{most} %",
            f"{found['largest_fall']:.1f} %",
            f"{_OTHER_NUMBERS} A largest value depends on single draws most.",
        )
    for row in counts.iter_rows(named=True):
        if row["published_mean"] is not None:
            yield Compared(
                f"tests, {row['start']}, N = {row['N']:,} (table A.9): mean / largest",
                f"{row['published_mean']:,.2f} / {row['published_largest']:,}",
                f"{row['mean']:,.2f} / {row['largest']:,}",
                f"{_OTHER_NUMBERS} Over DS0-DS12, as the text says; the procedure before it names DS0-DS11 (a misprint).",
            )


_GROUPS = {
    "MDAV": ("MDAV", "before"),
    "MDAV, MIL": ("MDAV", "after"),
    "V-MDAV": ("V-MDAV", "before"),
    "V-MDAV, MIL": ("V-MDAV", "after"),
}
"""The columns of tables A.2-A.4, and where ours are."""
_LAST_DIGIT = 5e-7
"""Losses are printed with six decimal places."""


def beside_print(drawn: pl.DataFrame) -> pl.DataFrame:
    """Tables A.2-A.4: each published loss, ours of seed 0, and the smallest and the largest of all seeds."""
    rows = []
    for (name, k, start), own in drawn.group_by(["dataset", "k", "start"], maintain_order=True):
        published = PRINTED_LOSSES.get(str(name), {}).get(int(str(k)))
        if published is None:
            continue
        for (groups, (of, column)), said in zip(_GROUPS.items(), published, strict=True):
            if of == start:
                losses = own.sort("seed")[column].to_numpy()
                low, high = float(losses.min()), float(losses.max())
                rows.append(
                    {
                        "dataset": name, "k": k, "groups": groups, "published": said, "ours": float(losses[0]),
                        "least": low, "largest": high, "seeds": len(losses),
                        "within": low - _LAST_DIGIT <= said <= high + _LAST_DIGIT,
                    }
                )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def by_k(beside: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Tables A.2-A.4 for people: the published loss, below it ours of seed 0 and the range of all seeds."""
    found = {}
    for number, (name, by) in zip((2, 3, 4), PRINTED_LOSSES.items(), strict=True):
        own = beside.filter(pl.col("dataset") == name)
        if own.height:
            title = f"Table A.{number}, {name} (published; ours, seed 0; ours, {own['seeds'][0]} seeds)"
            lines = {(row["k"], row["groups"]): row for row in own.iter_rows(named=True)}
            found[title] = pl.DataFrame(
                [
                    {"k": str(k), **{groups: _loss(lines[k, groups]) for groups in _GROUPS}}
                    for k in by
                    if (k, "MDAV") in lines
                ]
            )
    return found


def _loss(row: dict[str, float]) -> str:
    return f"{row['published']:.6f}\n{row['ours']:.6f}\n{row['least']:.5f}-{row['largest']:.5f}"


def by_data(falls: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Tables A.5 and A.6 for people: the published figure, with ours below it."""
    found = {}
    for start, title in (("MDAV", "Table A.5, MDAV"), ("V-MDAV", "Table A.6, V-MDAV")):
        lines = falls.filter(pl.col("start") == start)
        found[f"{title} (published, below it ours)"] = pl.DataFrame(
            [
                {
                    "data": row["dataset"],
                    "improved %": f"{row['published_improved']}\n{row['improved']:.1f}",
                    "mean fall %": f"{row['published_mean_fall']}\n{row['mean_fall_of_improved'] or 0.0:.1f}",
                    "largest fall %": f"{row['published_largest_fall']}\n{row['largest_fall']:.1f}",
                    "above the optimum %": f"–\n{row['mean_excess_after']:.1f}",
                }
                for row in lines.iter_rows(named=True)
            ]
        )
    return found


def spread_of(each: pl.DataFrame, seeds: int) -> pl.DataFrame:
    """Each published figure of a data set, next to the smallest and the largest of ours over few and over all seeds."""
    rows = []
    for (name, start), own in each.group_by(["dataset", "start"], maintain_order=True):
        for figure, published in zip(_FIGURES, FALLS[str(start)][str(name)], strict=True):
            every = own[figure].fill_null(0.0).to_numpy()
            few = own.filter(pl.col("seed") < seeds)[figure].fill_null(0.0).to_numpy()
            rows.append(
                {
                    "dataset": name,
                    "start": start,
                    "figure": _FIGURES[figure],
                    "published": published,
                    "least": float(few.min()),
                    "largest": float(few.max()),
                    "least_of_all": float(every.min()),
                    "largest_of_all": float(every.max()),
                    "seeds": len(every),
                }
            )
    room = _DIGIT + 1e-9
    return pl.DataFrame(rows).with_columns(
        pl.col("published").is_between(pl.col("least") - room, pl.col("largest") + room).alias("within"),
        pl.col("published")
        .is_between(pl.col("least_of_all") - room, pl.col("largest_of_all") + room)
        .alias("within_all"),
    )


def further_off(spread: pl.DataFrame, seeds: int) -> dict[str, pl.DataFrame]:
    """Tables for people: the published figures that no seed of the tables reaches, and whether more seeds do."""
    off = spread.filter(~pl.col("within"))
    if not off.height:
        return {}
    drawn = off["seeds"][0]
    return {
        f"Published figures outside the spread of our {seeds} seeds": pl.DataFrame(
            [
                {
                    "data": f"{row['dataset']}, {row['start']}",
                    "figure": row["figure"],
                    "published": f"{row['published']}",
                    f"{seeds} seeds": f"{row['least']:.1f} to {row['largest']:.1f}",
                    f"{drawn} seeds": f"{row['least_of_all']:.1f} to {row['largest_of_all']:.1f}",
                    "why": "other draws" if row["within_all"] else "unexplained",
                }
                for row in off.iter_rows(named=True)
            ]
        )
    }


def notes(
    overall: pl.DataFrame, spread: pl.DataFrame, beside: pl.DataFrame, datasets: int, seeds: int
) -> tuple[str, ...]:
    """How the paper was interpreted, how much single data sets deviate, and the distance to the optimum."""
    about = (
        f"{datasets} data sets of table A.1, each with {seeds} seeds; a normal number is made of {SUMMED} uniform ones, as in "
        "the paper. The paper's share improved is over all cases, its mean fall is read as that of the improved cases, since "
        "the data sets' figures agree with that reading and not with the mean of all cases. Table A.9 is over DS0-DS12 as its "
        "text says, though the procedure before it names DS0-DS11. Where k is more than half of the records there is one group, and "
        "SSE / SST is 1."
    )
    off, drawn = spread.filter(~pl.col("within")), spread["seeds"][0]
    unexplained = off.filter(~pl.col("within_all"))
    named = ", ".join(
        f"{name} after {start} ({figure})"
        for name, start, figure in unexplained.select("dataset", "start", "figure").iter_rows()
    )
    single = (
        f"The paper has one draw of each data set. Of its {spread.height} figures of single data sets {off.height} lie outside what "
        f"our {seeds} seeds give, and {unexplained.height} outside what {drawn} seeds give: {named or 'none'}"
        f"{' (unexplained)' if named else ''}."
    )
    lines = [
        f"After {row['start']}, MIL stays {row['mean_excess_after']:.1f} % above the optimum on average (before: "
        f"{row['mean_excess_before']:.1f} %) and reaches it in {row['optimal_after']:.1f} % of the cases."
        for row in overall.iter_rows(named=True)
    ]
    within = int(beside["within"].sum())
    tables = (
        f"Of the {beside.height} losses in tables A.2-A.4, {within} lie between the smallest and the largest of our {drawn} seeds. A "
        f"figure of one more draw would do so in {drawn - 1} of {drawn + 1} cases; the losses of one draw are not independent, so the "
        "count is not a test. Figures A.3 and A.6 are drawn from table A.1: the paper prints them without numbers."
    )
    return (about, single, tables, *lines)
