"""The study of a table before anything is changed: is the requirement possible, and how far off is the table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.assess.blocks import Blocks
from sudare.assess.catalogue import REQUIREMENTS
from sudare.assess.requirement import BlockRequirement, Requirement, check_blocks
from sudare.assess.risk import Risk, risk
from sudare.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.assess.verdict import Verdict
    from sudare.describe.table import Table


@dataclass(frozen=True)
class Study:
    """What is possible with a table."""

    feasible: bool
    """Whether any release without suppressed rows can satisfy all requirements."""
    verdicts: tuple[Verdict, ...]
    """The requirements on the table as it is."""
    risk: Risk
    advice: tuple[str, ...]
    """Sentences: why it is infeasible and what would help."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "feasible": self.feasible,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "risk": self.risk.to_dict(),
            "advice": list(self.advice),
        }


def study(table: Table, requirements: Sequence[Requirement]) -> Study:
    """Check the requirements on the table as it is, and on the table as one block.

    k-anonymity, the three l-diversities and t-closeness are monotone: when two blocks comply, so does their
    union. So a compliant release without suppression exists if and only if the whole table in one block
    complies (for entropy: H(sensitive) >= log l).
    """
    obstacles = whole_table_obstacles(table, requirements)
    advice = [
        f"{sentence} Lower the requirement, suppress or exempt the values that stand out, or collect more rows."
        for sentence in obstacles
    ]
    return Study(
        feasible=not obstacles,
        verdicts=tuple(requirement.check(table) for requirement in requirements),
        risk=risk(table),
        advice=tuple(advice),
    )


def whole_table_obstacles(table: Table, requirements: Sequence[Requirement]) -> list[str]:
    """One sentence for each requirement that fails even when all quasi-identifiers are fully generalized."""
    if table.rows == 0:
        return ["The table has no rows, so there is nothing to release."]
    one = Blocks(np.zeros(table.rows, dtype=np.int32), 1)
    sentences = []
    for requirement in requirements:
        if isinstance(requirement, BlockRequirement):
            verdict = check_blocks(requirement, table, one)
            if not verdict.holds:
                sentences.append(_obstacle(requirement, table, verdict))
    return sentences


def require_feasible(table: Table, requirements: Sequence[Requirement]) -> None:
    """Stop before any work when no release can comply."""
    obstacles = whole_table_obstacles(table, requirements)
    if obstacles:
        raise InfeasibleError(
            f"{obstacles[0]} Lower the requirement, or suppress or exempt the values that stand out."
        )


def _obstacle(requirement: BlockRequirement, table: Table, verdict: Verdict) -> str:
    reached = 0.0 if verdict.reached is None else verdict.reached
    asked = (
        REQUIREMENTS.text(requirement)
        if type(requirement) in REQUIREMENTS.entries.values()
        else str(requirement)
    )
    columns = [rule.column for rule in requirement.rules(table) if rule.column is not None]
    if not columns:
        return f"No release can comply: {asked} is asked of a table of {table.rows:,} rows."
    frequent = "; ".join(_most_frequent(table, name) for name in columns)
    return (
        f"No release can comply: {asked} is asked, but even the whole table as one block "
        f"reaches only {reached:.4g} ({frequent})."
    )


def _most_frequent(table: Table, name: str) -> str:
    codes = table.codes(name)
    counts = np.bincount(codes.codes, minlength=codes.count)
    top = int(np.argmax(counts))
    value = "missing" if top == codes.missing else codes.values[top]
    return f"{name} has {codes.count} values, the most frequent, {value}, in {counts[top] / table.rows:.1%} of rows"
