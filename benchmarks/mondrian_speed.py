"""Mondrian, k = 10: Sudare beside anonypy and anjana, quality beside the time, and growth to a million rows.

anonypy is a Mondrian too (numbers as ranges, texts as sets of values); anjana generalizes whole columns along
hierarchies, here without and with leaving out up to 5 % of the rows. Each is compared with Sudare on the same
table, with age as a range (anonypy) or along its hierarchy (anjana). Sudare's time runs from the pandas frame to
the release, with describing, checking and measuring, which the others do not do; "method" is its part that the
others do. "loss" and "gcp" are Sudare's measures along the hierarchies. anonypy publishes no hierarchy values: for
these two its groups are recoded along ours, which is hard on it, since its cuts ignore them. "sets" is the
measure in its own terms, what a release that lists the values of each group leaves open, and the fair
comparison with it. "block" is the rows of a block as each publishes it, "out" the rows left out.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from data import (  # type: ignore[import-not-found]  # beside this script
    HAS_ADULT,
    HOSPITAL_QUASI,
    NAME,
    NO_ADULT,
    hospital_described,
    shared_table,
)
from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Measurement,
    Report,
    growth,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.describe.table import Table

_K = 10
_SIZES = (10_000, 100_000, 1_000_000)
_WHOLE = (
    "The whole of Sudare describes, checks and computes all its measures besides, which is most of its time, where the rival "
    "only makes its table; the row of the method alone compares the same work."
)
_PHASES = ("describe", "anonymize", "check", "measure")


def main() -> None:
    report = Report("mondrian_speed", __doc__)
    if not HAS_ADULT:
        report.note(NO_ADULT)
    _beside(report)
    _growing(report)
    report.save()


def sudare(*, ranges: bool) -> Case:
    """Sudare on the shared table."""
    shared = shared_table()
    return _release_of(lambda: shared.described(ranges=ranges), quality=True)


def sudare_hospital(rows: int) -> Case:
    """Sudare on the hospital."""
    import sudare as sd

    frame = sd.hospital(rows)
    return _release_of(lambda: hospital_described(frame), quality=False)


def anonypy() -> Case:
    """The Mondrian of anonypy on the shared table."""
    import anonypy as rival
    import numpy as np

    shared = shared_table()
    texts = [name for name in shared.frame if name not in shared.numbers]
    frame = shared.frame.astype(dict.fromkeys(texts, "category"))

    def work() -> Any:
        preserver = rival.Preserver(frame, shared.quasi, shared.sensitive)
        return preserver.anonymize_k_anonymity(k=_K)

    def facts(_: Any) -> dict[str, Any]:
        # The output has lost which row is which; the groups behind it have not.
        groups = rival.Preserver(frame, shared.quasi, shared.sensitive).modrian.partition(_K)
        labels = np.empty(len(frame), dtype=np.int32)
        for label, group in enumerate(groups):
            labels[group] = label
        found = _quality_of_groups(shared.described(ranges=True), labels, len(groups))
        return {**found, "average_block": len(frame) / len(groups)}

    return Case(work, facts)


def anjana(suppressed_percent: float) -> Case:
    """The k-anonymity of anjana on the shared table, along the same hierarchies."""
    import numpy as np
    from anjana.anonymity import k_anonymity

    import sudare as sd
    from sudare.measure.pair import Pair

    shared = shared_table()
    table = shared.described(ranges=False)
    frame = shared.frame.astype(str)
    levels = {}
    for name in shared.quasi:
        tree = table.hierarchy(name)
        assert tree is not None
        levels[name] = dict(enumerate(map(list, zip(*tree.to_levels(), strict=True))))

    def work() -> Any:
        return k_anonymity(frame, [], list(shared.quasi), _K, suppressed_percent, levels)

    def facts(released: Any) -> dict[str, Any]:
        kept = released["index"].to_numpy() if "index" in released else np.arange(len(released))
        after = table.recoded(sd.read(released[[*shared.quasi, shared.sensitive]]).frame)
        return _quality(Pair(table, after, kept))

    return Case(work, facts)


def _release_of(described: Any, *, quality: bool) -> Case:
    import sudare as sd

    def work() -> Any:
        started = time.perf_counter()
        table = described()
        describing = time.perf_counter() - started
        return sd.anonymize(table, sd.KAnonymity(_K), method=sd.Mondrian()), describing

    def facts(result: Any) -> dict[str, Any]:
        release, _ = result
        if not quality:
            return {name: release.losses[name] for name in ("loss", "gcp", "average_block")}
        from sudare.assess.requirement import blocks_of
        from sudare.measure.pair import pair_of

        sets = _set_loss(release.original, blocks_of(release.table).labels)
        return {**_quality(pair_of(release.original, release)), "sets": sets}

    return Case(work, facts, lambda result: {"describe": result[1], **result[0].seconds})


def _quality_of_groups(table: Table, labels: npt.NDArray[np.int32], count: int) -> dict[str, Any]:
    import numpy as np

    from sudare.anonymize.grouping.recode import axes_of, recode
    from sudare.measure.pair import Pair

    released = recode(table, axes_of(table), labels, count)
    pair = Pair(table, released, np.arange(table.rows, dtype=np.int64))
    return {**_quality(pair), "sets": _set_loss(table, labels)}


def _quality(pair: Any) -> dict[str, Any]:
    import sudare as sd

    losses = {name: getattr(sd.measure, name)(pair.before, pair) for name in ("loss", "gcp", "average_block")}
    smallest = sd.KAnonymity(_K).check(pair.after).reached
    return {**losses, "suppressed": pair.suppressed / pair.before.rows, "k": smallest}


def _set_loss(table: Table, labels: npt.NDArray[np.int32]) -> float:
    """Mean of (values in the group - 1) / (values in the column - 1); for numbers without hierarchy, the range."""
    import polars as pl

    frame = table.frame.select(table.names("quasi")).with_columns(pl.Series("group", labels))
    losses = []
    for name in table.names("quasi"):
        column = pl.col(name)
        if table.hierarchy(name) is None:
            share = (column.max() - column.min()).over("group") / (column.max() - column.min())
        else:
            share = (column.n_unique().over("group") - 1) / (column.n_unique() - 1)
        losses.append(float(frame.select(share.mean()).item()))
    return sum(losses) / len(losses)


def _beside(report: Report) -> None:
    cases: list[tuple[str, Any, dict[str, Any]]] = [
        ("Sudare, age as range", sudare, {"ranges": True}),
        ("anonypy", anonypy, {}),
        ("Sudare, hierarchies", sudare, {"ranges": False}),
        ("anjana, none out", anjana, {"suppressed_percent": 0}),
        ("anjana, <= 5 % out", anjana, {"suppressed_percent": 5}),
    ]
    measured = {name: measure_into(report, case, **arguments) for name, case, arguments in cases}
    columns = [
        "",
        "whole",
        "cpu",
        "method",
        "runs",
        "peak",
        "loss",
        "gcp",
        "sets",
        "block",
        "out",
        "k",
    ]
    report.table(f"{NAME}, k = {_K}", columns, [_row(name, each) for name, each in measured.items()])
    for rival, own in (
        ("anonypy", "Sudare, age as range"),
        ("anjana, none out", "Sudare, hierarchies"),
        ("anjana, <= 5 % out", "Sudare, hierarchies"),
    ):
        theirs, ours = measured[rival], measured[own]
        whole, method = ours.median, ours.phases["anonymize"]
        report.ratio(f"time, {rival} / Sudare whole, {NAME}", theirs.median, whole, "tens", why=_WHOLE)
        report.ratio(
            f"processor time, {rival} / Sudare whole, {NAME}", theirs.cpu, ours.cpu, "tens", why=_WHOLE
        )
        report.ratio(f"time, {rival} / Sudare method, {NAME}", theirs.median, method, "tens")
        report.ratio(f"loss, {rival} / Sudare, {NAME}", theirs.facts["loss"], ours.facts["loss"], "above 1")
        if "sets" in theirs.facts:
            report.ratio(
                f"loss as sets, {rival} / Sudare, {NAME}", theirs.facts["sets"], ours.facts["sets"], "above 1"
            )


def _row(name: str, measured: Measurement) -> list[str]:
    facts = measured.facts
    return [
        name,
        seconds(measured.median),
        seconds(measured.cpu),
        seconds(measured.phases["anonymize"]) if measured.phases else "",
        str(measured.repeats),
        megabytes(measured.peak_mb),
        f"{facts['loss']:.4f}",
        f"{facts['gcp']:.4f}",
        f"{facts['sets']:.4f}" if "sets" in facts else "",
        f"{facts['average_block']:,.1f}",
        f"{facts['suppressed']:.1%}",
        f"{facts['k']:.0f}",
    ]


def _growing(report: Report) -> None:
    measured = [measure_into(report, sudare_hospital, rows=size, repeats=3) for size in _SIZES]
    rows = [
        [
            f"{size:,}",
            seconds(each.median),
            seconds(each.cpu),
            *(seconds(each.phases[phase]) for phase in _PHASES),
            megabytes(each.peak_mb),
            f"{each.facts['loss']:.4f}",
            f"{each.facts['average_block']:.1f}",
        ]
        for size, each in zip(_SIZES, measured, strict=True)
    ]
    columns = ["rows", "whole", "cpu", *_PHASES, "peak", "loss", "rows/block"]
    report.table(f"hospital x {len(HOSPITAL_QUASI)} quasi-identifiers, k = {_K}", columns, rows)
    for what, values in (
        ("time", [each.median for each in measured]),
        ("peak memory", [each.peak_mb for each in measured]),
    ):
        slopes = growth(_SIZES, values)
        report.note(f"The {what} grows as n^{' and n^'.join(f'{slope:.2f}' for slope in slopes)}.")
    largest = measured[-1]
    report.ratio("a minute / Sudare, 1,000,000 rows", 60.0, largest.median, "well above 1")
    report.ratio("4 GB / peak memory of Sudare, 1,000,000 rows", 4096.0, largest.peak_mb, "above 1")


if __name__ == "__main__":
    main()
