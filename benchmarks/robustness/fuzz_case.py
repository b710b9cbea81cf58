"""One case: a spoiled file is read, and what came of it is judged.

A case is in order if the call succeeds or fails with one sentence of ours (exit code 1, 2 or a SudareError) and nothing else
is seen: no other exception, no warning, no word on standard output or error that is not ours, no gigabyte of memory.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz_targets import Target  # type: ignore[import-not-found]  # beside this script

_MEMORY_MB = 700.0
_CODES = {0, 1, 2}


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    good: bool
    kind: str
    """accepted, or the sentence without what it quotes; of a bad one the exception and its place."""
    details: str = ""


def run_case(target: Target, data: bytes, options: dict[str, str], folder: Path) -> Outcome:
    """Write the file, read it as the command line does, and judge."""
    path = folder / target.file
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder / "release")
    kept = path.read_bytes() if path.is_file() else None
    path.write_bytes(data)
    out, err = io.StringIO(), io.StringIO()
    _forget_peak()
    before, started = _peak_mb(), time.process_time()  # on a busy machine the clock says nothing
    with _raw_output() as raw, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            outcome = _called(target, path, options, err)
    if kept is not None:
        path.write_bytes(kept)  # the next case finds its neighbors whole
    took, grown = time.process_time() - started, _peak_mb() - before
    if not outcome.good:
        return outcome
    if warned:
        one = warned[0]
        return Outcome(
            False, f"warning {one.category.__name__} {_short(one.filename)}:{one.lineno}", str(one.message)
        )
    if raw[0]:
        return Outcome(False, f"words of others: {_shape(raw[0][:200])}", raw[0])
    if grown > _MEMORY_MB:
        return Outcome(False, f"memory of {target.name}", f"{grown:.0f} MB more")
    if took > target.patience:
        return Outcome(False, f"slow {target.name}: {outcome.kind}", f"{took:.1f} processor seconds")
    return outcome


def _called(target: Target, path: Path, options: dict[str, str], err: io.StringIO) -> Outcome:
    from sudare.errors import SudareError

    try:
        code = target.call(path, options)
    except SudareError as error:
        return _judged(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a panic of Rust is no Exception
        return Outcome(False, f"{type(error).__name__} at {_place_of(error)}", traceback.format_exc()[-6000:])
    if code not in _CODES:
        return Outcome(False, f"exit code {code}", err.getvalue())
    if code == 0 and err.getvalue():
        return Outcome(False, f"words beside success: {_shape(err.getvalue())}", err.getvalue())
    if not err.getvalue():
        return Outcome(True, f"accepted ({code})")
    said = err.getvalue()
    if not said.startswith("sudare: ") or said.count("\n") != 1:
        return Outcome(False, f"not one sentence: {_shape(said[:200])}", said)
    return _judged(said.removeprefix("sudare: ").rstrip("\n"))


def _judged(sentence: str) -> Outcome:
    shape = _shape(sentence)
    if "\n" in sentence or "\r" in sentence or not sentence.rstrip().endswith((".", "?")):
        return Outcome(False, f"not one sentence: {shape[:100]}", sentence)
    if len(sentence) > 6000:
        return Outcome(False, f"a sentence of thousands of characters: {shape[:60]}", sentence[:3000])
    if any(word in sentence for word in ("Traceback", "panicked", "object at 0x", "pydantic")):
        return Outcome(False, f"inner words: {shape[:100]}", sentence)
    return Outcome(True, shape)


def _shape(sentence: str) -> str:
    """The sentence without what it quotes and counts: one word for all errors of a kind."""
    without = re.sub(r"'[^']*'|\"[^\"]*\"|\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|-?\d[\d.,e+-]*", "…", sentence)
    return " ".join(without.split())[:110]


def _place_of(error: BaseException) -> str:
    """The innermost line of ours in a traceback, else the innermost at all."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/sudare/" in frame.filename]
    frame = (ours or frames)[-1]
    return f"{_short(frame.filename)}:{frame.lineno} ({frame.name})"


def _short(path: str) -> str:
    return "/".join(Path(path).parts[-2:])


@contextlib.contextmanager
def _raw_output() -> Iterator[list[str]]:
    """What libraries write past Python to the descriptors 1 and 2; known when the block has ended."""
    found = [""]
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(1), os.dup(2)]
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield found
        finally:
            for number, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, number)
                os.close(copy)
            file.seek(0)
            found[0] = file.read(4000).decode("utf-8", "replace")


def _forget_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak_mb() -> float:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0.0


class Lines:
    """Which lines of Sudare a case runs through: what reaches a new one is worth spoiling further."""

    def __init__(self) -> None:
        self.seen: set[tuple[Any, int]] = set()
        self._found: set[tuple[Any, int]] = set()

    def __enter__(self) -> Self:
        self._found = set()
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def new(self) -> int:
        """How many lines were reached for the first time."""
        fresh = self._found - self.seen
        self.seen |= fresh
        return len(fresh)

    def _call(self, frame: Any, _event: str, _argument: object) -> Any:
        return self._line if "/sudare/" in frame.f_code.co_filename else None

    def _line(self, frame: Any, event: str, _argument: object) -> Any:
        if event == "line":
            self._found.add((frame.f_code, frame.f_lineno))
        return self._line
