"""A table of 10^7 rows through the whole job on one machine: `sudare run` and `sudare check`, time and memory of each.

The hospital's table is written in pieces to a folder outside the project. Each command is a process of its own; its memory is
the highest resident memory of it and its children together, sampled, and never below what the system noted for it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from stored import save  # type: ignore[import-not-found]  # beside this script

_PIECE = 1_000_000
_LIMIT_GB = 24.0
_EVERY = 0.25


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--format", default="csv", choices=["csv", "parquet"])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument(
        "--folder",
        type=Path,
        default=None,
        help="where the table is written; a temporary folder when left out",
    )
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=asked.folder))
    try:
        started = time.perf_counter()
        size = write_table(folder / f"patients.{asked.format}", asked.rows)
        print(
            f"{asked.rows:,} rows, {size / 2**20:,.0f} MB, written in {time.perf_counter() - started:.0f} s",
            flush=True,
        )
        (folder / "recipe.yaml").write_text(
            recipe(f"patients.{asked.format}", asked.format, asked.k), encoding="utf-8"
        )
        ledger = ["--ledger", str(folder / "ledger.sqlite")]
        run = measured(["run", str(folder / "recipe.yaml"), "--json", *ledger])
        manifest = json.loads(run.pop("told"))["manifest"]
        print(f"run: {run}", flush=True)
        check = measured(["check", str(folder / "release"), "--json"])
        holds = json.loads(check.pop("told"))["holds"]
        print(f"check: {check}, holds: {holds}", flush=True)
        figures = {
            "rows": asked.rows, "format": asked.format, "k": asked.k, "table_mb": size / 2**20, "run": run, "check": check,
            "holds": holds, "seconds": manifest["seconds"], "released_rows": manifest["data"]["rows"],
            "released_mb": sum(path.stat().st_size for path in (folder / "release").rglob("*") if path.is_file()) / 2**20,
        }  # fmt: skip
    finally:
        shutil.rmtree(folder)
    save(f"large-{asked.rows}", figures)
    print(json.dumps(figures, indent=1))
    return 0 if figures["holds"] and max(run["peak_gb"], check["peak_gb"]) < _LIMIT_GB else 1


def write_table(path: Path, rows: int) -> int:
    """The table, made in pieces so that writing it needs little memory; its bytes."""
    import polars as pl

    from sudare.read.examples.hospital import hospital

    frames = (hospital(min(_PIECE, rows - start), seed=start // _PIECE) for start in range(0, rows, _PIECE))
    if path.suffix == ".csv":
        with path.open("wb") as file:
            for number, frame in enumerate(frames):
                frame.write_csv(file, include_header=number == 0)
    else:
        pieces = []
        for number, frame in enumerate(frames):
            pieces.append(path.with_suffix(f".{number}"))
            frame.write_parquet(pieces[-1])
        pl.scan_parquet(pieces).sink_parquet(path)
        for piece in pieces:
            piece.unlink()
    return path.stat().st_size


def recipe(table: str, form: str, k: int) -> str:
    """The hospital's own roles and hierarchies, k-anonymity by Mondrian."""
    import yaml

    from sudare.read.examples.hospital import hospital_columns

    asked = {
        "version": 1,
        "source": {"path": table},
        "columns": dict(hospital_columns("en")),
        "requirements": [{"type": "k-anonymity", "k": k}],
        "method": {"type": "mondrian"},
        "output": {"folder": "release", "reports": [], "format": form},
    }
    return str(yaml.safe_dump(asked, sort_keys=False, allow_unicode=True))


def measured(arguments: list[str]) -> dict[str, Any]:
    """A command of ours: seconds, processor seconds, peak memory in GB, and what it printed."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    peak = 0.0
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([sys.executable, "-m", "sudare.cli", *arguments], stdout=out)
        while process.poll() is None:
            peak = max(peak, _resident_gb(process.pid))
            time.sleep(_EVERY)
        took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        out.seek(0)
        told = out.read()
    if process.returncode:
        raise RuntimeError(f"{arguments} ended with {process.returncode}: {told[-1000:]}")
    # The largest of all children so far: right for the first, never too small for the others.
    noted = after.ru_maxrss / 2**20 if after.ru_maxrss > before.ru_maxrss else 0.0
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "seconds": round(took, 1),
        "processor": round(cpu, 1),
        "peak_gb": round(max(peak, noted), 2),
        "told": told,
    }


def _resident_gb(number: int) -> float:
    """Resident memory of a process and of all below it."""
    pages = 0
    waiting = [number]
    while waiting:
        one = waiting.pop()
        try:
            pages += int(Path(f"/proc/{one}/statm").read_text(encoding="ascii").split()[1])
            for task in Path(f"/proc/{one}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]
        except (OSError, IndexError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**30


if __name__ == "__main__":
    sys.exit(main())
