"""A bar is told while kernels are compiled, so that it can say why nothing moves; kernels that are loaded say nothing."""

import numba

import sudare.kernels.core.jit  # noqa: F401  # listens to numba
from sudare.kernels.core.compiling import compiling_told


def test_compiling_is_told_once_for_kernels_within_kernels():
    inner = numba.njit(lambda x: x + 1)
    outer = numba.njit(lambda x: inner(x) + 2)
    said: list[bool] = []
    with compiling_told(said.append):
        assert not said
        assert outer(1) == 4
        assert said[0] is True
        assert said[-1] is False
        assert len(said) == 2
        assert outer(1) == 4
    assert len(said) == 2
    numba.njit(lambda x: x)(1)
    assert len(said) == 2
