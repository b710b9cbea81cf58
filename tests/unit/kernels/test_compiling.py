"""What is being compiled is told, so that a bar can say why nothing moves; a second process compiles what comes next."""

# mypy: disable-error-code="attr-defined"

import json
import time

import numba
import pytest

import sudare.kernels.core.jit  # noqa: F401  # listens to numba
from sudare.cli import beside
from sudare.cli.beside import Beside
from sudare.kernels.core.compiling import compiling_told
from sudare.kernels.core.entries import Entries, Entry, entries, entry_of


class Told:
    def __init__(self):
        self.said = []

    def started(self, dispatcher, types):
        self.said.append((dispatcher.py_func.__name__, types))

    def ended(self):
        self.said.append("ended")


def test_compiling_is_told_once_for_kernels_within_kernels():
    inner = numba.njit(lambda x: x + 1)
    outer = numba.njit(lambda x: inner(x) + 2)
    told = Told()
    with compiling_told(told):
        assert not told.said
        assert outer(1) == 4
        assert told.said == [("<lambda>", (numba.int64,)), "ended"]
        assert outer(1) == 4
    assert len(told.said) == 2
    numba.njit(lambda x: x)(1)
    assert len(told.said) == 2


def test_a_failure_ends_it():
    told = Told()
    with compiling_told(told), pytest.raises(numba.TypingError):
        numba.njit(lambda x: x + "text")(1)
    assert told.said[-1] == "ended"


def test_listed_kernels_exist_and_their_types_are_told_as_they_are_read():
    """After a change, `benchmarks/record_entries.py` writes the list again."""
    for entry in entries().seconds:
        assert entry_of(entry.dispatcher.py_func, entry.types) == entry
        assert len(entry.types) == entry.dispatcher.py_func.__code__.co_argcount
        for kind in entry.types:
            if isinstance(kind, numba.types.BaseNamedTuple):
                assert len(kind.types) == len(kind.instance_class._fields)


@pytest.fixture
def listed(monkeypatch):
    """A list of three kernels that are never on disk, and a second process that finishes none of them."""
    a, b, c, d = (Entry(f"core.rules:{name}", "[]") for name in "abcd")
    known = Entries({a: 1.0, b: 2.0, c: 3.0, d: 4.0}, ((a, b, c), (a, d, b)))
    monkeypatch.setattr("sudare.kernels.core.entries.entries", lambda: known)
    monkeypatch.setattr("sudare.kernels.core.entries.entry_of", lambda dispatcher, types: dispatcher)
    monkeypatch.setattr("sudare.kernels.core.entries.Entry.is_kept", lambda entry: False)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(beside, "_ALONE", ("-c", "import sys\nfor line in sys.stdin: pass"))


class Dispatcher(Entry):
    """An entry that stands for its kernel."""

    @property
    def py_func(self):
        return Entry(*self)


def test_what_every_command_needed_with_a_kernel_is_needed(listed):
    a, b, c, d = (Entry(f"core.rules:{name}", "[]") for name in "abcd")
    known = Entries({}, ((a, b, c), (a, d, b)))
    assert known.needed_with(a) == [a, b]
    assert known.needed_with(c) == [a, b, c]
    assert known.needed_with(Entry("core.rules:e", "[]")) == []


def test_the_time_left_is_that_of_what_is_left(listed):
    a, b, c, _ = (Dispatcher(f"core.rules:{name}", "[]") for name in "abcd")
    with Beside() as two:
        assert two.seconds_left() is None
        two.started(a, ())
        assert two.seconds_left() == pytest.approx((1 + 2) / 1.7)
        two.ended()
        assert two.seconds_left() == pytest.approx(2 / 1.7)
        two.started(c, ())
        assert two.seconds_left() == pytest.approx((2 + 3) / 1.7)
        two.ended()
        assert two.finished(b) == 6.0
        assert two.seconds_left() is None


def test_what_is_left_is_forgotten_when_the_second_process_is_gone(listed, monkeypatch):
    monkeypatch.setattr(beside, "_ALONE", ("-c", "pass"))
    a = Dispatcher("core.rules:a", "[]")
    with Beside() as two:
        two.started(a, ())
        two.ended()
        for _ in range(100):
            if two.seconds_left() is None:
                break
            time.sleep(0.1)
        assert two.seconds_left() is None


def test_the_second_process_compiles_what_it_is_asked_for_and_passes_over_the_rest(monkeypatch, capsys):
    first = next(iter(entries().seconds))
    lines = [json.dumps(Entry("core.rules:absent", "[]")), json.dumps(first)]
    monkeypatch.setattr("sys.stdin", [f"{line}\n" for line in lines])
    beside._second()
    assert capsys.readouterr().out.splitlines() == lines
    assert first.types in first.dispatcher.overloads
