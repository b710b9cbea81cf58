"""The page of the experiment `mhm-paths`: where the fast paths are faster and better than NPN, and where not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.experiments.result import Check, Compared, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PUBLISHED = ("grid", "flexdice")
_LARGE = 10_000
"""Smaller tables take milliseconds by every path."""
_SLOPE_ROOM = 1.3
_PATHS = {
    "grid": "grid of equal width (paper)",
    "flexdice": "FlexDice (paper)",
    "halving": "halving (ours)",
}
_UNKNOWN = "The paper prints no measurements: it leaves the experiments to future work."


def settings_of(runs: pl.DataFrame) -> pl.DataFrame:
    """Means over seeds, as shares of NPN: loss, seconds against the published search, seconds against the tree."""
    by = ["data", "records", "columns", "k"]
    means = runs.group_by([*by, "path"], maintain_order=True).agg(
        pl.col("loss", "path_seconds", "cut_seconds", "scan_seconds").mean()
    )
    npn = means.filter(pl.col("path") == "npn").select(
        *by,
        pl.col("loss").alias("npn_loss"),
        pl.col("path_seconds").alias("npn_tree_seconds"),
        pl.col("scan_seconds").alias("npn_scan_seconds"),
    )
    return (
        means.filter(pl.col("path") != "npn")
        .drop("scan_seconds")
        .join(npn, on=by, maintain_order="left")
        .with_columns(
            (pl.col("loss") / pl.col("npn_loss")).alias("loss_share"),
            (pl.col("npn_scan_seconds") / pl.col("path_seconds")).alias("faster_than_scan"),
            (pl.col("npn_tree_seconds") / pl.col("path_seconds")).alias("faster_than_tree"),
        )
    )


def checks(settings: pl.DataFrame, cuts: pl.DataFrame) -> Iterator[Check]:
    """The paper's claims, which it makes without exceptions: for each path and number of columns."""
    for path in PUBLISHED:
        for p in sorted(set(settings["columns"])):
            own = settings.filter((pl.col("path") == path) & (pl.col("columns") == p))
            better = int((own["loss_share"] < 1).sum())
            yield Check(
                f"{path}, {p} columns: MHM loses less than along NPN in {better} of {own.height} settings; its loss is "
                f"{_range(own['loss_share'], 2)} times that of NPN.",
                better == own.height,
            )
            timed = own.filter((pl.col("records") >= _LARGE) & pl.col("faster_than_scan").is_not_null())
            if timed.height:
                faster = int((timed["faster_than_scan"] > 1).sum())
                yield Check(
                    f"{path}, {p} columns, {_LARGE:,} records: the path is faster than the published search for NPN in {faster} of "
                    f"{timed.height} settings ({_range(timed['faster_than_scan'], 1)} times as fast).",
                    faster == timed.height,
                )
    slope = _slope(cuts)
    yield Check(
        f"The cut takes seconds that grow like k^{slope:.2f} (section 5.2: k instead of k^2; room: k^{_SLOPE_ROOM}).",
        slope <= _SLOPE_ROOM,
    )


def _slope(cuts: pl.DataFrame) -> float:
    return float(np.polyfit(np.log(cuts["k"].to_numpy()), np.log(cuts["seconds"].to_numpy()), 1)[0])


def _range(values: pl.Series, digits: int) -> str:
    found = values.to_numpy()
    return f"{found.min():.{digits}f} to {found.max():.{digits}f}"


