"""What a model learns: can it tell the release from the original, and is it as good when trained on the release?

Needs scikit-learn (`pip install "sudare[models]"`). Every column is represented by the bins of
`sudare.measure.distributions`, a generalized cell by its shares. The split and the sample are fixed: they are not secret,
and figures stay comparable.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.errors import ParameterError
from sudare.measure.distributions import MOST_PAIRED, compared_names, margin_of
from sudare.measure.pair import pair_of
from sudare.randomness import repeatable

if TYPE_CHECKING:
    from sudare.measure.pair import Pair

Floats = npt.NDArray[np.float64]
_LARGEST_SAMPLE = 5_000


def pmse(before: Any, after: Any) -> float:
    """Propensity score mean squared error: mean (p_i - c)^2, from 0 (indistinguishable) to c (1 - c), at most 1/4.

    A logistic model is trained to distinguish released from original rows; c is the share of released ones.
    """
    linear_model = _scikit_learn("sklearn.linear_model")
    pair = pair_of(before, after)
    chosen = repeatable(0)
    original, released = (
        _sampled(side, chosen) for side in _features(pair, compared_names(pair)[:MOST_PAIRED])
    )
    rows = np.concatenate([original, released])
    is_released = np.r_[np.zeros(len(original)), np.ones(len(released))]
    if not rows.shape[1]:
        return 0.0
    with warnings.catch_warnings():
        # A score that has not converged to the last digit is good enough: the figure is read to two digits.
        warnings.simplefilter("ignore")
        model = linear_model.LogisticRegression(max_iter=100).fit(rows, is_released)
    scores = model.predict_proba(rows)[:, 1]
    return float(((scores - is_released.mean()) ** 2).mean())


def model_loss(before: Any, after: Any, target: str | None = None) -> float:
    """Accuracy lost by training on the release: accuracy(trained on original) - accuracy(trained on release).

    Two decision trees predict `target` (by default the first sensitive column; numbers and rare values are in
    bins) on the same half of the original rows, which neither was trained on. May be slightly below 0.
    """
    trees = _scikit_learn("sklearn.tree")
    pair = pair_of(before, after)
    name = pair.target(target, "model")
    names = [one for one in compared_names(pair)[:MOST_PAIRED] if one != name]
    classes = margin_of(pair, name).before
    train, test = _halves(pair.before.rows)
    kept = train[pair.place[train] >= 0]
    if not names or not len(kept) or not len(test):
        return 0.0
    original, released = _features(pair, names)

    def accuracy(rows: Floats, of: npt.NDArray[np.int64]) -> float:
        model = trees.DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(rows, classes[of])
        return float(model.score(original[test], classes[test]))

    return accuracy(original[train], train) - accuracy(released[pair.place[kept]], kept)


def _halves(rows: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows to train on and rows to test on, the same in every run."""
    order = repeatable(0).permutation(rows)[: 2 * _LARGEST_SAMPLE]
    return order[: len(order) // 2], order[len(order) // 2 :]


def _features(pair: Pair, names: list[str]) -> tuple[Floats, Floats]:
    sides: tuple[list[Floats], list[Floats]] = ([], [])
    for name in names:
        margin = margin_of(pair, name)
        sides[0].append(np.eye(margin.spread.shape[1])[margin.before])
        sides[1].append(margin.spread[margin.after])
    rows = pair.before.rows, pair.after.rows
    before, after = (
        np.hstack(side) if side else np.zeros((count, 0)) for side, count in zip(sides, rows, strict=True)
    )
    return before, after


def _sampled(rows: Floats, chosen: np.random.Generator) -> Floats:
    if len(rows) <= _LARGEST_SAMPLE:
        return rows
    return rows[chosen.permutation(len(rows))[:_LARGEST_SAMPLE]]


def _scikit_learn(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ParameterError("measure.no_models") from None
