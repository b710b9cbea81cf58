"""All methods, under the names that recipes and the command line use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.anonymize.full_domain import FullDomain
from sudare.anonymize.generalize import DiverDIS, Generalize, MinDIS
from sudare.anonymize.microaggregate.method import Microaggregate
from sudare.anonymize.mondrian import Mondrian
from sudare.anonymize.randomize.method import Randomize
from sudare.anonymize.simple.coarsen import Coarsen, Round, TopBottomCode
from sudare.anonymize.simple.identifiers import Pseudonymize, RemoveIdentifiers
from sudare.anonymize.simple.records import CapValues, Sample, Shuffle, SuppressRecords
from sudare.anonymize.simple.swap import RankSwap, SwapRecords
from sudare.parameters import Catalogue

if TYPE_CHECKING:
    from sudare.anonymize.protocol import Anonymizer

METHODS: Catalogue[Anonymizer] = Catalogue(
    "method",
    {
        "generalization": Generalize,
        "mindis": MinDIS,
        "diverdis": DiverDIS,
        "full-domain": FullDomain,
        "mondrian": Mondrian,
        "microaggregation": Microaggregate,
        "randomization": Randomize,
        "record-suppression": SuppressRecords,
        "remove-identifiers": RemoveIdentifiers,
        "pseudonyms": Pseudonymize,
        "coarsening": Coarsen,
        "top-bottom-coding": TopBottomCode,
        "rounding": Round,
        "value-capping": CapValues,
        "sampling": Sample,
        "shuffling": Shuffle,
        "rank-swapping": RankSwap,
        "data-swapping": SwapRecords,
    },
    others=("item-suppression", "item-generalization"),
)
