"""The page of `make robustness` says what its figures say: kills that fell, promises that broke, figures of older sources."""

# mypy: disable-error-code="import-not-found"

from typing import Any

import pytest
from tests.cases.benchmark_scripts import ROBUSTNESS, importable

HEAD = {"command": "python x.py", "date": "2026-11-17", "load": [1.0, 1.0, 1.0]}
KILL: dict[str, Any] = {
    **HEAD,
    "runs": 3,
    "killed": 3,
    "ended": 2,
    "broken": [],
    "durations": {"fork": 1.0, "process": 2.0},
    "phases": {"writing": 2, "verifying": 1},
    "states": {"new folder: absent": 3},
    "points": {
        "overwrite": {
            "calls": 9,
            "tried": {"mkdir": 2},
            "states": {"writing; old": 1, "ended before the kill; new": 1},
        }
    },
}
FUZZ: dict[str, Any] = {
    **HEAD,
    "seed": 1,
    "cases": {"text": 1200},
    "kinds": {"text": {"accepted (0)": 200, "A sentence.": 1000}},
    "found": {},
    "lines": 50,
    "processor": 1800.0,
    "warming": 90.0,
    "minutes": 42.0,
}
RECOUNT: dict[str, Any] = {
    **HEAD,
    "seed": 1,
    "cases": 1000,
    "seconds": 60.0,
    "methods": {"mondrian": {"released": 700, "refused": 100}, "sampling": {"released": 150, "refused": 50}},
    "formats": {"csv": 800, "excel": 50},
    "refusals": {"assess.infeasible": 150},
    "found": {},
}
TOGETHER: dict[str, Any] = {**HEAD, "rounds": 2, "broken": [], "2 runs, overwrite": {"2 of 2 succeed": 2}}
READONLY: dict[str, Any] = {
    **HEAD,
    "broken": [],
    "parent not writable": "No.",
    "full disk, csv": {"4 kB": "Full.", "8 kB": "Full.", "16 kB": "released"},
}


@pytest.fixture(scope="module")
def scripts():
    with importable(ROBUSTNESS) as folder:
        yield folder


@pytest.fixture
def page(scripts):
    from page import _PARTS, page_from

    def made(current: dict[str, bool] | None = None, **figures: Any) -> str:
        given = {name.replace("_", "-"): one for name, one in figures.items()}
        return str(page_from(dict.fromkeys(_PARTS) | given, current or {}))

    return made


def test_kills_that_fell_and_runs_that_ended_first_are_counted_apart(page):
    text = page(kill=KILL)
    assert (
        "- holds: after 3 kills at random moments (3 wanted; 2 more runs ended before theirs) and 1 at"
        in text
    )
    assert "there is none in all 4 kills" in text


def test_figures_of_before_count_their_kills_too(page):
    """In them runs that ended first were a phase among others."""
    old = {key: value for key, value in KILL.items() if key not in {"killed", "ended", "broken"}} | {
        "phases": {"writing": 2, "ended before the kill": 1}
    }
    assert "- **DOES NOT HOLD**: after 2 kills at random moments (3 wanted; 1 more" in page(kill=old)


@pytest.mark.parametrize(("name", "one"), [("kill", KILL), ("together", TOGETHER), ("readonly", READONLY)])
def test_a_broken_promise_is_a_verdict(page, name, one):
    assert "DOES NOT HOLD" not in page(**{name: one})
    text = page(**{name: {**one, "broken": ["the old release is gone"]}})
    assert "DOES NOT HOLD" in text
    assert "- the old release is gone" in text


def test_a_round_without_outcome_does_not_hold(page):
    assert "DOES NOT HOLD" in page(together={**TOGETHER, "2 runs, overwrite": {"2 of 2 succeed": 1}})


def test_places_of_one_sentence_share_a_row(page):
    text = page(readonly=READONLY)
    assert "- holds: 1 locked or limited places and 3 full disks give" in text
    assert "| full disk, csv, 4 kB, 8 kB | Full. |" in text


def test_processor_minutes_and_the_clock_are_both_said(page):
    text = page(fuzz_1=FUZZ, fuzz_2={**FUZZ, "seed": 2, "found": {"text: hangs": {"times": 3}}})
    assert "| 1 | 1,200 | 30.0 | 42.0 | 50 | 0 |" in text
    assert "| 2 | 1,200 | 30.0 | 42.0 | 50 | 1 |" in text
    assert "- **DOES NOT HOLD**: every one of 2,400 spoiled files" in text


def test_hostile_tables_are_counted_by_method(page):
    assert "## Hostile tables, counted again\n\nNot run yet." in page()
    text = page(recount_1=RECOUNT, recount_2={**RECOUNT, "seed": 2})
    assert "- holds: k, l, t, Pk, rho and k^m of 1,700 releases" in text
    assert "2,000 cases, 1,700 released and 300 refused (15%, for 1 reasons), 2 processor minutes" in text
    assert "| mondrian | 1,600 | 1,400 | 200 | 0 |" in text


@pytest.mark.parametrize(
    "changed",
    [
        {"found": {"k-anonymity does not hold": {"times": 3, "number": 7}}},
        {"methods": {"mondrian": {"released": 10, "refused": 90}}},
    ],
)
def test_a_fault_or_a_hollow_run_does_not_hold(page, changed):
    text = page(recount_1={**RECOUNT, **changed})
    assert "- **DOES NOT HOLD**: k, l, t" in text
    assert ("`recount_fuzz.py --seed 1 --only 7`" in text) == ("found" in changed)


@pytest.mark.parametrize(
    ("current", "said"),
    [
        ({"kill": True}, "its sources have not changed since"),
        ({"kill": False}, "its sources have changed since"),
        ({}, "is not known"),
    ],
)
def test_each_section_says_whether_its_sources_changed(page, current, said):
    assert said in page(current, kill=KILL)


@pytest.mark.parametrize(
    ("events", "state", "phase"),
    [
        ([], "absent", "starting (libraries, recipe)"),
        (["started"], "absent", "reading and anonymizing"),
        (["started"], "old", "reading and anonymizing"),
        (["started"], "new", "between the rename and the ledger"),
        (["started", "released"], "new", "after the last entry of the ledger"),
    ],
)
def test_phases_without_a_temporary_folder(scripts, events, state, phase):
    from kill import _phase

    assert _phase(events, [], state, killed=True) == phase
    assert _phase(events, [], state, killed=False) == "ended before the kill"


def test_random_kills_go_on_until_so_many_fell(scripts, tmp_path, monkeypatch):
    import kill
    from jobs import promise

    def one_kill(folder, _nursery, _way, _kind, _delay):
        folder.mkdir()
        number = int(folder.name.removeprefix("job"))
        promise(number != 4, "something is half-written")
        return ("ended before the kill" if number % 2 else "writing", "absent")

    monkeypatch.setattr(kill, "_durations", lambda *_: {"fork": 1.0, "process": 2.0})
    monkeypatch.setattr(kill, "one_kill", one_kill)
    broken: list[str] = []
    found = kill.random_kills(tmp_path, None, 5, 0, broken)
    assert (found["killed"], found["ended"]) == (5, 4)
    assert found["phases"] == {"writing": 4, "a promise was broken": 1}
    assert len(broken) == 1
    assert "something is half-written" in broken[0]
