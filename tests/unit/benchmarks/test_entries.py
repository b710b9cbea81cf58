"""The list of kernels that are compiled ahead contains every kernel that the commands people type first call.

What only compares the list with the sources cannot know which types a command's arguments have; so some commands are run, of
those that take seconds. `benchmarks/record_entries.py --check` runs all.
"""

from importlib import import_module

import pytest
from tests.cases.benchmark_scripts import BENCHMARKS, importable

from sudare.kernels.core.entries import Entry, entries

COMMANDS = ("run", "run, mondrian", "run, randomization", "run, baskets")


@pytest.fixture(scope="module")
def scripts():
    with importable(BENCHMARKS):
        yield import_module("record_entries")


@pytest.fixture(scope="module")
def folder(scripts, tmp_path_factory):
    made = tmp_path_factory.mktemp("first")
    scripts.prepare_in(made, ahead=True)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_first_command_calls_is_listed(command, scripts, folder):
    """If this fails, run `.venv/bin/python benchmarks/record_entries.py`."""
    called = {Entry(kernel, types) for kernel, types, _ in scripts.recorded(folder, scripts.FIRST[command])}
    assert called
    assert not {entry.kernel for entry in called - entries().seconds.keys()}
