"""The requirements on baskets, by the names that the command line and manifests use."""

from __future__ import annotations

from typing import Any

from sudare.parameters import Catalogue

BASKET_REQUIREMENTS: Catalogue[Any] = Catalogue(
    "requirement on baskets",
    {
        "rho-uncertainty": "sudare.assess.baskets.rho_uncertainty:RhoUncertainty",
        "km-anonymity": "sudare.assess.baskets.km_anonymity:KmAnonymity",
    },
    others=("k-anonymity", "l-diversity", "t-closeness", "pk-anonymity"),
)
