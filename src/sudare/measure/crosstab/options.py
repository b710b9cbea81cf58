"""What a caller may choose about a cross tabulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudare.measure.crosstab.fit.estimate import Options
from sudare.measure.crosstab.input.attribute import PIECES

if TYPE_CHECKING:
    from sudare.measure.crosstab.fit.estimate import Start
    from sudare.measure.crosstab.fit.iterate import StopRule


@dataclass(frozen=True)
class CrosstabOptions:
    """How a cross tabulation is estimated, and how its standard errors are found."""

    stop: StopRule = "fit"
    """When EM ends: "fit" (when the released counts are explained), "change", or "none" (convergence)."""
    start: Start = "margins"
    """Where EM begins: "margins" (product of the reconstructed margins) or "released" (the counts)."""
    consistent: bool = True
    """Give every attribute the margin it has by itself."""
    pieces: int = PIECES
    """Finer pieces of a bin, whose weights are estimated; 1 takes values of a bin as evenly spread."""
    draws: int | None = None
    """Releases drawn again for intervals and standard errors; 0 for none, None to choose by the size of the table."""
    seed: int | None = None
    """Chooses other random numbers for intervals and standard errors; derived from the released counts when left out."""

    @property
    def of_estimate(self) -> Options:
        """The part that the estimate looks at."""
        return Options(self.stop, self.start, self.consistent)


USUAL = CrosstabOptions()
"""What applies when the caller chooses nothing."""