def compared(settings: pl.DataFrame, cuts: pl.DataFrame) -> Iterator[Compared]:
    """What the paper says of its paths, next to what came out."""
    for path, said in (
        ("grid", "faster than NPN by the number of blocks, and more fitting (section 5.3)"),
        ("flexdice", "fast and of high quality with many columns (sections 5.3 and 6)"),
    ):
        own = settings.filter(pl.col("path") == path)
        yield Compared(
            f"loss along {path}, as a multiple of NPN",
            said,
            "; ".join(
                f"{p} columns: {own.filter(pl.col('columns') == p)['loss_share'].to_numpy().mean():.2f}"
                for p in sorted(set(own["columns"]))
            ),
            _UNKNOWN,
        )
        tree = own.filter(pl.col("records") >= _LARGE)
        if tree.height:
            faster = int((tree["faster_than_tree"] > 1).sum())
            yield Compared(
                f"seconds along {path}, against Sudare's NPN by a kd-tree",
                "not considered: NPN takes O(n^2) there",
                f"faster in {faster} of {tree.height} settings of {_LARGE:,} records and more "
                f"({_range(tree['faster_than_tree'], 1)} times as fast)",
                "NPN does not have to look at every remaining record: the same path comes out of a tree from which records are deleted.",
            )
    yield Compared(
        "growth of the seconds of the cut with k", "k (before: k^2)", f"k^{_slope(cuts):.2f}", _UNKNOWN
    )


