"""Kernels that only kernels call have no machine code of their own, and do what they do nevertheless."""

from typing import Any

import pytest

from sudare.kernels.core import jit
from sudare.kernels.core.jit import kernel, lean
from sudare.kernels.core.merged import Merged

needs_compiler = pytest.mark.skipif(jit._DISABLED, reason="nothing is compiled")


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
