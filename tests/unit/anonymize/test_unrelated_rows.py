"""Methods whose rows have no originals (synthetic data): what compares row by row does not apply, and is never 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.protocol import Context, Outcome
from sudare.errors import DescriptionError, ParameterError
from sudare.measure.catalogue import MEASURES
from sudare.parameters import parameters

if TYPE_CHECKING:
    from sudare.describe.table import Table

BY_DISTRIBUTION = {name for name, measure in MEASURES.items() if not measure.needs_rows}


@parameters
class Invented:
    """Rows drawn from the margins of a table: nobody's."""

    rows: int = 40
    """How many."""

    def apply(self, table: Table, context: Context) -> Outcome:
        """Draw them."""
        drawn = [
            table.frame[name][context.random.integers(table.rows, self.rows)].alias(name)
            for name in table.frame.columns
        ]
        return Outcome(table.changed(pl.DataFrame(drawn)), None)


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setitem(METHODS.entries, "invented", Invented)


def table():
    random = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": random.integers(20, 24, 60),
            "cost": random.normal(size=60),
            "disease": random.choice(list("abc"), 60),
        }
    )
    return sd.read(frame).describe(quasi=["age"], sensitive=["disease"], insensitive=["cost"])


def test_only_measures_of_distributions_apply(known):
    release = sd.anonymize(table(), sd.KAnonymity(2), method=Invented(60), seed=2)
    assert release.rows_of_original is None
    assert set(release.losses) <= BY_DISTRIBUTION
    assert {"marginal_tv", "hellinger"} <= set(release.losses)
    assert {"loss", "dis", "gcp", "ild", "sse_ratio", "suppressed", "dm"} <= set(release.not_applicable)
    assert release.column_losses == {}
    assert release.lower_bounds == {}


def test_later_methods_do_not_bring_the_originals_back(known):
    release = sd.anonymize(
        table(), sd.KAnonymity(2), method=[Invented(80), sd.Mondrian(), sd.Shuffle()], seed=2
    )
    assert release.rows_of_original is None
    assert release.table.rows == 80


def test_a_release_without_originals_is_written_verified_and_reported(known, tmp_path):
    release = sd.anonymize(table(), sd.KAnonymity(2), method=Invented(60), seed=2)
    written = release.write(tmp_path / "out")
    assert all(finding.holds for finding in written.findings)
    losses = written.manifest["losses"]
    assert losses["loss"] is None
    assert losses["suppressed"] is None
    assert losses["marginal_tv"] is not None
    for report in written.reports:
        assert report.stat().st_size > 1000


def test_what_compares_row_by_row_says_why_it_cannot():
    release = sd.anonymize(table(), sd.KAnonymity(2), method=Invented(60), seed=2)
    with pytest.raises(DescriptionError, match="not made from single original rows"):
        sd.measure.loss(table(), release)


def test_noise_must_be_traceable():
    """Rows without originals after a randomization would no longer be as their mechanism drew them."""
    steps = [
        sd.Randomize(
            columns=("age",), ranges={"age": (20, 24)}, mechanisms={"age": {"type": "laplace", "scale": 3}}
        ),
        Invented(60),
    ]
    with pytest.raises(ParameterError, match="Invented changes column 'age' after its randomization"):
        sd.anonymize(table(), method=steps, seed=1)
