"""Losses of generalization, blocks and squares: how much of each quasi-identifier is left open, how coarse blocks are.

Losses from generalization: how much of each quasi-identifier is left open.

Rows that were left out count as fully generalized, and so do quasi-identifiers that were removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.assess.bounds.distortion import weights_of
from sudare.assess.requirement import blocks_of
from sudare.describe.distance.space import ColumnCells, line_ends
from sudare.describe.hierarchy.tree import Objective, node_shares
from sudare.describe.kinds import MEASURED_KINDS
from sudare.describe.text import ANYTHING, as_text, places_among, range_ends, set_parts
from sudare.kernels.core.rules import block_labels
from sudare.kernels.figures import best_guesses
from sudare.measure.distributions import numbers_of, numeric_names
from sudare.measure.pair import Pair, pair_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.describe.hierarchy.tree import Hierarchy

Cells = dict[Objective, npt.NDArray[np.float64]]
"""For every objective, the share in [0, 1] of each released cell; 0 for one as specific as the original."""


class CountedCells(NamedTuple):
    """Released cells that differ, alone or with their originals, as far as it matters, and how often each occurs."""

    shares: Cells
    counts: npt.NDArray[np.int64]


def cells_of(pair: Pair, name: str) -> CountedCells:
    """The cells of one column (computed once): along its hierarchy, as ranges, or else as known or unknown."""
    if name not in pair.cells:
        pair.cells[name] = _cells(pair, name)
    return pair.cells[name]


def _cells(pair: Pair, name: str) -> CountedCells:
    tree = pair.before.hierarchy(name)
    on_axis = tree is None and pair.before.column(name).kind in MEASURED_KINDS
    ordered = tree is None and pair.before.column(name).kind == "ordinal"
    if tree is None and not on_axis and not ordered:
        # Of all cells, as the methods do: missing is a value of its own, so that one value and missing are two.
        tree = pair.before.generalization(name)
    before, after, counts = _occurring(pair, name, by_value=tree is not None and not tree.labels_differ)
    if on_axis:
        return CountedCells(_ranges(pair, name, before, after), counts)
    if tree is None:
        return CountedCells(_ranks(pair, name, before, after), counts)
    return CountedCells(_nodes(tree, before, after), counts)


def _occurring(
    pair: Pair, name: str, *, by_value: bool = True
) -> tuple[pl.Series, pl.Series, npt.NDArray[np.int64]]:
    """Original and released cells that occur together, and how often; unless `by_value`, one original stands for all.

    Mostly all that matters of an original is whether it is missing.
    """
    distinct = pair.distinct(name)
    values, cells = distinct.cells.before, distinct.cells.after
    # Missing comes last among distinct values.
    stands = np.where(values.is_null().to_numpy(), len(values) - 1, np.arange(len(values)) if by_value else 0)
    original = stands.astype(np.int32)[distinct.before][pair.traced]
    labels, count = block_labels([distinct.after, original], [len(cells), len(values)], len(original))
    first = np.zeros(count, dtype=np.int64)
    first[labels] = np.arange(len(labels))
    return (
        values.gather(original[first]),
        cells.gather(distinct.after[first]),
        np.bincount(labels, minlength=count),
    )


def _nodes(tree: Hierarchy, before: pl.Series, after: pl.Series) -> Cells:
    texts = as_text(after)
    distinct = texts.drop_nulls().unique()
    known = tree.is_label(distinct)
    # By distinct text: an unknown text is a perturbed value (rounded, coded), as specific as a leaf (-1); an empty
    # cell that was present says nothing, as if the root were published.
    node_of = np.append(np.full(len(distinct), -1, dtype=np.int64), tree.root)
    node_of[:-1][known] = tree.node_of(distinct.filter(known))
    place = places_among(texts, distinct, len(distinct))
    nodes = _meant(tree, node_of[place], before, texts)
    names = frozenset(tree.labels[: tree.leaves])
    sizes = np.append([len(set_parts(text, names)) for text in distinct], 0)[place]
    still_missing = (after.is_null() & before.is_null()).to_numpy()
    in_sets = (nodes < 0) & (sizes > 1)
    says_less = (nodes >= 0) & ~still_missing
    whole = max(int(tree.leaf_counts[tree.root]), 1)
    # A set has no level: its distortion is the share of the values it leaves open, like its loss.
    of_sets: dict[Objective, npt.NDArray[np.float64]] = {
        "dis": (sizes - 1) / max(whole - 1, 1),
        "loss": (sizes - 1) / max(whole - 1, 1),
        "ncp": sizes / whole,
    }
    return {
        objective: np.where(in_sets, shares, np.where(says_less, node_shares(tree, objective)[nodes], 0.0))
        for objective, shares in of_sets.items()
    }


def _meant(
    tree: Hierarchy, nodes: npt.NDArray[np.int64], before: pl.Series, texts: pl.Series
) -> npt.NDArray[np.int64]:
    """The node a cell was released as, if several nodes share its label: the lowest that covers its original.

    A group may have the label of one of its values; an original that the lower node does not cover was generalized.
    """
    if tree.labels_differ:
        return nodes
    named = {label: number for number, label in enumerate(dict.fromkeys(tree.labels))}
    names = np.array([named[label] for label in tree.labels])
    found = nodes.copy()
    several = np.bincount(names)[names] > 1
    rows = np.flatnonzero((nodes >= 0) & several[nodes] & texts.is_not_null().to_numpy())
    wanted, node = names[nodes[rows]], tree.leaf_of(before.gather(rows)).astype(np.int64)
    while len(rows):
        met = names[node] == wanted
        found[rows[met]] = node[met]
        # Nothing is above the root; a text that no node above the original has keeps its first reading.
        going = ~met & (node != tree.root)
        rows, wanted, node = rows[going], wanted[going], tree.parent[node[going]]
    return found


def _ranks(pair: Pair, name: str, before: pl.Series, after: pl.Series) -> Cells:
    """Ranges of ordered values: the ranks spanned over the number of ranks."""
    rank = {
        text: float(number) for number, text in enumerate(as_text(pair.before.codes(name).values).to_list())
    }
    texts = as_text(after)
    low, high = (
        ends.replace_strict(rank, default=None, return_dtype=pl.Float64) for ends in range_ends(texts)
    )
    span = ((high - low) / max(len(rank) - 1, 1)).fill_null(0.0)
    unknown = (texts == ANYTHING) | (texts.is_null() & before.is_not_null())
    shares = np.where(
        unknown.fill_null(value=True).to_numpy() & ~(texts.is_null() & before.is_null()).to_numpy(),
        1.0,
        span.to_numpy(),
    )
    return _alike(shares)


def _ranges(pair: Pair, name: str, before: pl.Series, after: pl.Series) -> Cells:
    whole = pair.before.codes(name).values
    # Of all rows, those left out too: `*` is the range of the whole column.
    low, high = (ends[len(whole) :] for ends in line_ends(ColumnCells(name, whole, after)))
    extent = pair.before.extent(name)
    span = (high - low) / extent if extent > 0 else np.zeros(len(low))
    # A cell that was present and is now missing says nothing; a cell that was already missing lost nothing.
    span = np.where(after.is_null().to_numpy(), np.where(before.is_null().to_numpy(), 0.0, 1.0), span)
    span = np.clip(span, 0.0, 1.0)
    return _alike(span)


def _alike(shares: npt.NDArray[np.float64]) -> Cells:
    """The same shares for all objectives, because ranges have no levels."""
    return dict.fromkeys(get_args(Objective), shares)


def dis(before: Any, after: Any) -> float:
    """Distortion: mean over rows and quasi-identifiers of (levels climbed) / (height of the hierarchy).

    DIS = sum CA / (|PT| |QI|), CA = (depth(t.A) - depth(t'.A)) / |DGH_A|. For a column without a hierarchy, the
    width of its ranges over the width of the column is used.
    """
    return _mean_cell(pair_of(before, after), "dis")


def loss(before: Any, after: Any) -> float:
    """Iyengar's loss metric, as reported by ARX: mean of (leaves - 1) / (leaves of root - 1), or range widths."""
    return _mean_cell(pair_of(before, after), "loss")


def ncp(before: Any, after: Any, weights: Mapping[str, float] | None = None) -> float:
    """Normalized certainty penalty (Xu et al.): weighted sum over rows and quasi-identifiers.

    A numeric range costs (z - y) / |A|, a hierarchy value size(u) / |A|, where size is the number of leaves below it,
    0 for a leaf. Weights default to 1; a weight of 0 leaves a column out.
    """
    pair = pair_of(before, after)
    chosen = weights_of(pair.before.names("quasi"), weights)
    return pair.before.rows * sum(weight * _column(pair, name, "ncp") for name, weight in chosen.items())


def gcp(before: Any, after: Any, weights: Mapping[str, float] | None = None) -> float:
    """Global certainty penalty: NCP over rows and total weight, in [0, 1]."""
    pair = pair_of(before, after)
    total = sum(weights_of(pair.before.names("quasi"), weights).values())
    return ncp(before, pair, weights) / (max(pair.before.rows, 1) * total) if total > 0 else 0.0


def column_losses(before: Any, after: Any) -> dict[str, float]:
    """Iyengar's loss of each quasi-identifier separately; rows left out and columns removed count as 1."""
    pair = pair_of(before, after)
    return {name: _column(pair, name, "loss") for name in pair.before.names("quasi")}


def column_errors(before: Any, after: Any) -> dict[str, float]:
    """The error of each quasi-identifier whose values were replaced by others as detailed, such as means of groups.

    Of these no detail is lost, so `column_losses` says nothing. Numbers and dates: SSE / SST of the column, as in
    `sse_ratio`; other columns: the share of rows that have another value or were left out. Columns that are coarser,
    unchanged or constant have none.
    """
    pair = pair_of(before, after)
    found = {}
    for name in replaced(pair):
        if error_figure(pair, name) == "sse_ratio":
            error = _share(*numbers_of(pair, name), pair.traced)
        else:
            was, now, counts = _occurring(pair, name)
            changed = as_text(was).ne_missing(as_text(now)).to_numpy()
            error = float(counts @ changed + pair.suppressed) / max(pair.before.rows, 1)
        if error is not None:
            found[name] = error
    return found


def error_figure(pair: Pair, name: str) -> Literal["sse_ratio", "changed"]:
    """Which figure `column_errors` gives of a column."""
    return "sse_ratio" if name in numeric_names(pair) else "changed"


def replaces_values(pair: Pair) -> bool:
    """Whether quasi-identifiers have other values than they had, and none is coarser.

    Means of groups, swapped and rounded values are as detailed as the originals: of them, a measure of lost detail would be 0,
    as if nothing were lost.
    """
    return pair.rows is not None and not _coarser(pair, pair.before.names("quasi")) and bool(replaced(pair))


def replaced(pair: Pair) -> list[str]:
    """The quasi-identifiers that have other values than they had, and as detailed ones."""
    if pair.rows is None:
        return []
    coarser = _coarser(pair, pair.quasi)
    return [name for name in pair.quasi if name not in coarser and _differ(*_occurring(pair, name)[:2])]


def _coarser(pair: Pair, names: Sequence[str]) -> set[str]:
    """Of which detail was lost, apart from rows that were left out."""
    left_out = pair.suppressed / max(pair.before.rows, 1) + 1e-9
    return {name for name in names if _column(pair, name, "loss") > left_out}


def _differ(before: pl.Series, after: pl.Series) -> bool:
    if before.dtype.is_numeric() and after.dtype.is_numeric():
        return not before.cast(pl.Float64).equals(after.cast(pl.Float64))
    return not as_text(before).equals(as_text(after))


def _mean_cell(pair: Pair, objective: Objective) -> float:
    names = pair.before.names("quasi")
    return sum(_column(pair, name, objective) for name in names) / max(len(names), 1)


def _column(pair: Pair, name: str, objective: Objective) -> float:
    if name not in pair.after.frame.columns:
        return 1.0 if pair.before.rows else 0.0
    cells = cells_of(pair, name)
    return float((cells.counts @ cells.shares[objective] + pair.suppressed) / max(pair.before.rows, 1))


def dm(before: Any, after: Any, k: int = 1) -> float:
    """Discernibility: sum of |E|^2 over blocks of at least k rows, |D| |E| over smaller ones.

    A row that was left out counts |D|.
    """
    pair = pair_of(before, after)
    sizes = blocks_of(pair.after, pair.quasi).sizes.astype(float)
    whole = pair.before.rows
    return float(np.where(sizes >= k, sizes**2, whole * sizes).sum() + pair.suppressed * whole)


def average_block(before: Any, after: Any) -> float:
    """Rows per block of the release."""
    pair = pair_of(before, after)
    return pair.after.rows / max(blocks_of(pair.after, pair.quasi).count, 1)


def cm(before: Any, after: Any, target: str | None = None) -> float:
    """Classification metric (Iyengar): share of rows left out or not in the majority class of their block.

    `target` is the class column; by default the first sensitive column.
    """
    pair = pair_of(before, after)
    name = pair.target(target, "class")
    codes = pair.after.codes(name)
    blocks = blocks_of(pair.after, pair.quasi)
    majority = best_guesses(codes.codes, codes.count, *blocks.grouped, 0) * blocks.sizes
    outvoted = pair.after.rows - float(majority.sum())
    return (outvoted + pair.suppressed) / max(pair.before.rows, 1)


def entropy_loss(before: Any, after: Any) -> float:
    """(H(X) - H(X')) / H(X) of the combinations of quasi-identifiers; 0 if H(X) = 0."""
    pair = pair_of(before, after)
    whole = _entropy(blocks_of(pair.before).sizes)
    return (whole - _entropy(blocks_of(pair.after, pair.quasi).sizes)) / whole if whole > 0 else 0.0


def suppressed(before: Any, after: Any) -> float:
    """Share of rows left out."""
    pair: Pair = pair_of(before, after)
    return pair.suppressed / max(pair.before.rows, 1)


def _entropy(sizes: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    shares = sizes / max(sizes.sum(), 1)
    return float(-(shares * np.log(shares)).sum())


def sse_ratio(before: Any, after: Any) -> float:
    """ILSSDM = SSE / SST over the standardized numeric quasi-identifiers, in [0, 1] for group means.

    SSE = sum (x - x')^2, SST = sum (x - mean)^2, each column divided by its population standard deviation, so that
    every column counts the same; a constant column is ignored. A row that is left out or released as missing counts as
    if replaced with the mean; a value that was missing before counts 0.
    """
    pair = pair_of(before, after)
    names = [name for name in numeric_names(pair) if name in pair.quasi]
    shares = [
        share
        for share in (_share(*numbers_of(pair, name), pair.traced) for name in names)
        if share is not None
    ]
    return float(np.mean(shares)) if shares else 0.0


def _share(
    original: np.ndarray[Any, np.dtype[np.float64]],
    released: np.ndarray[Any, np.dtype[np.float64]],
    rows: np.ndarray[Any, np.dtype[np.int64]],
) -> float | None:
    """SSE / SST of one column; None for a constant one."""
    missing = np.isnan(original)
    center = original[~missing].mean() if not missing.all() else 0.0
    total = _squares(original, center, missing)
    if total == 0:
        return None
    # A value that is not released, or released as missing, could be anything: the mean is the best guess.
    guess = np.full(len(original), center)
    guess[rows] = released
    guess[np.isnan(guess)] = center
    return _squares(original, guess, missing) / total


def _squares(
    original: np.ndarray[Any, np.dtype[np.float64]],
    guess: np.ndarray[Any, np.dtype[np.float64]] | float,
    missing: np.ndarray[Any, np.dtype[np.bool_]],
) -> float:
    """The sum of squared differences, of values that are not missing."""
    difference = original - guess
    difference[missing] = 0.0
    return float(difference @ difference)
