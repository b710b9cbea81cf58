"""Adversaries: what one knows, what one infers; and the verdict that lists the worst of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sudare.assess.verdict import Verdict
from sudare.words.sentence import Sentence, counted

LISTED = 10
"""How many adversaries a verdict lists."""


@dataclass(frozen=True)
class Adversary:
    """Somebody who knows some items of a user."""

    user: int
    """The user's basket, from 0."""
    known: tuple[Any, ...]
    """Items they know the user to have."""
    inferred: Any
    """The item they infer; None where they single out records instead."""
    support: int
    """Released baskets with the known items."""
    joint: int
    """Released baskets with the known items and the inferred one."""

    @property
    def confidence(self) -> float:
        """Joint / support: how sure they are."""
        return self.joint / self.support if self.support else 0.0

    @property
    def sentence(self) -> Sentence:
        """What the adversary can do, in words (without its full stop)."""
        about = {"user": self.user, "known": "{" + ", ".join(map(str, self.known)) + "}"}
        if self.inferred is None:
            return Sentence("baskets.adversary.left", **about, baskets=counted("baskets", self.support))
        return Sentence(
            "baskets.adversary.infers",
            **about,
            inferred=self.inferred,
            joint=self.joint,
            support=self.support,
        )


@dataclass(frozen=True, eq=False, repr=False)
class BasketVerdict(Verdict):
    """A verdict about baskets; rows are users."""

    worst: tuple[Adversary, ...] = ()
    """The most dangerous adversaries, worst first, whether allowed or not."""
    sampled: int | None = None
    """Adversaries drawn for each length, where not all were looked at."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the adversaries, who name users, stay out."""
        return {**super().to_dict(), **({} if self.sampled is None else {"sampled": self.sampled})}
