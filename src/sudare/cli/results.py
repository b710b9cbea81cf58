"""What a finished release looks like in the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sudare.cli.show import figure, print_table, print_verdicts, say, say_place

if TYPE_CHECKING:
    from sudare.release.write import Written


def show_written(written: Written) -> None:
    """Verdicts from the written files, risk before and after, losses, and where everything is."""
    from sudare.measure.catalogue import MEASURES

    release = written.release
    print_verdicts((finding.holds, finding.sentence) for finding in written.findings)
    before, after = release.risk_before, release.risk_after
    rows = [
        ("rows", f"{before.rows:,}", f"{after.rows:,}"),
        ("unique rows", f"{before.unique_rows:,}", f"{after.unique_rows:,}"),
        ("smallest block", f"{before.smallest_block:,}", f"{after.smallest_block:,}"),
        (
            "risk of being found, largest",
            f"{before.prosecutor_largest:.1%}",
            f"{after.prosecutor_largest:.1%}",
        ),
        ("risk of being found, mean", f"{before.prosecutor_mean:.1%}", f"{after.prosecutor_mean:.1%}"),
    ]
    for one, other in zip(before.guesses, after.guesses, strict=True):
        ruled_out = f"best guess of {one.column}, {one.background} value ruled out"
        rows += [
            (
                f"rows that give {one.column} away",
                f"{one.homogeneous_share:.1%}",
                f"{other.homogeneous_share:.1%}",
            ),
            (f"best guess of {one.column}, mean", f"{one.guess_mean:.1%}", f"{other.guess_mean:.1%}"),
            (ruled_out, f"{one.background_mean:.1%}", f"{other.background_mean:.1%}"),
        ]
    print_table("Risk", ["", "before", "after"], rows)
    print_table(
        "Loss",
        ["measure", "value", "meaning"],
        [(name, figure(value), MEASURES[name].meaning) for name, value in release.losses.items()],
    )
    for name, bound in release.lower_bounds.items():
        if name in release.losses:
            least = math.floor(bound.value * 10_000) / 10_000
            weak = "" if bound.exact else " (a longer search could only raise that)"
            say(
                f"{name} {figure(release.losses[name])}: no release with these requirements can have less than "
                f"{least:g}{weak}."
            )
    for warning in release.warnings:
        say(f"! {warning}")
    say_place("Hand over:     ", written.folder / "public")
    say_place("Keep private:  ", written.folder / "internal")
    for report in written.reports:
        say_place("Report:        ", report)
