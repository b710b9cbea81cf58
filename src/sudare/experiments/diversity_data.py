"""The data of the suitability experiment: COIL 2000 with two sensitive columns, Japanese Vowels, and random tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.describe.hierarchy import mask
from sudare.describe.table import Table
from sudare.experiments.result import needed_file
from sudare.randomness import Randomness

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

_SENSITIVE = {"data3": 1, "data4": 42}
"""MOSTYPE and MINKGEM: columns of ticdata2000, counted from 1."""
_SKEWED = (215, 120, 115, 113, 112, 105, 90, 60, 40, 18, 8, 4)
"""Counts of the sensitive values of data1, chosen so that most blocks and alphas match the printed ones."""
_DOMAINS = {"data1": (3, 6, 2, 4, 3, 3), "data2": (9, 70, 2, 900, 90, 60)}
"""The number of values of each column: few, so that rows coincide as in the printed bounds of data1; many for data2."""


def study_table(name: str, data: Path | None) -> Table:
    """One of the tables data1 … data5, with its sensitive column and left-padded masking hierarchies."""
    if name in _DOMAINS:
        frame, sensitive = _random(name)
    else:
        frame, sensitive = _vowels(data) if name == "data5" else _coil(name, data)
    quasi = [column for column in frame.columns if column != sensitive]
    hierarchies = {column: mask() for column in quasi}
    return Table.from_frame(frame).describe(quasi=quasi, sensitive=[sensitive], hierarchies=hierarchies)


def _coil(name: str, data: Path | None) -> tuple[pl.DataFrame, str]:
    path = needed_file(data, "coil2000", "ticdata2000.txt")
    frame = pl.read_csv(path, separator="\t", has_header=False).select(pl.all().cast(pl.String))
    return frame, frame.columns[_SENSITIVE[name] - 1]


def _vowels(data: Path | None) -> tuple[pl.DataFrame, str]:
    """The test part of Japanese Vowels: 12 coefficients of speech, a line each; the last one is sensitive.

    Blank lines separate utterances. With any other column as the sensitive one, the printed bounds do not come out.
    """
    lines = needed_file(data, "vowels", "ae.test").read_text(encoding="ascii").splitlines()
    rows = [line.split() for line in lines if line.strip()]
    frame = pl.DataFrame(rows, schema=[f"coefficient {place}" for place in range(1, 13)], orient="row")
    return frame, frame.columns[-1]


def _random(name: str) -> tuple[pl.DataFrame, str]:
    """A made-up medical table: race, birth year, sex, ZIP code and two integers, drawn independently."""
    rows = 1000 if name == "data1" else 10_000
    random = Randomness(1)
    starts = (1, 1920, 1, 2100, 10, 30)
    columns = {
        f"attribute {place + 1}": _texts(start + random.integers(size, rows))
        for place, (start, size) in enumerate(zip(starts, _DOMAINS[name], strict=True))
    }
    if name == "data1":
        sensitive = np.repeat(np.arange(len(_SKEWED)), _SKEWED)
    else:
        sensitive = np.arange(rows) % 20
    columns["disease"] = _texts(sensitive[random.permutation(rows)])
    return pl.DataFrame(columns), "disease"


def _texts(numbers: npt.NDArray[np.int64]) -> pl.Series:
    return pl.Series(numbers).cast(pl.String)
