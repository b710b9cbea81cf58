"""All methods, under the names that recipes and the command line use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.parameters import Catalogue

if TYPE_CHECKING:
    from sudare.anonymize.protocol import Anonymizer

METHODS: Catalogue[Anonymizer] = Catalogue(
    "method",
    {
        "generalization": "sudare.anonymize.generalize.method:Generalize",
        "mindis": "sudare.anonymize.generalize.named:MinDIS",
        "diverdis": "sudare.anonymize.generalize.named:DiverDIS",
        "full-domain": "sudare.anonymize.full_domain.method:FullDomain",
        "mondrian": "sudare.anonymize.mondrian:Mondrian",
        "microaggregation": "sudare.anonymize.microaggregate.method:Microaggregate",
        "randomization": "sudare.anonymize.randomize.method:Randomize",
        "record-suppression": "sudare.anonymize.simple.records:SuppressRecords",
        "remove-identifiers": "sudare.anonymize.simple.identifiers:RemoveIdentifiers",
        "pseudonyms": "sudare.anonymize.simple.identifiers:Pseudonymize",
        "coarsening": "sudare.anonymize.simple.coarsen:Coarsen",
        "top-bottom-coding": "sudare.anonymize.simple.coarsen:TopBottomCode",
        "rounding": "sudare.anonymize.simple.coarsen:Round",
        "value-capping": "sudare.anonymize.simple.records:CapValues",
        "sampling": "sudare.anonymize.simple.records:Sample",
        "shuffling": "sudare.anonymize.simple.records:Shuffle",
        "rank-swapping": "sudare.anonymize.simple.swap:RankSwap",
        "data-swapping": "sudare.anonymize.simple.swap:SwapRecords",
    },
    others=("item-suppression", "item-generalization"),
)
