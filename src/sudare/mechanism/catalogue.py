"""The mechanisms, by the names that recipes and manifests use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.mechanism.density import Density
from sudare.mechanism.laplace import Laplace
from sudare.mechanism.normal import Normal
from sudare.mechanism.retention import Retention
from sudare.mechanism.uniform import Uniform
from sudare.parameters import Catalogue

if TYPE_CHECKING:
    from sudare.mechanism.protocol import Mechanism

MECHANISMS: Catalogue[Mechanism] = Catalogue(
    "mechanism",
    {"laplace": Laplace, "normal": Normal, "uniform": Uniform, "density": Density, "retention": Retention},
)
