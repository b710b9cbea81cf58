"""Kind: what differs between a release of a table and one of baskets; all else is written once, over it.

A recipe, a release folder and data in memory say themselves of which kind they are; nobody else asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sudare.describe.baskets.baskets import Baskets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from sudare.anonymize.protocol import Context
    from sudare.assess.requirement import Verdict
    from sudare.display import Block
    from sudare.measure.catalogue import Measure
    from sudare.parameters import Catalogue
    from sudare.progress import Progress
    from sudare.randomness import Randomness
    from sudare.release.folder import AnyRelease, Written
    from sudare.release.recipe.base import AnyOutput
    from sudare.release.recipe.parts import Order, ReportKind
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language, Sentence


class Applied(NamedTuple):
    """What all methods together made of the data."""

    data: Any
    rows: npt.NDArray[np.int64] | None
    """For each released record, the original one it was made from; None where that is not known."""
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


class Checked(NamedTuple):
    """What was made of the data, and that it is what was asked: all that a release is made of but its losses."""

    original: Any
    applied: Applied
    requirements: tuple[Any, ...]
    methods: tuple[Any, ...]
    verdicts: tuple[Verdict, ...]
    random: Randomness
    order: Order = "shuffle"


class Kind(ABC):
    """Tables or baskets; there is one instance of each (`sudare.release.kind`)."""

    name: ClassVar[str]
    """As manifests have it."""
    requirements: ClassVar[Catalogue[Any]]
    methods: ClassVar[Catalogue[Any]]
    measures: ClassVar[Mapping[str, Measure]]
    output: ClassVar[type[AnyOutput]]
    """What a recipe says of what is written."""
    private: ClassVar[tuple[str, ...]]
    """Parts of the internal manifest that the public one has not."""

    @abstractmethod
    def given(self, data: Any) -> Any:
        """The data of this kind that a caller gave."""

    @abstractmethod
    def refuse_requirements(self, requirements: Sequence[Any]) -> None:
        """One sentence where a requirement is one on the other kind."""

    @abstractmethod
    def refuse_given(self, data: Any, requirements: Sequence[Any]) -> None:
        """One sentence where these data cannot be released, or not under these requirements."""

    @abstractmethod
    def chosen_methods(self, data: Any, requirements: Sequence[Any]) -> tuple[Sequence[Any], Sentence]:
        """The methods of a release for which none was named, and why these."""

    @abstractmethod
    def refuse_methods(self, methods: Sequence[Any]) -> None:
        """One sentence where a method is for the other kind."""

    @abstractmethod
    def apply(self, methods: Sequence[Any], data: Any, context: Context) -> Applied:
        """Apply the methods in order."""

    @abstractmethod
    def check(self, requirement: Any, released: Any, original: Any, random: Randomness) -> Verdict:
        """The requirement, recomputed on what is to be released."""

    @abstractmethod
    def shuffled(self, applied: Applied, random: Randomness) -> Applied:
        """The same records in random order, so that their places tell nothing."""

    @abstractmethod
    def way_out(self, requirement: Any, original: Any) -> str:
        """What to do where a requirement does not hold on the result."""

    @abstractmethod
    def release(self, checked: Checked, measures: Sequence[Any] | None, progress: Progress) -> AnyRelease:
        """Measure what was lost and make the release."""

    @abstractmethod
    def evaluate(self, release: Any, progress: Progress) -> None:
        """Compute what a manifest and a report say in figures beside the losses; kept by the release."""

    @abstractmethod
    def prepare(self, release: Any, reports: Collection[ReportKind]) -> None:
        """Compute what these reports need of the records, and let go of what can be computed again.

        Writing, verifying and drawing need memory of their own; figures are kept, arrays of all records are not.
        """

    @abstractmethod
    def write_data(self, release: Any, output: Any, folder: Path) -> dict[str, Any]:
        """Write the data into `public`, what only the custodian keeps into `internal`; what the manifest says of the file."""

    @contextmanager
    def elsewhere(self, release: Any, output: Any) -> Iterator[None]:  # noqa: ARG002  # of other kinds
        """Write the data to places outside of the folder as well; they are kept when the block ends normally."""
        yield

    @abstractmethod
    def manifest_parts(self, release: Any, output: Any) -> dict[str, Any]:
        """What only manifests of this kind have."""

    @abstractmethod
    def public_parts(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Parts of the public manifest that are told otherwise than in the internal one."""

    @abstractmethod
    def verify(self, release: Any, folder: Path, progress: Progress) -> list[Finding]:
        """The guarantee of a release that was just written, recomputed from its files."""

    @abstractmethod
    def report(
        self,
        release: Any,
        findings: Sequence[Finding],
        manifest: dict[str, Any],
        kind: ReportKind,
        output: Any,
    ) -> str:
        """The report of one sort, as HTML."""

    @abstractmethod
    def text(self, written: Written[Any]) -> str:
        """What was released as text, for a pipe."""

    @abstractmethod
    def summary(self, written: Written[Any], language: Language) -> list[Block]:
        """A finished release in a terminal: figures and sentences between the verdicts and the places."""

    @abstractmethod
    def assess(
        self, data: Any, requirements: Sequence[Any], progress: Progress | None, **options: Any
    ) -> Any:
        """The study of data before anything is changed."""


def kind_of(data: Any) -> Kind:
    """The kind of data in memory: baskets are `Baskets`, or a release of them; all else is, or becomes, a table."""
    from sudare.release.baskets.kind import BASKETS
    from sudare.release.table.kind import TABLE

    if isinstance(data, Baskets) or isinstance(getattr(data, "released", None), Baskets):
        return BASKETS
    return TABLE
