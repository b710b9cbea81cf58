"""All requirements, under the names that recipes and the command line use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.assess.block_requirements import KAnonymity, LDiversity, TCloseness
from sudare.assess.pk_anonymity import PkAnonymity
from sudare.parameters import Catalogue

if TYPE_CHECKING:
    from sudare.assess.requirement import Requirement

REQUIREMENTS: Catalogue[Requirement] = Catalogue(
    "requirement",
    {
        "k-anonymity": KAnonymity,
        "l-diversity": LDiversity,
        "t-closeness": TCloseness,
        "pk-anonymity": PkAnonymity,
    },
    others=("rho-uncertainty", "km-anonymity"),
)
