"""Finding: what the verifier found about one requirement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """What the verifier found about one requirement."""

    requirement: dict[str, Any]
    """The requirement as in the manifest, for instance `{"type": "k-anonymity", "k": 5}`."""
    holds: bool
    reached: float | None
    """Smallest block, smallest l or largest distance; None where there was nothing to compute."""
    sentence: str
    """One English sentence with the figures."""
    violating_rows: int
    """Rows in the blocks that break the requirement."""
