"""Guards around third-party readers, so that their crashes become ordinary errors.

A Rust library that meets a case its author thought impossible panics: it writes to standard error, past Python, and
raises an error that is not an `Exception`. For us it is a file that cannot be read, and we say so in one sentence.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

_STANDARD_ERROR = 2


@contextmanager
def no_panic() -> Iterator[None]:
    """Turn a panic in the block into a ValueError and drop its output; all other output is passed on afterwards."""
    panicked = False
    with ExitStack() as undo:
        # If standard error is closed or cannot be redirected, the panic message is shown: harmless noise.
        with suppress(OSError):
            aside = undo.enter_context(tempfile.TemporaryFile())
            kept = os.dup(_STANDARD_ERROR)
            undo.callback(lambda: _give_back(kept, b"" if panicked else _words(aside)))
            os.dup2(aside.fileno(), _STANDARD_ERROR)
        try:
            yield
        except BaseException as error:
            panicked = type(error).__name__ == "PanicException"  # each library has its own class of this name
            if panicked:
                raise ValueError(str(error)) from None
            raise


def read_parquet(path: Path) -> pl.DataFrame:
    """The frame of a Parquet file, which pyarrow checks first.

    If a damaged page claims to contain more than fits in memory, pyarrow raises an error, but polars crashes the
    process.
    """
    import polars as pl
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for _ in file.iter_batches():
            pass
    return pl.read_parquet(path, glob=False)


def _words(aside: IO[bytes]) -> bytes:
    aside.seek(0)
    return aside.read()


def _give_back(kept: int, words: bytes) -> None:
    os.dup2(kept, _STANDARD_ERROR)
    os.close(kept)
    if words:
        os.write(_STANDARD_ERROR, words)
