"""Names that the documentation of version 0.1 had, and that moved: the old import works, and says where to go."""

import subprocess
import sys
import warnings
from importlib import import_module

import pytest

import sudare as sd
from sudare.deprecated import MODULES

DOCUMENTED = {
    "sudare.anonymize.grouping": ("block_rules",),
    "sudare.anonymize.itemsets.suppress": ("SuppressItems",),
    "sudare.anonymize.recode": ("axes_of", "recode"),
    "sudare.describe.baskets": ("Baskets",),
    "sudare.describe.guess": ("guess_roles",),
    "sudare.describe.mechanism.laplace": ("Laplace",),
    "sudare.flow": ("anonymize", "assess", "read"),
    "sudare.kernels.rules": ("satisfied", "scratch_for"),
    "sudare.read.example": ("hospital",),
    "sudare.release.basket_files": ("write_baskets",),
    "sudare.release.ledger": ("Ledger",),
    "sudare.release.recipe": ("Recipe",),
    "sudare.release.release": ("Release",),
    "sudare.release.verify": ("verify_release",),
    "sudare.release.verify_requirements": ("Finding",),
}


@pytest.mark.parametrize("old", MODULES)
def test_a_module_that_moved_is_found_at_its_old_place(old):
    sys.modules.pop(f"sudare.{old}", None)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = import_module(f"sudare.{old}")
    expected = (
        f"sudare.{old} has moved to sudare.{MODULES[old]}; the old name will be gone in the next version."
    )
    assert expected in [str(one.message) for one in said if one.category is DeprecationWarning]
    assert found.__doc__ == import_module(f"sudare.{MODULES[old]}").__doc__
    sys.modules.pop(f"sudare.{old}", None)


@pytest.mark.slow
@pytest.mark.parametrize("old", DOCUMENTED)
def test_documented_names_are_the_same_things(old):
    """In a process of its own: what was imported before must not matter."""
    names = ", ".join(DOCUMENTED[old])
    code = f"import warnings; warnings.simplefilter('ignore'); from {old} import {names}; print({names})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_public_names_are_not_deprecated():
    """Names of `sudare` itself never moved."""
    code = f"import sudare as sd\nfor name in {sorted(sd.__all__)!r}: getattr(sd, name)"
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:sudare", "-c", code],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_other_names_are_still_unknown():
    with pytest.raises(ImportError):
        import_module("sudare.describe.nothing")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = import_module("sudare.describe.baskets").nothing
