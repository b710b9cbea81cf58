"""Distances between cells of a column, as composable parameters: `sd.distance`."""

from sudare.describe.distance.graphs import Custom, Graph, Matrix
from sudare.describe.distance.labels import Discrete
from sudare.describe.distance.line import Euclid
from sudare.describe.distance.product import Minkowski, Product, RowDistance
from sudare.describe.distance.space import ColumnCells, ColumnDistance, Space
from sudare.describe.distance.texts import DamerauLevenshtein, Hamming, Levenshtein, NormalizedLevenshtein
from sudare.describe.distance.trees import TreeDistance

__all__ = [
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
