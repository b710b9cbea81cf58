"""One attribute of a cross tabulation: its bins, the bin of each released record, and its transition matrix.

A bin of numbers is not a single value. Its column of the matrix is the average over the originals in it, weighted by
frequency: bins are cut into finer pieces (integers and days are pieces by themselves), the column alone is
reconstructed on the pieces (see `pieces`), and the pieces of a bin get the weights from that estimate.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.column import encode
from sudare.describe.text import as_text, axis_of, is_measured, scalar_text
from sudare.errors import DescriptionError, ParameterError
from sudare.measure.crosstab.fit.pieces import Pieces
from sudare.measure.crosstab.input.bins import BinRule, Cut, Line, cut, places
from sudare.measure.crosstab.input.transition import interval_matrix, value_matrix
from sudare.mechanism.protocol import NumberMechanism
from sudare.mechanism.retention import Retention

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from sudare.mechanism.protocol import Mechanism

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

PIECES = 8
_SURE = 1e-9
_MOST_ATOMS = 1_000
"""Maximum number of integers in a range that are averaged one by one; a wider range is treated as continuous."""
_MOST_VALUES = 10_000


@dataclass(frozen=True, eq=False)
class Attribute:
    """One attribute."""

    name: str
    labels: pl.Series
    """Label of each bin in order: a value, the text of a range, or null for missing."""
    codes: Integers
    """Bin of each released record."""
    matrix: Floats | None
    """[released bin, original bin]; None for an attribute that was not randomized."""
    place: Callable[[pl.Series], Integers]
    """Bins of the cells of another column, such as the original one."""
    wide: bool = False
    """Whether bins contain several values with different noise, so that the matrix depends on their distribution."""
    bins: Cut | None = None
    """The bins of a column of numbers or dates."""
    pieces: Pieces | None = None
    """The column on finer pieces, from which the matrix of wide bins was found; None if values are taken as even."""


def attribute_for(
    series: pl.Series, mechanism: Mechanism | None, rule: BinRule | None, pieces: int = PIECES
) -> Attribute:
    """A released column as an attribute."""
    if isinstance(mechanism, Retention):
        return _retained(series, mechanism, rule)
    if isinstance(mechanism, NumberMechanism):
        return (
            _ranked(series, mechanism, rule)
            if mechanism.values is not None
            else _noisy(series, mechanism, rule, pieces)
        )
    if mechanism is not None:
        kind = type(mechanism).__name__
        raise DescriptionError("measure.attribute.mechanism", column=series.name, mechanism=kind)
    return _exact(series, rule)


def _exact(series: pl.Series, rule: BinRule | None) -> Attribute:
    """A column that was not randomized, counted as it is."""
    is_line = is_measured(series)
    if rule is None and (not is_line or series.n_unique() <= 50):
        codes = encode(series)
        if codes.count > _MOST_VALUES:
            raise ParameterError(
                "measure.attribute.too_many_values",
                column=series.name,
                values=codes.count,
                most=_MOST_VALUES,
            )
        labels = codes.values if codes.missing is None else codes.values.extend_constant(None, 1)
        known = labels.to_list()
        return Attribute(
            series.name,
            labels.alias(series.name),
            codes.codes.astype(np.int64),
            None,
            lambda other: _coded(other, known)[1],
        )
    if not is_line:
        raise _no_bins(series.name)
    present = axis_of(series.drop_nulls()).to_numpy()
    low, high = (float(present.min()), float(present.max())) if len(present) else (0.0, 1.0)
    bins = cut(Line(series.name, series.dtype, present, low, high), rule)
    labels, codes_of = _with_missing(series, bins.labels, bins.place(present))
    return Attribute(series.name, labels, codes_of, None, lambda other: _cut_by(bins, other), bins=bins)


def _retained(series: pl.Series, mechanism: Retention, rule: BinRule | None) -> Attribute:
    """A column of categories: its values are the bins."""
    if rule is not None:
        raise _no_bins(series.name)
    return _listed(series, list(mechanism.values), mechanism.matrix())


def _ranked(series: pl.Series, mechanism: NumberMechanism, rule: BinRule | None) -> Attribute:
    """A column of ordinal values: their ranks were randomized."""
    if rule is not None:
        raise _no_bins(series.name)
    ranks = np.arange(len(mechanism.values or ()), dtype=np.float64)
    matrix = value_matrix(mechanism, np.append(ranks, len(ranks)), ranks)
    values: list[Any] = list(mechanism.values or ())
    if mechanism.flip is not None:
        values.append(None)
        matrix = _flipped(mechanism, matrix, np.append(ranks, len(ranks)))
    return _listed(series, values, matrix)


def _noisy(series: pl.Series, mechanism: NumberMechanism, rule: BinRule | None, pieces: int) -> Attribute:
    """A column of numbers or dates with noise."""
    if not is_measured(series):
        raise DescriptionError("measure.attribute.not_numbers", column=series.name, kind=str(series.dtype))
    present = axis_of(series.drop_nulls()).to_numpy()
    _check_range(series.name, mechanism, present)
    line = Line(series.name, series.dtype, present, mechanism.low, mechanism.high)
    bins = cut(line, rule)
    single = line.whole and bool((np.diff(bins.edges) <= 1.0).all())
    even = pieces == 1 or not len(present)
    fine = _on_pieces(mechanism, bins.edges, *_pieces(line, bins.edges, pieces), present)
    labels, codes = _with_missing(series, bins.labels, bins.place(present), always=mechanism.flip is not None)
    missing = len(series) - len(present)
    found = _with_missing_piece(mechanism, fine, missing) if len(labels) > fine.bins else fine
    # Values that are bins by themselves need no weights.
    matrix = found.binned(np.ones(found.matrix.shape[1]) if even or single else found.weights)
    return Attribute(
        series.name,
        labels,
        codes,
        matrix,
        lambda other: _cut_by(bins, other),
        wide=not single,
        bins=bins,
        pieces=None if single or even else found,
    )


def _check_range(name: str, mechanism: NumberMechanism, present: Floats) -> None:
    """Refuse values outside the range: a bounded mechanism never releases them."""
    if not len(present) or float(mechanism.cumulative(mechanism.high, mechanism.high)) < 1.0 - _SURE:
        return
    room = _SURE * (mechanism.high - mechanism.low)
    for found in (float(present.min()), float(present.max())):
        if not mechanism.low - room <= found <= mechanism.high + room:
            raise DescriptionError(
                "measure.attribute.outside",
                column=name,
                value=found,
                low=mechanism.low,
                high=mechanism.high,
            )


def _listed(series: pl.Series, values: list[Any], matrix: Floats) -> Attribute:
    """A column whose values are listed; missing cells that are not in the list were released unchanged."""
    if series.null_count() and None not in values:
        values, matrix = [*values, None], _kept_missing(matrix)
    labels, codes = _coded(series, values)
    return Attribute(series.name, labels, codes, matrix, lambda other: _coded(other, values)[1])


def _pieces(line: Line, edges: Floats, pieces: int) -> tuple[Floats, Floats]:
    """Starts and ends of the pieces; a single value starts and ends at the same number."""
    if line.whole and line.high - line.low < _MOST_ATOMS:
        atoms = np.arange(np.ceil(line.low), np.floor(line.high) + 1)
        return atoms, atoms
    inside = np.clip(edges, line.low, line.high)
    spans = [np.linspace(a, b, pieces + 1) for a, b in itertools.pairwise(inside) if b > a]
    return np.concatenate([span[:-1] for span in spans]), np.concatenate([span[1:] for span in spans])


@dataclass(frozen=True, eq=False)
class _Fine(Pieces):
    """Pieces that remember the edges of their released cells."""

    edges: Floats = field(default_factory=lambda: np.empty(0))


def _on_pieces(
    mechanism: NumberMechanism, edges: Floats, lows: Floats, highs: Floats, released: Floats
) -> _Fine:
    """The present values on the pieces: the matrix and the released counts."""
    fine = np.unique(np.concatenate([edges, lows, highs[-1:]]))
    whole = bool((lows == highs).all())
    if whole:
        fine = np.append(fine, fine[-1] + 1.0) if fine[-1] == lows[-1] else fine
        matrix = value_matrix(mechanism, fine, lows)
    else:
        matrix = interval_matrix(mechanism, fine, lows, highs)
    return _Fine(
        matrix,
        np.searchsorted(edges[1:-1], (fine[:-1] + fine[1:]) / 2, side="right").astype(np.int64),
        np.searchsorted(edges[1:-1], lows if whole else (lows + highs) / 2, side="right").astype(np.int64),
        len(edges) - 1,
        np.bincount(places(fine[1:-1], released), minlength=len(fine) - 1).astype(np.float64),
        edges=fine,
    )


def _with_missing_piece(mechanism: NumberMechanism, pieces: _Fine, missing: int) -> Pieces:
    """The same with a piece, and a bin, for missing cells."""
    last = np.array([pieces.bins])
    return Pieces(
        _kept_missing(pieces.matrix)
        if mechanism.flip is None
        else _flipped(mechanism, pieces.matrix, pieces.edges),
        np.append(pieces.released_bin, last),
        np.append(pieces.original_bin, last),
        pieces.bins + 1,
        np.append(pieces.counts, float(missing)),
    )


def _kept_missing(matrix: Floats) -> Floats:
    """Adds a bin for missing cells that were released as missing: nothing enters or leaves it."""
    rows, columns = matrix.shape
    return np.block([[matrix, np.zeros((rows, 1))], [np.zeros((1, columns)), np.ones((1, 1))]])


def _flipped(mechanism: NumberMechanism, matrix: Floats, edges: Floats) -> Floats:
    """Adds a bin for missing, which is exchanged with numbers with probability `flip`."""
    flip = float(mechanism.flip or 0.0)
    inner = np.concatenate([[0.0], mechanism.cumulative_missing(edges[1:-1], strict=True), [1.0]])
    spread = np.diff(inner)[:, None]
    last = np.full((1, matrix.shape[1]), flip)
    return np.block([[(1 - flip) * matrix, flip * spread], [last, np.array([[1 - flip]])]])


def _with_missing(
    series: pl.Series, labels: pl.Series, present: Integers, *, always: bool = False
) -> tuple[pl.Series, Integers]:
    """Codes of all rows, with missing as an additional bin if it occurs."""
    if series.null_count() == 0 and not always:
        return labels, present
    codes = np.full(len(series), len(labels), dtype=np.int64)
    codes[series.is_not_null().to_numpy()] = present
    return labels.clone().extend_constant(None, 1), codes


def _cut_by(bins: Cut, series: pl.Series) -> Integers:
    return _with_missing(series, bins.labels, bins.place(axis_of(series.drop_nulls()).to_numpy()))[1]


def _coded(series: pl.Series, values: list[Any]) -> tuple[pl.Series, Integers]:
    """Position of each cell among the listed values, compared as text, so that 1 and "1" from a file are equal."""
    listed = {None if value is None else scalar_text(value): place for place, value in enumerate(values)}
    codes = encode(series)
    texts: list[str | None] = as_text(codes.values).to_list()
    if codes.missing is not None:
        texts.append(None)
    unknown = [text for text in texts if text not in listed]
    if unknown:
        raise DescriptionError("measure.attribute.unlisted", column=series.name, value=unknown[0])
    places = np.array([listed[text] for text in texts], dtype=np.int64)
    try:
        labels = pl.Series(series.name, values, dtype=series.dtype)
    except (TypeError, pl.exceptions.PolarsError):
        labels = pl.Series(
            series.name, [None if value is None else scalar_text(value) for value in values], dtype=pl.String
        )
    return labels, places[codes.codes]


def _no_bins(name: str) -> ParameterError:
    return ParameterError("measure.bins.categories", column=name)
