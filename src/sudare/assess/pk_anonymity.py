"""Pk-anonymity (Ikarashi et al., after 2011): nobody can be linked to a record with probability above 1/k."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.assess.requirement import Blocks, Verdict, blocks_of, table_of
from sudare.describe.kinds import COUNTED_ROLES
from sudare.mechanism.calibrate import k_of
from sudare.mechanism.protocol import NumberMechanism
from sudare.mechanism.retention import Retention
from sudare.parameters import Annotated, Field, parameters
from sudare.words.sentence import Sentence, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from sudare.describe.column import Column
    from sudare.describe.table import Table

_ROUNDING = 1e-9


@parameters
class PkAnonymity:
    """No person can be linked to a randomized record with probability above 1/k.

    `k = 1 + (|R| - 1) * product of the rates` of the randomized columns, computed from the public description alone.
    Guarantees that an outsider who knows all quasi-identifiers and sensitive values of everyone, and the mechanisms,
    cannot link any person to a released record with probability above 1/k; the bound is tight in the worst case.
    Exactly released columns split the records: |R| is then the number of records in the smallest block of exact columns
    (and of visibly missing cells). Guarantees nothing about insensitive columns, which must not be known to anyone, and
    nothing if the random numbers become known.

    >>> from sudare.describe.table import Table
    >>> table = Table.from_frame(pl.DataFrame({"sex": ["F", "F", "M"]})).describe(quasi=["sex"])
    >>> PkAnonymity(2).check(table).reached
    1.0
    """

    k: Annotated[float, Field(gt=1)]
    """No record can be linked to a person with probability above 1/k; any number above 1."""

    def check(
        self, data: Any, *, quasi: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
    ) -> Verdict:
        """Recompute k for a Table or a Release from the mechanisms of its columns.

        `quasi` and `sensitive` name columns of a pandas, polars or Arrow frame, which are taken as exact.
        """
        table = table_of(data, quasi, sensitive)
        if table.rows == 0:
            empty = np.empty(0, dtype=np.int64)
            return Verdict("PkAnonymity", True, None, empty, Sentence("verdict.no_rows"))
        exposed = exposure(table)
        reached = exposed.k_of_blocks
        least = float(reached.min())
        violating = reached < self.k * (1 - _ROUNDING)
        rows = exposed.blocks.rows_of(violating)
        return Verdict("PkAnonymity", not len(rows), least, rows, self._explain(exposed, least, table.rows))

    def _explain(self, exposed: Exposure, reached: float, rows: int) -> Sentence:
        smallest = int(exposed.blocks.sizes.min())
        exact = enumerated(exposed.exact)
        if not exposed.randomized and reached < self.k * (1 - _ROUNDING):
            left = (
                Sentence("pk_anonymity.left_one")
                if smallest == 1
                else Sentence("pk_anonymity.left_few", records=smallest)
            )
            return Sentence("pk_anonymity.nothing", exact=exact, left=left, k=self.k)
        return Sentence(
            f"pk_anonymity.{'holds' if reached >= self.k * (1 - _ROUNDING) else 'fails'}",
            reached=reached,
            hidden=Sentence("pk_anonymity.hidden_exact", smallest=smallest, rows=rows, exact=exact)
            if exposed.exact
            else Sentence("pk_anonymity.hidden", rows=rows),
            k=self.k,
            figures=Sentence(
                "pk_anonymity.figures",
                rate=exposed.rate,
                columns=enumerated(exposed.randomized),
                epsilon=exposed.epsilon,
            )
            if exposed.randomized
            else Sentence("pk_anonymity.figures_exact", rate=exposed.rate),
        )


@dataclass(frozen=True, eq=False)
class Exposure:
    """What a table's quasi-identifiers and sensitive columns reveal through their mechanisms."""

    randomized: tuple[str, ...]
    rate: float
    """Product of the rates of the randomized columns."""
    epsilon: float
    """Sum of their local epsilons: the protection of a whole record."""
    exact: tuple[str, ...]
    """Columns released as they are, and `missing NAME` where missing cells of a randomized column are visible."""
    blocks: Blocks
    """Records that agree on everything exact."""

    @property
    def k_of_blocks(self) -> npt.NDArray[np.float64]:
        """The k of the records in each block."""
        return k_of(self.rate, self.blocks.sizes.astype(np.float64))


def asked_k(requirements: Iterable[object]) -> float | None:
    """The largest k that a Pk-anonymity requirement asks for, if there is one."""
    return max((one.k for one in requirements if isinstance(one, PkAnonymity)), default=None)


def exposure(table: Table) -> Exposure:
    """Rates, epsilons and exact blocks of the quasi-identifiers and sensitive columns of a table."""
    columns = [column for column in table.columns if column.role in COUNTED_ROLES]
    mechanisms = {column.name: column.mechanism for column in columns if column.mechanism is not None}
    exact = [column.name for column in columns if column.mechanism is None]
    visible = [column.name for column in columns if shows_missing(table, column)]
    return Exposure(
        randomized=tuple(mechanisms),
        rate=math.prod(mechanism.rate() for mechanism in mechanisms.values()),
        epsilon=math.fsum(mechanism.epsilon() for mechanism in mechanisms.values()),
        exact=(*exact, *(Sentence("missing_cells", column=name) for name in visible)),
        blocks=exact_blocks(table, exact, visible),
    )


def exact_blocks(table: Table, exact: list[str], visible: list[str]) -> Blocks:
    """Blocks of records that agree on the exact columns and on which cells of other columns are missing."""
    if not exact and not visible:
        return blocks_of(table, ())
    keys = [table.frame[name] for name in exact] + [table.frame[name].is_null() for name in visible]
    frame = pl.DataFrame([key.alias(str(place)) for place, key in enumerate(keys)])
    return blocks_of(type(table).from_frame(frame), frame.columns)


def shows_missing(table: Table, column: Column) -> bool:
    """Whether missing cells of a randomized column stay missing, visible to everyone."""
    mechanism = column.mechanism
    if mechanism is None or table.frame[column.name].null_count() == 0:
        return False
    if isinstance(mechanism, Retention):
        return None not in mechanism.values
    return isinstance(mechanism, NumberMechanism) and mechanism.flip is None
