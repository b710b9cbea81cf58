"""Retry: the same release with more effort, or by another method; the better of the two is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sudare.anonymize.protocol import traits_of
from sudare.errors import ParameterError
from sudare.measure.catalogue import MEASURES
from sudare.measure.pair import Pair
from sudare.release.anonymize import anonymize
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.anonymize.protocol import Anonymizer
    from sudare.progress import Progress
    from sudare.release.table.release import Release


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
    methods: Any = method if method is not None else _with_effort(release.methods, effort)
    again: Any = anonymize(
        release.original,
        *release.requirements,
        method=methods,
        measures=list(release.losses),
        order=release.order,
        seed=seed,
        progress=progress,
    )
    name = judged_by(release.methods)
    return again if _value(again, name) < _value(release, name) else release


def judged_by(methods: Sequence[Anonymizer]) -> str:
    """The measure by which two releases are compared."""
    return next((found for method in methods if (found := traits_of(method).minimizes) is not None), "loss")


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
