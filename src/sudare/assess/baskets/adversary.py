"""Adversaries: what each one knows and infers; and the verdict that lists the worst of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sudare.assess.requirement import Verdict
from sudare.words.sentence import Sentence, counted

LISTED = 10
"""Maximum number of adversaries in a verdict's list."""


@dataclass(frozen=True)
class Adversary:
    """An attacker who knows some items of a user."""

    user: int
    """Number of the user's basket, from 0."""
    known: tuple[Any, ...]
    """Items they know the user has."""
    inferred: Any
    """The item they infer; None if they single out records instead."""
    support: int
    """Released baskets with the known items."""
    joint: int
    """Released baskets with the known items and the inferred one."""

    @property
    def confidence(self) -> float:
        """Joint / support: how certain the inference is."""
        return self.joint / self.support if self.support else 0.0

    @property
    def sentence(self) -> Sentence:
        """What the adversary can do, in words (without the final period); users are numbered from 1, as lines are."""
        about = {"user": self.user + 1, "known": "{" + ", ".join(map(str, self.known)) + "}"}
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
    """Number of adversaries drawn for each length, if they were sampled."""
    risk: tuple[str, float] | None = None
    """What the requirement limits, as a risk from 0 to 1, to compare releases by: its name and value."""

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON, without the adversaries, because they name users."""
        return {**super().to_dict(), **({} if self.sampled is None else {"sampled": self.sampled})}
