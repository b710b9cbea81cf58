"""Generalization by local recoding: groups with low loss under any requirement on blocks."""

from sudare.anonymize.generalize.method import Generalize
from sudare.anonymize.generalize.named import DiverDIS, MinDIS

__all__ = ["DiverDIS", "Generalize", "MinDIS"]
