"""Cross tabulations of randomized tables: from the released counts and the mechanisms to the original counts.

bins, attribute  one attribute: its bins, the bin of each released record, its transition matrix (round_bins: default)
transition       matrices of numbers by Gauss-Legendre rules on the mechanism's distribution function
pieces           a column of wide bins, reconstructed on finer pieces: its margin and its matrix
contract         all attributes together, one matrix product each, never a Kronecker product
iterate, misfit  EM with squared extrapolation, and when to stop
rehearse, draw   how far below the misfit of chance to go, tried on releases drawn from the estimate
guard            whether the estimate is nearer than the released counts, also rehearsed; if not, the counts are kept
estimate         from the product of reconstructed margins to the table, with margins kept
inverse          the unbiased alternative with its error
accuracy         how far the original may be from the estimate, rehearsed: limit, intervals, standard errors
options          what a caller may choose
trust            which cells can be used, by the width of their intervals
build, result    the table with its evidence
heat_map         released, estimate and (for its owner) original side by side
"""

from sudare.measure.crosstab.build import crosstab_of
from sudare.measure.crosstab.options import CrosstabOptions
from sudare.measure.crosstab.result import CrossTab, Fit

__all__ = ["CrossTab", "CrosstabOptions", "Fit", "crosstab_of"]
