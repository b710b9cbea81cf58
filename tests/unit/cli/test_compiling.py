"""Who waits for kernels to be compiled is told so, once and in their language; who does not wait is told nothing."""

import numba
import pytest

from sudare.cli.compiling import compiling_told


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Compiling, once on this machine"), ("ja", "コンパイル")]
)
def test_the_first_kernel_that_is_compiled_is_told(language, words):
    one, other = numba.njit(lambda x: x + 1), numba.njit(lambda x: x + 2)
    said: list[str] = []
    with compiling_told(said.append, language):
        assert not said
        assert one(1) + other(1) == 5
    assert len(said) == 1
    assert words in said[0]
    with compiling_told(said.append, language):
        assert one(1) == 2
    assert len(said) == 1
    numba.njit(lambda x: x)(1)
    assert len(said) == 1
