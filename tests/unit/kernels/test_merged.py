"""Kernels that only kernels call have no machine code of their own, and do what they do nevertheless."""

import subprocess
import sys
from typing import Any

import pytest

from sudare.kernels.core import jit
from sudare.kernels.core.jit import kernel, lean
from sudare.kernels.core.merged import MERGES, Merged

needs_compiler = pytest.mark.skipif(
    jit._DISABLED or not MERGES, reason="nothing is compiled, or not by the numba that merging follows"
)


@kernel
def refused_below(least, x):
    if x < least:
        raise ValueError("too small", x)
    return 2 * x


@lean
def halved(x):
    return x // 2


@kernel
def asked(x):
    return halved(refused_below(3, x)) + 1


def test_a_merged_kernel_returns_and_raises():
    assert asked(5) == 6
    with pytest.raises(ValueError, match="too small") as error:
        asked(2)
    assert error.value.args == ("too small", 2)
    assert refused_below(3, 5) == 10  # Python may call it too, and then it has machine code


@needs_compiler
def test_a_merged_kernel_has_bitcode_only():
    assert asked(5) == 6
    kernels: list[tuple[Any, str]] = [(refused_below, "(int64, int64)"), (halved, "(int64,)")]
    for one, types in kernels:
        inner = one.get_overload.__self__  # that which callers have
        inner.compile(types)
        (library,) = {made.library for made in inner.overloads.values()}
        assert isinstance(library, Merged)
        assert library.get_pointer_to_function(library.name) == 0
        name, kind, bitcode = library.serialize_using_object_code()
        assert (name, kind) == (library.name, "bitcode")
        assert bitcode
    entry: Any = asked
    (library,) = {made.library for made in entry.overloads.values()}
    assert not isinstance(library, Merged)


@needs_compiler
def test_what_numba_has_is_compiled_once_for_kernels_with_wrappers_and_without():
    entry: Any = asked
    outer, inner = entry.dispatcher, entry.get_overload.__self__
    flags = [one._compiler._customize_flags(_flags(one)) for one in (outer, inner)]
    assert flags[0] == flags[1]
    assert hash(flags[0]) == hash(flags[1])
    assert flags[0] != _flags(outer)
    assert flags[0].no_cpython_wrapper != flags[1].no_cpython_wrapper


def _flags(dispatcher):
    from numba.core.compiler import Flags

    flags = Flags()
    dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
    return flags


_OTHER = """
import numba
numba.__version__ = "0.61.2"
import numpy as np
from sudare.kernels.core import merged
from sudare.kernels.core.rules import no_rules, complying, scratch_for
rules = no_rules()
found = complying(rules, scratch_for(rules), np.arange(3), np.array([0, 2, 3, 3]))
print(merged.MERGES, found.tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(jit._DISABLED, reason="nothing is compiled")
def test_another_numba_compiles_as_usual(tmp_path, monkeypatch):
    """Twice: the second process takes the kernels from the cache."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", _OTHER], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["False", "[True,", "True,", "False]"]
