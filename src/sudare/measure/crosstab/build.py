"""Cross tabulation of a released table: count, estimate, and show how far to trust the result."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.errors import DescriptionError, ParameterError, did_you_mean
from sudare.measure.crosstab.fit.accuracy import Accuracy, accuracy_of, usual_draws
from sudare.measure.crosstab.fit.contract import Transition, to_original
from sudare.measure.crosstab.fit.contradiction import contradicts
from sudare.measure.crosstab.fit.estimate import estimate
from sudare.measure.crosstab.fit.inverse import invert
from sudare.measure.crosstab.input.attribute import Attribute, attribute_for
from sudare.measure.crosstab.options import USUAL, CrosstabOptions
from sudare.measure.crosstab.result import FIGURES, CrossTab, Fit, Origin
from sudare.measure.crosstab.trust import trust_of
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.describe.table import Table
    from sudare.measure.crosstab.fit.iterate import Iterated
    from sudare.measure.crosstab.input.bins import Bins
    from sudare.mechanism.protocol import Mechanism

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

MOST_CELLS = 20_000_000
"""Maximum number of estimated cells, all in memory at once several times."""
_NORMAL = 1.959963984540054
"""Standard deviations on either side that contain 95 % of a normal distribution."""
_FARTHEST = 5.0
"""Standard errors of the inverse: chance exceeds them in one of two million cells."""
_WIDEST = 0.9
"""Share of the possible counts, from 0 to all records of the exact cell: a wider interval says nothing."""
_INDEPENDENT = 0.1
"""Total variation up to which the product of the margins is a result: the columns are then about independent."""
_ROUNDING = 1e-6


def crosstab_of(
    table: Table,
    by: Sequence[str] | str,
    bins: Bins | None = None,
    *,
    mechanisms: Mapping[str, Mechanism] | None = None,
    origin: Origin | None = None,
    options: CrosstabOptions = USUAL,
    progress: Progress | None = None,
) -> CrossTab:
    """Rebuild the cross tabulation of the original table from a released one and its public description.

    Attributes that were not randomized are counted exactly. `origin` is what the description says of the whole table;
    if it is left out, the table is described if a mechanism of one of its columns is known.
    """
    names = _names(table, by)
    _check(names, bins, options)
    known = {name: table.column(name).mechanism for name in names} | dict(mechanisms or {})
    attributes = tuple(
        attribute_for(table.frame[name], known.get(name), (bins or {}).get(name), options.pieces)
        for name in names
    )
    found = tabulate(attributes, options, progress or SILENT)
    if origin is None:
        origin = "randomized" if any(column.mechanism for column in table.columns) else "unknown"
    return replace(found, given_as=table.given_as, fit=replace(found.fit, origin=origin))


def tabulate(
    attributes: tuple[Attribute, ...], options: CrosstabOptions = USUAL, progress: Progress = SILENT
) -> CrossTab:
    """The table of attributes whose released bins are known."""
    randomized = tuple(place for place, attribute in enumerate(attributes) if attribute.matrix is not None)
    exact = tuple(place for place, attribute in enumerate(attributes) if attribute.matrix is None)
    combination, exact_cells = _combinations([attributes[place] for place in exact], len(attributes[0].codes))
    transition = Transition(
        tuple(matrix for attribute in attributes if (matrix := attribute.matrix) is not None),
        len(exact_cells),
    )
    if transition.cells > MOST_CELLS:
        raise ParameterError("measure.crosstab.too_many_cells", cells=transition.cells, most=MOST_CELLS)
    released = _count([attributes[place] for place in randomized], combination, transition)
    pieces = {
        number: column
        for number, place in enumerate(randomized)
        if (column := attributes[place].pieces) is not None
    }
    found = estimate(transition, released, options.of_estimate, progress, pieces)
    figures: dict[str, Any] = {"estimate": found.estimate, "released": to_original(released)}
    accuracy, draws = None, 0
    if randomized:
        draws = usual_draws(transition, found.steps) if options.draws is None else options.draws
        if draws:
            accuracy = accuracy_of(
                transition,
                released,
                found,
                options.of_estimate,
                draws,
                pieces=pieces,
                seed=options.seed,
                progress=progress,
            )
            figures |= {"stderr": accuracy.error, "low": accuracy.low, "high": accuracy.high}
    else:
        figures["stderr"] = np.zeros_like(found.estimate)
    inverse = invert(transition, released)
    if inverse is not None:
        figures |= {"inverse": inverse[0], "inverse_stderr": inverse[1]}
        if accuracy is None and not pieces:
            figures |= _intervals(*inverse, released, found.estimate)
    figures = {name: figures[name] for name in FIGURES if name in figures}
    unknown = (
        _unknown(found, figures, released, accuracy) if randomized else np.zeros(found.estimate.shape, bool)
    )
    contradicted = contradicts(transition, released, found)
    trusted = None
    if randomized and "low" in figures:
        trusted = trust_of(np.where(unknown, np.nan, found.estimate), figures["low"], figures["high"])
    fit = Fit(
        misfit=found.misfit,
        degrees=found.expected,
        iterations=found.steps,
        rule=options.stop,
        start=options.start,
        met=found.met and not contradicted,
        records=len(attributes[0].codes),
        cells=transition.cells,
        randomized=len(randomized),
        kept=found.kept,
        worst=found.worst,
        draws=draws,
        total_variation=None if accuracy is None else accuracy.limit,
        total_variation_released=None if accuracy is None else accuracy.limit_released,
        half_width=float((figures["high"] - figures["low"]).mean()) / 2 if "low" in figures else None,
        contradicts=contradicted,
        wide=tuple(attribute.name for attribute in attributes if attribute.wide),
        independent=found.independent,
        usable=None if trusted is None else int((trusted == "usable").sum()),
        rough=None if trusted is None else int((trusted == "rough").sum()),
        unknown=int(unknown.sum()),
    )
    return CrossTab(attributes, randomized, exact, exact_cells, figures, fit, unknown)


def _intervals(inverse: Floats, error: Floats, released: Floats, estimate: Floats) -> dict[str, Floats]:
    """The 95 % interval by inversion, between 0 and the number of records in the exact cell.

    Used if nothing was drawn. Nothing is smoothed, so the interval is valid for rough originals too, but the estimate
    may be outside. In a table of many cells some of the originals are outside too, so the interval is widened to an
    estimate that is possible by chance; beyond that, the cell is unknown. Not for wide bins of numbers, whose matrix is
    itself an estimate.
    """
    most = released.reshape(len(released), -1).sum(axis=1)
    half = _NORMAL * error
    low, high = np.clip(inverse - half, 0.0, most), np.clip(inverse + half, 0.0, most)
    possible = np.abs(estimate - inverse) <= _FARTHEST * np.maximum(error, 1.0)
    return {
        "low": np.where(possible, np.minimum(low, estimate), low),
        "high": np.where(possible, np.maximum(high, estimate), high),
    }


def _unknown(
    found: Iterated, figures: dict[str, Any], released: Floats, accuracy: Accuracy | None
) -> npt.NDArray[np.bool_]:
    """Cells that the release does not tell, so that no estimate of them is shown.

    All of them, if the product of the margins is all that was found and may be far from the original. Otherwise those
    whose interval includes nearly every possible count, or does not include the estimate.
    """
    if found.independent and (accuracy is None or accuracy.limit > _INDEPENDENT):
        return np.ones(found.estimate.shape, dtype=bool)
    if "low" not in figures:
        return np.zeros(found.estimate.shape, dtype=bool)
    low, high = figures["low"], figures["high"]
    most = released.reshape(len(released), -1).sum(axis=1)
    outside = (found.estimate < low - _ROUNDING) | (found.estimate > high + _ROUNDING)
    found_unknown: npt.NDArray[np.bool_] = outside | (high - low > _WIDEST * most)
    return found_unknown


def count_like(table: CrossTab, original: Table) -> Floats:
    """Counts of another table, usually the original, in the cells of `table.array()`."""
    flat = np.zeros(original.rows, dtype=np.int64)
    for attribute in table.attributes:
        codes = attribute.place(original.frame[_names(original, attribute.name)[0]])
        if len(codes) and codes.max() >= len(attribute.labels):
            raise DescriptionError("measure.crosstab.missing_in_original", column=attribute.name)
        flat = flat * len(attribute.labels) + codes
    return np.bincount(flat, minlength=math.prod(table.shape)).astype(np.float64).reshape(table.shape)


def _combinations(attributes: list[Attribute], records: int) -> tuple[Integers, Integers]:
    """(combination of each record, codes of each combination) of exact attributes: only those that occur."""
    combination = np.zeros(records, dtype=np.int64)
    cells = np.zeros((1, 0), dtype=np.int64)
    for attribute in attributes:
        size = len(attribute.labels)
        joint, combination = np.unique(combination * size + attribute.codes, return_inverse=True)
        cells = np.column_stack([cells[joint // size], joint % size])
    return combination, cells


def _count(attributes: list[Attribute], combination: Integers, transition: Transition) -> Floats:
    """Released counts in the layout of released cells."""
    flat = combination
    for attribute in attributes:
        flat = flat * len(attribute.labels) + attribute.codes
    counts = np.bincount(flat, minlength=math.prod(transition.released_shape))
    return counts.astype(np.float64).reshape(transition.released_shape)


def _names(table: Table, by: Sequence[str] | str) -> list[str]:
    names = [by] if isinstance(by, str) else list(by)
    if not names:
        raise ParameterError("measure.crosstab.no_columns")
    for name in names:
        if name not in table.frame.columns:
            hint = did_you_mean(str(name), table.frame.columns)
            raise DescriptionError("measure.crosstab.no_column", name=name, hint=hint)
        if names.count(name) > 1:
            raise ParameterError("measure.crosstab.twice", name=name)
    if table.rows == 0:
        raise DescriptionError("measure.crosstab.no_records")
    return names


def _check(names: list[str], bins: Bins | None, options: CrosstabOptions) -> None:
    for name in bins or {}:
        if name not in names:
            raise ParameterError("measure.crosstab.bins_not_in_by", name=name, hint=did_you_mean(name, names))
    for what, given, allowed in (
        ("stop", options.stop, ("fit", "change", "none")),
        ("start", options.start, ("margins", "released")),
    ):
        if given not in allowed:
            hint = did_you_mean(str(given), allowed)
            raise ParameterError("measure.crosstab.no_rule", parameter=what, given=given, hint=hint)
    pieces, draws = options.pieces, options.draws
    if isinstance(pieces, bool) or not isinstance(pieces, int) or not 1 <= pieces <= 1_000:
        raise ParameterError("measure.crosstab.pieces", pieces=pieces)
    if draws is not None and (isinstance(draws, bool) or not isinstance(draws, int) or draws < 0):
        raise ParameterError("measure.crosstab.draws", draws=draws)
