"""Progress: how long work tells its caller how far it is, and how the caller stops it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """What a long computation talks to.

    `start` opens a phase, `update` says how much of its total is done. To cancel, `update` raises
    `sudare.errors.CancelledError`: work calls it often, holds nothing half-written when it does, and
    lets the error pass.
    """

    def start(self, phase: str, total: float) -> None:
        """Open a phase with the amount of work it will take."""

    def update(self, done: float) -> None:
        """Say how much of the phase is done; raises CancelledError when the user has cancelled."""


class Silent:
    """Shows nothing and never cancels: the default of the library."""

    def start(self, phase: str, total: float) -> None:
        """Ignore the phase."""

    def update(self, done: float) -> None:
        """Ignore the amount."""


SILENT = Silent()
