"""The measures there are: name, direction, range and meaning of each, and how to compute them together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from sudare.describe.hierarchy.shares import MEASURE_NAMES
from sudare.errors import ParameterError, SudareError, did_you_mean, shown
from sudare.measure import generalization, groups, margins, models, squares, statistics
from sudare.measure.information import ild
from sudare.measure.pair import Pair, pair_of
from sudare.measure.values import numeric_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sudare.describe.hierarchy.shares import Objective


@dataclass(frozen=True)
class Measure:
    """A loss figure and how to read it."""

    name: str
    meaning: str
    meaning_ja: str
    compute: Callable[[Any, Any], float]
    applies: str = "quasi-identifiers"
    """What it looks at."""
    largest: float = 1.0
    smallest: float = 0.0
    direction: Literal["lower is better", "higher is better"] = "lower is better"
    usual: bool = True
    """Whether it is computed when none is named: quick, and needing nothing that may be absent."""
    fewest: int = 0
    """Numeric columns (quasi-identifiers where it applies to these) without which it is 0 and tells nothing."""

    def tells(self, pair: Pair) -> bool:
        """Whether the tables have the numbers it looks at."""
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
        "share of each quasi-identifier's detail that was generalized away (Iyengar; what ARX reports)",
        "準識別子の詳細のうち一般化で失われた割合（Iyengar、ARXと同じ）",
        generalization.loss,
    ),
    Measure(
        "dis",
        "distortion: hierarchy levels climbed over those there are",
        "歪曲度：上がった階層段数の割合",
        generalization.dis,
    ),
    Measure(
        "gcp",
        "global certainty penalty: share of the domain each cell leaves open",
        "大域確実性損失：各セルが許す値の範囲の割合",
        generalization.gcp,
    ),
    Measure(
        "ncp",
        "normalized certainty penalty, summed over rows and columns",
        "正規化確実性損失の行・列にわたる和",
        generalization.ncp,
        largest=math.inf,
        usual=False,
    ),
    Measure(
        "ild",
        "information loss by distances: share of the distances between records that is gone",
        "距離による情報損失：レコード間の距離のうち失われた割合",
        _ild,
        smallest=-math.inf,
    ),
    Measure(
        "sse_ratio",
        "squared error over squared spread of the numeric quasi-identifiers (ILSSDM)",
        "数値準識別子の二乗誤差と全平方和の比（ILSSDM）",
        squares.sse_ratio,
        applies="numeric quasi-identifiers",
        fewest=1,
        largest=math.inf,
    ),
    Measure(
        "entropy_loss",
        "share of the entropy of quasi-identifier combinations that is gone",
        "準識別子の組み合わせのエントロピーのうち失われた割合",
        groups.entropy_loss,
        smallest=-math.inf,
    ),
    Measure(
        "dm",
        "discernibility: sum of squared block sizes",
        "識別不能度：ブロックの大きさの二乗和",
        groups.dm,
        largest=math.inf,
    ),
    Measure(
        "average_block",
        "rows per block",
        "ブロックあたりの行数",
        groups.average_block,
        smallest=1.0,
        largest=math.inf,
    ),
    Measure(
        "cm",
        "share of rows not in the majority class of their block (class: first sensitive column)",
        "ブロックの多数派クラスに属さない行の割合（クラスは最初の要配慮列）",
        groups.cm,
        applies="quasi-identifiers and a sensitive column",
        usual=False,
    ),
    Measure("suppressed", "share of rows left out", "除かれた行の割合", groups.suppressed, applies="rows"),
    Measure(
        "marginal_tv",
        "how far the distribution of a column is off, mean of columns (total variation)",
        "各列の分布のずれの平均（全変動距離）",
        margins.marginal_tv,
        applies="published columns",
    ),
    Measure(
        "pairwise_tv",
        "how far two-way tables are off, mean of pairs of columns (total variation)",
        "二元表のずれの平均（全変動距離）",
        margins.pairwise_tv,
        applies="published columns",
    ),
    Measure(
        "hellinger",
        "how far the distribution of a column is off, mean of columns (Hellinger)",
        "各列の分布のずれの平均（ヘリンガー距離）",
        margins.hellinger,
        applies="published columns",
    ),
    Measure(
        "mean_change",
        "change of means, in standard deviations",
        "平均の変化（標準偏差単位）",
        statistics.mean_change,
        applies="numeric columns",
        fewest=1,
        largest=math.inf,
    ),
    Measure(
        "variance_change",
        "relative change of variances",
        "分散の相対変化",
        statistics.variance_change,
        applies="numeric columns",
        fewest=1,
        largest=math.inf,
    ),
    Measure(
        "quantile_change",
        "change of deciles, in standard deviations",
        "十分位数の変化（標準偏差単位）",
        statistics.quantile_change,
        applies="numeric columns",
        fewest=1,
        largest=math.inf,
    ),
    Measure(
        "correlation_change",
        "change of correlations between numeric columns",
        "数値列間の相関の変化",
        statistics.correlation_change,
        applies="two or more numeric columns",
        fewest=2,
        largest=2.0,
    ),
    Measure(
        "pmse",
        "how well a model tells released from original rows (0: not at all, 0.25: perfectly)",
        "公開行と元の行をモデルが見分けられる度合い（0：不可能、0.25：完全）",
        models.pmse,
        applies="published columns",
        largest=0.25,
        usual=False,
    ),
    Measure(
        "model_loss",
        "accuracy lost by training a model on the release instead of the original",
        "元データの代わりに公開データで学習したモデルの精度低下",
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
"""What a method makes small, as it is measured."""


def measure(before: Any, after: Any, names: Iterable[str] | None = None) -> dict[str, float]:
    """Several measures at once: the named ones, or all that are usual; 0 where there is nothing to look at."""
    pair = pair_of(before, after)
    return {name: _computed(MEASURES[name], pair) for name in chosen_measures(names)}


def chosen_measures(names: Iterable[str] | None) -> list[str]:
    """The named measures, which must exist, or all that are usual."""
    chosen = [each.name for each in _LISTED if each.usual] if names is None else list(names)
    require_measures(chosen, MEASURES)
    return chosen


def require_measures(
    names: Iterable[str], known: Mapping[str, Measure], what: str = "a known measure"
) -> None:
    """One sentence for a measure there is not."""
    for name in names:
        if name not in known:
            raise ParameterError(f"'{name}' is not {what}; {did_you_mean(name, known)}")


def _computed(measure: Measure, pair: Pair) -> float:
    """One figure. A measure may be anybody's, and a manifest holds nothing but numbers."""
    value = measure.compute(pair.before, pair)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(
            f"The measure '{measure.name}' gave {shown(value)}, but a measure gives a number; correct it."
        ) from None
    if not math.isfinite(number):
        raise ParameterError(
            f"The measure '{measure.name}' gave {number}, but a loss is a finite number; define it for this table."
        )
    return number


def nothing_to_tell(measure: Measure) -> str:
    """Why a measure has no value."""
    return f"'{measure.name}' looks at {measure.applies}, which these tables do not have."


def all(before: Any, after: Any) -> pl.DataFrame:  # noqa: A001  # sd.measure.all is the public name
    """Every measure as a table; a measure that cannot be computed here has no value and says why."""
    pair = pair_of(before, after)
    rows = []
    for each in _LISTED:
        value, note = None, None
        try:
            if each.tells(pair):
                value = each.compute(pair.before, pair)
            else:
                note = nothing_to_tell(each)
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
                "meaning": each.meaning,
                "note": note,
            }
        )
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64, "note": pl.String})
