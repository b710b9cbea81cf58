"""Growth to 10^6 rows of the hospital with k = 10 and entropy l = 3, beside Mondrian, anonypy and anjana.

Every case runs in a process of its own. The rivals get the same six quasi-identifiers, anonypy with "?" for missing
(neither knows missing values), and are stopped after 200 seconds; a larger table is then not tried. anonypy knows distinct
l-diversity only and publishes sets and ranges, so its loss is that of its groups recoded along our hierarchies;
anjana gets as many rows without missing values (its hierarchies have no "?"), generalizes whole columns along the
same hierarchies and leaves out up to 5 % of the rows. Requirements of
Sudare's releases are recounted with group-by; seconds are of the method alone. Tables of more than 50,000 rows are searched
in parts side by side, so the clock can show less than the processor seconds of all threads. With `--ours`, only Sudare runs,
and the figures of the rivals are those stored by the run before.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from data import (  # type: ignore[import-not-found]  # beside this script
    HOSPITAL_QUASI,
    HOSPITAL_SENSITIVE,
    hospital_complete,
    hospital_described,
)
from harness import (  # type: ignore[import-not-found]  # beside this script
    RESULTS,
    Case,
    Report,
    growth,
    measure,
    megabytes,
    seconds,
)

if TYPE_CHECKING:
    from harness import Measurement

_K, _L = 10, 3
_OURS = ("Mondrian", "Generalize")
_RIVAL_SECONDS = 200.0
_GOAL, _CLOCK, _GOAL_LOSS = 120.0, 70.0, 0.0409
"""Of issue 25: processor seconds at 10^6 rows, seconds by the clock on two cores without other work, and the loss before."""
_MINUTES, _MEGABYTES = 600.0, 6 * 1024.0
"""The bar at 10^6 rows: "in minutes", which is read as ten here as it is for baskets, and under 6 GB."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--ours", action="store_true", help="keep the stored figures of the rivals")
    options = parser.parse_args()
    sizes, stored = options.sizes, _stored() if options.ours else None
    report = Report("generalization_hospital", __doc__ or "")
    rows = []
    times: dict[str, list[float]] = {"processor": [], "clock": []}
    late: set[str] = set()
    for size in sizes:
        bound = _bound(size)
        here: dict[str, Measurement] = {}
        for name, case, limit in (
            ("Mondrian", mondrian, 3600.0),
            ("Generalize", generalize, 3600.0),
            ("anonypy (distinct l)", anonypy, _RIVAL_SECONDS),
            ("anjana (<= 5 % out)", anjana, _RIVAL_SECONDS),
        ):
            if stored is not None and name not in _OURS:
                rows += [row for row in stored[0] if row[:2] == [f"{size:,}", name]]
                for measured in stored[1].get((case.__name__, size), []):
                    report.measurements.append(measured)
                    here[name] = measured
                continue
            if name in late:
                rows.append([f"{size:,}", name, "", "not tried", *[""] * 5])
                continue
            measured = measure(case, repeats=1, budget=1.0, limit=limit, rows=size)
            if measured is None:
                late.add(name)
                rows.append([f"{size:,}", name, "", f"> {limit:.0f} s", *[""] * 5])
            else:
                report.measurements.append(measured)
                rows.append(_row(size, name, measured, bound))
                here[name] = measured
                if name == "Generalize":
                    times["clock"].append(measured.phases["method"])
                    times["processor"].append(measured.phases["processor"])
            print(rows[-1], flush=True)
        _ratios(report, size, here)
    columns = ["rows", "", "loss", "method", "cpu", "peak", "smallest / l", "out", "k bound"]
    report.table(f"hospital, k = {_K} and entropy l = {_L}", columns, rows)
    for what, spent in times.items():
        if len(spent) > 1:
            slopes = growth(sizes[: len(spent)], spent)
            whole = growth([sizes[0], sizes[len(spent) - 1]], [spent[0], spent[-1]])[0]
            report.note(
                f"The {what} time of Generalize grows as n^{' and n^'.join(f'{slope:.2f}' for slope in slopes)}; "
                f"from the smallest to the largest table as n^{whole:.2f}."
            )
    if stored is not None:
        report.note("The figures of the rivals are those of an earlier run on the same kind of machine.")
    report.save()


