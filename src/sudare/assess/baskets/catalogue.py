"""The requirements on baskets, by the names that the command line and manifests use."""

from __future__ import annotations

from typing import Any

from sudare.assess.baskets.km_anonymity import KmAnonymity
from sudare.assess.baskets.rho_uncertainty import RhoUncertainty
from sudare.parameters import Catalogue

BASKET_REQUIREMENTS: Catalogue[Any] = Catalogue(
    "requirement on baskets",
    {"rho-uncertainty": RhoUncertainty, "km-anonymity": KmAnonymity},
    others=("k-anonymity", "l-diversity", "t-closeness", "pk-anonymity"),
)
