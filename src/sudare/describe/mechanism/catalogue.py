"""The mechanisms there are, by the names that recipes and manifests use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.describe.mechanism.density import Density
from sudare.describe.mechanism.laplace import Laplace
from sudare.describe.mechanism.normal import Normal
from sudare.describe.mechanism.retention import Retention
from sudare.describe.mechanism.uniform import Uniform
from sudare.parameters import Catalogue

if TYPE_CHECKING:
    from sudare.describe.mechanism.protocol import Mechanism

MECHANISMS: Catalogue[Mechanism] = Catalogue(
    "mechanism",
    {"laplace": Laplace, "normal": Normal, "uniform": Uniform, "density": Density, "retention": Retention},
)
