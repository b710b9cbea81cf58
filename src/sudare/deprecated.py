"""Documented names that have moved: the old import still works in this version, with a deprecation warning.

Modules that no longer exist are found by a finder that `sudare` installs; the packages that took the name of a module
have a `__getattr__` from here. Both go in the next version.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

MODULES = {
    "anonymize.coarsen": "anonymize.simple.coarsen",
    "anonymize.identifiers": "anonymize.simple.identifiers",
    "anonymize.itemsets": "anonymize.baskets",
    "anonymize.itemsets.generalize": "anonymize.baskets.generalize",
    "anonymize.itemsets.suppress": "anonymize.baskets.suppress",
    "anonymize.recode": "anonymize.grouping.recode",
    "anonymize.records": "anonymize.simple.records",
    "anonymize.swap": "anonymize.simple.swap",
    **{
        f"assess.{name}": "assess.block_requirements"
        for name in ("k_anonymity", "l_diversity", "t_closeness")
    },
    "anonymize.grouping.rules": "anonymize.grouping.recode",
    "assess.itemsets": "assess.baskets",
    "assess.verdict": "assess.requirement",
    "assess.itemsets.km_anonymity": "assess.baskets.km_anonymity",
    "assess.itemsets.rho_uncertainty": "assess.baskets.rho_uncertainty",
    "describe.basket_sources": "describe.baskets.sources",
    **{
        f"describe.distance.{name}": "describe.distance.space"
        for name in ("labels", "line", "product", "trees")
    },
    **{
        f"describe.hierarchy.{name}": "describe.hierarchy.makers"
        for name in (
            *("interval", "levels_file", "masking", "nested"),
            *("ordered", "periods", "suppression"),
        )
    },
    "describe.mechanism": "mechanism",
    **{
        f"describe.mechanism.{name}": f"mechanism.{name}"
        for name in (
            *("calibrate", "catalogue", "density", "grid", "laplace"),
            *("normal", "protocol", "retention", "uniform"),
        )
    },
    "flow": "api",
    "kernels.rules": "kernels.core.rules",
    **{f"measure.{name}": "measure.losses" for name in ("generalization", "groups", "squares")},
    **{f"measure.{name}": "measure.distributions" for name in ("margins", "statistics")},
    "measure.itemsets": "measure.baskets",
    **{
        f"measure.itemsets.{name}": f"measure.baskets.{name}"
        for name in ("association", "catalogue", "frequencies", "pair", "users")
    },
    "read.example": "read.examples.hospital",
    "release.basket_files": "formats.baskets",
    "release.release": "release.table.release",
    "release.verify": "verify.verify",
    "release.verify_requirements": "verify.requirements",
}
"""Old module to new one, below `sudare`: every module that the documentation of version 0.1 names and that moved."""


def moved_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that has taken the name of a module: its documented names, from their new homes."""

    def found(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        _warn(f"{package}.{name}", f"{homes[name]}.{name}")
        return getattr(import_module(homes[name]), name)

    return found


def install() -> None:
    """Let the old modules be found, after everything else has been looked for."""
    if not any(isinstance(finder, _MovedFinder) for finder in sys.meta_path):
        sys.meta_path.append(_MovedFinder())


class _MovedFinder:
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  # the protocol of finders
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        new = MODULES.get(fullname.removeprefix("sudare.")) if fullname.startswith("sudare.") else None
        if new is None:
            return None
        # A loader without the base class in `importlib.abc`, which takes 8 ms to load.
        return ModuleSpec(fullname, _MovedLoader(f"sudare.{new}"), is_package=True)  # type: ignore[arg-type]


class _MovedLoader:
    """Makes a module that hands over the names of the new one."""

    def __init__(self, new: str) -> None:
        self._new = new

    def create_module(self, spec: ModuleSpec) -> None:
        """As any module is made."""

    def exec_module(self, module: ModuleType) -> None:
        _warn(module.__name__, self._new)
        new = import_module(self._new)
        module.__doc__ = new.__doc__
        module.__getattr__ = lambda name: getattr(new, name)  # type: ignore[method-assign]


def _warn(old: str, new: str) -> None:
    warnings.warn(
        f"{old} has moved to {new}; the old name will be gone in the next version.",
        DeprecationWarning,
        stacklevel=3,
    )
