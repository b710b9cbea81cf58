"""Bars: shown when asked for, or in a notebook once a call takes long; taken away at the end; else nothing is printed."""

import io
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import sudare.progress as module
from sudare.errors import CancelledError
from sudare.progress import SILENT, ProgressBar, in_notebook, shows_progress


class Clock:
    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


class Handle:
    def __init__(self, shown):
        self.shown = [shown]

    def update(self, shown, raw):
        assert raw
        self.shown.append(shown)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def notebook(monkeypatch):
    """IPython as far as the bar knows it; the list of what was displayed."""
    displayed: list[Handle] = []

    def display(shown: Any, *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        displayed.append(Handle(shown))
        return displayed[-1]

    ipython, shows = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=None)  # type: ignore[attr-defined]  # an empty module gets it
    shows.display = display  # type: ignore[attr-defined]  # an empty module gets it
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", shows)
    return displayed


@shows_progress
def inner(clock: Clock, progress: Any = None, seconds: float = 5.0) -> str:
    if progress is not None:
        progress.start("<work>", 10)
    clock.now += seconds
    if progress is not None:
        progress.update(5)
    return "done"


@shows_progress
def outer(clock: Clock, *, progress: Any = None) -> str:
    inner(clock, progress=progress)
    return inner(clock, progress=progress)


def test_outside_a_notebook_nothing_is_shown(clock, capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not in_notebook()
    assert inner(clock) == "done"
    assert capsys.readouterr() == ("", "")


def test_a_long_call_shows_a_bar_in_a_notebook_and_takes_it_away(clock, notebook):
    assert in_notebook()
    assert inner(clock) == "done"
    (handle,) = notebook
    assert handle.shown[0]["text/plain"] == "<work>: 50%, 5 s, 5 s left"
    assert (
        '<progress value="0.5000" max="1"></progress> &lt;work&gt;: 50%, 5 s, 5 s left'
        in handle.shown[0]["text/html"]
    )
    assert handle.shown[-1] == {"text/plain": "", "text/html": ""}


def test_a_short_call_shows_none(clock, notebook):
    inner(clock, seconds=1.9)
    assert notebook == []


def test_another_progress_is_respected(clock, notebook):
    inner(clock, progress=SILENT)
    assert notebook == []


def test_calls_within_calls_share_one_bar(clock, notebook):
    outer(clock)
    (handle,) = notebook
    assert handle.shown[-1]["text/html"] == ""
    assert all(shown["text/html"] for shown in handle.shown[:-1])


def test_who_asks_sees_it_at_once(clock, notebook):
    inner(clock, progress=ProgressBar(), seconds=0.2)
    assert notebook[0].shown[0]["text/plain"] == "<work>: 0%, 0 s"


def test_it_is_taken_away_after_an_error(clock, notebook):
    @shows_progress
    def broken(*, progress: Any = None) -> None:
        progress.start("work", 1)
        clock.now += 3
        progress.update(0.5)
        raise CancelledError

    with pytest.raises(CancelledError):
        broken()
    assert notebook[0].shown[-1]["text/html"] == ""


def test_it_is_drawn_ten_times_a_second_at_most(clock, notebook):
    bar = ProgressBar()
    with bar:
        bar.start("work", 1000)
        for done in range(1000):
            clock.now += 0.001
            bar.update(done)
    assert len(notebook[0].shown) <= 13


def test_at_a_terminal_it_is_one_line(clock, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    inner(clock, progress=ProgressBar())
    assert terminal.getvalue() == "\r\x1b[K<work>: 0%, 0 s\r\x1b[K<work>: 50%, 5 s, 5 s left\r\x1b[K"


def test_names_and_documentation_stay():
    assert inner.__name__ == "inner"
    import sudare as sd

    assert "Transform a table" in (sd.anonymize.__doc__ or "")
