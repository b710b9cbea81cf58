"""How far around each row one must go to find k rows, or l sensitive values: every row against every row.

The rival of the tree of `sudare.kernels.bounds.neighborhood`: the same costs of two rows, compiled too, and no index.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.kernels.bounds.neighborhood import Space, look_from, row_costs, view_for
from sudare.kernels.core.jit import kernel


def all_radii(
    space: Space, codes: npt.NDArray[np.int32], target: int, values: npt.NDArray[np.int64] | None, stop: int
) -> npt.NDArray[np.float64]:
    """Radii of the first `stop` rows, each against all rows."""
    labels = np.zeros(len(codes), dtype=np.int64) if values is None else values
    found: npt.NDArray[np.float64] = _all_radii(
        space, view_for(space), codes, target, values is not None, labels, stop
    )
    return found


@kernel
def _all_radii(space, view, codes, target, by_value, labels, stop):
    wide, kind, values, base, position = space.wide, space.kind, space.values, view.base, view.position
    first, last, cost = view.first, view.last, view.cost
    radius, paid = np.zeros(stop), np.zeros(len(codes))
    nearest, of_value = np.empty(target), np.empty(labels.max() + 1)
    for row in range(stop):
        look_from(space, view, codes, row)
        row_costs(wide, kind, values, base, position, first, last, cost, codes, 0, len(codes), np.inf, paid)
        nearest[:] = np.inf
        if by_value:
            of_value[:] = np.inf
            for other in range(len(codes)):
                of_value[labels[other]] = min(of_value[labels[other]], paid[other])
            _keep_least(nearest, of_value)
        else:
            _keep_least(nearest, paid)
        radius[row] = nearest[target - 1]
    return radius


@kernel
def _keep_least(nearest, costs):
    """The least costs, ascending."""
    for cost in costs:
        place = len(nearest) - 1
        if cost >= nearest[place]:
            continue
        while place > 0 and nearest[place - 1] > cost:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = cost
