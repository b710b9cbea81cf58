"""The machine, the versions and the date of a measurement: the head of every evidence page."""

from __future__ import annotations

import contextlib
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LIBRARIES = ("sudare", "numpy", "numba", "polars")


def machine() -> dict[str, str]:
    """Processor, cores, memory and system."""
    processor = next(
        (
            line.partition(":")[2].strip()
            for line in _lines("/proc/cpuinfo")
            if line.startswith(("model name", "Model"))
        ),
        platform.processor() or platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": processor,
        "cores": f"{os.cpu_count()} cores",
        "memory": f"{memory:.0f} GB memory",
        "system": f"{platform.system()} {platform.release()}",
    }


def versions(packages: Iterable[str] = LIBRARIES) -> dict[str, str]:
    """Versions of Python and of the installed packages among those given."""
    found = {"python": platform.python_version()}
    for package in packages:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def head(command: str) -> list[str]:
    """Lines of Markdown: command, date, machine and versions."""
    return [
        "| | |",
        "|---|---|",
        f"| command | `{command}` |",
        f"| date | {datetime.now(UTC).date().isoformat()} |",
        f"| machine | {', '.join(machine().values())} |",
        f"| versions | {', '.join(f'{name} {number}' for name, number in versions().items())} |",
    ]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
