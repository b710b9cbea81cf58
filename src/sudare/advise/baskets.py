"""The study of baskets before anything is changed: who is dangerous, what suppression costs, which rho is reachable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.baskets.least import Inferences, inferences_of, least_for_km
from sudare.display import (
    Block,
    Grid,
    Line,
    Marked,
    figure,
    html_block,
    html_list,
    html_table,
    paragraph,
    said,
    share,
    shown_words,
)
from sudare.errors import DescriptionError, ParameterError, language_of, shown
from sudare.progress import Plan
from sudare.words.sentence import Joined, Sentence, as_shown, in_language, shown_language, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.assess.baskets.adversary import Adversary
    from sudare.assess.requirement import Verdict
    from sudare.describe.baskets.baskets import Baskets
    from sudare.progress import Progress
    from sudare.words.sentence import Language

LADDER = tuple(Fraction(step, 10) for step in range(9, 0, -1))
"""The values of rho whose price is computed, in addition to the required one."""
MOST = 0.05
"""Share of the entries that a release may lose without being called expensive."""


class BasketSentence(Sentence):
    """A sentence from the study of baskets."""

    __slots__ = ()

    area = "study_baskets"


class JoinedBaskets(Joined):
    """Parts of a sentence from the study of baskets with what stands between them."""

    __slots__ = ()

    area = BasketSentence.area


class Price(NamedTuple):
    """A lower bound on the cost of one rho."""

    rho: str
    inferences: int
    """Number of inferences that are now more certain than rho."""
    entries: int
    """Number of entries that every release by suppression loses."""
    share: float
    """The same as a share of all entries."""


class Cost(NamedTuple):
    """A lower bound on the cost of one requirement by itself."""

    requirement: str
    entries: int
    """Number of entries that every release by suppression loses."""
    share: float
    """The same as a share of all entries."""


@dataclass(frozen=True, repr=False)
class BasketStudy:
    """What is possible with baskets."""

    baskets: int
    entries: int
    items: int
    verdicts: tuple[Verdict, ...]
    """Verdicts of the requirements on the baskets as they are."""
    adversaries: tuple[Adversary, ...]
    """The most dangerous adversaries, worst first."""
    least_entries: int | None
    """Entries that every release by suppression must lose at least; None if adversaries are only sampled."""
    costs: tuple[Cost, ...] = ()
    """What each requirement costs at least by itself, where it is known."""
    prices: tuple[Price, ...] = ()
    """A lower bound on the cost of each rho, if rho-uncertainty is required."""
    rho_as_it_is: float | None = None
    """The smallest rho that the baskets reach without losing an entry."""
    smallest_rho: float | None = None
    """The smallest rho, in hundredths, that is not known to cost more than `most` of the entries."""
    most: float = MOST
    """Share of the entries that may be lost."""
    advice: tuple[str, ...] = ()
    """Sentences that say what the figures mean, and what would help."""
    language: Language = "en"

    @property
    def feasible(self) -> bool:
        """Always True: with no entry left, nothing can be inferred and nobody can be singled out."""
        return True

    @property
    def least_share(self) -> float | None:
        """The entries that must be lost, as a share of all entries (as measured by util1)."""
        return None if self.least_entries is None else self.least_entries / max(self.entries, 1)

    def in_language(self, language: Language) -> Self:
        """The same study with all its sentences in English ('en') or Japanese ('ja')."""
        return replace(
            self,
            language=language_of(language),
            verdicts=tuple(verdict.in_language(language) for verdict in self.verdicts),
            advice=tuple(in_language(sentence, language) for sentence in self.advice),
        )

    def blocks(self, language: Language) -> Iterator[Block]:
        """The study for readers, part by part."""
        words, spoken = texts(language, BasketSentence.area), self.in_language(language)
        yield Line(words("page.as_it_is"))
        yield Marked([(verdict.holds, verdict.explanation) for verdict in spoken.verdicts])
        yield Grid(words("page.title"), [words("page.figure"), words("page.value")], self._facts(language))
        if self.adversaries:
            heads = [
                words(f"page.adversaries.{head}") for head in ("known", "inferred", "confidence", "baskets")
            ]
            yield Grid(words("page.adversaries.title"), heads, [_row(one) for one in self.adversaries])
        if self.prices:
            heads = [words(f"page.prices.{head}") for head in ("rho", "inferences", "entries", "share")]
            rows = [
                (one.rho, figure(one.inferences), figure(one.entries), share(one.share))
                for one in self.prices
            ]
            yield Grid(words("page.prices.title"), heads, rows)
        for sentence in spoken.advice:
            yield Line(sentence)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON; the adversaries are counted, not listed, because they name users."""
        return {
            "kind": "baskets",
            "feasible": self.feasible,
            "baskets": self.baskets,
            "entries": self.entries,
            "items": self.items,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "least_entries": self.least_entries,
            "least_share": self.least_share,
            "costs": [one._asdict() for one in self.costs],
            "prices": [one._asdict() for one in self.prices],
            "rho_as_it_is": self.rho_as_it_is,
            "smallest_rho": self.smallest_rho,
            "most": self.most,
            "advice": list(self.advice),
        }

    def __repr__(self) -> str:
        words, known = shown_words(), self._facts(shown_language())
        facts = [words("fact", name=name, value=value) for name, value in known]
        return said("BasketStudy", [*facts, *(repr(verdict) for verdict in self.verdicts)])

    def _repr_html_(self) -> str:
        language = shown_language() if self.language == "en" else self.language
        words = texts(language, BasketSentence.area)
        return html_block(
            paragraph(words("page.title"), bold=True),
            html_table([words("page.figure"), words("page.value")], self._facts(language)),
            html_list(verdict.marked for verdict in self.verdicts),
            html_list(map(as_shown, self.advice)),
        )

    def _facts(self, language: Language) -> list[tuple[str, str]]:
        words = texts(language, BasketSentence.area)
        rows = [
            (words("page.baskets"), figure(self.baskets)),
            (words("page.items"), figure(self.items)),
            (words("page.entries"), figure(self.entries)),
        ]
        if self.least_entries is not None:
            least = words(
                "page.least_value", entries=self.least_entries, share=share(self.least_share or 0.0)
            )
            rows.append((words("page.least"), least))
        if self.rho_as_it_is is not None:
            rows.append((words("page.rho_as_it_is"), figure(self.rho_as_it_is)))
        if self.smallest_rho is not None:
            rows.append((words("page.smallest_rho", most=share(self.most)), figure(self.smallest_rho)))
        return rows


