"""Tasks side by side: results in their order whatever the number of threads, one bar, and an end when the caller cancels."""

import threading
import time
from functools import partial

import pytest

from sudare.errors import CancelledError, ParameterError
from sudare.progress import SILENT
from sudare.threads import Team, processors, side_by_side


class Watch:
    """Notes what is reported, in which thread, and cancels at a share."""

    def __init__(self, cancel_at=2.0):
        self.phases, self.shares, self.threads, self._at = [], [], set(), cancel_at

    def start(self, phase, total):
        self.phases.append((phase, total))

    def update(self, done):
        self.shares.append(done)
        self.threads.add(threading.get_ident())
        if done >= self._at:
            raise CancelledError("anonymize.canceled")


def counting(number, began=None, steps=5, pause=0.0):
    def task(progress):
        if began is not None:
            began.append(number)
        for phase in ("refine", "near_records"):
            progress.start(phase, steps)
            for step in range(steps):
                time.sleep(pause)
                progress.update(step + 1)
        return number * number

    return task


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_results_are_in_the_order_of_the_tasks(threads):
    tasks = [counting(number, pause=0.001 * (7 - number)) for number in range(7)]
    watch = Watch()
    found = side_by_side(tasks, [1, 5, 2, 9, 3, 3, 1], watch, "search_parts", threads=threads)
    assert found == [0, 1, 4, 9, 16, 25, 36]
    assert watch.phases == [("search_parts", 1.0)]
    assert watch.shares == sorted(watch.shares)
    assert watch.shares[-1] == pytest.approx(1.0)
    assert watch.threads == {threading.get_ident()}


def test_no_tasks():
    assert side_by_side([], [], SILENT, "search_parts") == []


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("at", [0.0, 0.05, 0.5])
def test_cancel_ends_all(threads, at):
    began: list[int] = []
    tasks = [counting(number, began, steps=30, pause=0.01) for number in range(8)]
    before = threading.active_count()
    with pytest.raises(CancelledError):
        side_by_side(tasks, [1] * 8, Watch(at), "search_parts", threads=threads)
    assert threading.active_count() == before
    assert len(began) < 8


@pytest.mark.parametrize("threads", [1, 2])
def test_the_failure_of_a_task_is_that_of_the_call(threads):
    def fails(progress):
        raise ParameterError("anonymize.all_weights_zero")

    tasks = [counting(0), fails, counting(2, steps=20, pause=0.01)]
    with pytest.raises(ParameterError):
        side_by_side(tasks, [2, 2, 1], SILENT, "search_parts", threads=threads)
    assert threading.active_count() == 1 or threads == 2


def test_the_smallest_task_is_first_and_alone():
    """It compiles what the others need: two threads would compile the same kernels."""
    at_once, running, lock = [], set(), threading.Lock()

    def task(number):
        def work(progress):
            with lock:
                running.add(number)
                at_once.append((number, len(running)))
            time.sleep(0.05)
            with lock:
                running.remove(number)

        return work

    side_by_side([task(number) for number in range(5)], [5, 4, 1, 3, 2], SILENT, "search_parts", threads=2)
    assert at_once[0] == (2, 1)
    assert {number for number, _ in at_once[1:3]} == {0, 1}
    assert max(count for _, count in at_once) == 2


def slow(number):
    time.sleep(0.001 * (6 - number))
    return number


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_team_returns_what_calls_return_round_after_round(size, monkeypatch):
    monkeypatch.setattr("sudare.threads.processors", lambda: size)
    with Team(4) as team:
        assert team.size == min(size, 4)
        for _ in range(3):
            assert team.run([partial(slow, number) for number in range(6)]) == list(range(6))
        assert team.run([]) == []


def test_inside_a_team_there_are_no_further_threads(monkeypatch):
    monkeypatch.setattr("sudare.threads.processors", lambda: 4)

    def inside():
        with Team(4) as team:
            own = threading.get_ident()
            tasks = [lambda progress: threading.get_ident() for _ in range(3)]
            found = side_by_side(tasks, [1, 1, 1], SILENT, "search_parts", threads=3)
            return team.size, {own, *found, *team.run([threading.get_ident] * 3)}

    with Team(2) as team:
        for size, threads in team.run([inside, inside]):
            assert size == 1
            assert len(threads) == 1
    with Team(4) as team:
        assert team.size == 4


def test_calls_of_a_team_are_stopped_when_the_caller_cancels(monkeypatch):
    monkeypatch.setattr("sudare.threads.processors", lambda: 2)
    stopped, begun = threading.Event(), []

    def call():
        begun.append(1)
        assert stopped.wait(20)

    def cancels():
        raise CancelledError("anonymize.canceled")

    before = threading.active_count()
    with pytest.raises(CancelledError), Team(2) as team:
        team.run([call] * 5, cancels, stopped.set)
    assert len(begun) == 2
    assert threading.active_count() == before


def test_the_failure_of_a_call_is_that_of_the_round(monkeypatch):
    monkeypatch.setattr("sudare.threads.processors", lambda: 2)

    def fails():
        raise ParameterError("anonymize.all_weights_zero")

    with Team(2) as team:
        with pytest.raises(ParameterError):
            team.run([fails, fails, fails])
        assert team.run([partial(slow, 1), partial(slow, 2)]) == [1, 2]


def test_there_is_a_processor():
    assert processors() >= 1
