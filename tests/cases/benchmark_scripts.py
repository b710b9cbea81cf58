"""Scripts of benchmarks/ to import from, for the tests of what they find."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cases.places import PROJECT

BENCHMARKS = PROJECT / "benchmarks"
ROBUSTNESS = BENCHMARKS / "robustness"


@contextmanager
def importable(folder: Path) -> Iterator[Path]:
    """A folder of scripts to import from; their modules, which have plain names, are not left behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        before = set(sys.modules)
        yield folder
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
                del sys.modules[name]
