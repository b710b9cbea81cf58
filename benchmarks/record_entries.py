"""Write the list of kernels that Python calls, by running the first commands: `src/sudare/kernels/core/entries.json`.

Each command is a process of its own, and only the outermost kernels count: what they call is a part of them. Seconds
of compiling are those of this run where the kernel was compiled, and else those of the list before; an empty
NUMBA_CACHE_DIR measures all of them anew. `--check` writes nothing and fails if the list has changed; `--seconds` runs no
command and only measures anew what compiling each kernel of the list takes, in its order.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from first_commands import FIRST, OTHERS  # type: ignore[import-not-found]  # beside this script
from sudare.kernels.core.entries import LISTED, entries

_RECORDING = """
import json, sys, time
from sudare.cli import beside, main
from sudare.kernels.core import compiling, entries
from sudare.kernels.core.cache import KernelCache
beside.Beside._ask = lambda self, others: None  # what a second process compiled would have no seconds
found, began, load = {}, [], KernelCache.load_overload
class Watch:
    def started(self, dispatcher, types):
        began.append((entries.entry_of(dispatcher.py_func, types), time.thread_time()))
    def ended(self):
        entry, at = began.pop()
        found[entry] = time.thread_time() - at  # other threads may be at work
def loaded(self, sig, context):
    if not compiling._under_way:
        found.setdefault(entries.entry_of(self._py_func, sig), None)
    return load(self, sig, context)
KernelCache.load_overload = loaded
with compiling.compiling_told(Watch()):
    code = main(sys.argv[2:])
with open(sys.argv[1], "w", encoding="utf-8") as told:
    json.dump([(*entry, seconds) for entry, seconds in found.items()], told)
sys.exit(code)
"""
_PREPARING = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from first_commands import prepare
prepare(Path.cwd())
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the list has changed")
    parser.add_argument("--seconds", action="store_true", help="only measure the seconds")
    asked = parser.parse_args()
    if asked.seconds:
        return _measure_seconds()
    listed = json.loads(LISTED.read_text(encoding="utf-8")) if LISTED.is_file() else {"kernels": []}
    seconds = {(one["kernel"], json.dumps(one["arguments"])): one["seconds"] for one in listed["kernels"]}
    uses: dict[str, list[tuple[str, str]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        prepare_in(folder)
        for command, arguments in {**FIRST, **OTHERS}.items():
            found = recorded(folder, arguments)
            uses[command] = [(kernel, types) for kernel, types, _ in found]
            for kernel, types, took in found:
                seconds[kernel, types] = (
                    round(took, 1) if took is not None else seconds.get((kernel, types), 0.5)
                )
            print(f"{command}: {len(found)} kernels", flush=True)
    known = list(dict.fromkeys(one for use in uses.values() for one in use))
    place = {one: at for at, one in enumerate(known)}
    kernels = [
        {"kernel": kernel, "seconds": seconds[kernel, types], "arguments": json.loads(types)}
        for kernel, types in known
    ]
    text = _text(kernels, {command: [place[one] for one in use] for command, use in uses.items()})
    if asked.check:
        had = {(one["kernel"], json.dumps(one["arguments"])) for one in listed["kernels"]}
        print(*sorted({one[0] for one in had ^ set(known)}), sep="\n")
        return 1 if had != set(known) else 0
    LISTED.write_text(text, encoding="utf-8")
    print(f"{LISTED}: {len(known)} kernels, {sum(one['seconds'] for one in kernels):.0f} s to compile")
    return 0


def _measure_seconds() -> int:
    listed = json.loads(LISTED.read_text(encoding="utf-8"))
    for one, entry in zip(listed["kernels"], entries().seconds, strict=True):
        if entry.is_kept():
            print(f"{entry.kernel} is compiled already: choose an empty NUMBA_CACHE_DIR")
            return 1
        began = time.thread_time()
        entry.compile()
        one["seconds"] = round(time.thread_time() - began, 1)
    LISTED.write_text(_text(listed["kernels"], listed["uses"]), encoding="utf-8")
    print(f"{sum(one['seconds'] for one in listed['kernels']):.0f} s to compile")
    return 0


def prepare_in(folder: Path, *, ahead: bool = False) -> None:
    """Make the files in a process of its own.

    Unless kernels may be compiled ahead, it compiles them elsewhere: those it shares with a command would have no seconds.
    """
    elsewhere = {} if ahead else {"NUMBA_CACHE_DIR": str(folder / "kernels")}
    environment = {**os.environ, **elsewhere}
    code = [sys.executable, "-c", _PREPARING, str(Path(__file__).parent)]
    subprocess.run(code, check=True, cwd=folder, env=environment)


def recorded(folder: Path, arguments: tuple[str, ...]) -> list[tuple[str, str, float | None]]:
    """The kernels that a command calls, their types, and the seconds of compiling if it compiled them."""
    told = folder / "told.json"
    code = [sys.executable, "-c", _RECORDING, str(told), *arguments]
    subprocess.run(code, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return [(kernel, types, took) for kernel, types, took in json.loads(told.read_text(encoding="utf-8"))]


def _text(kernels: list[dict[str, Any]], uses: dict[str, list[int]]) -> str:
    """JSON with a line for each kernel and each command."""
    lines = ",\n".join(json.dumps(one) for one in kernels)
    commands = ",\n".join(f"{json.dumps(name)}: {json.dumps(use)}" for name, use in uses.items())
    return f'{{"kernels": [\n{lines}\n],\n"uses": {{\n{commands}\n}}}}\n'


if __name__ == "__main__":
    sys.exit(main())
