"""What Python users expect: reports and frames from a release, guesses that can be applied."""

import pandas as pd
import polars as pl
import pytest

import sudare as sd


@pytest.fixture(scope="module")
def release():
    frame = pd.DataFrame({"age": [30, 31, 40, 41] * 5, "ill": ["a", "b", "a", "b"] * 5})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    return sd.anonymize(table, sd.KAnonymity(5), sd.LDiversity(2))


def test_a_release_gives_its_reports(release):
    internal, public = release.report(), release.report("public", language="ja")
    assert "Internal report" in internal
    assert "公開用報告書" in public
    assert "<script" not in internal + public


def test_a_release_and_a_table_become_pandas(release):
    assert isinstance(release.to_pandas(), pd.DataFrame)
    assert isinstance(release.frame, pd.DataFrame)
    assert release.to_pandas().equals(release.table.frame.to_pandas())
    polars = sd.read(pl.DataFrame({"age": [1, 2]}))
    assert isinstance(polars.to_pandas(), pd.DataFrame)
    assert isinstance(polars.native(), pl.DataFrame)


def test_guesses_can_be_applied():
    frame = pd.DataFrame(
        {
            "patient_id": [f"P{row:03}" for row in range(30)],
            "age": [20 + row for row in range(30)],
            "birth": [f"{1 + row % 28:02}/12/1985" for row in range(30)],
            "disease": ["flu", "gout", "hiv"] * 10,
        }
    )
    guesses = sd.guess_roles(frame)
    assert isinstance(guesses, list)
    table = guesses.apply()
    assert {column.name: column.role for column in table.columns} == {
        guess.column: guess.role for guess in guesses
    }
    assert table.column("age").hierarchy is not None
    assert not table.undescribed
    assert isinstance(sd.anonymize(table, sd.KAnonymity(3)).frame, pd.DataFrame)
    again = sd.guess_roles(sd.read(frame), {"quasi": ["age"]}, rest="drop").apply()
    assert again.names("quasi") == ["age"]
