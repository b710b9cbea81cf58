"""Sudare: publish data about people without publishing the people.

The package follows the flow of the work:

    read       files, databases, made-up examples          sd.read, sd.read_baskets, sd.hospital
    describe   roles, kinds, hierarchies, distances        Table.describe, sd.hierarchy, sd.distance
    assess     is it safe, is it possible, what is the risk sd.KAnonymity … .check, sd.assess, sd.risk
    anonymize  methods                                     sd.anonymize, sd.Mondrian, sd.Microaggregate …
    measure    what was lost, what can still be learned    sd.measure, sd.crosstab
    release    recipe, run, verify, ledger, report         Release.write, sd.run, sd.Recipe, sd.verify_release

Names are loaded on first use, so `import sudare` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The folders of the same names are bound first and the verbs replace them: importing a submodule later does not
# rebind a name that its package already has in sys.modules.
import sudare.anonymize
import sudare.assess
import sudare.read  # noqa: F401  # bound, not used: see above
from sudare import deprecated
from sudare.api import anonymize, assess, read

if TYPE_CHECKING:
    from sudare import measure as measure
    from sudare import mechanism as mechanism
    from sudare.anonymize import microaggregate as microaggregate
    from sudare.anonymize.baskets.generalize import GeneralizeItems as GeneralizeItems
    from sudare.anonymize.baskets.suppress import SuppressItems as SuppressItems
    from sudare.anonymize.full_domain import FullDomain as FullDomain
    from sudare.anonymize.generalize.method import Generalize as Generalize
    from sudare.anonymize.generalize.named import DiverDIS as DiverDIS
    from sudare.anonymize.generalize.named import MinDIS as MinDIS
    from sudare.anonymize.microaggregate.method import Microaggregate as Microaggregate
    from sudare.anonymize.mondrian import Mondrian as Mondrian
    from sudare.anonymize.randomize.method import Randomize as Randomize
    from sudare.anonymize.simple.coarsen import Coarsen as Coarsen
    from sudare.anonymize.simple.coarsen import Round as Round
    from sudare.anonymize.simple.coarsen import TopBottomCode as TopBottomCode
    from sudare.anonymize.simple.identifiers import (
        Pseudonymize as Pseudonymize,
    )
    from sudare.anonymize.simple.identifiers import (
        RemoveIdentifiers as RemoveIdentifiers,
    )
    from sudare.anonymize.simple.records import (
        CapValues as CapValues,
    )
    from sudare.anonymize.simple.records import (
        Sample as Sample,
    )
    from sudare.anonymize.simple.records import (
        Shuffle as Shuffle,
    )
    from sudare.anonymize.simple.records import (
        SuppressRecords as SuppressRecords,
    )
    from sudare.anonymize.simple.swap import RankSwap as RankSwap
    from sudare.anonymize.simple.swap import SwapRecords as SwapRecords
    from sudare.assess.baskets.km_anonymity import KmAnonymity as KmAnonymity
    from sudare.assess.baskets.rho_uncertainty import RhoUncertainty as RhoUncertainty
    from sudare.assess.block_requirements import KAnonymity as KAnonymity
    from sudare.assess.block_requirements import LDiversity as LDiversity
    from sudare.assess.block_requirements import TCloseness as TCloseness
    from sudare.assess.pk_anonymity import PkAnonymity as PkAnonymity
    from sudare.assess.requirement import Verdict as Verdict
    from sudare.assess.risk import risk as risk
    from sudare.describe import distance as distance
    from sudare.describe import hierarchy as hierarchy
    from sudare.describe.baskets.baskets import Baskets as Baskets
    from sudare.describe.baskets.sources import read_baskets as read_baskets
    from sudare.describe.guess.guess import guess_roles as guess_roles
    from sudare.describe.table import Table as Table
    from sudare.errors import SudareError as SudareError
    from sudare.formats.baskets import write_baskets as write_baskets
    from sudare.measure.crosstab.result import CrossTab as CrossTab
    from sudare.progress import ProgressBar as ProgressBar
    from sudare.read.examples.hospital import hospital as hospital
    from sudare.release.crosstab import crosstab as crosstab
    from sudare.release.estimator import Anonymizer as Anonymizer
    from sudare.release.ledger.ledger import Ledger as Ledger
    from sudare.release.recipe.table import Recipe as Recipe
    from sudare.release.run import run as run
    from sudare.release.table.release import Release as Release
    from sudare.verify.verify import verify_release as verify_release

__version__ = "0.1.0"

deprecated.install()

_HOME = {
    "Anonymizer": "release.estimator",
    "Baskets": "describe.baskets.baskets",
    "CapValues": "anonymize.simple.records",
    "Coarsen": "anonymize.simple.coarsen",
    "CrossTab": "measure.crosstab.result",
    "DiverDIS": "anonymize.generalize.named",
    "FullDomain": "anonymize.full_domain",
    "Generalize": "anonymize.generalize.method",
    "GeneralizeItems": "anonymize.baskets.generalize",
    "KAnonymity": "assess.block_requirements",
    "KmAnonymity": "assess.baskets.km_anonymity",
    "LDiversity": "assess.block_requirements",
    "Ledger": "release.ledger.ledger",
    "MinDIS": "anonymize.generalize.named",
    "Microaggregate": "anonymize.microaggregate.method",
    "Mondrian": "anonymize.mondrian",
    "PkAnonymity": "assess.pk_anonymity",
    "ProgressBar": "progress",
    "Pseudonymize": "anonymize.simple.identifiers",
    "Randomize": "anonymize.randomize.method",
    "RankSwap": "anonymize.simple.swap",
    "Recipe": "release.recipe.table",
    "Release": "release.table.release",
    "RemoveIdentifiers": "anonymize.simple.identifiers",
    "RhoUncertainty": "assess.baskets.rho_uncertainty",
    "Round": "anonymize.simple.coarsen",
    "Sample": "anonymize.simple.records",
    "Shuffle": "anonymize.simple.records",
    "SudareError": "errors",
    "SuppressItems": "anonymize.baskets.suppress",
    "SuppressRecords": "anonymize.simple.records",
    "SwapRecords": "anonymize.simple.swap",
    "TCloseness": "assess.block_requirements",
    "Table": "describe.table",
    "TopBottomCode": "anonymize.simple.coarsen",
    "Verdict": "assess.requirement",
    "crosstab": "release.crosstab",
    "guess_roles": "describe.guess.guess",
    "hospital": "read.examples.hospital",
    "read_baskets": "describe.baskets.sources",
    "risk": "assess.risk",
    "run": "release.run",
    "verify_release": "verify.verify",
    "write_baskets": "formats.baskets",
}
_MODULES = {
    "distance": "describe.distance",
    "hierarchy": "describe.hierarchy",
    "measure": "measure",
    "mechanism": "mechanism",
    "microaggregate": "anonymize.microaggregate",
}

__all__ = ["__version__", "anonymize", "assess", "read", *_HOME, *_MODULES]  # noqa: PLE0604  # names by the tables


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"sudare.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"sudare.{_MODULES[name]}")
    raise AttributeError(f"module 'sudare' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
