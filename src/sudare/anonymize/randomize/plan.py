"""The mechanism for each column: the requested or suitable kind, its domain, and its share of the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.anonymize.randomize.domain import Domain, ValueDomain, number_domain, value_domain
from sudare.describe.kinds import COUNTED_ROLES, MEASURED_KINDS, ORDERED_KINDS
from sudare.errors import DescriptionError, InfeasibleError, ParameterError, did_you_mean
from sudare.mechanism.calibrate import calibrate, k_of, rate_for, shares
from sudare.mechanism.catalogue import MECHANISMS
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.anonymize.randomize.method import Randomize
    from sudare.describe.table import Table
    from sudare.mechanism.protocol import Mechanism

STRENGTH = {"laplace": "scale", "normal": "deviation", "uniform": "half_width", "retention": "keep"}
"""For each mechanism, the parameter that calibration finds."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What happens to one column."""

    name: str
    domain: Domain
    kind: str
    fields: dict[str, Any]
    """Fields of the mechanism, without its strength until that is known."""
    missing: bool
    """Whether missing cells are randomized too, by a flip."""
    fixed: bool
    """Whether the strength was given."""
    counted: bool
    """Whether Pk-anonymity counts the column: quasi-identifiers and sensitive columns."""

    def mechanism(self, rate: float | None) -> Mechanism:
        """The mechanism as given, or with the noise that this rate requires."""
        if rate is None:
            return MECHANISMS.build({"type": self.kind, **self.fields})
        return calibrate(self.kind, rate, **self.fields, missing=self.missing)


def plan_column(method: Randomize, table: Table, name: str) -> Plan:
    """The plan for one column; anything that cannot be done is reported in one sentence."""
    if table.column(name).mechanism is not None:
        raise ParameterError("anonymize.randomize.twice", column=name)
    given = dict(method.mechanisms.get(name, {}))
    kind = str(given.pop("type", _usual(table, name)))
    if kind not in MECHANISMS.entries:
        raise ParameterError(
            "anonymize.randomize.unknown_mechanism",
            mechanism=kind,
            column=name,
            hint=did_you_mean(kind, MECHANISMS),
        )
    missing = _missing(method, table, name)
    counted = table.column(name).role in COUNTED_ROLES
    domain = _domain(method, table, name, kind, given, missing=missing)
    if isinstance(domain, ValueDomain) and kind != "retention" and domain.present < 2:
        # A single value has no order to put noise on.
        kind, given = "retention", {}
        domain = _domain(method, table, name, kind, given, missing=missing)
    if isinstance(domain, ValueDomain) and kind == "retention":
        fields: dict[str, Any] = {**given, "values": domain.listed}
        single = len(domain.values) == 1
        fixed = single or "keep" in fields
        fields = {"keep": 0.0, **fields} if single else fields
        return Plan(name, domain, "retention", fields, False, fixed, counted)
    if isinstance(domain, ValueDomain):
        given |= {
            "low": 0.0,
            "high": domain.present - 1.0,
            "grid": 1.0,
            "values": domain.listed[: domain.present],
        }
    else:
        given |= domain.fields
    fixed = STRENGTH[kind] in given if kind in STRENGTH else _has_scale(given.get("noise"))
    if fixed and missing and "flip" not in given:
        raise ParameterError("anonymize.randomize.no_flip", column=name)
    return Plan(name, domain, kind, given, missing, fixed, counted)


def mechanisms_of(
    plans: Sequence[Plan], k: float | None, records: int, weights: Mapping[str, float]
) -> dict[str, Mechanism]:
    """Every column's mechanism: given ones first; the others share what is left of the budget.

    A column that Pk-anonymity does not count gets the noise of its share among all columns, and takes nothing from
    those that count.
    """
    made = {plan.name: plan.mechanism(None) for plan in plans if plan.fixed}
    open_plans = {plan.name: plan for plan in plans if not plan.fixed}
    if not open_plans:
        return made
    if k is None:
        raise ParameterError("anonymize.randomize.no_requirement", columns=enumerated(open_plans))
    spent = {plan.name: made[plan.name].rate() for plan in plans if plan.fixed and plan.counted}
    given = float(np.prod(list(spent.values())))
    needed = rate_for(k, records)
    if needed > given:
        raise InfeasibleError(
            "anonymize.randomize.too_little_noise",
            columns=enumerated(spent),
            reached=k_of(given, records),
            records=records,
            k=k,
        )
    counted = [name for name, plan in open_plans.items() if plan.counted]
    rates = shares(needed / given, list(open_plans), weights) | shares(needed / given, counted, weights)
    return made | {name: plan.mechanism(rates[name]) for name, plan in open_plans.items()}


def _has_scale(noise: Any) -> bool:
    return isinstance(noise, dict) and "scale" in noise


def _usual(table: Table, name: str) -> str:
    return "laplace" if table.column(name).kind in ORDERED_KINDS else "retention"


def _missing(method: Randomize, table: Table, name: str) -> bool:
    """Whether missing cells are randomized too; an error if they are not allowed."""
    series = table.frame[name]
    if series.null_count() and method.missing == "error":
        row, more = int(series.is_null().arg_max() or 0) + 1, series.null_count() - 1
        if more:
            raise DescriptionError("anonymize.randomize.missing_many", column=name, row=row, more=more)
        raise DescriptionError("anonymize.randomize.missing_one", column=name, row=row)
    return bool(series.null_count()) and method.missing == "category"


def _domain(
    method: Randomize, table: Table, name: str, kind: str, given: dict[str, Any], *, missing: bool
) -> Domain:
    column, dtype = table.column(name), table.frame[name].dtype
    if dtype.is_nested() or column.kind == "set":
        raise ParameterError("anonymize.randomize.nested", column=name, dtype=dtype)
    listed = given.pop("values", None) or method.values.get(name)
    if kind == "retention" or column.kind == "ordinal":
        in_list = missing and kind == "retention"
        return value_domain(table, name, listed, ordered=column.kind == "ordinal", missing=in_list)
    if column.kind not in MEASURED_KINDS:
        raise ParameterError("anonymize.randomize.no_order", column=name, kind=column.kind, mechanism=kind)
    if dtype in (pl.Time, pl.Duration) or (isinstance(dtype, pl.Datetime) and dtype.time_zone):
        raise ParameterError("anonymize.randomize.no_days", column=name, dtype=dtype)
    ends = method.ranges.get(name)
    if ends is None and {"low", "high"} <= given.keys():
        ends = (given["low"], given["high"])
    if ends is None:
        raise _no_range(method, table, name)
    return number_domain(table, name, ends, method.grids.get(name, given.get("grid")))


def _no_range(method: Randomize, table: Table, name: str) -> ParameterError:
    """The error for a column without a range; it names the others that will need one too, so that nobody adds them one by one."""
    measured = [other for other in table.names(*COUNTED_ROLES) if table.column(other).kind in MEASURED_KINDS]
    lacking = list(dict.fromkeys([name, *method.columns_without_range(measured)]))
    return ParameterError(
        "anonymize.randomize.no_range",
        columns=enumerated(f"'{one}'" for one in lacking),
        recipe="{" + ", ".join(f"{one}: [LOW, HIGH]" for one in lacking) + "}",
        option=",".join(f"{one}:LOW:HIGH" for one in lacking),
        python="{" + ", ".join(f"'{one}': (LOW, HIGH)" for one in lacking) + "}",
    )
