"""All measures: name, direction, range and meaning of each, and how to compute them together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from sudare.describe.baskets.baskets import Baskets
from sudare.describe.hierarchy.tree import MEASURE_NAMES
from sudare.errors import ErrorSentence, ParameterError, SudareError, did_you_mean, shown
from sudare.measure import distributions, losses, models
from sudare.measure.distributions import numeric_names
from sudare.measure.information import ild
from sudare.measure.pair import Pair, pair_of
from sudare.parameters import first_paragraph
from sudare.words.sentence import Meaning, meaning_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sudare.describe.hierarchy.tree import Objective
    from sudare.progress import Progress


@dataclass(frozen=True)
class Measure:
    """A loss figure and how to read it."""

    name: str
    compute: Callable[[Any, Any], float]
    applies: str = "quasi-identifiers"
    """The part of the data it covers."""
    largest: float = 1.0
    smallest: float = 0.0
    direction: Literal["lower is better", "higher is better"] = "lower is better"
    usual: bool = True
    """Whether it is computed by default: it is fast and needs nothing that may be absent."""
    fewest: int = 0
    """Numeric columns (quasi-identifiers where it applies to these) without which it says nothing."""
    needs_rows: bool = True
    """Whether it compares each released row with its original; else distributions, which data without originals have too."""
    of_detail: bool = False
    """Whether it sees only how coarse values have become, and so says nothing of values that were replaced by others."""

    @property
    def meaning(self) -> Meaning:
        """What it measures, from `words/<language>/measures.yaml` by its name; `into("ja")` gives the Japanese.

        A third-party measure has no words there, so its function's docstring is used.
        """
        return meaning_of(f"meaning.{self.name}", first_paragraph(self.compute.__doc__))

    def tells(self, pair: Pair) -> bool:
        """Whether it applies: the tables have the numbers it looks at, and the rows their originals where it needs them."""
        if self.needs_rows and pair.rows is None:
            return False
        if self.of_detail and losses.replaces_values(pair):
            return False
        if self.fewest == 0:
            return True
        names = numeric_names(pair)
        found = [name for name in names if name in pair.quasi] if "quasi" in self.applies else names
        return len(found) >= self.fewest


def _ild(before: Any, after: Any) -> float:
    pair = pair_of(before, after)
    return float(ild(before, pair)) if pair.before.names("quasi") else 0.0


_LISTED = (
    Measure(
        "loss",
        losses.loss,
        of_detail=True,
    ),
    Measure(
        "dis",
        losses.dis,
        of_detail=True,
    ),
    Measure(
        "gcp",
        losses.gcp,
        of_detail=True,
    ),
    Measure(
        "ncp",
        losses.ncp,
        of_detail=True,
        largest=math.inf,
        usual=False,
    ),
    Measure(
        "ild",
        _ild,
        smallest=-math.inf,
    ),
    Measure(
        "sse_ratio",
        losses.sse_ratio,
        applies="numeric quasi-identifiers",
        fewest=1,
        largest=math.inf,
    ),
    Measure(
        "entropy_loss",
        losses.entropy_loss,
        smallest=-math.inf,
        needs_rows=False,
    ),
    Measure(
        "dm",
        losses.dm,
        largest=math.inf,
    ),
    Measure(
        "average_block",
        losses.average_block,
        smallest=1.0,
        largest=math.inf,
        needs_rows=False,
    ),
    Measure(
        "cm",
        losses.cm,
        applies="quasi-identifiers and a sensitive column",
        usual=False,
    ),
    Measure("suppressed", losses.suppressed, applies="rows"),
    Measure(
        "marginal_tv",
        distributions.marginal_tv,
        applies="published columns",
        needs_rows=False,
    ),
    Measure(
        "pairwise_tv",
        distributions.pairwise_tv,
        applies="published columns",
        needs_rows=False,
    ),
    Measure(
        "hellinger",
        distributions.hellinger,
        applies="published columns",
        needs_rows=False,
    ),
    Measure(
        "mean_change",
        distributions.mean_change,
        applies="numeric columns",
        fewest=1,
        largest=math.inf,
        needs_rows=False,
    ),
    Measure(
        "variance_change",
        distributions.variance_change,
        applies="numeric columns",
        fewest=1,
        largest=math.inf,
        needs_rows=False,
    ),
    Measure(
        "quantile_change",
        distributions.quantile_change,
        applies="numeric columns",
        fewest=1,
        largest=math.inf,
        needs_rows=False,
    ),
    Measure(
        "correlation_change",
        distributions.correlation_change,
        applies="two or more numeric columns",
        fewest=2,
        largest=2.0,
        needs_rows=False,
    ),
    Measure(
        "pmse",
        models.pmse,
        applies="published columns",
        largest=0.25,
        usual=False,
        needs_rows=False,
    ),
    Measure(
        "model_loss",
        models.model_loss,
        applies="published columns and a sensitive column",
        smallest=-1.0,
        usual=False,
    ),
)
MEASURES: dict[str, Measure] = {each.name: each for each in _LISTED}
MEASURE_OF_OBJECTIVE: dict[Objective, Measure] = {
    objective: MEASURES[name] for objective, name in MEASURE_NAMES.items()
}
"""The measure of each objective that a method can minimize."""


def measure(before: Any, after: Any, names: Iterable[str] | None = None) -> dict[str, float]:
    """Several measures at once: the named ones, or all that are usual, without those that do not apply.

    Baskets, and releases of baskets, have measures of their own.
    """
    if _holds_baskets(before) or _holds_baskets(after):
        from sudare.measure.baskets.catalogue import measure_baskets

        return measure_baskets(before, after, names)
    pair = pair_of(before, after)
    chosen = [MEASURES[name] for name in chosen_measures(names)]
    return {each.name: _computed(each, pair) for each in chosen if each.tells(pair)}


def chosen_measures(names: Iterable[str] | None) -> list[str]:
    """The named measures, which must exist, or all usual ones."""
    chosen = [each.name for each in _LISTED if each.usual] if names is None else list(names)
    require_measures(chosen, MEASURES)
    return chosen


def require_measures(
    names: Iterable[str], known: Mapping[str, Measure], of: Literal["table", "baskets"] = "table"
) -> None:
    """Refuse, in one sentence, a measure that does not exist."""
    for name in names:
        if name not in known:
            raise ParameterError(f"measure.unknown.{of}", name=name, hint=did_you_mean(name, known))


def _computed(measure: Measure, pair: Pair) -> float:
    """One figure, checked: a measure may be third-party, and a manifest contains only numbers."""
    value = measure.compute(pair.before, pair)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError("measure.not_a_number", name=measure.name, value=shown(value)) from None
    if not math.isfinite(number):
        raise ParameterError("measure.not_finite", name=measure.name, value=number)
    return number


def nothing_to_tell(measure: Measure) -> ErrorSentence:
    """Why a measure has no value."""
    if measure.of_detail:
        return ErrorSentence("measure.values_replaced", name=measure.name)
    applies = meaning_of(f"applies.{measure.applies}", measure.applies)
    return ErrorSentence("measure.does_not_apply", name=measure.name, applies=applies)


def all(before: Any, after: Any) -> pl.DataFrame:  # noqa: A001  # sd.measure.all is the public name
    """Every measure as a table; a measure that cannot be computed here has no value and a reason instead."""
    pair = pair_of(before, after)
    rows = []
    for each in _LISTED:
        value, note = None, None
        try:
            if each.tells(pair):
                value = each.compute(pair.before, pair)
            else:
                note = str(nothing_to_tell(each))
        except SudareError as error:
            note = str(error)
        rows.append(
            {
                "measure": each.name,
                "value": value,
                "smallest": each.smallest,
                "largest": each.largest,
                "direction": each.direction,
                "applies": each.applies,
                "meaning": str(each.meaning),
                "note": note,
            }
        )
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64, "note": pl.String})


def _holds_baskets(data: Any) -> bool:
    """Whether data in memory are baskets: as such, paired, or as a release of them."""
    kept = (data, getattr(data, "released", None), getattr(data, "before", None))
    return any(isinstance(one, Baskets) for one in kept)


def in_turn(
    names: Sequence[str], progress: Progress, compute: Callable[[str], dict[str, float]]
) -> dict[str, float]:
    """The losses by one measure after the other, with progress."""
    progress.start("measure", max(len(names), 1))
    found: dict[str, float] = {}
    for done, name in enumerate(names, start=1):
        found |= compute(name)
        progress.update(done)
    return found