def advise_baskets(
    baskets: Baskets,
    requirements: Sequence[Any],
    *,
    most: float = MOST,
    progress: Progress | None = None,
    **options: Any,
) -> BasketStudy:
    """The full study of baskets.

    `most` is the share of entries that a release may lose: `smallest_rho` shows which rho is out of reach within it.
    """
    if options:
        raise ParameterError("advise.not_for_baskets", name=next(iter(options)))
    if isinstance(most, bool) or not isinstance(most, int | float) or not 0 <= most < 1:
        raise ParameterError("advise.most", most=shown(most))
    if not len(baskets):
        raise DescriptionError("advise.no_baskets")
    plan = Plan(progress, {"check": 2, "bounds": 3})
    with plan.phase("check") as step:
        step.start("check", max(len(requirements), 1))
        verdicts = []
        for done, one in enumerate(requirements, start=1):
            verdicts.append(one.check(baskets))
            step.update(done)
    with plan.phase("bounds") as step:
        found = [_looked_at(one, baskets, most, step) for one in requirements]
    bounds = [
        (one, bound.least) for one, bound in zip(requirements, found, strict=True) if bound.least is not None
    ]
    priced = next((one for one in found if one.prices), _Found(None))
    study = BasketStudy(
        baskets=len(baskets),
        entries=baskets.entries,
        items=len(baskets.items),
        verdicts=tuple(verdicts),
        adversaries=_worst(verdicts),
        least_entries=max((least for _, least in bounds), default=None),
        costs=tuple(
            Cost(BASKET_REQUIREMENTS.name_of(one), least, least / max(baskets.entries, 1))
            for one, least in bounds
        ),
        prices=priced.prices,
        rho_as_it_is=priced.as_it_is,
        smallest_rho=priced.smallest,
        most=float(most),
    )
    return replace(study, advice=tuple(_advice(study)))


