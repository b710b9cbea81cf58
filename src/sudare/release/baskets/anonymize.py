"""Run, for baskets: `anonymize_baskets` works in memory, `run_baskets` from a recipe to a written release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.baskets.suppress import SuppressItems
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.pipeline import methods_of
from sudare.anonymize.protocol import Context
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.baskets.rho_uncertainty import RhoUncertainty
from sudare.assess.catalogue import requirements_of
from sudare.errors import DescriptionError, GuaranteeError, ParameterError
from sudare.measure.baskets import BASKET_MEASURES, BasketPair, measure_baskets
from sudare.measure.baskets.association import TooManySetsError
from sudare.progress import SILENT, Progress
from sudare.randomness import Randomness
from sudare.release.baskets.release import BasketRelease
from sudare.release.baskets.write import write_basket_folder
from sudare.release.run import run_recipe, timed
from sudare.release.warnings import ReleaseWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.describe.baskets.baskets import Baskets
    from sudare.release.folder import Written
    from sudare.release.recipe.baskets import BasketRecipe


def anonymize_baskets(
    baskets: Baskets,
    *requirements: Any,
    method: Any = None,
    measures: Sequence[str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> BasketRelease:
    """Transform baskets until every requirement holds, check it, and measure what was lost.

    Requirements may also be given as texts, such as "rho-uncertainty rho=0.5"; without a method items are suppressed.
    Raises `GuaranteeError` when a requirement does not hold on the result.
    """
    asked = requirements_of(requirements, BASKET_REQUIREMENTS)
    wrong = next(
        (one for one in asked if not isinstance(one, tuple(BASKET_REQUIREMENTS.entries.values()))), None
    )
    if wrong is not None:
        raise ParameterError(
            f"{type(wrong).__name__} is a requirement on tables, not on baskets; ask for RhoUncertainty or KmAnonymity."
        )
    if not len(baskets):
        raise DescriptionError("There are no baskets, so there is nothing to release; check the source.")
    methods = methods_of(SuppressItems() if method is None else method, BASKET_METHODS)
    tables: set[type] = set(METHODS.entries.values())
    misplaced = next((one for one in methods if type(one) in tables), None)
    if misplaced is not None:
        raise ParameterError(
            f"{type(misplaced).__name__} is a method for tables, not for baskets; use SuppressItems or GeneralizeItems."
        )
    random = Randomness(seed)
    seconds: dict[str, float] = {}
    current = baskets
    notes: list[str] = []
    with timed(seconds, "anonymize"):
        for one in methods:
            outcome = one.apply(current, Context(asked, random, progress or SILENT))
            current = outcome.baskets
            notes += outcome.notes
    with timed(seconds, "check"):
        verdicts = tuple(
            one.check(current, baskets, random=random)
            if isinstance(one, RhoUncertainty)
            else one.check(current, baskets)
            for one in asked
        )
    broken = next((verdict for verdict in verdicts if not verdict.holds), None)
    if broken is not None:
        raise GuaranteeError(f"{broken.explanation} Nothing is released: choose a method that reaches it.")
    with timed(seconds, "measure"):
        # Generalized items are other items: what the measures of baskets compare is no longer there.
        alike = current.items == baskets.items
        losses, warnings = _measured(baskets, current, measures) if alike else ({}, ())
    warnings = (*_doubts(baskets, current, asked), *warnings)
    if not random.secure:
        warnings = (ReleaseWarning("baskets.seed"), *warnings)
    return BasketRelease(
        baskets,
        current,
        asked,
        tuple(methods),
        verdicts,
        losses,
        tuple(notes),
        warnings,
        random.secure,
        seconds,
    )


def run_baskets(recipe: BasketRecipe, **options: Any) -> Written[BasketRelease]:
    """The whole job of a recipe of baskets; the options are those of `sudare.release.table.anonymize.run`."""
    return run_recipe(recipe, anonymize_baskets, write_basket_folder, **options)


def _doubts(before: Baskets, after: Baskets, asked: Sequence[Any]) -> Iterator[str]:
    """What is true of a release, but hardly meant."""
    infers = any(isinstance(one, RhoUncertainty) for one in asked)
    if infers and before.entries and not before.has_sensitive:
        yield ReleaseWarning("baskets.nothing_sensitive")
    if before.entries and not after.entries:
        yield ReleaseWarning("baskets.nothing_left")
    if len(before.items) > 1 and len(after.items) == 1 and after.entries:
        yield ReleaseWarning("baskets.one_item", item=after.items[0])


def _measured(
    before: Baskets, after: Baskets, measures: Sequence[str] | None
) -> tuple[dict[str, float], tuple[str, ...]]:
    """The losses asked for; of all of them, those that can be computed, and a warning about the others."""
    pair = BasketPair(before, after)
    if measures is not None:
        return measure_baskets(before, pair, measures), ()
    losses: dict[str, float] = {}
    warnings = []
    for name in BASKET_MEASURES:
        try:
            losses |= measure_baskets(before, pair, [name])
        except TooManySetsError as error:  # baskets so alike that their rules cannot be counted
            warnings.append(ReleaseWarning("baskets.unmeasured", measure=name, why=error.why))
    return losses, tuple(warnings)
