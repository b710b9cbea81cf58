"""The public verbs. Importing them is cheap: each one loads its part of the package when it is called.

They live in a module of their own because the folders `read`, `assess` and `anonymize` have the same names.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from sudare.progress import shows_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.advise.baskets import BasketStudy
    from sudare.anonymize.protocol import Anonymizer
    from sudare.assess.requirement import Requirement
    from sudare.assess.study import Study
    from sudare.describe.baskets.baskets import Baskets
    from sudare.describe.hierarchy.tree import Objective
    from sudare.describe.table import Table
    from sudare.progress import Progress
    from sudare.release.baskets.release import BasketRelease
    from sudare.release.recipe.parts import Order
    from sudare.release.table.release import Release


def read(source: Any, **options: Any) -> Table:
    """Read a table from a file, a database address, standard input ('-'), or any dataframe.

    The options are those of a recipe's source: format, table, query, sheet, delimiter, encoding, header, missing.
    """
    from sudare.describe.table import Table

    if isinstance(source, (str, Path)):
        from sudare.read.options import Source

        frame, facts = Source.of(path=str(source), **options).load()
        return Table.from_frame(frame, source=facts)
    if options:
        from sudare.errors import ParameterError

        raise ParameterError("api.option_of_files", option=next(iter(options)))
    return Table.from_frame(source)


@overload
def assess(
    data: Baskets, *requirements: Any, most: float = ..., progress: Progress | None = None
) -> BasketStudy: ...
@overload
def assess(
    data: Table,
    *requirements: Requirement | str | Sequence[Requirement | str],
    objective: Objective = ...,
    threshold: float = ...,
    compromises: bool = ...,
    exact: Sequence[str] = ...,
    weights: Mapping[str, float] | None = ...,
    progress: Progress | None = None,
) -> Study: ...
@shows_progress
def assess(data: Any, *requirements: Any, progress: Progress | None = None, **options: Any) -> Any:
    """Report what is possible with a table, or with baskets, before anything is changed.

    For a table: feasibility, bounds, suitability, verdicts and risk as it is, and advice. `objective` (dis, loss or
    ncp) selects the loss to bound. If the ratio to k-anonymity is above `threshold` (default 2), or no release can
    comply, compromises are computed unless `compromises` is False. For Pk-anonymity, the study includes the noise it
    needs and what each column costs the others if it stays exact; `exact` lists the columns that must stay exact,
    `weights` those that need less noise.

    For baskets: the most dangerous adversaries, how many entries every release by suppression must lose, and the
    smallest rho within reach. `most` (default 0.05) is the share of entries that may be lost.
    """
    from sudare.assess.requirement import requirements_of
    from sudare.release.kind import kind_of

    kind = kind_of(data)
    given = kind.given(data)
    asked = requirements_of(requirements, kind.requirements)
    kind.refuse_requirements(asked)
    return kind.assess(given, asked, progress, **options)


@overload
def anonymize(
    data: Baskets,
    *requirements: Any,
    method: Any = None,
    measures: Sequence[str | Mapping[str, Any]] | None = None,
    order: Order = "shuffle",
    seed: int | None = None,
    progress: Progress | None = None,
) -> BasketRelease: ...
@overload
def anonymize(
    data: Table,
    *requirements: Requirement | str | Sequence[Requirement | str],
    method: Anonymizer | str | Sequence[Anonymizer | str] | None = None,
    measures: Sequence[str | Mapping[str, Any]] | None = None,
    order: Order = "shuffle",
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release: ...
@shows_progress
def anonymize(
    data: Table | Baskets,
    *requirements: Any,
    method: Any = None,
    measures: Sequence[str | Mapping[str, Any]] | None = None,
    order: Order = "shuffle",
    seed: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Transform a table, or baskets, until every requirement is met; see `sudare.release.anonymize.anonymize`."""
    from sudare.release.anonymize import anonymize as anonymize_now

    return anonymize_now(
        data, *requirements, method=method, measures=measures, order=order, seed=seed, progress=progress
    )
