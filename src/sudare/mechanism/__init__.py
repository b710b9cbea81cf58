"""Mechanisms: how a column is randomized, and everything an analyst needs to know about it.

    Laplace, Normal, Uniform, Density   noise on numbers, dates and ranks, bounded to a range
    Retention                           keep a value or replace it
    rate_for, k_reached                 from k and |R| to the required rate, and back
    calibrate                           a mechanism from its required rate
    MECHANISMS                          by name, as in recipes and manifests

>>> Laplace(scale=60, low=0, high=120).epsilon()
2.0
"""

from sudare.mechanism.calibrate import calibrate, k_reached, rate_for, shares
from sudare.mechanism.catalogue import MECHANISMS
from sudare.mechanism.density import Density, Family
from sudare.mechanism.grid import default_grid
from sudare.mechanism.laplace import Laplace
from sudare.mechanism.normal import Normal
from sudare.mechanism.protocol import Mechanism, NumberMechanism
from sudare.mechanism.retention import Retention
from sudare.mechanism.uniform import Uniform

__all__ = [
    "MECHANISMS",
    "Density",
    "Family",
    "Laplace",
    "Mechanism",
    "Normal",
    "NumberMechanism",
    "Retention",
    "Uniform",
    "calibrate",
    "default_grid",
    "k_reached",
    "rate_for",
    "shares",
]
