"""What a hostile tester was told wrongly by commands and warnings: each case as it was met."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.describe.guess.guess import guess_roles
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.display import WIDTH, width_of
from sudare.errors import DescriptionError, ParameterError

ROWS = 600


def _people(rows: int = ROWS) -> pl.DataFrame:
    random = np.random.default_rng(2)
    return pl.DataFrame(
        {"age": random.integers(20, 80, rows), "sex": random.choice(["F", "M"], rows, p=[0.3, 0.7])}
    )


def _noise(**given: Any) -> sd.Randomize:
    return sd.Randomize(ranges={"age": (0, 100)}, values={"sex": ("F", "M")}, **given)


@pytest.fixture
def randomized(tmp_path, monkeypatch):
    """A randomized release in `rnd` of people.csv."""
    monkeypatch.chdir(tmp_path)
    _people().write_csv("people.csv")
    table = sd.read("people.csv").describe(quasi=["age", "sex"])
    sd.anonymize(table, sd.PkAnonymity(5), method=_noise(), seed=1).write("rnd", reports=[])
    return tmp_path


def _crosstab(place: str, original: str) -> int:
    return main(["crosstab", place, "--by", "sex", "--draws", "0", "--original", original, "--json"])


def test_a_cross_tabulation_beside_another_table_is_refused(randomized, capsys):
    _people().head(100).write_csv("few.csv")
    assert _crosstab("rnd", "few.csv") != 0
    assert "'few.csv' is not what the release in 'rnd' was made from" in " ".join(
        capsys.readouterr().err.split()
    )
    assert _crosstab("rnd/public", "rnd/public/data.csv") != 0
    assert _crosstab("rnd/public/data.csv", "few.csv") != 0
    capsys.readouterr()
    for place in ("rnd", "rnd/public", "rnd/public/data.csv"):
        assert _crosstab(place, "people.csv") == 0
        error = json.loads(capsys.readouterr().out)["fit"]["error"]
        assert 0 < error["released"] < 1


def test_without_the_internal_part_the_number_of_rows_tells(randomized, capsys):
    shutil.copytree("rnd/public", "handed")
    people = _people()
    people.head(100).write_csv("few.csv")
    pl.concat([people, people]).write_csv("many.csv")
    for wrong in ("few.csv", "many.csv"):
        assert _crosstab("handed", wrong) != 0
        assert f"'{wrong}' has" in " ".join(capsys.readouterr().err.split())
    assert _crosstab("handed", "handed/data.csv") != 0
    assert "is the released data itself" in " ".join(capsys.readouterr().err.split())
    assert _crosstab("handed", "people.csv") == 0
    shutil.copy("rnd/public/data.csv", "alone.csv")
    assert _crosstab("alone.csv", "few.csv") != 0
    assert _crosstab("alone.csv", "many.csv") == 0


def test_a_sample_is_compared_with_its_original_by_shares(randomized, capsys):
    table = sd.read("people.csv").describe(quasi=["age", "sex"])
    sampled = sd.anonymize(table, sd.PkAnonymity(5), method=[sd.Sample(0.5), _noise()], seed=1)
    sampled.write("sampled", reports=[])
    shutil.copytree("sampled/public", "handed")
    for place in ("sampled", "handed"):
        assert _crosstab(place, "people.csv") == 0
        assert json.loads(capsys.readouterr().out)["fit"]["error"]["released"] < 0.5


def test_a_total_variation_is_of_shares():
    found = sd.crosstab(pl.DataFrame({"sex": ["F", "F", "F", "M"]}), by="sex")
    assert found.total_variation([300, 100]) == 0
    assert found.total_variation([0, 7]) == 0.75
    for wrong in ([0, 0], [1], [[3, 1]]):
        with pytest.raises(ParameterError, match="The original's counts"):
            found.total_variation(wrong)


def test_a_released_file_is_measured_as_its_folder_is(tmp_path, monkeypatch, capsys):
    """Apostrophes that guard against formulas are no change of the data."""
    monkeypatch.chdir(tmp_path)
    sign = ["=A1", "+b", "-c", "@d", "'e"] * 40
    pl.DataFrame({"age": [20 + row % 50 for row in range(200)], "sign": sign}).write_csv("d.csv")
    recipe = sd.Recipe.model_validate(
        {
            "source": {"path": "d.csv"},
            "columns": {"age": {"role": "quasi"}, "sign": {"role": "sensitive"}},
            "requirements": [{"type": "k-anonymity", "k": 5}],
            "output": {"folder": "out", "reports": []},
        }
    )
    sd.run(recipe)
    found = []
    for place in ("out", "out/public", "out/public/data.csv"):
        assert main(["measure", "d.csv", place, "--recipe", "out/internal/recipe.yaml", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
        assert main(["measure", "d.csv", place, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert all(one == found[0] for one in found)


def test_a_released_file_in_random_order_is_measured_only_by_its_custodian(randomized, capsys):
    for place in ("rnd", "rnd/public/data.csv"):
        assert main(["measure", "people.csv", place]) == 0
    Path("rnd/internal/rows.parquet").unlink()
    capsys.readouterr()
    for place in ("rnd", "rnd/public/data.csv"):
        assert main(["measure", "people.csv", place]) != 0
        assert "put into random order" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("method", "warned"),
    [
        (_noise(shuffle=False), True),
        ([sd.Sample(0.5), _noise(shuffle=False)], True),
        (_noise(), False),
        ([_noise(shuffle=False), sd.Shuffle()], False),
    ],
)
def test_randomized_records_in_the_order_of_the_input_are_warned_of(method, warned):
    table = sd.read(_people()).describe(quasi=["age", "sex"])
    assert not any(
        "order of the input" in warning
        for warning in sd.anonymize(table, sd.PkAnonymity(2), method=method).warnings
    )
    release = sd.anonymize(table, sd.PkAnonymity(2), method=method, order="keep")
    assert any("in the order of the input" in warning for warning in release.warnings) == warned


CITIES = ["Oslo", "Oslo", "Rome", "Bern", "Riga", "Nice"] * 5
LEVELS = [
    ["Oslo", "Oslo", "*"],
    ["Rome", "Oslo", "*"],
    *([one, "rest", "*"] for one in ("Bern", "Riga", "Nice")),
]


def _ambiguous(release: sd.Release) -> list[str]:
    return [warning for warning in release.warnings if "readers cannot tell them apart" in warning]


@pytest.mark.parametrize(
    "hierarchy", [sd.hierarchy.suppress(label="Oslo"), Hierarchy.from_levels(LEVELS, "c")]
)
@pytest.mark.parametrize("method", [sd.Mondrian(), sd.FullDomain(), sd.Generalize(effort="fast")])
def test_a_label_that_is_a_value_is_warned_of(method, hierarchy):
    table = sd.read(pl.DataFrame({"c": CITIES}))
    table = table.describe(quasi=["c"], hierarchies={"c": hierarchy})
    (warning,) = _ambiguous(sd.anonymize(table, sd.KAnonymity(9), method=method))
    assert warning.startswith("In c, the released 'Oslo' stands both for")
    assert not _ambiguous(sd.anonymize(table, sd.KAnonymity(2), method=method))  # nothing is generalized


def test_a_star_that_is_a_value_is_warned_of():
    table = sd.read(pl.DataFrame({"c": ["*", "Rome", "Bern"] * 4, "d": ["*", "*", "x"] * 4})).describe(
        quasi=["c"], insensitive=["d"]
    )
    (warning,) = _ambiguous(sd.anonymize(table, sd.KAnonymity(5)))
    assert "In c, the released '*' stands both for" in warning
    assert not _ambiguous(sd.anonymize(table, method=sd.SwapRecords(("c",), share=1.0)))
    plain = sd.read(pl.DataFrame({"c": CITIES})).describe(quasi=["c"])
    assert not _ambiguous(sd.anonymize(plain, sd.KAnonymity(9)))


def _reached(**given: Any) -> tuple[float, sd.Release]:
    frame = _people().with_columns(color=pl.Series(["red", "blue"] * (ROWS // 2)))
    table = sd.read(frame).describe(quasi=["age", "sex"], insensitive=["color"])
    release = sd.anonymize(table, sd.PkAnonymity(5), method=_noise(**given), seed=1)
    return release.verdicts[0].reached or 0.0, release


def test_an_insensitive_column_takes_nothing_of_the_budget():
    alone, _ = _reached()
    for given in (
        {},
        {"weights": {"color": 9.0}},
        {"mechanisms": {"color": {"type": "retention", "keep": 0.999}}},
    ):
        reached, release = _reached(columns=("age", "sex", "color"), **given)
        assert reached == pytest.approx(alone) == pytest.approx(5)
        assert release.table.column("color").mechanism is not None
    _, release = _reached(columns=("age", "sex", "color"))
    noise = release.table.column("color").mechanism
    assert noise is not None
    assert noise.rate() == pytest.approx((4 / (ROWS - 1)) ** (1 / 3))  # an equal share, as of all


def test_a_release_of_baskets_is_told_to_be_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    baskets = sd.read_baskets([["milk", "beer"], ["milk"], ["milk", "beer"]])
    sd.anonymize(baskets, sd.KmAnonymity(2, 1)).write("baskets", reports=[])
    for place in ("baskets", "baskets/public"):
        assert main(["crosstab", place, "--by", "home"]) != 0
        said = " ".join(capsys.readouterr().err.split())
        assert f"'{place}' is a release of baskets" in said
        assert "restore" not in said


def test_a_missing_sensitive_column_is_told_in_words_of_both_interfaces(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _people().write_csv("people.csv")
    assert main(["check", "people.csv", "--quasi", "sex", "--require", "l-diversity l=2"]) != 0
    said = " ".join(capsys.readouterr().err.split())
    assert "needs a sensitive column, but the table has none; name one as sensitive." in said


def test_a_printed_cross_tabulation_fits_80_columns():
    long = "a rather long name of a column"
    frame = _people().with_columns(pl.Series(long, ["x" * 90, "値" * 50] * (ROWS // 2)))
    table = sd.read(frame).describe(quasi=["age", "sex"], insensitive=[long])
    release = sd.anonymize(table, sd.PkAnonymity(5), method=_noise(), seed=1)
    for by in (["sex"], ["age", "sex", long]):
        found = sd.crosstab(release, by=by, draws=2, seed=1)
        lines = str(found).splitlines()
        assert max(width_of(line) for line in lines) <= WIDTH
        assert found.fit.sentences()[-1] in " ".join(lines)


@pytest.mark.parametrize("weights", [[-1, -1], [0, 0], [None, None], [2.0, 0.0], [float("nan")] * 2])
def test_a_weight_is_a_positive_number(weights):
    frame = pl.DataFrame({"one": [1, 2], "w": pl.Series(weights, dtype=pl.Float64, strict=False)})
    with pytest.raises(
        DescriptionError, match=r"Column 'w' is a weight but contains .* A weight is a positive number"
    ):
        sd.read(frame).describe(quasi=["one"], weight=["w"])
    assert guess_roles(frame.rename({"w": "sample_weight"}))[1].role != "weight"


def test_a_missing_weight_counts_as_one():
    table = sd.read(pl.DataFrame({"one": [1, 1], "w": [3, None]})).describe(quasi=["one"], weight=["w"])
    assert sd.risk(table).journalist_largest == 1 / 4


def test_there_is_one_weight():
    frame = pl.DataFrame({"one": [1, 2], "sample_weight": [2, 3], "survey_weight": [4, 5]})
    with pytest.raises(
        DescriptionError, match=r"'sample_weight' and 'survey_weight' are both weights.*keep one"
    ):
        sd.read(frame).describe(quasi=["one"], weight=["sample_weight", "survey_weight"])
    assert [guess.role for guess in guess_roles(frame)][1:] == ["weight", "quasi"]
