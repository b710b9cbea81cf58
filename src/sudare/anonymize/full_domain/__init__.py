"""Full-domain recoding: the lattice of levels, its best node, its minimal solutions."""

from sudare.anonymize.full_domain.method import FullDomain
from sudare.anonymize.full_domain.solutions import level_statistics, minimal_solutions

__all__ = ["FullDomain", "level_statistics", "minimal_solutions"]
