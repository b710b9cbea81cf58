"""What a wheel has beside the sources: the compiled kernels, where `make wheel` says in SUDARE_COMPILED where they are.

Such a wheel is for one version of Python and one of numba, which it requires, and for the platforms of that numba: its
machine code uses nothing else of the system.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the folder, the tag and the requirement."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Change what is built; without the variable nothing."""
        folder = os.environ.get("SUDARE_COMPILED")
        if folder is None or version == "editable" or self.target_name != "wheel":
            return
        minor = f"cp{sys.version_info.major}{sys.version_info.minor}"
        build_data["pure_python"] = False
        build_data["tag"] = f"{minor}-{minor}-{os.environ['SUDARE_PLATFORM']}"
        build_data["dependencies"].append(f"numba=={os.environ['SUDARE_NUMBA']}")
        build_data["force_include"][folder] = "sudare/kernels/compiled"
