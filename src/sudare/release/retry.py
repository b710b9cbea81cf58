"""Retry: the same release with more effort, or by another method; the better of the two is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.generalize.method import Generalize
from sudare.anonymize.mondrian import Mondrian
from sudare.anonymize.protocol import traits_of
from sudare.display import share
from sudare.errors import InputError, ParameterError
from sudare.measure.catalogue import MEASURES
from sudare.measure.pair import Pair
from sudare.progress import Plan
from sudare.release.anonymize import anonymize
from sudare.release.recipe.load import load_recipe
from sudare.release.recipe.table import Recipe
from sudare.release.run import entered
from sudare.release.warnings import ReleaseNote
from sudare.verify.manifest import load_manifest
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.anonymize.protocol import Anonymizer
    from sudare.progress import Progress
    from sudare.release.folder import AnyRelease, Written
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.recipe.parts import Effort
    from sudare.release.table.release import Release

_ROUNDING = 1e-12
"""The share of a loss by which another must be less: the order of a sum changes its last digits."""


def retry(
    release: Release,
    *,
    effort: str | None = "thorough",
    method: Anonymizer | str | Sequence[Anonymizer | str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Run again on the original with the same requirements and measures; the release that lost less.

    `effort` is given to every method that has one; `method` replaces the methods instead. Better is what the method
    makes small (its objective; sse_ratio for microaggregation; else loss), and of two equal ones the first.
    """
    again = _again(release, effort, method, seed, progress)
    name = judged_by(release.methods)
    return again if _value(again, name) < _value(release, name) else release


def tried_again(
    release: AnyRelease, effort: Effort, *, seed: int | None = None, progress: Progress | None = None
) -> AnyRelease:
    """The better of a release and a second try, with a note of what both lost."""
    first: Any = release
    again = _again(first, effort, _harder(first.methods, effort), seed, progress)
    name = judged_by(again.methods)
    before, after = _value(first, name), _value(again, name)
    kept = again if _is_less(after, before) else first
    which = "second" if _is_less(after, before) else "first"
    note = ReleaseNote(f"retry.{which}", effort=effort, measure=name, first=before, second=after)
    risen = risen_risks(first.risk_after.to_dict(), again.risk_after.to_dict()) if kept is again else ()
    return replace(kept, notes=(*kept.notes, note, *risen))


