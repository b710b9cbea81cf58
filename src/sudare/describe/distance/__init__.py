"""Distances between cells of a column, as composable parameters: `sd.distance`."""

from sudare.describe.distance.graphs import Custom, Graph, Matrix
from sudare.describe.distance.space import (
    ColumnCells,
    ColumnDistance,
    Discrete,
    Euclid,
    Minkowski,
    Product,
    RowDistance,
    Space,
    TreeDistance,
)
from sudare.describe.distance.texts import DamerauLevenshtein, Hamming, Levenshtein, NormalizedLevenshtein
from sudare.parameters import Catalogue

DISTANCES: Catalogue[ColumnDistance] = Catalogue(
    "distance",
    {
        "euclid": Euclid,
        "discrete": Discrete,
        "tree": TreeDistance,
        "levenshtein": Levenshtein,
        "normalized-levenshtein": NormalizedLevenshtein,
        "damerau-levenshtein": DamerauLevenshtein,
        "hamming": Hamming,
        "graph": Graph,
        "matrix": Matrix,
    },
)
"""Distances that recipes and the command line know by name."""

__all__ = [
    "DISTANCES",
    "ColumnCells",
    "ColumnDistance",
    "Custom",
    "DamerauLevenshtein",
    "Discrete",
    "Euclid",
    "Graph",
    "Hamming",
    "Levenshtein",
    "Matrix",
    "Minkowski",
    "NormalizedLevenshtein",
    "Product",
    "RowDistance",
    "Space",
    "TreeDistance",
]
