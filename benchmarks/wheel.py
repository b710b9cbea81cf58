"""Build a wheel with its compiled kernels into `dist`, and print its size; `make wheel`.

The kernels are compiled for x86-64-v3 into `build/kernels`, which goes on where it stopped, and copied to `build/compiled`.
On other processors, and for other versions of Python and numba, `pip install` compiles nothing: kernels are compiled when
they are first called.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

from sudare.kernels.core.cache import SHIPPED_CPU, SHIPPED_FEATURES

ROOT = Path(__file__).resolve().parents[1]
COMPILED = ROOT / "build" / "compiled"
KERNELS = ROOT / "build" / "kernels"


def main() -> None:
    numba = distribution("numba")
    tags = [
        line.removeprefix("Tag: ")
        for line in (numba.read_text("WHEEL") or "").splitlines()
        if "Tag: " in line
    ]
    shutil.rmtree(COMPILED, ignore_errors=True)
    target = {
        **os.environ,
        "NUMBA_CPU_NAME": SHIPPED_CPU,
        "NUMBA_CPU_FEATURES": SHIPPED_FEATURES,
        "NUMBA_CACHE_DIR": str(KERNELS),
    }
    subprocess.run([sys.executable, "-m", "sudare.cli.warm", "--ship", str(COMPILED)], env=target, check=True)
    told = {
        **os.environ,
        "SUDARE_COMPILED": str(COMPILED),
        "SUDARE_NUMBA": numba.version,
        "SUDARE_PLATFORM": ".".join(tag.split("-")[2] for tag in tags),
    }
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(ROOT / "dist"), str(ROOT)]
    subprocess.run(build, env=told, check=True)
    for wheel in (ROOT / "dist").glob("*.whl"):
        print(f"{wheel}: {wheel.stat().st_size / 2**20:.1f} MB")
    unpacked = sum(file.stat().st_size for file in COMPILED.rglob("*") if file.is_file())
    print(f"compiled kernels: {unpacked / 2**20:.1f} MB unpacked")


if __name__ == "__main__":
    main()