def _stored() -> tuple[list[list[str]], dict[tuple[str, int], list[Measurement]]]:
    """The rows of the table that the run before stored, and its measurements by case and size."""
    from harness import Measurement

    found = json.loads((RESULTS / "generalization_hospital.json").read_text(encoding="utf-8"))
    kept: dict[tuple[str, int], list[Measurement]] = {}
    for each in found["measurements"]:
        kept.setdefault((each["case"], each["arguments"]["rows"]), []).append(Measurement(**each))
    return found["tables"][0]["rows"], kept


def _ratios(report: Report, size: int, here: dict[str, Measurement]) -> None:
    """Rivals over Generalize, and at 10^6 rows the bars."""
    ours = here.get("Generalize")
    if ours is None:
        return
    for name, theirs in here.items():
        if theirs is not ours:
            report.ratio(
                f"loss, {name} / Generalize, {size:,} rows", theirs.facts["loss"], ours.facts["loss"]
            )
            report.ratio(
                f"processor time, {name} / Generalize, {size:,} rows",
                theirs.phases["processor"],
                ours.phases["processor"],
            )
    if size == 10**6:
        clock, processor = ours.phases["method"], ours.phases["processor"]
        shared = f"Of {clock:.0f} s by the clock {processor:.0f} s are processor time; the cores were shared with other work for the rest."
        report.ratio(
            f"600 s / seconds of Generalize by the clock, {size:,} rows",
            _MINUTES,
            clock,
            "above 1",
            why=shared,
        )
        report.ratio(
            f"70 s / seconds of Generalize by the clock, {size:,} rows", _CLOCK, clock, "above 1", why=shared
        )
        report.ratio(
            f"600 s / processor seconds of Generalize, {size:,} rows", _MINUTES, processor, "above 1"
        )
        report.ratio(f"120 s / processor seconds of Generalize, {size:,} rows", _GOAL, processor, "above 1")
        report.ratio(f"0.0409 / loss of Generalize, {size:,} rows", _GOAL_LOSS, ours.facts["loss"], "above 1")
        report.ratio(f"6 GB / peak memory of Generalize, {size:,} rows", _MEGABYTES, ours.peak_mb, "above 1")


def mondrian(rows: int) -> Case:
    """Mondrian of Sudare."""
    import sudare as sd

    return _ours(rows, sd.Mondrian())


def generalize(rows: int) -> Case:
    """Generalize, default effort."""
    import sudare as sd

    return _ours(rows, sd.Generalize())


def _ours(rows: int, method: Any) -> Case:
    import sudare as sd
    from sudare.anonymize.protocol import Context

    # Kernels are loaded on a small table, so that the time is that of the work.
    requirements = (sd.KAnonymity(_K), sd.LDiversity(_L, kind="entropy"))
    method.apply(hospital_described(sd.hospital(2000)), Context(requirements))
    table = hospital_described(sd.hospital(rows))

    def work() -> Any:
        return _timed(lambda: method.apply(table, Context(requirements)))

    def facts(result: Any) -> dict[str, Any]:
        released = result[0].table
        smallest, entropy = _recounted(released.frame)
        loss = sd.measure.loss(table, released)
        return {"loss": loss, "smallest": smallest, "l": entropy, "out": 0.0}

    return Case(work, facts, _phases)


def anonypy(rows: int) -> Case:
    """The Mondrian of anonypy with k and distinct l."""
    import anonypy as rival
    import numpy as np

    import sudare as sd
    from sudare.anonymize.grouping.recode import axes_of, recode

    complete = hospital_complete(rows)
    # It takes numbers and categories.
    frame = complete.to_pandas()
    for name in ("birth_date", "admission"):
        frame[name] = frame[name].astype("int64")
    texts = [name for name in HOSPITAL_QUASI if name not in ("birth_date", "admission", "length_of_stay")]
    frame = frame.astype(dict.fromkeys([*texts, HOSPITAL_SENSITIVE], "category"))

    def work() -> Any:
        return _timed(
            lambda: rival.Preserver(frame, HOSPITAL_QUASI, HOSPITAL_SENSITIVE).anonymize_l_diversity(_K, _L)
        )

    def facts(_: Any) -> dict[str, Any]:
        preserver = rival.Preserver(frame, HOSPITAL_QUASI, HOSPITAL_SENSITIVE)
        groups = preserver.modrian.partition(_K, _L)
        labels = np.empty(len(frame), dtype=np.int32)
        for label, group in enumerate(groups):
            labels[group] = label
        table = hospital_described(sd.hospital(rows))
        released = recode(table, axes_of(table), labels, len(groups))
        smallest, entropy = _recounted(released.frame)
        return {"loss": sd.measure.loss(table, released), "smallest": smallest, "l": entropy, "out": 0.0}

    return Case(work, facts, _phases)


