"""Machine code is kept in the user's cache, apart for every state of the sources; nothing stale is ever used."""

# mypy: disable-error-code="attr-defined"

import ast
import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

import sudare
from sudare.kernels.core import cache
from sudare.kernels.core.rules import _fill_labels

_CALLED = "from sudare.kernels.core.jit import kernel\n\n\n@kernel\ndef doubled(x):\n    return {} * x\n"
_CALLER = (
    "from sudare.kernels.core.jit import kernel\nfrom {} import doubled\n\n\n"
    "@kernel\ndef caller(x):\n    return doubled(x) + 1\n"
)


@pytest.fixture
def sources(tmp_path):
    """A package of kernels in folders: `several` imports `caller`, which imports `called` of a nested folder."""
    package = tmp_path / "sources"
    (package / "inner" / "deep").mkdir(parents=True)
    for folder in (package, package / "inner", package / "inner" / "deep"):
        (folder / "__init__.py").write_text("", encoding="utf-8")
    texts = {
        "inner/deep/called.py": "# 1\n",
        "inner/caller.py": "from sudare.kernels.inner.deep.called import f\n",
        "several.py": "from sudare.kernels.inner import (\n    caller,\n    other as another,\n)\n",
        "inner/other.py": "",
        "called.py": "# the same name in another folder\n",
        "whole.py": "import sudare.kernels.inner.deep.called as called\n",
    }
    for name, text in texts.items():
        (package / name).write_text(text, encoding="utf-8")
    return package


def _fresh(sources: Path, home: Path, name: str) -> str:
    cache.folder_of.cache_clear()
    cache._imported.cache_clear()
    found = cache.folder_of(sources / f"{name}.py", home, sources)
    assert found is not None
    return found.name


_NAMES = ("inner/deep/called", "inner/caller", "several", "inner/other", "called", "whole")


def test_a_change_of_what_is_called_changes_the_folders_of_its_callers_only(sources, tmp_path):
    before = {name: _fresh(sources, tmp_path, name) for name in _NAMES}
    assert len(set(before.values())) == len(_NAMES)
    assert {name: _fresh(sources, tmp_path, name) for name in _NAMES} == before
    (sources / "inner" / "deep" / "called.py").write_text("# 2\n", encoding="utf-8")
    after = {name: _fresh(sources, tmp_path, name) for name in _NAMES}
    changed = [name for name in _NAMES if before[name] != after[name]]
    assert changed == ["inner/deep/called", "inner/caller", "several", "whole"]


def test_a_package_on_the_way_counts_too(sources, tmp_path):
    before = {name: _fresh(sources, tmp_path, name) for name in _NAMES}
    (sources / "inner" / "__init__.py").write_text("LIMIT = 3\n", encoding="utf-8")
    after = {name: _fresh(sources, tmp_path, name) for name in _NAMES}
    assert [name for name in _NAMES if before[name] != after[name]] == ["inner/caller", "several", "whole"]


def test_imports_are_found_as_python_finds_them():
    """Every import of kernels by a kernel, in the real sources, is among the files that are hashed."""
    package = Path(sudare.__file__).parent / "kernels"
    for file in package.rglob("*.py"):
        reached = cache.reached_from(file)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file}: relative imports are not seen by the cache"
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                if name is not None and name.startswith("sudare.kernels."):
                    source = package.joinpath(*name.split(".")[2:]).with_suffix(".py")
                    assert source in reached or not source.is_file() or source.name == "cache.py"


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
    assert cache.folder_of(sources / "called.py", tmp_path / "file", sources) is None
    assert cache.folder_of(sources / "absent.py", tmp_path, sources) is None


def test_the_setting_of_numba_is_given_back():
    before = numba.config.CACHE_DIR
    with cache.kept_for(cache.__file__):
        assert before != numba.config.CACHE_DIR
    assert before == numba.config.CACHE_DIR


def test_kernels_are_not_kept_in_the_package():
    kept = Path(_fill_labels.stats.cache_path)
    assert not kept.is_relative_to(Path(sudare.__file__).parent)
    assert kept.parent.name.startswith("core.rules-")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["called_kernels", "inner.called_kernels"])
def test_a_changed_kernel_is_noticed_by_its_caller_in_another_file(place, tmp_path):
    """numba alone would go on with the old machine code."""
    package = tmp_path / "sudare"
    (package / "kernels" / "core").mkdir(parents=True)
    real = Path(sudare.__file__).parent / "kernels" / "core"
    for name in ("jit.py", "cache.py", "compiling.py"):
        (package / "kernels" / "core" / name).write_bytes((real / name).read_bytes())
    called = (package / "kernels").joinpath(*place.split(".")).with_suffix(".py")
    called.parent.mkdir(exist_ok=True)
    for folder in {package, package / "kernels", package / "kernels" / "core", called.parent}:
        (folder / "__init__.py").write_text("", encoding="utf-8")
    caller = _CALLER.format(f"sudare.kernels.{place}")
    (package / "kernels" / "caller_kernels.py").write_text(caller, encoding="utf-8")
    environment = {
        **os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    code = "from sudare.kernels.caller_kernels import caller; print(caller(10), sum(caller.stats.cache_hits.values()))"
    found = []
    for factor in (2, 2, 3):
        called.write_text(_CALLED.format(factor), encoding="utf-8")
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
