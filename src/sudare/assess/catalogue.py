"""All requirements, under the names that recipes and the command line use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sudare.assess.k_anonymity import KAnonymity
from sudare.assess.l_diversity import LDiversity
from sudare.assess.pk_anonymity import PkAnonymity
from sudare.assess.t_closeness import TCloseness
from sudare.parameters import Catalogue, require_made

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudare.assess.requirement import Requirement

R = TypeVar("R")

REQUIREMENTS: Catalogue[Requirement] = Catalogue(
    "requirement",
    {
        "k-anonymity": KAnonymity,
        "l-diversity": LDiversity,
        "t-closeness": TCloseness,
        "pk-anonymity": PkAnonymity,
    },
)


def requirements_of(given: Iterable[Any], catalogue: Catalogue[R]) -> tuple[R, ...]:
    """The requirements, each given as an instance (also of the caller's own class) or as the catalogue knows it."""
    asked = tuple(given)
    for one in asked:
        require_made(one)
    return tuple(one if hasattr(one, "check") else catalogue.build(one) for one in asked)
