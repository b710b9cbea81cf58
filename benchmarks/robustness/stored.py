"""Where the robustness runs keep their figures: one JSON file each, with machine, versions and date."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "results" / "robustness"


def save(name: str, figures: dict[str, Any]) -> None:
    """Write the figures of one part, whole or not at all."""
    from sudare.experiments.machine import machine, versions

    stored = {
        **figures,
        "machine": machine(),
        "versions": versions(),
        "load": list(os.getloadavg()),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "command": " ".join(["python", *(_shown(word) for word in sys.argv)]),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.json"
    path.with_suffix(".part").write_text(json.dumps(stored, indent=1, default=str), encoding="utf-8")
    path.with_suffix(".part").replace(path)


def stored(name: str) -> dict[str, Any] | None:
    """The figures of one part, if it was run."""
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        return None
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


def _shown(word: str) -> str:
    path = Path(word)
    return f"benchmarks/robustness/{path.name}" if path.suffix == ".py" else word
