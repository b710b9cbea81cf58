"""The progress bar of a command, loaded only where a terminal shows it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from sudare.progress import phase_text
from sudare.words.sentence import texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudare.cli.beside import Beside
    from sudare.words.sentence import Language


@contextmanager
def shown_bar(beside: Beside, language: Language) -> Iterator[Bar]:
    """One bar on standard error, gone at the end, with the time left."""
    bar = Progress(
        Activity(beside, language),
        BarColumn(bar_width=20),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TimeLeft(beside),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        yield Bar(bar, language)


class Activity(ProgressColumn):
    """The phase, or that kernels are compiled and how long that will take: the phase stands still meanwhile."""

    def __init__(self, beside: Beside, language: Language) -> None:
        super().__init__()
        self._beside, self._language = beside, language

    def render(self, task: Task) -> Text:
        """What is under way."""
        left = self._beside.seconds_left()
        if left is None:
            return Text(task.description)
        return Text(texts(self._language, "progress")("bar.compiling", left=left))


class TimeLeft(TimeRemainingColumn):
    """The time left of the command, which is not known while kernels are compiled."""

    def __init__(self, beside: Beside) -> None:
        super().__init__()
        self._beside = beside

    def render(self, task: Task) -> Text:
        """The time, or nothing."""
        return Text() if self._beside.seconds_left() is not None else super().render(task)


class Bar:
    """The library's progress protocol on a rich bar: one task for the whole command."""

    def __init__(self, bar: Progress, language: Language) -> None:
        self._bar, self._language = bar, language
        self._total = 1.0
        self._task: TaskID = bar.add_task(phase_text("read", language), total=1.0)

    def start(self, phase: str, total: float) -> None:
        """Begin a phase."""
        self._total = max(float(total), 1e-12)
        self._bar.update(self._task, description=phase_text(phase, self._language))

    def update(self, done: float) -> None:
        """Show how much of the phase is done."""
        self._bar.update(self._task, completed=min(max(done / self._total, 0.0), 1.0))
