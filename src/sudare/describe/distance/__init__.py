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
