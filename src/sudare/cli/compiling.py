"""Why a first command takes long: kernels are compiled once on a machine, and whoever waits is told."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sudare.words.texts import Language


@contextmanager
def compiling_told(say: Callable[[str], None], language: Language) -> Iterator[None]:
    """While this is open, the first kernel that is compiled is told; numba does not speak of those that it loads."""
    from numba.core import event

    from sudare.cli.results import words_in

    class Told(event.Listener):  # type: ignore[misc]  # numba has no types
        silent = True

        def on_start(self, _: Any) -> None:
            if self.silent:
                self.silent = False
                say(words_in(language)("compiling"))

        def on_end(self, _: Any) -> None:
            """Nothing more to say."""

    with event.install_listener("numba:compile", Told()):
        yield
