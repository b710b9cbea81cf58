"""Machine code is kept in the user's cache, apart for every state of the sources; nothing stale is ever used."""

# mypy: disable-error-code="attr-defined"

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

import sudare
from sudare.kernels import cache
from sudare.kernels.blocks import _fill_labels

_CALLED = "from sudare.kernels.jit import kernel\n\n\n@kernel\ndef doubled(x):\n    return {} * x\n"
_CALLER = (
    "from sudare.kernels.jit import kernel\nfrom sudare.kernels.called_kernels import doubled\n\n\n"
    "@kernel\ndef caller(x):\n    return doubled(x) + 1\n"
)


@pytest.fixture
def sources(tmp_path):
    """A folder of kernels: one calls one of another file."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "called.py").write_text("# 1\n", encoding="utf-8")
    (folder / "caller.py").write_text("from sudare.kernels.called import f\n", encoding="utf-8")
    (folder / "several.py").write_text(
        "from sudare.kernels import (\n    caller,\n    other,\n)\n", encoding="utf-8"
    )
    (folder / "other.py").write_text("", encoding="utf-8")
    return folder


def _fresh(sources: Path, home: Path, name: str) -> str:
    cache.folder_of.cache_clear()
    cache._imported.cache_clear()
    found = cache.folder_of(sources / f"{name}.py", home)
    assert found is not None
    return found.name


def test_a_change_of_what_is_called_changes_the_folders_of_its_callers_only(sources, tmp_path):
    names = ("called", "caller", "several", "other")
    before = {name: _fresh(sources, tmp_path, name) for name in names}
    assert {name: _fresh(sources, tmp_path, name) for name in names} == before
    (sources / "called.py").write_text("# 2\n", encoding="utf-8")
    after = {name: _fresh(sources, tmp_path, name) for name in names}
    assert [name for name in names if before[name] != after[name]] == ["called", "caller", "several"]


def test_old_folders_are_cleared_away_and_others_left(sources, tmp_path):
    home = tmp_path / "home"
    (home / "called-not-ours").mkdir(parents=True)
    made = []
    for number in range(7):
        (sources / "called.py").write_text(f"# {number}\n", encoding="utf-8")
        made.append(_fresh(sources, home, "called"))
        moment = time.time() - 100 + number
        os.utime(home / made[-1], (moment, moment))
    kept = {path.name for path in home.iterdir()}
    assert kept == {"called-not-ours", *made[-4:]}


def test_nothing_is_kept_where_nothing_can_be_written(sources, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    cache.folder_of.cache_clear()
    assert cache.folder_of(sources / "called.py", tmp_path / "file") is None
    assert cache.folder_of(sources / "absent.py", tmp_path) is None


def test_the_setting_of_numba_is_given_back():
    before = numba.config.CACHE_DIR
    with cache.kept_for(cache.__file__):
        assert before != numba.config.CACHE_DIR
    assert before == numba.config.CACHE_DIR


def test_kernels_are_not_kept_in_the_package():
    kept = Path(_fill_labels.stats.cache_path)
    assert not kept.is_relative_to(Path(sudare.__file__).parent)
    assert kept.parent.name.startswith("blocks-")


@pytest.mark.slow
def test_a_changed_kernel_is_noticed_by_its_caller_in_another_file(tmp_path):
    """numba alone would go on with the old machine code."""
    package = tmp_path / "sudare"
    (package / "kernels").mkdir(parents=True)
    real = Path(sudare.__file__).parent / "kernels"
    for name in ("jit.py", "cache.py"):
        (package / "kernels" / name).write_bytes((real / name).read_bytes())
    for folder in (package, package / "kernels"):
        (folder / "__init__.py").write_text("", encoding="utf-8")
    (package / "kernels" / "caller_kernels.py").write_text(_CALLER, encoding="utf-8")
    environment = {
        **os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    code = "from sudare.kernels.caller_kernels import caller; print(caller(10), sum(caller.stats.cache_hits.values()))"
    found = []
    for factor in (2, 2, 3):
        (package / "kernels" / "called_kernels.py").write_text(_CALLED.format(factor), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        found.append(done.stdout.split())
    assert found == [["21", "0"], ["21", "1"], ["31", "0"]]
