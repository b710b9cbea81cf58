"""What a finished release looks like in the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sudare.cli.show import figure, print_table, print_verdicts, say, say_place

if TYPE_CHECKING:
    from sudare.assess.linking import Linking
    from sudare.assess.risk import Risk
    from sudare.release.basket_release import BasketRelease
    from sudare.release.folder import Written
    from sudare.release.release import Release


def show_written(written: Written[Release]) -> None:
    """Verdicts from the written files, risk before and after, losses, and where everything is."""
    from sudare.measure.catalogue import MEASURES

    release = written.release
    print_verdicts((finding.holds, finding.sentence) for finding in written.findings)
    print_table("Risk", ["", "before", "after"], _risk_rows(release.risk_before, release.risk_after))
    if release.risk_after.linking is not None:
        _show_linking(release.risk_after.linking)
    print_table(
        "Loss",
        ["measure", "value", "meaning"],
        [(name, figure(value), MEASURES[name].meaning) for name, value in release.telling_losses.items()],
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
    _say_places(written)


def show_baskets(written: Written[BasketRelease]) -> None:
    """Verdicts from the written files, losses, what was done, and where everything is."""
    from sudare.measure.itemsets import BASKET_MEASURES

    release = written.release
    print_verdicts((finding.holds, finding.sentence) for finding in written.findings)
    losses = [(name, figure(value), BASKET_MEASURES[name].meaning) for name, value in release.losses.items()]
    if losses:
        print_table("Loss", ["measure", "value", "meaning"], losses)
    for line in (*release.notes, *(f"! {warning}" for warning in release.warnings)):
        say(line)
    _say_places(written)


def _say_places(written: Written[Any]) -> None:
    say_place("Hand over:     ", written.folder / "public")
    say_place("Keep private:  ", written.folder / "internal")
    for report in written.reports:
        say_place("Report:        ", report)


def _risk_rows(before: Risk, after: Risk) -> list[tuple[str, str, str]]:
    """Figures of blocks, or bounds from k where blocks would be blocks of noise."""
    rows = [("rows", f"{before.rows:,}", f"{after.rows:,}")]
    if after.linking is None or not after.linking.quasi_randomized:
        rows += [
            ("unique rows", f"{before.unique_rows:,}", f"{after.unique_rows:,}"),
            ("smallest block", f"{before.smallest_block:,}", f"{after.smallest_block:,}"),
        ]
    for name, key in (("largest", "prosecutor_largest"), ("mean", "prosecutor_mean")):
        rows.append(
            (f"risk of being found, {name}", f"{getattr(before, key):.1%}", f"{getattr(after, key):.1%}")
        )
    earlier = {guess.column: guess for guess in before.guesses}
    for other in after.guesses:
        one = earlier[other.column]
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
    return rows


def _show_linking(linking: Linking) -> None:
    """Where the bound 1/k comes from."""
    among = f" that agree on {', '.join(linking.exact)}" if linking.exact else ""
    say(
        f"Nobody's record is pointed at with probability above 1/k = {linking.largest:.3g}: k = 1 + (records - 1) x "
        f"product of rates = 1 + {linking.records - 1:,} x {linking.rate:.4g} = {linking.k:.4g}, for the "
        f"{linking.records:,} records{among}. Local differential privacy of a record: epsilon {linking.epsilon:.3g}."
    )
    print_table(
        "Randomized columns",
        ["column", "mechanism", "rate", "local epsilon"],
        [(one.column, one.mechanism, f"{one.rate:.4g}", f"{one.epsilon:.3g}") for one in linking.columns],
    )
