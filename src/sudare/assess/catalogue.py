"""All requirements, under the names that recipes and the command line use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.parameters import Catalogue

if TYPE_CHECKING:
    from sudare.assess.requirement import Requirement

REQUIREMENTS: Catalogue[Requirement] = Catalogue(
    "requirement",
    {
        "k-anonymity": "sudare.assess.block_requirements:KAnonymity",
        "l-diversity": "sudare.assess.block_requirements:LDiversity",
        "t-closeness": "sudare.assess.block_requirements:TCloseness",
        "pk-anonymity": "sudare.assess.pk_anonymity:PkAnonymity",
    },
    others=("rho-uncertainty", "km-anonymity"),
)
