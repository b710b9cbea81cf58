"""The loss of a cell published as a node of its hierarchy: one definition for measures, bounds and methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.describe.hierarchy.tree import Hierarchy

Objective = Literal["loss", "dis", "ncp"]
"""Iyengar's loss, distortion, or the certainty penalty."""
MEASURE_NAMES: dict[Objective, str] = {"loss": "loss", "dis": "dis", "ncp": "gcp"}
"""The measure under which an objective is reported: the penalty as a mean, not as a sum."""


def node_shares(tree: Hierarchy, objective: Objective) -> npt.NDArray[np.float64]:
    """Share in [0, 1] of each node, 0 for a leaf.

    dis: level / height; loss: (leaves - 1) / (leaves of the root - 1); ncp: leaves / leaves of the root.
    """
    leaves = tree.leaf_counts.astype(np.float64)
    whole = max(float(leaves[tree.root]), 1.0)
    if objective == "dis":
        shares = tree.level / max(tree.height, 1)
    elif objective == "loss":
        shares = (leaves - 1) / max(whole - 1, 1.0)
    else:
        shares = leaves / whole
    return np.where(tree.level == 0, 0.0, shares)