def printed(settings: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Where each path loses less, by data, number of columns and k; and the seconds of the largest tables."""
    ks = sorted(set(settings["k"]))
    found = {}
    for path, title in _PATHS.items():
        rows = []
        own = settings.filter(pl.col("path") == path)
        for (data, p), lines in own.group_by(["data", "columns"], maintain_order=True):
            row = {"data": f"{data}, p = {p}"}
            for k in ks:
                shares = lines.filter(pl.col("k") == k)["loss_share"].to_numpy()
                row[f"k = {k}"] = f"{shares.mean():.2f} ({int((shares < 1).sum())} of {len(shares)})"
            rows.append(row)
        found[f"{title}, p columns: mean loss as a multiple of NPN's (smaller in)"] = pl.DataFrame(rows)
    sizes = _round_sizes(settings)
    large = settings.filter((pl.col("k") == ks[len(ks) // 2]) & (pl.col("records") >= min(_LARGE, sizes[-1])))
    found[f"Seconds of the path, k = {ks[len(ks) // 2]}"] = pl.DataFrame(_seconds(large))
    return found


def _seconds(settings: pl.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for (data, records, p), own in settings.group_by(["data", "records", "columns"], maintain_order=True):
        scan = own["npn_scan_seconds"][0]
        row = {
            "data": f"{data}, {records:,} x {p}",
            "NPN, published": "–" if scan is None else f"{scan:.2f}",
            "NPN, tree": f"{own['npn_tree_seconds'][0]:.2f}",
        }
        for line in own.iter_rows(named=True):
            row[line["path"]] = f"{line['path_seconds']:.3f}"
        rows.append(row)
    return rows


def figures(settings: pl.DataFrame) -> dict[str, Figure]:
    """Loss against NPN by data and columns; seconds by records."""
    import altair as alt

    named = settings.with_columns(pl.col("path").replace(_PATHS).alias("along"))
    color = alt.Color("along:N", title=None, scale=alt.Scale(domain=list(_PATHS.values())))
    losses = (
        alt.Chart(named)
        .mark_point(filled=True, size=40)
        .encode(
            x=alt.X("columns:O", title="columns", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("along:N", sort=list(_PATHS.values())),
            y=alt.Y("loss_share:Q", title="loss / loss of NPN", scale=alt.Scale(zero=False)),
            color=color,
            shape=alt.Shape("along:N", title=None, scale=alt.Scale(domain=list(_PATHS.values()))),
        )
        .properties(width=130, height=220)
        .facet(column=alt.Column("data:N", title=None, sort=list(dict.fromkeys(named["data"]))))
    )
    return {
        "losses": Figure(
            losses,
            "Loss of MHM along each path as a multiple of its loss along NPN, a point for each number of records and k: below 1 the "
            "path is better than NPN. Look for the lines of ten and more columns.",
        ),
        "seconds": Figure(
            _seconds_chart(settings),
            "Processor seconds of each path by the number of records, for each number of columns (mean over data and k): look for "
            "the published search for NPN, which grows with the square of the records, and for FlexDice with ten columns.",
        ),
    }


def _seconds_chart(settings: pl.DataFrame) -> Any:
    import altair as alt

    names = {
        "npn_scan_seconds": "NPN as published",
        "npn_tree_seconds": "NPN by a kd-tree (ours)",
    }
    by = ["columns", "records"]
    made_up = settings.filter(pl.col("records").is_in(_round_sizes(settings)))
    own = made_up.group_by([*by, "path"]).agg(pl.col("path_seconds").mean().alias("seconds"))
    own = own.with_columns(pl.col("path").replace(_PATHS).alias("along")).drop("path")
    npn = (
        made_up.group_by(by)
        .agg(pl.col("npn_scan_seconds", "npn_tree_seconds").mean())
        .unpivot(
            on=["npn_scan_seconds", "npn_tree_seconds"], index=by, variable_name="along", value_name="seconds"
        )
        .with_columns(pl.col("along").replace(names))
    )
    lines = pl.concat([own.select(*by, "along", "seconds"), npn.select(*by, "along", "seconds")])
    return (
        alt.Chart(lines.drop_nulls("seconds").filter(pl.col("seconds") > 0).sort(*by))
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "records:Q",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~s", values=_round_sizes(settings)),
            ),
            y=alt.Y("seconds:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g")),
            color=alt.Color("along:N", title=None),
            facet=alt.Facet("columns:O", title="columns", columns=3),
        )
        .properties(width=190, height=220)
    )


def _round_sizes(settings: pl.DataFrame) -> list[int]:
    """The numbers of records that were chosen: those of published tables are not."""
    return sorted(size for size in set(settings["records"].to_list()) if size % 100 == 0)


def notes(settings: pl.DataFrame, seeds: int, absent: Sequence[str]) -> tuple[str, ...]:
    """What was run, what the paper leaves open, and where its claim holds."""
    missing = f"; absent here: {', '.join(absent)}" if absent else ""
    tables = (
        f"Made-up tables of four kinds (uniform, normal, lognormal, 40 clusters; {seeds} seeds up to 10,000 records, one beyond), and "
        f"the published tables census (1,080 x 13) and tarragona (834 x 13){missing}; all standardized. The same optimal cut follows "
        "every path. Losses are SSE / SST; seconds are processor seconds of the path, once kernels are compiled."
    )
    npn = (
        "NPN as published looks at every remaining record for the next one (written with numpy, and run up to 10,000 records). "
        "Sudare's NPN gives the same path from a kd-tree."
    )
    settled = (
        "The paper leaves the number of blocks of the grid open: here it is the largest with at most n^(2/3) blocks in all, and two "
        "along each column where that would leave a single block (more than five columns). FlexDice has C2 = 1 and C1 = p k C2, as "
        "the paper suggests. `halving` is Sudare's variant of FlexDice, which halves only the widest side of a cell."
    )
    claim = (
        "The paper claims its paths to be faster and better without naming exceptions; so each expectation is that this is so in "
        "every setting."
    )
    return tables, npn, settled, claim, *(_where(settings, path) for path in PUBLISHED)


def _where(settings: pl.DataFrame, path: str) -> str:
    """The data on which a path always, and on which it never loses less than NPN."""
    own = settings.filter(pl.col("path") == path)
    shares = {
        f"{data} with {p} columns": float((lines["loss_share"] < 1).to_numpy().mean())
        for (data, p), lines in own.group_by(["data", "columns"], maintain_order=True)
    }
    always = ", ".join(name for name, share in shares.items() if share == 1)
    never = ", ".join(name for name, share in shares.items() if share == 0)
    by_k = "; ".join(
        f"k = {k}: {(lines['loss_share'] < 1).to_numpy().mean():.0%}"
        for (k,), lines in own.sort("k").group_by(["k"], maintain_order=True)
    )
    return (
        f"**{_PATHS[path]}** loses less than NPN for every size and k on: {always or 'none'}; for none on: {never or 'none'}. By k, in "
        f"this share of the settings: {by_k}."
    )
