"""Anonymize: methods, check and measures, in memory; one loop for tables and baskets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.anonymize.pipeline import methods_of
from sudare.anonymize.protocol import Context
from sudare.arrays import give_back
from sudare.assess.requirement import requirements_of
from sudare.errors import GuaranteeError, ParameterError, shown
from sudare.progress import Plan, Progress
from sudare.randomness import Randomness
from sudare.release.kind import Checked, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.release.folder import AnyRelease
    from sudare.release.recipe.parts import Order
    from sudare.words.sentence import Sentence


def anonymize(
    data: Any,
    *requirements: Any,
    method: Any = None,
    measures: Sequence[Any] | None = None,
    order: Order = "shuffle",
    seed: int | None = None,
    progress: Progress | None = None,
) -> AnyRelease:
    """Transform a table, or baskets, until every requirement holds, check it, and measure what was lost.

    `method` is one method or several in order. When it is left out, the data and the requirements decide, and a note of the
    release says why: Randomize for Pk-anonymity, Microaggregate where all quasi-identifiers are numbers, else Generalize, or
    Mondrian for tables so large that Generalize takes long; SuppressItems for baskets. Records are released in random order (`order` "shuffle"), because somebody may know the order of the original;
    "keep" keeps it, with a warning. Requirements and methods may also be given as on the command line, such as "k-anonymity k=5". A `seed` makes
    the random choices repeatable, for tests only: the release is then marked as not secure. Raises `GuaranteeError` when a
    requirement does not hold on the result.
    """
    if order not in ("shuffle", "keep"):
        raise ParameterError("release.order", order=shown(order))
    kind = kind_of(data)
    original = kind.given(data)
    asked = requirements_of(requirements, kind.requirements)
    kind.refuse_requirements(asked)
    kind.refuse_given(original, asked)
    why: tuple[Sentence, ...] = ()
    if method is None:
        found, reason = kind.chosen_methods(original, asked)
        methods, why = list(found), (reason,)
    else:
        methods = methods_of(method, kind.methods)
    kind.refuse_methods(methods)
    random = Randomness(seed)
    plan = Plan(progress, {"anonymize": 12, "check": 1, "measure": 4})
    with plan.phase("anonymize") as step:
        applied = kind.apply(methods, original, Context(asked, random, step))
        applied = applied._replace(notes=(*why, *applied.notes))
    verdicts = []
    with plan.phase("check") as step:
        step.start("check", max(len(asked), 1))
        for done, one in enumerate(asked, start=1):
            verdicts.append(kind.check(one, applied.data, original, random))
            step.update(done)
    for requirement, verdict in zip(asked, verdicts, strict=True):
        if not verdict.holds:
            way = kind.way_out(requirement, original)
            raise GuaranteeError("release.not_reached", explanation=verdict.explanation, way_out=way)
    if order == "shuffle":
        give_back()
        applied = kind.shuffled(applied, random)
    give_back()
    with plan.phase("measure") as step:
        checked = Checked(original, applied, asked, tuple(methods), tuple(verdicts), random, order)
        release = kind.release(checked, measures, step)
    release.seconds.update(plan.seconds)
    return release
