"""Machine code is kept in the user's cache, apart for every state of the sources; nothing stale is ever used."""

# mypy: disable-error-code="attr-defined"

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import llvmlite.binding
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
    cache.made(found)
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


def test_a_file_that_is_not_there_has_no_folder(sources, tmp_path):
    assert cache.folder_of(sources / "absent.py", tmp_path, sources) is None


def test_the_setting_of_numba_is_respected_and_left(sources, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "chosen"))
    cache.folder_of.cache_clear()
    chosen = cache.folder_of(sources / "called.py", package=sources)
    assert chosen is not None
    assert chosen.parent == tmp_path / "chosen"
    assert str(tmp_path / "chosen") == numba.config.CACHE_DIR


def test_kernels_are_not_kept_in_the_package():
    kept = Path(_fill_labels.stats.cache_path)
    assert not kept.is_relative_to(Path(sudare.__file__).parent)
    assert kept.name.startswith("core.rules-")


class Tiny:
    """A copy of the package with two kernels only, one of which calls the other; each use is a process of its own."""

    def __init__(self, home: Path, place: str = "merged.called_kernels") -> None:
        self.home, self.place = home, place
        kernels = home / "sudare" / "kernels"
        (kernels / "core").mkdir(parents=True)
        real = Path(sudare.__file__).parent / "kernels" / "core"
        for name in ("jit.py", "dispatch.py", "merged.py", "cache.py", "compiling.py"):
            (kernels / "core" / name).write_bytes((real / name).read_bytes())
        called = kernels.joinpath(*place.split(".")).with_suffix(".py")
        called.parent.mkdir(exist_ok=True)
        for folder in {home / "sudare", kernels, kernels / "core", called.parent}:
            (folder / "__init__.py").write_text("", encoding="utf-8")
        caller = _CALLER.format(f"sudare.kernels.{place}")
        (kernels / "caller_kernels.py").write_text(caller, encoding="utf-8")
        self.write(2)

    def write(self, factor: int) -> None:
        called = (self.home / "sudare" / "kernels").joinpath(*self.place.split(".")).with_suffix(".py")
        called.write_text(_CALLED.format(factor), encoding="utf-8")

    def begun(self, code: str = "", before: str = "", cache: str = "cache", **variables: str) -> Any:
        environment = {
            **os.environ, "PYTHONPATH": str(self.home), "NUMBA_CACHE_DIR": str(self.home.parent / cache),
            "PYTHONDONTWRITEBYTECODE": "1", **variables,
        }  # fmt: skip
        text = f"{before}\nfrom sudare.kernels.caller_kernels import caller\nprint(caller(10), sum(caller.stats.cache_hits.values()))\n{code}"
        return subprocess.Popen(
            [sys.executable, "-c", text],
            env=environment,
            cwd=self.home.parent,
            text=True,
            stdout=subprocess.PIPE,
        )

    def called(self, *arguments: str, **variables: str) -> list[str]:
        """The result, and how often machine code was found."""
        done = self.begun(*arguments, **variables)
        out: str = done.communicate()[0]
        assert done.returncode == 0
        return out.split()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["called_kernels", "merged.called_kernels"])
def test_a_changed_kernel_is_noticed_by_its_caller_in_another_file(place, tmp_path):
    """numba alone would go on with the old machine code."""
    tiny, found = Tiny(tmp_path / "home", place), []
    for factor in (2, 2, 3):
        tiny.write(factor)
        found.append(tiny.called())
    assert found == [["21", "0"], ["21", "1"], ["31", "0"]]


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """The same package with its compiled kernels, then moved elsewhere."""
    tiny = Tiny(tmp_path_factory.mktemp("built") / "home")
    code = (
        "from sudare.kernels.core.cache import SHIPPED\nimport numba\n"
        "caller._cache.ship((numba.int64,), caller.targetctx.codegen(), SHIPPED)"
    )
    target = {"NUMBA_CPU_NAME": cache.SHIPPED_CPU, "NUMBA_CPU_FEATURES": cache.SHIPPED_FEATURES}
    assert tiny.called(code, **target) == ["21", "0"]
    moved = tmp_path_factory.mktemp("installed") / "home"
    shutil.move(tiny.home, moved)
    tiny.home = moved
    (moved.parent / "file").write_text("", encoding="utf-8")
    return tiny


runs_shipped = pytest.mark.skipif(
    not all(llvmlite.binding.get_host_cpu_features().get(name) for name in cache._FEATURES),
    reason="this processor lacks features of x86-64-v3",
)


@runs_shipped
@pytest.mark.slow
def test_shipped_machine_code_is_used_wherever_the_package_is(shipped):
    assert shipped.called() == ["21", "1"]
    assert not (shipped.home.parent / "cache").exists()
    assert shipped.called(cache="file") == ["21", "1"], "where nothing can be written, too"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "variables"),
    [
        ("import numba; numba.__version__ = '0.0'", {}),
        ("import llvmlite.binding as b; b.get_host_cpu_features = b.targets.FeatureMap", {}),
        ("", {"NUMBA_CPU_NAME": "generic"}),
    ],
    ids=["another numba", "another processor", "a chosen processor"],
)
def test_shipped_machine_code_is_for_one_numba_and_one_processor(before, variables, shipped):
    assert shipped.called("", before, "file", **variables) == ["21", "0"]


@pytest.mark.slow
def test_shipped_machine_code_is_for_the_sources_it_was_made_from(shipped):
    shipped.write(3)
    try:
        assert shipped.called(cache="file") == ["31", "0"]
    finally:
        shipped.write(2)


@pytest.mark.slow
def test_two_processes_compile_a_kernel_once(tmp_path):
    tiny = Tiny(tmp_path / "home")
    both = [tiny.begun() for _ in range(2)]
    assert sorted(one.communicate()[0].split() for one in both) == [["21", "0"], ["21", "1"]]


@pytest.mark.slow
def test_a_kernel_that_fails_is_not_held(tmp_path):
    """Another process must not wait for it."""
    tiny = Tiny(tmp_path / "home")
    code = "try: caller([[]])\nexcept Exception: pass\nprint(caller._cache._held)"
    assert tiny.called(code)[2:] == ["[]"]
