"""A lower bound on the loss of any release with the same requirements, shown next to the actual loss.

This lets a reader see whether the loss comes from the data and the requirement or from the method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.anonymize.generalize.bound import price_bound
from sudare.anonymize.protocol import Traits, traits_of
from sudare.assess.block_requirements import KAnonymity
from sudare.assess.bounds import Bound, lower_bound
from sudare.assess.bounds.distortion import Grounds
from sudare.progress import Plan
from sudare.words.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.anonymize.protocol import Anonymizer
    from sudare.assess.requirement import Requirement
    from sudare.describe.hierarchy.tree import Objective
    from sudare.describe.table import Table
    from sudare.progress import Progress

LARGEST_K = 1000
"""The search for near rows stops at this k: a bound for a smaller k is valid as well."""
_BUDGET = 30_000_000
"""Comparisons of rows: a second or two."""
_COMPARISONS_EACH = 100
"""Comparisons that each row needs at the least for a bound that says anything: with 30 of them, a million rows of a hospital
have a bound of 0.0016 where the loss is 0.06."""
_COLUMNS = 20
"""With more columns than this, a comparison takes longer, and fewer are made."""


def bounds_of(
    table: Table,
    requirements: Sequence[Requirement],
    methods: Sequence[Anonymizer],
    progress: Progress | None = None,
) -> dict[str, Bound]:
    """Lower bounds on the measures loss and dis; empty if the methods do more to quasi-identifiers than generalize.

    A bound on generalization says nothing about values that are replaced with others (microaggregated, swapped,
    randomized), or about free sets of values, which lose less than those of a hierarchy. Empty, too, if the table is too
    large for a bound that says anything within seconds (`is_too_large`).
    """
    if not only_generalized(table, methods) or is_too_large(table):
        return {}
    budget = _budget_for(table)
    objectives: tuple[Objective, ...] = ("loss", "dis")
    plan = Plan(progress, dict.fromkeys(objectives, 1.0))
    grounds = Grounds(table)
    found = {}
    for name in objectives:
        # A method that searched long for this measure is worth a longer search for its bound.
        own = [traits_of(method) for method in methods if traits_of(method).minimizes == name]
        visits = max((traits.bound_visits for traits in own), default=Traits().bound_visits)
        with plan.phase(name, shown="bounds") as step:
            found[name] = _best_bound(table, requirements, name, budget, visits, grounds, step)
    return {name: bound for name, bound in found.items() if bound.value > 0}


def is_too_large(table: Table) -> bool:
    """Whether a search of a few seconds finds no bound that says anything."""
    return _budget_for(table) < _COMPARISONS_EACH * table.rows


def _budget_for(table: Table) -> int:
    return _BUDGET * _COLUMNS // max(len(table.names("quasi")), _COLUMNS)


def _best_bound(
    table: Table,
    requirements: Sequence[Requirement],
    objective: Objective,
    budget: int,
    visits: float,
    grounds: Grounds,
    progress: Progress,
) -> Bound:
    """The higher of the bound by near rows and, if it is fast, the bound by prices."""
    near = quick_bound(
        table, requirements, objective=objective, budget=budget, grounds=grounds, progress=progress
    )
    # More requirements can only cost more, so the cost of k alone is a bound.
    k = max((one.k for one in requirements if isinstance(one, KAnonymity)), default=1)
    priced = price_bound(table, k, objective, most_visits=visits, progress=progress) if k > 1 else None
    return near if priced is None or priced.value <= near.value else priced


def quick_bound(
    table: Table,
    requirements: Sequence[Requirement],
    *,
    objective: Objective,
    budget: int,
    weights: Mapping[str, float] | None = None,
    grounds: Grounds | None = None,
    progress: Progress | None = None,
) -> Bound:
    """The lower bound; for a large k, that of a smaller one, because the search grows with the square of k."""
    if all(one.k <= LARGEST_K or one.k > table.rows for one in requirements if isinstance(one, KAnonymity)):
        return lower_bound(
            table,
            requirements,
            objective=objective,
            weights=weights,
            budget=budget,
            grounds=grounds,
            progress=progress,
        )
    smaller = [
        KAnonymity(min(one.k, LARGEST_K)) if isinstance(one, KAnonymity) else one for one in requirements
    ]
    found = lower_bound(
        table,
        smaller,
        objective=objective,
        weights=weights,
        budget=budget,
        grounds=grounds,
        progress=progress,
    )
    return Bound(found.value, False, Sentence("bound.smaller_k", bound=found.explanation))


def only_generalized(table: Table, methods: Sequence[Anonymizer]) -> bool:
    """Whether the methods do nothing to quasi-identifiers but generalize them."""
    quasi = set(table.names("quasi"))
    traits = [traits_of(method) for method in methods]
    # Replacing a sensitive column can only reduce its values, which makes diversity harder: the bound stays valid.
    left_alone = all(
        one.generalizes or (one.replaces is not None and not quasi & set(one.replaces)) for one in traits
    )
    return left_alone and any(one.generalizes for one in traits)
