"""CrossTab: a reconstructed cross tabulation with its evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from sudare.describe.table import to_native
from sudare.display import WIDTH, folded, html_block, html_head, html_list, paragraph, said, shown_words
from sudare.errors import ParameterError, did_you_mean
from sudare.measure.crosstab.trust import trust_of
from sudare.words.sentence import as_shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.describe.table import NativeKind
    from sudare.measure.crosstab.fit.estimate import Start
    from sudare.measure.crosstab.fit.iterate import StopRule
    from sudare.measure.crosstab.input.attribute import Attribute
    from sudare.measure.crosstab.trust import Trust
    from sudare.measure.crosstab.words import CrosstabSentence
    from sudare.words.sentence import Texts

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

Figure = Literal["estimate", "stderr", "low", "high", "released", "inverse", "inverse_stderr"]
Origin = Literal["randomized", "not_randomized", "unknown"]
"""What is known about the data: some column is randomized, none is, or nothing describes them."""
FIGURES: tuple[Figure, ...] = ("estimate", "stderr", "low", "high", "released", "inverse", "inverse_stderr")
MOST_LISTED = 1_000_000
"""Up to this many cells, `counts` has a row for every cell; beyond, only for cells that are not empty."""
_SHOWN = 20
_OF_ESTIMATE = ("estimate", "stderr")
_EXPLAINED = ("stderr", "low", "inverse")
"""Figures with a sentence below the cells, if they are available."""


@dataclass(frozen=True)
class Fit:
    """How well the estimate explains the release, and how it was found."""

    misfit: float
    """G^2 = 2 sum y log(y / u) of the released counts."""
    degrees: float
    """The size of G^2 by chance alone: cells - 1 if counts are large, less if they are small."""
    iterations: int
    """Number of EM steps."""
    rule: StopRule
    start: Start
    met: bool
    """Whether EM ended by its rule before the limit of steps, with a table that the release does not contradict. With
    `fit`, it ends when G^2 has its expected size by chance, or when no step brings it closer."""
    records: int
    cells: int
    """Number of estimated cells: those of observed combinations of exact attributes."""
    randomized: int
    """Number of randomized attributes; if there are none, the counts are exact."""
    kept: int | None
    """Number of EM steps from the released counts that replace the estimate, because they did better in rehearsals;
    0 if the released counts were kept unchanged, None if the estimate was used."""
    worst: float | None
    """Largest total variation of the estimate over that of the released counts, among the rehearsed tables that may be
    the original; None without rehearsals."""
    draws: int
    """Number of releases drawn again for the standard errors."""
    total_variation: float | None
    """Total variation between the estimate and the original that is not exceeded, with 95 % confidence: the largest one
    in rehearsals on tables that may be the original (see `accuracy`); None without draws."""
    total_variation_released: float | None
    """The same for the released counts, used unchanged."""
    half_width: float | None
    """Mean half width of the 95 % intervals, in records; None if there are none."""
    contradicts: bool = False
    """Whether G^2 is beyond chance for this table and every other (see `contradiction`): the described mechanism is
    not the one that was used, the data were changed, the noise was not independent of them, or bins are too wide."""
    wide: tuple[str, ...] = ()
    """Attributes whose bins contain several numbers: their distribution in a bin is reconstructed and may be wrong."""
    independent: bool = False
    """Whether the product of the margins explains the release, which then does not show how attributes depend on each
    other. The cells are unknown unless `total_variation` is at most 0.1."""
    origin: Origin = "randomized"
    """Whether the data are described as randomized, are described as not randomized, or are not described."""
    usable: int | None = None
    """Number of cells whose interval is narrow (see `trust`); None if there are no intervals."""
    rough: int | None = None
    """Number of cells whose interval is wide, but still tells the count roughly."""
    unknown: int = 0
    """Number of cells that cannot be estimated from this release: null in `counts`, nan in `array()`."""

    @property
    def rebuilt(self) -> bool:
        """Whether these are counts of the original: not if nothing is known to be randomized."""
        return bool(self.randomized) or self.origin == "randomized"

    @property
    def tells_no_cell(self) -> bool:
        """Whether the release leaves the count of every cell open."""
        return bool(self.cells) and self.usable == 0 and self.rough == 0

    def sentences(self) -> list[CrosstabSentence]:
        """The same in words; each sentence can be translated into Japanese: `sentence.into("ja")`."""
        from sudare.measure.crosstab.words import sentences_of

        return sentences_of(self)

    def warnings(self) -> list[CrosstabSentence]:
        """The sentences that advise against using the table as it is."""
        from sudare.measure.crosstab.words import warnings_of

        return warnings_of(self)


@dataclass(frozen=True, eq=False)
class CrossTab:
    """A table of estimated original counts, with the figures it was estimated from.

    `array()` and `stderr` have one axis for each attribute in `by`; `counts` has one row for each cell.
    """

    attributes: tuple[Attribute, ...]
    """The attributes in the order of `by`."""
    randomized: tuple[int, ...]
    """Positions in `attributes` of the randomized attributes."""
    exact: tuple[int, ...]
    """Positions in `attributes` of the others."""
    exact_cells: Integers
    """Observed combinations of the exact attributes: one row of codes each."""
    figures: Mapping[str, Floats]
    """Each figure has the randomized axes, then the combinations of exact attributes; `FIGURES` lists the names."""
    fit: Fit
    unknown: npt.NDArray[np.bool_]
    """Cells that cannot be estimated from this release, in the layout of `figures`, which keep what was fitted."""
    given_as: NativeKind = "polars"
    """The kind of frame in which the release was given: that of `counts` and `margin`."""

    @property
    def by(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def labels(self) -> dict[str, list[Any]]:
        """Labels of each attribute in the order of `array()`."""
        return {attribute.name: attribute.labels.to_list() for attribute in self.attributes}

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of bins of each attribute."""
        return tuple(len(attribute.labels) for attribute in self.attributes)

    @property
    def counts(self) -> Any:
        """One row per cell, in the kind of frame that the release was given as: its labels and its figures.

        `estimate` with `stderr`, null if the cell cannot be estimated from this release; `low` and `high`, a 95 %
        interval that includes the estimate; `released`, the released count; `inverse` with `inverse_stderr`, the
        unbiased estimate; `verdict`, whether the count can be used (see `trust`).

        Above a million cells, only those with a released count or an estimate of at least one half.
        """
        return to_native(self.cells, self.given_as)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """What `counts` contains, as a polars frame."""
        return self._listed(hidden=True)

    def _listed(self, *, hidden: bool) -> pl.DataFrame:
        """One row per cell; `hidden` leaves out what cannot be estimated."""
        cells = math.prod(self.shape)
        if cells <= MOST_LISTED:
            places = np.arange(cells)
            columns = {name: self._dense(name, hidden=hidden).ravel() for name in self.figures}
        else:
            places, columns = self._present(hidden=hidden)
        codes = np.unravel_index(places, self.shape)
        listed = [
            attribute.labels.gather(code) for attribute, code in zip(self.attributes, codes, strict=True)
        ]
        listed += [pl.Series(self._free(name), values).fill_nan(None) for name, values in columns.items()]
        verdict = self._verdict(columns)
        if verdict is not None:
            listed.append(verdict)
        return pl.DataFrame(listed)

    def _verdict(self, figures: Mapping[str, Floats]) -> pl.Series | None:
        """Whether each count can be used; None without intervals."""
        name = self._free("verdict")
        if not self.fit.randomized:
            known: Trust = "exact" if self.fit.rebuilt else "released"
            return pl.Series(name, [known], dtype=pl.String).new_from_index(0, len(figures["estimate"]))
        if "low" not in figures:
            return None
        return pl.Series(
            name, trust_of(figures["estimate"], figures["low"], figures["high"]), dtype=pl.String
        )

    def array(
        self, order: Mapping[str, Sequence[Any]] | None = None, *, figure: Figure = "estimate"
    ) -> Floats:
        """The estimated counts (or another figure) with one axis for each attribute.

        `order` lists, for any attribute, the labels to include and their order. Cells that cannot be estimated from
        this release are nan.
        """
        if figure not in self.figures:
            known = [name for name in FIGURES if name in self.figures]
            key = "measure.table.not_computed" if figure in FIGURES else "measure.table.no_figure"
            raise ParameterError(key, figure=figure, hint=did_you_mean(str(figure), known))
        found = self._dense(figure)
        for name, wanted in (order or {}).items():
            if name not in self.by:
                raise ParameterError(
                    "measure.table.no_attribute", name=name, hint=did_you_mean(name, self.by)
                )
            place = self.by.index(name)
            found = np.take(found, self._places(self.attributes[place], wanted), axis=place)
        return found

    def total_variation(self, original: npt.ArrayLike, *, figure: Figure = "estimate") -> float:
        """Half the sum of absolute differences between the cells' shares and those of the original's counts.

        Shares are used because a release may have fewer records than the original: never above 1 for counts. Only for
        those who have the original: cells of the estimate that are not shown, because the release does not tell them,
        take part as they were fitted.
        """
        self.array(figure=figure)
        truth, found = np.asarray(original, dtype=np.float64), self._spread_out(self.figures[figure])
        if truth.shape != found.shape:
            raise ParameterError("measure.table.shape", original=truth.shape, shape=found.shape)
        if not truth.sum() > 0:
            raise ParameterError("measure.table.no_counts")
        return float(np.abs(found / found.sum() - truth / truth.sum()).sum()) / 2

    @property
    def stderr(self) -> Floats:
        """Standard error of each cell, in the layout of `array()`; nan if it was not computed."""
        return self._dense("stderr") if "stderr" in self.figures else np.full(self.shape, np.nan)

    @property
    def notes(self) -> list[CrosstabSentence]:
        """How bins differ from the edges that were asked for: bins added, or reaching beyond the range."""
        from sudare.measure.crosstab.words import notes_on_bins

        return notes_on_bins(self.attributes)

    def margin(self, *by: str) -> Any:
        """The table of some of the attributes: estimates and released counts summed over the others.

        A sum with a part that cannot be estimated is null. Single attributes are the exception if only their dependence
        is unknown (`fit.independent`): the estimate is then made from their margins.
        """
        for name in by:
            if name not in self.by:
                raise ParameterError(
                    "measure.table.no_attribute", name=name, hint=did_you_mean(name, self.by)
                )
        estimate, released = self._free("estimate"), self._free("released")
        told = self.fit.independent and len(by) <= 1
        frame = self._listed(hidden=not told)
        summed = pl.when(pl.col(estimate).is_null().any()).then(None).otherwise(pl.col(estimate).sum())
        grouped = frame.group_by(pl.selectors.by_name(by), maintain_order=True)
        return to_native(grouped.agg(summed.alias(estimate), pl.col(released).sum()), self.given_as)

    def chart(self) -> Any:
        """Heat maps (Altair) of the released counts and the estimate, over the first two attributes."""
        from sudare.measure.crosstab.heat_map import heat_map

        return heat_map(self)

    def _places(self, attribute: Attribute, wanted: Sequence[Any]) -> list[int]:
        known = {str(label): place for place, label in enumerate(attribute.labels.to_list())}
        for label in wanted:
            if str(label) not in known:
                hint = did_you_mean(str(label), known)
                raise ParameterError("measure.table.no_bin", attribute=attribute.name, label=label, hint=hint)
        return [known[str(label)] for label in wanted]

    def _shown(self, name: str, *, hidden: bool = True) -> Floats:
        """A figure, without what cannot be estimated."""
        figure = self.figures[name]
        if not hidden or not self.fit.unknown or name not in _OF_ESTIMATE:
            return figure
        shown: Floats = np.where(self.unknown, np.nan, figure)
        return shown

    def _dense(self, name: str, *, hidden: bool = True) -> Floats:
        """A figure as an array of all cells, without what cannot be estimated."""
        return self._spread_out(self._shown(name, hidden=hidden))

    def _spread_out(self, figure: Floats) -> Floats:
        """An array of all cells; combinations of exact attributes that do not occur are 0."""
        exact_shape = tuple(len(self.attributes[place].labels) for place in self.exact)
        whole = np.zeros((*figure.shape[:-1], math.prod(exact_shape)))
        flat = (
            np.ravel_multi_index(tuple(self.exact_cells.T), exact_shape)
            if self.exact
            else np.zeros(1, np.int64)
        )
        whole[..., flat] = figure
        ordered = whole.reshape(*figure.shape[:-1], *exact_shape)
        return np.ascontiguousarray(
            np.moveaxis(ordered, range(ordered.ndim), (*self.randomized, *self.exact))
        )

    def _present(self, *, hidden: bool) -> tuple[Integers, dict[str, Floats]]:
        """Flat positions and figures of the cells that are not empty."""
        kept = np.flatnonzero((self.figures["released"] > 0) | (self.figures["estimate"] >= 0.5))
        *randomized, combination = np.unravel_index(kept, self.figures["estimate"].shape)
        codes: list[Any] = [None] * len(self.attributes)
        for place, code in zip(self.randomized, randomized, strict=True):
            codes[place] = code
        for column, place in enumerate(self.exact):
            codes[place] = self.exact_cells[combination, column]
        flat = np.ravel_multi_index(tuple(codes), self.shape)
        order = np.argsort(flat)
        return flat[order], {
            name: self._shown(name, hidden=hidden).ravel()[kept][order] for name in self.figures
        }

    def _free(self, name: str) -> str:
        """A name for a column of figures that no attribute uses."""
        while name in self.by:
            name += "_"
        return name

    def __repr__(self) -> str:
        sizes = " x ".join(f"{name} ({size})" for name, size in zip(self.by, self.shape, strict=True))
        words = shown_words()
        parts = [sizes, words("crosstab.records", records=self.fit.records), self._briefly(words)]
        return said("CrossTab", [part for part in parts if part])

    def _briefly(self, words: Texts) -> str:
        """How far to trust it, in a few words; empty if that was not computed."""
        fit = self.fit
        if fit.contradicts:
            return words("crosstab.contradicted")
        if not fit.randomized:
            return words("crosstab.exact")
        if fit.unknown == fit.cells:
            return words("crosstab.unknown")
        if fit.half_width is None:
            return words("crosstab.no_cell")
        return words("crosstab.cell", half_width=fit.half_width)

    def __str__(self) -> str:
        with pl.Config(tbl_width_chars=WIDTH, float_precision=1, tbl_hide_column_data_types=True):
            cells = str(self.cells.head(_SHOWN))
        return "\n".join(
            [repr(self), *(folded(as_shown(one)) for one in (*self.fit.sentences(), *self.notes)), cells]
        )

    def _repr_html_(self) -> str:
        words = shown_words()
        explained = [words(f"crosstab.{name}") for name in _EXPLAINED if name in self.figures]
        return html_block(
            paragraph(repr(self), bold=True),
            html_list(map(as_shown, (*self.fit.sentences(), *self.notes))),
            html_head(self._for_people(), rows=_SHOWN),
            paragraph(" ".join(explained)) if self.fit.randomized else "",
        )

    def _for_people(self) -> pl.DataFrame:
        """The first cells, with records to one decimal; the figures of the matrix inversion are only in `counts`."""
        from sudare.measure.crosstab.words import verdict_words

        verdict = self._free("verdict")
        hidden = {self._free(name) for name in ("inverse", "inverse_stderr")} | {verdict}
        frame = self.cells
        figures = [name for name in frame.columns[len(self.by) :] if name not in hidden]
        # Rows beyond those shown are kept, because they are counted, but not written out.
        head = frame.head(_SHOWN)
        written = [
            pl.Series(
                name, ["–" if value is None else f"{value + 0.0:,.1f}" for value in head[name]]
            ).extend_constant(None, frame.height - head.height)
            for name in figures
        ]
        if verdict in frame.columns:
            said_of = {code: as_shown(sentence) for code, sentence in verdict_words().items()}
            column = head[verdict].replace_strict(said_of, return_dtype=pl.String)
            written.append(column.extend_constant(None, frame.height - head.height))
        return frame[list(self.by)].hstack(written)
