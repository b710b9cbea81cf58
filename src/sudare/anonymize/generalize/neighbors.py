"""Near records for the search: those that are cheapest to cover together with a given record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.generalize.records import distinct_records, with_slots
from sudare.kernels.core.rules import rows_by_label
from sudare.kernels.recoding.neighbors import near_of_near_slice, near_slice

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

ORDERS = 12
WINDOW = 6
_SLICE = 20_000
_KEY_BITS = 62


def near_rows(
    model: Covers,
    kept: int,
    random: np.random.Generator,
    progress: Progress,
    sensitive: npt.NDArray[np.int32] | None = None,
) -> Ints:
    """N x kept row numbers: for each row, some of the rows that are cheapest to cover with it.

    The search is among distinct records. Equal records represent one another, and each row in a set of equal ones gets
    its own choice of rows, so that together they reach many groups. With sensitive values, half of the rows have a
    value other than the row's own, because diverse groups need them.
    """
    rows = len(model.codes)
    if rows < 2:
        return np.zeros((rows, 1), dtype=np.int64)
    labels, count = distinct_records(model.codes)
    order, starts = rows_by_label(labels, count)
    firsts = order[starts[:-1]]
    distinct = with_slots(model, firsts, 1)
    wanted = kept if sensitive is None else 2 * kept
    near = _near_distinct(distinct, min(wanted, count - 1), random, progress)
    found = _spread(near, labels, order, starts, wanted, random)
    return found if sensitive is None else _other_values_first(found, sensitive, kept)


def _near_distinct(model: Covers, kept: int, random: np.random.Generator, progress: Progress) -> Ints:
    count = len(model.codes)
    if kept == 0:
        return np.zeros((count, 0), dtype=np.int64)
    orders = np.stack([_order(model.codes, random) for _ in range(ORDERS)])
    places = np.empty_like(orders)
    for order, place in zip(orders, places, strict=True):
        place[order] = np.arange(count)
    near = np.full((count, kept), -1, dtype=np.int64)
    costs = np.full((count, kept), np.inf)
    progress.start("near_records", 2 * count)
    for start in range(0, count, _SLICE):
        stop = min(start + _SLICE, count)
        near_slice(model, orders, places, WINDOW, start, stop, near, costs)
        progress.update(stop)
    marked = np.full(count, -1, dtype=np.int64)
    for start in range(0, count, _SLICE):
        stop = min(start + _SLICE, count)
        near_of_near_slice(model, start, stop, near, costs, marked)
        progress.update(count + stop)
    return near


def _order(codes: npt.NDArray[np.int32], random: np.random.Generator) -> Ints:
    """Records sorted by the columns in random priority, using as many columns as fit into one machine word."""
    key = np.zeros(len(codes), dtype=np.int64)
    room = 1 << _KEY_BITS
    for column in random.permutation(codes.shape[1]):
        values = codes[:, column].astype(np.int64)
        values -= values.min()
        width = int(values.max()) + 1
        if width > room:
            break
        key = key * width + values
        room //= width
    return np.argsort(key, kind="stable")


def _spread(
    near: Ints,
    labels: npt.NDArray[np.int32],
    order: Ints,
    starts: Ints,
    kept: int,
    random: np.random.Generator,
) -> Ints:
    """Rows for distinct records: the row's equals first, then one row for each near record, drawn at random."""
    rows = len(labels)
    sizes = np.diff(starts)
    wanted = np.concatenate([np.arange(len(sizes))[:, None], near], axis=1)[:, : kept + 1]
    wanted = np.where(wanted < 0, wanted[:, :1], wanted)[labels]
    draws = random.random(wanted.shape)
    chosen = order[starts[wanted] + (draws * sizes[wanted]).astype(np.int64)]
    # A row that drew itself takes the next of its equals (or itself again if it has none: a move without effect).
    own = chosen[:, 0] == np.arange(rows)
    place = np.empty(rows, dtype=np.int64)
    place[order] = np.arange(rows)
    following = starts[labels] + (place - starts[labels] + 1) % sizes[labels]
    chosen[own, 0] = order[following[own]]
    return np.ascontiguousarray(chosen)


def _other_values_first(near: Ints, sensitive: npt.NDArray[np.int32], kept: int) -> Ints:
    """Half of the list: the nearest; the other half: the nearest of the rest that have another sensitive value."""
    half = kept // 2
    rest = near[:, half:]
    same = sensitive[rest] == sensitive[:, None]
    order = np.argsort(same, axis=1, kind="stable")[:, : kept - half]
    return np.ascontiguousarray(
        np.concatenate([near[:, :half], np.take_along_axis(rest, order, axis=1)], axis=1)
    )