def anjana(rows: int) -> Case:
    """Entropy l-diversity of anjana along the same hierarchies."""
    import numpy as np
    from anjana.anonymity import entropy_l_diversity

    import sudare as sd
    from sudare.measure.pair import Pair

    drawn = sd.hospital(rows + rows // 2).select(*HOSPITAL_QUASI, HOSPITAL_SENSITIVE)
    complete = drawn.drop_nulls().head(rows)
    described = hospital_described(sd.hospital(10))
    makers = {name: described.column(name).hierarchy for name in HOSPITAL_QUASI}
    table = sd.read(complete).describe(
        quasi=HOSPITAL_QUASI, sensitive=[HOSPITAL_SENSITIVE], hierarchies=makers
    )
    frame = complete.to_pandas().astype(str)
    levels = {}
    for name in HOSPITAL_QUASI:
        tree = table.hierarchy(name)
        assert tree is not None
        levels[name] = dict(enumerate(map(list, zip(*tree.to_levels(), strict=True))))

    def work() -> Any:
        return _timed(
            lambda: entropy_l_diversity(frame, [], HOSPITAL_QUASI, HOSPITAL_SENSITIVE, _K, _L, 5, levels)
        )

    def facts(result: Any) -> dict[str, Any]:
        released = result[0]
        kept = released["index"].to_numpy() if "index" in released else np.arange(len(released))
        after = table.recoded(sd.read(released[[*HOSPITAL_QUASI, HOSPITAL_SENSITIVE]]).frame)
        smallest, entropy = _recounted(after.frame)
        pair = Pair(table, after, kept)
        return {
            "loss": sd.measure.loss(table, pair),
            "smallest": smallest,
            "l": entropy,
            "out": pair.suppressed / table.rows,
        }

    return Case(work, facts, _phases)


def _timed(work: Any) -> tuple[Any, float, float]:
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - clock, time.process_time() - processor


def _phases(result: Any) -> dict[str, float]:
    return {"method": result[1], "processor": result[2]}


def _recounted(released: Any) -> tuple[int, float]:
    """Smallest block and least exp(entropy), counted anew with group-by."""
    import numpy as np
    import polars as pl

    counts = released.group_by([*HOSPITAL_QUASI, HOSPITAL_SENSITIVE]).len()
    share = pl.col("len") / pl.col("len").sum().over(HOSPITAL_QUASI)
    blocks = (
        counts.with_columns(part=-share * share.log())
        .group_by(HOSPITAL_QUASI)
        .agg(pl.col("part").sum(), pl.col("len").sum())
    )
    return int(blocks["len"].min()), float(np.exp(blocks["part"].min()))


def _bound(rows: int) -> str:
    import sudare as sd
    from sudare.assess.bounds import k_bound

    found = k_bound(hospital_described(sd.hospital(rows)), _K, objective="loss", budget=10**8)
    return f"{found.value:.4f}" + ("" if found.exact else " (weaker)")


def _row(size: int, name: str, measured: Measurement, bound: str) -> list[str]:
    facts = measured.facts
    return [
        f"{size:,}",
        name,
        f"{facts['loss']:.4f}",
        seconds(measured.phases["method"]),
        seconds(measured.phases["processor"]),
        megabytes(measured.peak_mb),
        f"{facts['smallest']} / {facts['l']:.2f}",
        f"{facts['out']:.1%}",
        bound,
    ]


if __name__ == "__main__":
    main()