def retry_folder(
    folder: str | Path,
    *,
    effort: Effort = "thorough",
    seed: int | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> Retried:
    """Run the recipe of a written release again with more effort; the folder is replaced only if less was lost.

    The new release is verified from its files before it takes the place of the old one, as in every run.
    """
    place = Path(folder)
    kept = place / "internal" / "recipe.yaml"
    manifest = load_manifest(place / "internal" / "manifest.json") if kept.is_file() else None
    if manifest is None:
        raise InputError("release.retry.no_recipe", folder=place)
    asked = load_recipe(kept)
    if not isinstance(asked, Recipe):
        raise InputError("release.retry.baskets", folder=place)
    run_before = asked.method or tuple(METHODS.build(one) for one in manifest["method"])
    methods = tuple(_harder(run_before, effort))
    name = judged_by(methods)
    before = manifest["losses"].get(name)
    if before is None:
        raise InputError("release.retry.no_loss", folder=place, measure=name)
    better = asked.model_copy(update={"method": methods})
    plan = Plan(progress, {"read": 2, "anonymize": 12, "write": 8})
    with plan.phase("read"):
        described = better.read()
    with plan.phase("anonymize") as step:
        again: Any = anonymize(
            described,
            *better.requirements,
            method=better.method,
            measures=better.measures,
            order=better.order,
            seed=seed,
            progress=step,
        )
        after = _value(again, name)
        if not _is_less(after, float(before)):
            return Retried(None, name, float(before), after)
        note = ReleaseNote("retry.second", effort=effort, measure=name, first=float(before), second=after)
        finished = better.finished(again, step)
    risen = risen_risks(manifest["risk"]["after"], again.risk_after.to_dict())
    release = replace(finished, notes=(*finished.notes, note, *risen))
    output = asked.output.replaced(folder=str(place.absolute()), overwrite=True)
    written = entered(better, output, lambda _: release, ledger, plan)
    return Retried(written, name, float(before), after, risen)


class Retried(NamedTuple):
    """What came of a second try."""

    written: Written[Any] | None
    """The new release, in the place of the old one; None if the old one is better and stays."""
    measure: str
    """What the two were compared by."""
    before: float
    after: float
    risen: tuple[ReleaseNote, ...] = ()
    """What to know of its risk, where a figure is higher than before."""


def _is_less(after: float, before: float) -> bool:
    """Whether a loss is less by more than the rounding of sums."""
    return after < before - _ROUNDING * abs(before)


def risen_risks(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[ReleaseNote, ...]:
    """A sentence with every risk figure that is visibly higher than before; none where no figure is.

    Two tries are compared by their loss alone. Both meet the requirements, but less loss may mean smaller blocks.
    """
    figures = _risks(before)
    risen = [
        ReleaseNote(f"retry.figures.{key}", column=column, first=share(was), second=share(now))
        for (key, column), now in _risks(after).items()
        if (was := figures.get((key, column))) is not None and now > was and share(now) != share(was)
    ]
    return (ReleaseNote("retry.risk", figures=enumerated(risen)),) if risen else ()


def _risks(risk: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """The risk figures of a release by what they are, and for which sensitive column."""
    if (risk.get("linking") or {}).get("quasi_randomized"):
        return {("largest", ""): risk["prosecutor_largest"]}  # blocks of noise are no blocks
    found = {
        ("largest", ""): risk["prosecutor_largest"],
        ("mean", ""): risk["prosecutor_mean"],
        ("above", ""): risk["rows_above_threshold"],
    }
    if risk["population"] != "none":
        found["population_largest", ""] = risk["journalist_largest"]
        found["population_mean", ""] = risk["journalist_mean"]
    for guess in risk["guesses"]:
        found["guess", guess["column"]] = guess["guess_mean"]
        found["certain", guess["column"]] = guess["homogeneous_share"]
    return found


def _again(
    release: Release, effort: str | None, method: Any, seed: int | None, progress: Progress | None
) -> Release:
    methods: Any = method if method is not None else _with_effort(release.methods, effort)
    made: Any = anonymize(
        release.original,
        *release.requirements,
        method=methods,
        measures=list(release.losses),
        order=release.order,
        seed=seed,
        progress=progress,
    )
    return made  # type: ignore[no-any-return]  # a release of a table, as the original is one


def judged_by(methods: Sequence[Anonymizer]) -> str:
    """The measure by which two releases are compared."""
    return next((found for method in methods if (found := traits_of(method).minimizes) is not None), "loss")


def _harder(methods: Sequence[Anonymizer], effort: Effort) -> list[Anonymizer]:
    """The methods with more effort; Mondrian has none to add, and generalization takes its place."""
    better = [Generalize(effort=effort) if isinstance(one, Mondrian) else one for one in methods]
    if not any(hasattr(method, "effort") for method in better):
        # A recipe is run again, so the advice is for recipes and commands.
        named = enumerated(str(METHODS.dump(one, full=False)["type"]) for one in methods)
        raise ParameterError("release.no_effort_in_recipe", methods=named)
    return _with_effort(better, effort)


def _with_effort(methods: Sequence[Anonymizer], effort: str | None) -> list[Anonymizer]:
    if not any(hasattr(method, "effort") for method in methods):
        named = enumerated(type(method).__name__ for method in methods)
        raise ParameterError("release.no_effort", methods=named)
    if effort is None:
        return list(methods)
    return [replace(one, effort=effort) if hasattr(one, "effort") else one for one in methods]  # type: ignore[type-var]  # every method is a dataclass


def _value(release: Release, name: str) -> float:
    if name in release.losses:
        return release.losses[name]
    pair = Pair(release.original, release.table, release.rows_of_original)
    return float(MEASURES[name].compute(release.original, pair))
