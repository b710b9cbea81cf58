"""All measures: name, direction, range and meaning of each, and how to compute them together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from pydantic import BeforeValidator

from sudare.describe.baskets.baskets import Baskets
from sudare.describe.distance import DISTANCES, Product
from sudare.describe.hierarchy.tree import MEASURE_NAMES
from sudare.describe.table import to_native
from sudare.errors import ErrorSentence, ParameterError, SudareError, did_you_mean, shown
from sudare.measure import distributions, losses, models
from sudare.measure.distributions import numeric_names
from sudare.measure.information import ild
from sudare.measure.pair import Pair, pair_of
from sudare.parameters import Annotated, AnyNames, Catalogue, Field, first_paragraph, parameters
from sudare.words.sentence import Meaning, meaning_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sudare.describe.hierarchy.tree import Objective
    from sudare.progress import Progress


@dataclass(frozen=True)
class Measure:
    """A loss figure and how to read it."""

    name: str
    compute: Callable[..., float]
    """Of the data before and after, and of the parameters in `MEASURE_PARAMETERS`, where it has any."""
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


def _ild(
    before: Any,
    after: Any,
    distances: Mapping[str, Any] | None = None,
    weights: Mapping[str, float] | None = None,
    p: float = 2.0,
    order: float = 2.0,
    columns: Sequence[str] = (),
) -> float:
    pair = pair_of(before, after)
    if not (pair.before.names("quasi") or distances or columns):
        return 0.0
    distance = None
    if distances or weights or order != 2:
        made = {name: DISTANCES.build(one) for name, one in (distances or {}).items()}
        distance = Product(made, dict(weights or {}), order)
    return float(ild(before, pair, distance, columns=list(columns) or None, p=p))


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


def _named_distances(given: Any) -> Any:
    """Distances as names, or as mappings where they have parameters; each must be in the catalogue."""
    if not isinstance(given, Mapping):
        return given
    named: dict[str, Any] = {}
    for column, one in given.items():
        dumped = DISTANCES.dump(DISTANCES.build(one), full=False)
        named[str(column)] = dumped["type"] if len(dumped) == 1 else dumped
    return named


Weights = dict[str, Annotated[float, Field(ge=0)]]


@parameters
class IldParameters:
    """Parameters of information loss by distances: ILD = (I(A) - I(A')) / I(A), I(A) = sum of d(x, y)^p over pairs."""

    distances: Annotated[dict[str, Any], BeforeValidator(_named_distances)] = Field(default_factory=dict)
    """Distance of each column, by name or with its fields; only these columns are compared, unless `columns` is given."""
    weights: Weights = Field(default_factory=dict)
    """Weight of each column in the joint distance; if left out, every column counts the same."""
    p: Annotated[float, Field(gt=0)] = 2.0
    """The power p of distances that is summed."""
    order: Annotated[float, Field(ge=1, allow_inf_nan=True)] = 2.0
    """The q of the joint distance (sum of w d^q)^(1/q): 1 adds distances, inf takes the largest."""
    columns: AnyNames = ()
    """Columns to compare; those with a distance, or all quasi-identifiers, if left out."""


@parameters
class PenaltyParameters:
    """Parameters of the certainty penalties ncp and gcp."""

    weights: Weights = Field(default_factory=dict)
    """Weight of each quasi-identifier; 1 if left out, 0 leaves it out."""


@parameters
class DiscernibilityParameters:
    """Parameters of discernibility: blocks of fewer than k rows count |D| for each row."""

    k: Annotated[int, Field(ge=1)] = 1
    """Smallest block that counts by its size."""


@parameters
class TargetParameters:
    """Parameters of measures of classification."""

    target: str | None = None
    """The column that is predicted; the first sensitive one if left out."""


@parameters
class GlobalPenaltyParameters(PenaltyParameters):
    """Parameters of the global certainty penalty."""


@parameters
class ModelParameters(TargetParameters):
    """Parameters of the loss of a model."""


MEASURE_PARAMETERS: Catalogue[Any] = Catalogue(
    "measure",
    {
        "ild": IldParameters,
        "ncp": PenaltyParameters,
        "gcp": GlobalPenaltyParameters,
        "dm": DiscernibilityParameters,
        "cm": TargetParameters,
        "model_loss": ModelParameters,
    },
)
"""The measures that take parameters, as a text (`dm k=5`) or as a mapping (`{"type": "dm", "k": 5}`)."""


def measure(
    before: Any, after: Any, names: Iterable[str | Mapping[str, Any]] | None = None
) -> dict[str, float]:
    """Several measures at once: the named ones, or all that are usual, without those that do not apply.

    A measure with parameters is a text or a mapping, such as "dm k=5" or {"type": "ild", "p": 1}, and its result is
    under its text. Baskets, and releases of baskets, have measures of their own.
    """
    if _holds_baskets(before) or _holds_baskets(after):
        from sudare.measure.baskets.catalogue import measure_baskets

        return measure_baskets(before, after, names)
    pair = pair_of(before, after)
    chosen = chosen_measures(names)
    return {label: _computed(label, pair) for label in chosen if known_measure(label).tells(pair)}


def chosen_measures(names: Iterable[str | Mapping[str, Any]] | None) -> list[str]:
    """The named measures, which must exist, as texts with their parameters; or all usual ones."""
    if names is None:
        return [each.name for each in _LISTED if each.usual]
    return list(dict.fromkeys(measure_label(given) for given in names))


def measure_label(
    given: Any,
    known: Mapping[str, Measure] | None = None,
    parameterized: Catalogue[Any] | None = None,
    of: Literal["table", "baskets"] = "table",
) -> str:
    """A measure as text, with those parameters that are not at their defaults: "loss", "dm k=5"."""
    known, parameterized = known or MEASURES, parameterized or MEASURE_PARAMETERS
    if isinstance(given, Mapping) and "type" in given:
        name, bare = str(given["type"]), len(given) == 1
    elif isinstance(given, str):
        name, bare = base_name(given), given.strip() == base_name(given)
    else:
        raise ParameterError("measure.not_a_name", given=shown(given))
    require_measures([name], known, of)
    if bare:
        return name
    if name not in parameterized.entries:
        raise ParameterError("measure.no_parameters", name=name)
    return parameterized.label(parameterized.build(given))


def given_parameters(label: str, parameterized: Catalogue[Any]) -> dict[str, Any]:
    """The parameters in a text such as "dm k=5"."""
    if label == base_name(label):
        return {}
    made = parameterized.build(label)
    return {name: getattr(made, name) for name in parameterized.dump(made, full=False) if name != "type"}


def base_name(label: str) -> str:
    """The name of a measure without its parameters."""
    return (label.split() or [""])[0].partition(":")[0]


def known_measure(label: str, known: Mapping[str, Measure] | None = None) -> Measure:
    """The measure of a text such as "dm k=5"."""
    return (MEASURES if known is None else known)[base_name(label)]


def require_measures(
    names: Iterable[str], known: Mapping[str, Measure], of: Literal["table", "baskets"] = "table"
) -> None:
    """Refuse, in one sentence, a measure that does not exist."""
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ParameterError(f"measure.unknown.{of}", name=name, hint=did_you_mean(str(name), known))


def _computed(label: str, pair: Pair) -> float:
    """One figure, checked: a measure may be third-party, and a manifest contains only numbers."""
    measure = known_measure(label)
    given = given_parameters(label, MEASURE_PARAMETERS)
    value = measure.compute(pair.before, pair, **given)
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


def all(before: Any, after: Any) -> Any:  # noqa: A001  # sd.measure.all is the public name
    """Every measure as a frame of the kind in which `before` was given, with a reason where one cannot be computed."""
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
    frame = pl.DataFrame(rows, schema_overrides={"value": pl.Float64, "note": pl.String})
    return to_native(frame, pair.before.given_as)


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