class _Found(NamedTuple):
    least: int | None
    prices: tuple[Price, ...] = ()
    as_it_is: float | None = None
    smallest: float | None = None


def _looked_at(requirement: Any, baskets: Baskets, most: float, progress: Progress) -> _Found:
    """A lower bound on the cost of one requirement."""
    if not getattr(requirement, "needs_sensitive", False):
        return _Found(least_for_km(baskets, requirement, progress))
    if requirement.eps is not None:
        return _Found(None)  # some adversaries may stay dangerous, and it is not specified which
    found = inferences_of(baskets, requirement.m, progress)
    asked = Fraction(*requirement.ratio)
    named = {**{rho: str(float(rho)) for rho in LADDER}, asked: str(requirement.rho)}
    prices, least = [], 0
    for rho, name in sorted(named.items(), reverse=True):
        # What satisfies a smaller rho satisfies a larger one, so each bound also holds for all smaller ones.
        least = max(least, found.least(rho.numerator, rho.denominator))
        unsafe = found.unsafe(rho.numerator, rho.denominator)
        prices.append(Price(name, unsafe, least, least / max(baskets.entries, 1)))
    asked_for = next(one for one in prices if one.rho == named[asked])
    limit = most * baskets.entries
    ruled_out = max((rho for rho, name in named.items() if _of(prices, name) > limit), default=None)
    return _Found(
        asked_for.entries, tuple(prices), found.largest, _smallest(found, most, baskets.entries, ruled_out)
    )


def _of(prices: Sequence[Price], name: str) -> int:
    return next(one.entries for one in prices if one.rho == name)


def _smallest(found: Inferences, most: float, entries: int, ruled_out: Fraction | None) -> float:
    """The smallest rho, in hundredths, that is not known to cost more than `most`.

    A smaller rho costs at least as much as a larger one, so one bound above the limit rules out every rho below it, as
    `ruled_out` already does.
    """
    low, high = (
        0 if ruled_out is None else int(ruled_out * 100) + 1,
        100,
    )  # everything below `low` is ruled out; rho = 1 costs nothing
    while low < high:
        middle = (low + high) // 2
        rho = Fraction(middle, 100)
        if found.least(rho.numerator, rho.denominator) > most * entries:
            low = middle + 1
        else:
            high = middle
    return low / 100


def _worst(verdicts: Sequence[Any]) -> tuple[Adversary, ...]:
    """The worst adversaries of the first requirement that is not met, otherwise of the first one."""
    chosen = next((one for one in verdicts if not one.holds), verdicts[0] if verdicts else None)
    return () if chosen is None else tuple(chosen.worst)


def _row(one: Adversary) -> tuple[str, str, str, str]:
    known = ", ".join(map(str, one.known))
    inferred = "–" if one.inferred is None else str(one.inferred)
    confidence = "–" if one.inferred is None else f"{one.joint}/{one.support}"
    return known, inferred, confidence, figure(one.support)


def _advice(study: BasketStudy) -> Iterator[str]:
    """What the figures mean."""
    if all(verdict.holds for verdict in study.verdicts):
        yield BasketSentence("advice.holds")
        return
    if study.least_entries is None:
        yield BasketSentence("advice.sampled")
    else:
        least = study.least_share or 0.0
        yield BasketSentence("advice.least", entries=study.least_entries, share=share(least))
        if len(study.costs) > 1:
            alone = [
                BasketSentence(
                    "advice.alone", name=one.requirement, entries=one.entries, share=share(one.share)
                )
                for one in study.costs
            ]
            yield BasketSentence("advice.each", alone=JoinedBaskets("advice.between", parts=tuple(alone)))
        dear = {one.requirement for one in study.costs if one.share > study.most}
        if "rho-uncertainty" in dear and study.smallest_rho is not None:
            yield BasketSentence("advice.larger_rho", rho=study.smallest_rho, most=share(study.most))
        if "km-anonymity" in dear:
            yield BasketSentence("advice.expensive", most=share(study.most))
    yield BasketSentence("advice.run")
