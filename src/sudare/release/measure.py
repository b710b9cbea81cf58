"""Measure a written release, or two files, again: what was lost, of a table or of baskets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from sudare.errors import ParameterError, did_you_mean
from sudare.measure.baskets import (
    BASKET_MEASURES,
    frequency_change,
    measure_baskets,
    user_loss,
)
from sudare.measure.baskets.association import mined_pair
from sudare.measure.baskets.catalogue import chosen_basket_measures
from sudare.measure.baskets.pair import BasketPair
from sudare.measure.catalogue import (
    MEASURES,
    chosen_measures,
    in_turn,
    known_measure,
    measure,
    nothing_to_tell,
)
from sudare.measure.distributions import figures_by_column
from sudare.measure.losses import column_errors, column_losses, error_figure
from sudare.release.plots import loss_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sudare.measure.catalogue import Measure
    from sudare.measure.pair import Pair
    from sudare.progress import Progress
    from sudare.words.sentence import Language


class Measured(NamedTuple):
    """Losses, the measures they are of, and their chart."""

    losses: dict[str, float]
    measures: Mapping[str, Measure]
    chart: Callable[[Language], Any]


def measure_again(
    pair: Pair | BasketPair,
    names: Sequence[str] | None,
    progress: Progress,
    instead: Mapping[str, str] | None = None,
) -> Measured:
    """The named measures, or all that apply; one that was named and does not apply is refused.

    `instead` gives parameters to measures that were named, or are usual, without any.
    """
    if isinstance(pair, BasketPair):
        for label in (instead or {}).values():
            chosen_basket_measures([label])  # refused: they are of tables
        return _of_baskets(pair, names, progress)
    chosen = [(instead or {}).get(name, name) for name in chosen_measures(names)]
    apply = [name for name in chosen if known_measure(name).tells(pair)]
    silent = next((name for name in chosen if name not in apply), None)
    if names and silent is not None:
        raise ParameterError("release.measure.does_not_apply", why=nothing_to_tell(known_measure(silent)))
    losses = in_turn(apply, progress, lambda name: measure(pair.before, pair, [name]))
    return Measured(
        losses,
        MEASURES,
        lambda language: loss_chart(
            losses,
            column_losses(pair.before, pair) if "loss" in losses else {},
            language,
            errors=column_errors(pair.before, pair),
        ),
    )


def _of_baskets(pair: BasketPair, names: Sequence[str] | None, progress: Progress) -> Measured:
    chosen = chosen_basket_measures(names)
    losses = in_turn(chosen, progress, lambda name: measure_baskets(pair.before, pair, [name]))
    return Measured(
        losses, BASKET_MEASURES, lambda language: frequency_change(pair.before, pair).chart(language)
    )


def column_table(pair: Pair | BasketPair) -> pl.DataFrame:
    """The figures of `by_column`, after what each quasi-identifier lost: detail, or where values were replaced, the error."""
    if isinstance(pair, BasketPair):
        raise ParameterError("release.measure.columns_of_tables")
    figures = figures_by_column(pair)
    noisy = {column.name for column in pair.after.columns if column.mechanism is not None}
    errors = column_errors(pair.before, pair)
    of_detail = column_losses(pair.before, pair) if known_measure("loss").tells(pair) else {}
    lost = [
        (
            name,
            error_figure(pair, name) if name in errors else "loss",
            None,
            0.0,
            {**of_detail, **errors}[name],
        )
        for name in pair.before.names("quasi")
        if name not in noisy and (name in errors or name in of_detail)
    ]
    return pl.concat([pl.DataFrame(lost, schema=figures.schema, orient="row"), figures])


TABLES = ("rules", "users", "items")
"""What of baskets is measured item by item, user by user and rule by rule."""


def basket_table(pair: Pair | BasketPair, name: str, **mining: Any) -> pl.DataFrame:
    """Association rules before and after, the loss of each user, or the frequency of each item, as a table.

    The rows that lost most come first: rules by their support before, users by the share that they lost, items by
    their frequency before. Baskets are numbered from 1, as lines of a file are. `mining` are support, confidence and top of `compare_rules`.
    """
    if name not in TABLES:
        raise ParameterError("release.measure.unknown_table", name=name, hint=did_you_mean(name, TABLES))
    if not isinstance(pair, BasketPair):
        raise ParameterError("release.measure.table_of_baskets", name=name)
    if name == "users":
        users = user_loss(pair.before, pair).users.sort("share", descending=True, maintain_order=True)
        return users.with_columns(pl.col("basket") + 1)
    if name == "items":
        return frequency_change(pair.before, pair).items
    rules = mined_pair(pair, **mining)
    bodies = [", ".join(str(item) for item in body) for body in rules["body"]]
    return rules.with_columns(pl.Series("body", bodies, dtype=pl.String), pl.col("head").cast(pl.String))
