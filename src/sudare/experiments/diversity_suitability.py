"""Suitability to l-diversity (Muramoto, Kamidoi, Wakabayashi 2011, tables 3 and 4): bounds, losses and ratios."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.anonymize.generalize import Generalize
from sudare.anonymize.pipeline import apply_all
from sudare.anonymize.protocol import Context
from sudare.assess.block_requirements import KAnonymity, LDiversity
from sudare.assess.bounds import feasible, k_bound, l_bound, max_blocks, min_largest_block
from sudare.experiments.diversity_data import study_table
from sudare.experiments.diversity_page import checks, compared, figures, notes, printed, tables
from sudare.experiments.diversity_published import PRINTED
from sudare.experiments.result import Experiment
from sudare.measure.losses import dis
from sudare.measure.pair import Pair
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sudare.anonymize.grouping.refine import Effort
    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table
    from sudare.experiments.diversity_published import Printed

DATA = ("data1", "data2", "data3", "data4", "data5")
"""data6 (IPUMS) is not available: only its printed figures are checked."""


def diversity_suitability(
    data: Path | None = None,
    progress: Progress = SILENT,
    names: Sequence[str] = DATA,
    *,
    levels: int | None = None,
    effort: Effort = "default",
) -> Experiment:
    """Tables 3 and 4, figure 3: bounds of l-diversity and k-anonymity on COIL 2000, Japanese Vowels and random tables, and their ratio."""
    own = {name: [line for line in PRINTED if line.data == name][:levels] for name in names}
    lines = [line for name in names for line in own[name]]
    found: list[dict[str, Any]] = []
    studied: dict[str, _Studied] = {}
    for done, line in enumerate(lines):
        if line.data not in studied:
            studied[line.data] = _Studied(study_table(line.data, data), progress, effort, {})
        progress.start(f"diversity-suitability, {line.data}, l = {line.l}", len(lines))
        progress.update(done)
        found.append(studied[line.data].line(line))
    wide = tables(lines, found)
    return Experiment(
        name="diversity-suitability",
        title="Suitability to l-diversity: bounds, what is reached, and their ratio",
        paper="Muramoto, Kamidoi, Wakabayashi: evaluation of the suitability to l-diversity for privacy-preserving data "
        "publishing (in Japanese), tables 3 and 4 and figure 3.",
        tables=wide,
        printed=printed(lines, found),
        figures=figures(lines, found),
        checks=tuple(checks(lines, found)),
        compared=tuple(compared(lines, found)),
        notes=notes(lines, found, effort),
    )


@dataclass(frozen=True, eq=False)
class _Studied:
    """One data table with the results computed so far."""

    table: Table
    progress: Progress
    effort: Effort
    reached: dict[tuple[str, int], float]

    @cached_property
    def counts(self) -> Any:
        return np.bincount(self.table.codes(self.sensitive).codes)

    @property
    def sensitive(self) -> str:
        return self.table.names("sensitive")[0]

    def line(self, line: Printed) -> dict[str, Any]:
        """Our figures for a line of the tables; None if the paper has none, or none exists."""
        counts, l = self.counts, line.l  # noqa: E741  # the name in the field
        possible = feasible(counts, l, "entropy")
        alpha = min_largest_block(counts, l, "entropy") if possible else None
        lower = l_bound(self.table, l, self.sensitive, progress=self.progress).value
        # If the paper has no release with diversity, we skip it too: it takes longest.
        upper = self.loss(LDiversity(l, kind="entropy"), l) if possible and line.upper is not None else None
        k_lower = k_bound(self.table, line.k, progress=self.progress).value
        k_upper = self.loss(KAnonymity(line.k), line.k)
        fair_upper = None if alpha is None else self.loss(KAnonymity(alpha), alpha)
        fair_lower = (
            k_bound(self.table, alpha, progress=self.progress).value
            if alpha not in {None, line.k}
            else k_lower
        )
        return {
            "lower": lower,
            "upper": upper,
            "ratio": None if upper is None else upper / lower,
            "max_blocks": max_blocks(counts, l),
            "alpha_s": min_largest_block(counts, l),
            "alpha_e": alpha,
            "k_lower": k_lower,
            "k_upper": k_upper,
            "k_ratio": k_upper / k_lower,
            "fair_lower": fair_lower,
            "fair_upper": fair_upper,
            "suitability": None if fair_upper is None else lower / fair_upper,
        }

    def loss(self, asked: Requirement, level: int) -> float:
        """Distortion of a release."""
        key = (type(asked).__name__, level)
        if key not in self.reached:
            context = Context((asked,), progress=self.progress)
            made = apply_all([Generalize(objective="dis", effort=self.effort)], self.table, context)
            self.reached[key] = dis(self.table, Pair(self.table, made.table, made.rows))
        return self.reached[key]
