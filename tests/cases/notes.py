"""Releases that between them say every note and warning there is: of methods, of tables, of baskets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import sudare as sd
from sudare.advise import defaults
from sudare.measure.baskets import association
from sudare.release.retry import tried_again

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudare.describe.table import Table

ROWS = 40


def people(*, undescribed: bool = False, drop: bool = False) -> Table:
    """Two identifiers, numbers, codes and a sensitive word; the first age and place are far off, the second age is missing."""
    random = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "name": [f"Nobody {row}" for row in range(ROWS)],
            "id": range(ROWS),
            "age": [999, None, *random.integers(20, 60, ROWS - 2).tolist()],
            "pay": random.integers(0, 9, ROWS),
            "zip": ["99", *(f"{row % 4}{row % 2}" for row in range(1, ROWS))],
            "disease": random.choice(["flu", "gout", "measles"], ROWS),
            "day": ["Monday"] * ROWS,
        }
    )
    return sd.read(frame).describe(
        identifier=["name", "id"],
        quasi=["age", "pay", "zip"],
        sensitive=["disease"],
        insensitive=[] if undescribed else ["day"],
        hierarchies={"zip": sd.hierarchy.mask()},
        missing={"age": "drop"} if drop else {},
    )


def _method(method: Any, *asked: Any, seed: int | None = None, **given: bool) -> Callable[[], Any]:
    return lambda: sd.anonymize(people(**given), *asked, method=method, measures=["suppressed"], seed=seed)


def _randomized() -> Any:
    return sd.anonymize(
        people(drop=True),
        sd.PkAnonymity(2),
        method=sd.Randomize(
            ranges={"age": (0, 100), "pay": (0, 10)}, mechanisms={"pay": "normal"}, outside="clip"
        ),
        measures=["suppressed"],
    )


def _dates() -> Any:
    """Days that were texts."""
    frame = pl.DataFrame({"day": ["31/12/1985", "01/02/1990"] * (ROWS // 2)})
    return sd.anonymize(
        sd.read(frame).describe(quasi=["day"], kinds={"day": "date"}), K, measures=["suppressed"]
    )


def _outlier() -> Any:
    """One row in another city: whatever the search, it costs a group all of its precision."""
    frame = pl.DataFrame({"city": ["Oslo"] * (ROWS - 1) + ["Rome"]})
    method = sd.Generalize(effort="fast", suppression=0.1)
    return sd.anonymize(sd.read(frame).describe(quasi=["city"]), K, method=method)


def _same_label() -> Any:
    """Suppressed values get a label that is a value."""
    frame = pl.DataFrame({"zip": ["10", "20", "30", "40"] * 10 + ["50", "60"]})
    table = sd.read(frame).describe(quasi=["zip"], hierarchies={"zip": sd.hierarchy.suppress(label="10")})
    return sd.anonymize(table, sd.KAnonymity(3), method=sd.Mondrian())


def _suspicious() -> Any:
    """People with several rows, unique columns without protection, a column generalized away, and values spelled twice."""
    spelled = [str(row % 7) + "." + "0" * (row // 7) for row in range(ROWS - 1)]
    frame = pl.DataFrame(
        {
            "id": [row // 4 for row in range(ROWS)],
            "age": [row // 4 for row in range(ROWS)],
            "zip": [f"{row}" for row in range(ROWS)],
            "pay": [row + 0.5 for row in range(ROWS)],
            "day": [f"{row}-{row}" for row in range(ROWS)],
            "disease": [*spelled, "7"],
        }
    )
    table = sd.read(frame).describe(
        identifier=["id"],
        quasi=["age", "zip"],
        weight=["pay"],
        insensitive=["day"],
        sensitive=["disease"],
        kinds={"zip": "nominal", "disease": "nominal"},
        hierarchies={"zip": sd.hierarchy.suppress()},
    )
    return sd.anonymize(table, sd.KAnonymity(4), sd.LDiversity(2), method=sd.Mondrian())


def _repeated(*names: str, quasi: bool = False) -> Any:
    """People with several rows, and no quasi-identifier that would form blocks, unless it is asked for."""
    frame = pl.DataFrame(
        {
            **{name: [row // 4 for row in range(ROWS)] for name in names},
            "day": ["1"] * ROWS,
            "age": [row // 4 for row in range(ROWS)],
        }
    )
    table = sd.read(frame).describe(identifier=list(names), insensitive=["day", "age"])
    return sd.anonymize(table.describe(quasi=["age"]) if quasi else table, method=sd.Shuffle())


def _noises() -> Any:
    frame = pl.DataFrame({"a": [row % 10 for row in range(ROWS)], "b": [row % 7 for row in range(ROWS)]})
    method = sd.Randomize(
        ranges={"a": (0, 10), "b": (0, 10)},
        mechanisms={"a": "uniform", "b": {"type": "density", "noise": {"name": "logistic"}}},
        shuffle=False,
    )
    return sd.anonymize(sd.read(frame).describe(quasi=["a", "b"]), sd.PkAnonymity(2), method=method)


def baskets(count: int = 60) -> Any:
    """Baskets of up to five of six items."""
    random = np.random.default_rng(8)
    drawn = [random.choice(list("abcdef"), size, replace=False) for size in random.integers(1, 5, count)]
    return sd.read_baskets([basket.tolist() for basket in drawn])


def _with_few_sets(given: Any) -> Any:
    """A release of baskets whose rules cannot be counted, as no more than 50 sets of items may be."""
    most, association._MOST_SETS = association._MOST_SETS, 50
    try:
        return sd.anonymize(given, sd.KmAnonymity(2, 1))
    finally:
        association._MOST_SETS = most


def _of_numbers() -> Any:
    frame = pl.DataFrame({"pay": [row * 1.5 for row in range(ROWS)]})
    return sd.anonymize(sd.read(frame).describe(quasi=["pay"]), K, measures=["suppressed"])


def _of_words() -> Any:
    frame = pl.DataFrame({"disease": ["flu", "gout"] * (ROWS // 2)})
    return sd.anonymize(
        sd.read(frame).describe(quasi=["disease"]), sd.PkAnonymity(2), measures=["suppressed"]
    )


def _in_large_blocks() -> Any:
    frame = pl.DataFrame({"day": ["1", "2"] * 1_200})
    table = sd.read(frame).describe(quasi=["day"], kinds={"day": "nominal"})
    return sd.anonymize(table, sd.KAnonymity(2_300), measures=["suppressed"])


def _too_large() -> Any:
    """A release of a table that counts as too large for generalization."""
    most, defaults._MOST_CELLS = defaults._MOST_CELLS, {}
    try:
        return sd.anonymize(people(), K, measures=["suppressed"])
    finally:
        defaults._MOST_CELLS = most


def _uncovered() -> Any:
    """A sensitive column that no requirement covers, with one value in each block."""
    frame = pl.DataFrame(
        {
            "age": [row // 4 for row in range(ROWS)],
            "disease": ["flu", "gout"] * (ROWS // 2),
            "pay": [f"{row // 4 % 2}" for row in range(ROWS)],
        }
    )
    table = sd.read(frame).describe(quasi=["age"], sensitive=["disease", "pay"], kinds={"pay": "nominal"})
    asked = (sd.KAnonymity(4), sd.LDiversity(2, sensitive=("disease",)))
    return sd.anonymize(table, *asked, method="mondrian", measures=["suppressed"])


def _compromise() -> Any:
    """A release of a recipe that takes a compromise."""
    taken = {"kind": "drop", "what": "日付を除きます。", "instead_of": ["l-diversity l=3"]}
    recipe = sd.Recipe.of(
        source={"path": "people.csv"},
        columns={},
        requirements=["k-anonymity k=3"],
        output={"folder": "out"},
        compromise=taken,
    )
    release = sd.anonymize(people(), K, measures=["suppressed"])
    return replace(release, notes=(*recipe.notes(), *release.notes))


K = sd.KAnonymity(3)
TABLES: dict[str, Callable[[], Any]] = {
    "generalization": _method(sd.Generalize(effort="fast"), K),
    "generalization without outliers": _outlier,
    "mindis": _method("mindis effort=fast", K),
    "diverdis": _method("diverdis effort=fast", sd.LDiversity(2)),
    "full-domain": _method(sd.FullDomain(), K),
    "full-domain without outliers": _method(sd.FullDomain(suppression=0.1), K),
    "full-domain in a hurry": _method(sd.FullDomain(budget=1), K),
    "mondrian": _method(sd.Mondrian(), K, drop=True, undescribed=True, seed=1),
    "in order": lambda: sd.anonymize(people(), K, measures=["suppressed"], order="keep"),
    "mondrian with a label that is a value": _same_label,
    "mondrian of suspicious columns": _suspicious,
    "shuffling of people with several rows": lambda: _repeated("id"),
    "shuffling of households with several rows": lambda: _repeated("household_id", "id"),
    "shuffling of households in blocks": lambda: _repeated("household_id", "id", quasi=True),
    "microaggregation": _method(sd.Microaggregate(effort="fast", certificate=1), K),
    "randomization": _randomized,
    "randomization by other noise": _noises,
    "record-suppression": _method(sd.SuppressRecords(limit=1.0), sd.KAnonymity(1)),
    "remove-identifiers": _method([sd.RemoveIdentifiers(("name",)), sd.RemoveIdentifiers()]),
    "remove-identifiers of other roles": _method(
        [sd.RemoveIdentifiers(("day",)), sd.RemoveIdentifiers(("age", "pay"))]
    ),
    "dates": _dates,
    "pseudonyms": _method(sd.Pseudonymize(("name", "id"))),
    "coarsening": _method(sd.Coarsen({"zip": 1})),
    "value-capping": _method(sd.CapValues("disease", 5)),
    "mondrian, tried again": lambda: tried_again(
        sd.anonymize(people(), K, method="mondrian", measures=["loss"]), "default"
    ),
    "microaggregation, chosen": _of_numbers,
    "randomization, chosen": _of_words,
    "mondrian, chosen for large blocks": _in_large_blocks,
    "mondrian, chosen for size": _too_large,
    "generalization, tried again": lambda: tried_again(
        sd.anonymize(people(), K, method=sd.Generalize(), measures=["loss"], seed=1), "default", seed=1
    ),
    "mondrian under a compromise": _compromise,
    "mondrian with a sensitive column that nothing covers": _uncovered,
    "top-bottom-coding": _method(sd.TopBottomCode("age", top=80)),
    "rounding": _method(sd.Round(("age", "pay"), 5)),
    "sampling": _method(sd.Sample(0.5)),
    "shuffling": _method(sd.Shuffle()),
    "rank-swapping": _method(sd.RankSwap(("age", "pay"))),
    "data-swapping": _method(sd.SwapRecords(("age", "pay"), share=1.0)),
}
"""By the method that speaks; what stands after its name is a case of its own."""
TREE = sd.hierarchy.tree({"early": ["a", "b", "c"], "late": ["d", "e", "f"]})
BASKETS: dict[str, Callable[[], Any]] = {
    "item-suppression": lambda: sd.anonymize(
        baskets().describe(sensitive=["a", "b", "c"]), sd.RhoUncertainty(0.2), seed=1
    ),
    "item-suppression as published": lambda: sd.anonymize(
        baskets(), sd.KmAnonymity(3, 2), method=sd.SuppressItems(strategy="paper")
    ),
    "item-suppression for a sample": lambda: sd.anonymize(
        baskets().describe(sensitive=["a"]), sd.RhoUncertainty(0.4, m=2, eps=0.1, delta=0.1)
    ),
    "item-suppression of nothing": lambda: sd.anonymize(sd.read_baskets([[], []]), sd.KmAnonymity(2, 1)),
    "item-suppression of everything": lambda: sd.anonymize(baskets(), sd.KmAnonymity(500, 1)),
    "item-suppression for nobody": lambda: sd.anonymize(
        baskets().describe(sensitive=[]), sd.RhoUncertainty(0.5)
    ),
    "item-suppression of alike": lambda: _with_few_sets(sd.read_baskets([list("abcdefghi")] * 6)),
    "item-suppression of many": lambda: _with_few_sets(sd.read_baskets([[*"abcdefghi"], ["a"]] * 6)),
    "item-generalization": lambda: sd.anonymize(
        baskets(), sd.KmAnonymity(9, 2), method=sd.GeneralizeItems(TREE)
    ),
    "item-generalization to one": lambda: sd.anonymize(
        sd.read_baskets([["a"], ["b"]]),
        sd.KmAnonymity(2, 1),
        method=sd.GeneralizeItems(sd.hierarchy.suppress()),
    ),
}
