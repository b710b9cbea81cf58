"""The default method of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.anonymize.mondrian import Mondrian
from sudare.anonymize.randomize.method import Randomize
from sudare.assess.pk_anonymity import PkAnonymity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudare.anonymize.protocol import Anonymizer
    from sudare.assess.requirement import Requirement


def default_methods(requirements: Iterable[Requirement]) -> tuple[Anonymizer, ...]:
    """Randomize for Pk-anonymity, which no grouping can reach; Mondrian for everything else.

    >>> [type(method).__name__ for method in default_methods([PkAnonymity(3)])]
    ['Randomize']
    """
    return (Randomize() if any(isinstance(one, PkAnonymity) for one in requirements) else Mondrian(),)
