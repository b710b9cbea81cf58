"""How far from the optimum: parts of Adult small enough that integer programming proves their least loss.

Adult is divided by sex, race, marital status and education; of the parts of 80 to 140 records every third is taken, so
records lie as near to each other as in the whole table. Every box of every part is listed plainly. Those that no
solution as good as ours can use, by what they are worth at some prices (any prices prove it), are left out, and HiGHS
chooses among the others. Told are our losses above the optimum and the dual bound below it: what the bound lacks on
tables whose optimum is known is what it may lack on those whose optimum is not.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import sudare as sd
from generalization import adult, timed  # type: ignore[import-not-found]  # beside this script
from harness import Report  # type: ignore[import-not-found]  # beside this script
from sudare.anonymize.generalize.bound import price_bound
from sudare.anonymize.generalize.records import covers_of
from sudare.anonymize.generalize.start import ladders_of, schemes_of, with_words
from sudare.anonymize.grouping.recode import axes_of
from sudare.kernels.recoding.prices import ascend

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

_KEYS = ["sex", "race", "marital-status", "education"]
_FEWEST, _MOST, _EVERY = 80, 140, 3
_STEPS = (1.0, 0.5, 0.25, 0.12, 0.06)


class Box(NamedTuple):
    """Records that one value for each column covers, and what each of them loses in it."""

    cost: float
    rows: Ints


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ks", nargs="*", type=int, default=[5, 10], help="group sizes")
    parser.add_argument("--seconds", type=float, default=60.0, help="for the proof of one part")
    parser.add_argument("--efforts", nargs="+", default=["fast", "default", "thorough"])
    options = parser.parse_args()
    report = Report("generalization_optimum", __doc__ or "")
    table = adult(9)
    frame = table.frame.with_row_index("row")
    parts = [
        table.take(np.sort(part["row"].to_numpy()))
        for _, part in frame.group_by(_KEYS, maintain_order=True)
        if _FEWEST <= part.height <= _MOST
    ][::_EVERY]
    for k in options.ks:
        _compare(report, parts, k, options)
    report.save()


def _compare(report: Report, parts: list[Any], k: int, options: argparse.Namespace) -> None:
    above: dict[str, list[float]] = {effort: [] for effort in options.efforts}
    lacking: list[float] = []
    for number, part in enumerate(parts, start=1):
        losses = {}
        for effort in options.efforts:
            outcome, _ = timed(part, [sd.KAnonymity(k)], sd.Generalize(effort=effort), warm=False)
            losses[effort] = sd.measure.loss(part, outcome.table)
        bound = price_bound(part, k)
        least = optimum(part, k, min(losses.values()), options.seconds)
        if least is None or bound is None:
            print(f"k={k}, part {number} of {len(parts)}: not proven in {options.seconds:g} s", flush=True)
            continue
        assert bound.value <= least + 1e-9, (bound, least)
        for effort, loss in losses.items():
            assert least <= loss + 1e-9, (least, effort, loss)
            above[effort].append(loss / least - 1)
        lacking.append(1 - bound.value / least)
        print(
            f"k={k}, part {number} of {len(parts)}: {part.rows} rows, optimum {least:.5f}, {losses}",
            flush=True,
        )
    if not lacking:
        report.note(f"k = {k}: no optimum was proven.")
        return
    rows = [
        [effort, f"{np.mean(found):.2%}", f"{max(found):.2%}", f"{sum(one < 1e-9 for one in found)}"]
        for effort, found in above.items()
    ]
    for effort, found in above.items():
        report.ratio(
            f"loss of {effort} / proven optimum, mean over parts, k = {k}", 1 + float(np.mean(found)), 1.0
        )
    report.ratio(f"dual bound / proven optimum, mean over parts, k = {k}", 1 - float(np.mean(lacking)), 1.0)
    rows.append(["dual bound", f"{-np.mean(lacking):.2%}", f"{-max(lacking):.2%}", ""])
    report.table(
        f"k = {k}: {len(lacking)} of {len(parts)} parts of Adult with a proven optimum",
        ["", "above it, mean", "most", "exactly"],
        rows,
    )


def optimum(table: Any, k: int, reached: float, seconds: float) -> float | None:
    """The least mean loss of groups of at least k, proven; None if it takes longer. `reached` is a loss that exists."""
    boxes, prices = _listed(table, k)
    ceiling = reached * table.rows
    allowed = ceiling - _dual(boxes, prices, k) + 1e-9
    kept = [box for box in (_useful(box, prices, k, allowed) for box in boxes) if box is not None]
    owner = np.concatenate([np.full(len(box.rows), number) for number, box in enumerate(kept)])
    record = np.concatenate([box.rows for box in kept])
    uses, count = len(owner), len(kept)
    use = count + np.arange(uses)
    ones = np.ones(uses)
    once = coo_array((ones, (record, use)), shape=(table.rows, count + uses))
    enough = coo_array(
        (
            np.concatenate([ones, np.full(count, -k)]),
            (np.concatenate([owner, np.arange(count)]), np.concatenate([use, np.arange(count)])),
        ),
        shape=(count, count + uses),
    )
    opened = coo_array(
        (np.concatenate([ones, -ones]), (np.tile(np.arange(uses), 2), np.concatenate([use, owner]))),
        shape=(uses, count + uses),
    )
    found = milp(
        np.concatenate([np.zeros(count), np.array([box.cost for box in kept])[owner]]),
        integrality=np.concatenate([np.ones(count), np.zeros(uses)]),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(once.tocsr(), 1, 1),
            LinearConstraint(enough.tocsr(), 0, np.inf),
            LinearConstraint(opened.tocsr(), -np.inf, 0),
        ],
        options={"time_limit": seconds, "mip_rel_gap": 1e-6},
    )
    return min(float(found.fun), ceiling) / table.rows if found.status == 0 else None


def space_of(table: Any) -> tuple[Any, Any, Any]:
    """Codes and costs of a table for the objective `loss`, the levels of its columns, and all combinations of them."""
    axes = axes_of(table)
    weights = [1.0] * len(axes)
    model = covers_of(axes, weights, "loss", "hierarchy")
    ladders = ladders_of(axes, model, weights, "loss")
    schemes = schemes_of(ladders)
    assert schemes is not None
    return model, ladders, schemes


def _listed(table: Any, k: int) -> tuple[list[Box], Floats]:
    """Every box with k records, of those with the same records the cheapest, and prices near the dual optimum."""
    model, ladders, schemes = space_of(table)
    keyed = with_words(schemes, model, ladders)
    lowest = model.codes.min(axis=0, initial=0)
    cheapest: dict[bytes, Box] = {}
    for scheme in schemes:
        keys = np.zeros(table.rows, dtype=np.uint64)
        costs = np.zeros(table.rows)
        for column, level in enumerate(scheme):
            keys += keyed.class_words[keyed.starts[column, level] + model.codes[:, column]]
            costs += ladders[column].shares[level][model.codes[:, column] - lowest[column]]
        order = np.argsort(keys, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
            name = rows.tobytes()
            cost = float(costs[rows[0]])
            if len(rows) >= k and (name not in cheapest or cost < cheapest[name].cost):
                cheapest[name] = Box(cost, rows)
    boxes = list(cheapest.values())
    ends = np.cumsum([0, *(len(box.rows) for box in boxes)])
    flat, costs = np.concatenate([box.rows for box in boxes]), np.array([box.cost for box in boxes])
    no_ceilings, free = np.full(table.rows, np.inf), np.ones(table.rows, dtype=np.bool_)
    prices, bound = np.zeros(table.rows), 0.0
    for step in _STEPS:
        goal = 1.02 * bound if bound else 0.3 * table.rows
        prices, bound = ascend(ends, flat, costs, prices, no_ceilings, free, k, goal, 300, step, 8)
    return boxes, prices


def _dual(boxes: list[Box], prices: Floats, k: int) -> float:
    """The sum of all prices less the worth of every box of positive worth."""
    return float(prices.sum()) - sum(max(_worth(box, prices, k), 0.0) for box in boxes)


def _worth(box: Box, prices: Floats, k: int) -> float:
    gains = np.sort(prices[box.rows] - box.cost)[::-1]
    return float(gains[:k].sum() + np.maximum(gains[k:], 0.0).sum())


def _useful(box: Box, prices: Floats, k: int, allowed: float) -> Box | None:
    """The box with the records that it may hold where no more than `allowed` is lost beyond the dual; None: never open.

    Opening a box of negative worth costs that much; holding a record that its best use leaves out costs what the record
    brings less than the one it replaces, or less than 0 where the box has more than k.
    """
    worth = _worth(box, prices, k)
    gains = prices[box.rows] - box.cost
    replaced = min(float(np.sort(gains)[-k]), 0.0)
    costs = max(-worth, 0.0) + np.maximum(replaced - gains, 0.0)
    rows = box.rows[costs <= allowed]
    return Box(box.cost, rows) if -worth <= allowed and len(rows) >= k else None


if __name__ == "__main__":
    main()
