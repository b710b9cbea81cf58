"""Long steps on the way to a partition tell how far they are, can be canceled, and do not change by being sliced."""

from __future__ import annotations

import numpy as np
import pytest

from sudare.anonymize.microaggregate import paths
from sudare.anonymize.microaggregate.mhm import mhm
from sudare.anonymize.microaggregate.vmdav import vmdav
from sudare.errors import CancelledError

PHASES = {
    "npn": ["path"],
    "grid": ["path"],
    "quantiles": ["path"],
    "flexdice": ["cells", "links", "path"],
    "halving": ["cells", "links", "path"],
    "mdav": ["mdav", "path", "path_in_groups"],
    "hilbert": ["path"],
    "kd": ["path"],
    "tour": ["path", "neighbors", "tour"],
}


class Recorder:
    """Keeps what it is told; cancels in a phase."""

    def __init__(self, cancel_in=None):
        self.cancel_in = cancel_in
        self.phases: list[tuple[str, float, list[float]]] = []

    def start(self, phase, total):
        self.phases.append((phase, total, []))

    def update(self, done):
        phase, _, updates = self.phases[-1]
        updates.append(done)
        if phase == self.cancel_in:
            raise CancelledError("Canceled.")


@pytest.fixture
def records():
    return np.random.default_rng(0).standard_cauchy(size=(700, 4))


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(paths, "_SLICE", 16)
    monkeypatch.setattr(paths, "_CHEAP", 50)


@pytest.mark.parametrize("name", PHASES)
def test_every_phase_is_told_and_none_passes_its_total(name, records, small_slices):
    recorder = Recorder()
    mhm(records, 3, name, progress=recorder)
    assert [phase for phase, _, _ in recorder.phases] == [*PHASES[name], "cut"]
    for _, total, updates in recorder.phases:
        assert updates
        assert all(0 <= done <= total for done in updates)
    for phase, _, updates in recorder.phases:
        # The queue of a tour grows when a move is found.
        assert phase == "tour" or updates == sorted(updates)


@pytest.mark.parametrize(("name", "phase"), [(name, phase) for name in PHASES for phase in PHASES[name]])
def test_every_phase_can_be_canceled(name, phase, records, small_slices):
    kept = records.copy()
    with pytest.raises(CancelledError):
        mhm(records, 3, name, progress=Recorder(cancel_in=phase))
    assert np.array_equal(records, kept)


@pytest.mark.parametrize("name", [name for name in PHASES if name != "tour"])
def test_slices_do_not_change_the_partition(name, records, monkeypatch):
    whole = mhm(records, 3, name)
    monkeypatch.setattr(paths, "_SLICE", 16)
    monkeypatch.setattr(paths, "_CHEAP", 50)
    assert np.array_equal(mhm(records, 3, name), whole)


@pytest.mark.parametrize("method", ["indexed", "brute"])
def test_v_mdav_tells_and_can_be_canceled(method, records):
    recorder = Recorder()
    vmdav(records, 3, 0.2, method=method, progress=recorder)
    [(phase, total, updates)] = recorder.phases
    assert (phase, total) == ("v_mdav", 700)
    assert updates == sorted(updates)
    assert updates[-1] == 700
    with pytest.raises(CancelledError):
        vmdav(records, 3, 0.2, method=method, progress=Recorder(cancel_in="v_mdav"))
