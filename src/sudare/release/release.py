"""What a release of a table and one of baskets have in common: what was asked, done and found, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sudare.deprecated import moved_names
from sudare.progress import Progress, shows_progress

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from sudare.assess.requirement import Verdict
    from sudare.release.folder import Written
    from sudare.release.kind import Kind


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AnyRelease:
    """What `anonymize` returns: what is released, and everything a report says about it."""

    original: Any
    """The data as they were (never written)."""
    requirements: tuple[Any, ...]
    methods: tuple[Any, ...]
    verdicts: tuple[Verdict, ...]
    """One for each requirement, on what is released."""
    losses: dict[str, float]
    """Value of each measure that applies; one that does not is never 0."""
    notes: tuple[str, ...]
    """What the methods did, in figures."""
    warnings: tuple[str, ...]
    """What the custodian should look at."""
    secure: bool
    """False when a seed made the random choices repeatable: for tests only."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each step took."""

    @property
    def kind(self) -> Kind:
        """Table or baskets: what is done differently for the two."""
        raise NotImplementedError

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds for verdict in self.verdicts)

    @shows_progress
    def write(self, folder: str | Path, *, progress: Progress | None = None, **output: Any) -> Written[Self]:
        """Write the release with its evidence, verified from the written files; nothing is left on failure.

        `output` takes the fields of a recipe's output: for a table format, language, reports, escape_formulas and overwrite,
        for baskets layout, language, reports and overwrite.
        """
        from sudare.release.folder import write_folder

        return write_folder(self, self.kind.output.into(folder, **output), progress=progress)


__getattr__ = moved_names("sudare.release.release", {"Release": "sudare.release.table.release"})
