"""Release: an anonymized table with its evidence, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sudare.assess.requirement import blocks_of
from sudare.assess.risk import Risk, risk
from sudare.display import (
    html_block,
    html_head,
    html_list,
    html_losses,
    html_table,
    html_warnings,
    paragraph,
    said,
    shown_words,
)
from sudare.measure.compare import Figures
from sudare.progress import SILENT, Progress, shows_progress
from sudare.release.folder import AnyRelease

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from sudare.advise.advise import Suitability
    from sudare.anonymize.protocol import Anonymizer
    from sudare.assess.bounds import Bound
    from sudare.describe.table import Table
    from sudare.release.table.kind import TableKind


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Release(AnyRelease):
    """What `anonymize` returns for a table: the released table, and everything a report says about it."""

    original: Table
    """The table as it was (never written)."""
    table: Table
    """The table as it is published: same roles, no identifiers."""
    column_losses: dict[str, float]
    """Loss of each quasi-identifier; empty where values were replaced and none is coarser."""
    column_errors: dict[str, float] = field(default_factory=dict)
    """Error of each quasi-identifier whose values were replaced by others as detailed (see `sd.measure.column_errors`);
    not of noise."""
    not_applicable: tuple[str, ...] = ()
    """Measures that were asked for and do not apply.

    Measures of numbers do not where there are none, those of blocks and generalized detail where quasi-identifiers are
    noise and none is coarser, those that compare row by row where rows have no originals.
    """
    suitability: Suitability | None = None
    """How suited the table was to diversity, where a run judged it."""
    counted: dict[tuple[str, ...], Any] = field(default_factory=dict, init=False)
    """What reports show of the rows, by what it is: counts and figures, never rows (kept by `sudare.release.report`)."""

    @property
    def kind(self) -> TableKind:
        """Tables."""
        from sudare.release.table.kind import TABLE

        return TABLE

    @property
    def frame(self) -> Any:
        """The released table in the caller's kind of frame."""
        return self.table.native()

    def to_pandas(self) -> Any:
        """The released table as a pandas frame, whatever was given."""
        return self.table.to_pandas()

    @cached_property
    def groups(self) -> npt.NDArray[np.int32]:
        """Block of each released row."""
        return blocks_of(self.table).labels

    @cached_property
    def risk_before(self) -> Risk:
        """Risk figures of the original."""
        return risk(self.original)

    @cached_property
    def risk_after(self) -> Risk:
        """Risk figures of the release."""
        return risk(self.table)

    @cached_property
    def lower_bounds(self) -> dict[str, Bound]:
        """The lowest losses any compliant release can have, of the measures loss and dis, where they are known.

        Computed when first asked for, within a second or two; a bound says whether more search would raise it.
        """
        return self.bound(SILENT)

    def bound(self, progress: Progress) -> dict[str, Bound]:
        """Compute the lower bounds, with progress, where that has not been done; `lower_bounds` has them afterwards."""
        from sudare.advise.bounds import bounds_of

        if "lower_bounds" not in self.__dict__:
            found = bounds_of(self.original, self.requirements, self.methods, progress=progress)
            self.__dict__["lower_bounds"] = found  # where cached_property keeps it
        return self.lower_bounds

    @cached_property
    def bound_is_missing(self) -> bool:
        """Whether it has no lower bounds only because the table is too large for a search of seconds."""
        from sudare.advise.bounds import is_too_large, only_generalized

        return (
            not self.lower_bounds
            and only_generalized(self.original, self.methods)
            and is_too_large(self.original)
        )

    @property
    def lower_bound(self) -> float | None:
        """The least loss (the measure of that name) any release with these requirements can have, where known."""
        bound = self.lower_bounds.get("loss")
        return None if bound is None else bound.value

    @cached_property
    def publishable(self) -> tuple[str, ...]:
        """Names of the losses that may be published beside the release; others would tell of removed values."""
        from sudare.release.table.evaluate import publishable

        return publishable(self)

    def figures(self) -> Figures:
        """Its risk and losses, and which columns are quasi-identifiers."""
        losses = {**self.losses, **dict.fromkeys(self.not_applicable)}
        risks = self.risk_after.to_dict()
        randomized = any(column.mechanism is not None for column in self.table.columns)
        quasi = self.table.names("quasi")
        return Figures(risks, losses, self.kind.name, self.original.frame, quasi, randomized)

    def chart(self) -> Any:
        """Bars (Altair) of the measures that lie between 0 and 1, and of the loss of each column."""
        from sudare.release.plots import loss_chart

        # Of noise and of replaced values there is no lost detail to draw.
        return loss_chart(
            self.losses, self.column_losses if "loss" in self.losses else {}, errors=self.column_errors
        )

    @shows_progress
    def retry(
        self,
        *,
        effort: str | None = "thorough",
        method: Anonymizer | str | Sequence[Anonymizer | str] | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> Release:
        """Run again with more effort, or another method, and keep the better of the two releases.

        See `sudare.release.retry.retry`.
        """
        from sudare.release.retry import retry

        return retry(self, effort=effort, method=method, seed=seed, progress=progress)

    def __repr__(self) -> str:
        words, loss = shown_words(), self.losses.get("loss")
        key = "release.rows" if loss is None else "release.rows_loss"
        rows = words(key, rows=self.table.rows, original=self.original.rows, loss=loss)
        verdicts = [repr(verdict) for verdict in self.verdicts] or [words("release.no_requirement")]
        return said("Release", [rows, *verdicts])

    def _repr_html_(self) -> str:
        """Verdicts, risk, losses and the first released rows; nothing of the original."""
        words, before, after = shown_words(), self.risk_before, self.risk_after
        risks = [(words("risk.largest"), before.prosecutor_largest, after.prosecutor_largest)]
        if not after.blocks_are_noise:
            # Of noise only the bound 1/k is known, for everybody: beside a mean it would look like a rise, and blocks of
            # noise are no blocks.
            risks.insert(0, (words("risk.smallest_block"), before.smallest_block, after.smallest_block))
            risks.append((words("risk.mean"), before.prosecutor_mean, after.prosecutor_mean))
        rows = words("release.title", rows=self.table.rows, original=self.original.rows)
        return html_block(
            paragraph(words("fact", name="Release", value=rows), bold=True),
            html_list(verdict.marked for verdict in self.verdicts),
            html_table([words(f"head.{head}") for head in ("risk", "before", "after")], risks),
            html_losses(self.losses),
            html_warnings(self.warnings),
            html_head(self.table.frame),
        )
