"""The methods for baskets, by the names that the command line and manifests use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.parameters import Catalogue

if TYPE_CHECKING:
    from sudare.anonymize.baskets.protocol import BasketAnonymizer

BASKET_METHODS: Catalogue[BasketAnonymizer] = Catalogue(
    "method for baskets",
    {
        "item-suppression": "sudare.anonymize.baskets.suppress:SuppressItems",
        "item-generalization": "sudare.anonymize.baskets.generalize:GeneralizeItems",
    },
    others=(
        "generalization",
        "mindis",
        "diverdis",
        "full-domain",
        "mondrian",
        "microaggregation",
        "randomization",
        "record-suppression",
        "remove-identifiers",
        "pseudonyms",
        "coarsening",
        "top-bottom-coding",
        "rounding",
        "value-capping",
        "sampling",
        "shuffling",
        "rank-swapping",
        "data-swapping",
    ),
)
