"""Randomize, Pk-anonymity and their verification, as users meet them."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, union-attr"

import json
import math
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.protocol import Context
from sudare.assess.catalogue import REQUIREMENTS
from sudare.describe.mechanism import MECHANISMS, Density, Laplace, Normal, Retention, Uniform
from sudare.errors import DescriptionError, GuaranteeError, InfeasibleError, ParameterError, SudareError
from sudare.randomness import Randomness
from sudare.release.verify import verify_frame
from sudare.release.verify_noise import noise_epsilon

ROWS = 400


def frame(rows=ROWS):
    place = np.arange(rows)
    return pl.DataFrame(
        {
            "age": place % 90,
            "sex": np.where(place % 3 == 0, "女", "男"),
            "weight": 40.0 + place % 50 / 2,
            "born": pl.Series(10_000 + place % 300, dtype=pl.Int32).cast(pl.Date),
            "pain": np.array(["none", "mild", "severe"])[place % 3],
            "disease": np.array(["flu", "gout", "cold", "胃炎"])[place % 4],
            "row": place,
        }
    )


RANGES = {"age": (0, 120), "weight": (0, 200), "born": ("1990-01-01", "2030-12-31")}
ORDER = ("none", "mild", "severe")


def table(given=None, **more):
    described = sd.read(frame() if given is None else given)
    return described.describe(
        **{
            "quasi": ["age", "sex", "weight", "born", "pain"],
            "sensitive": ["disease"],
            "insensitive": ["row"],
            "kinds": {"pain": "ordinal"},
            **more,
        }
    )


def method(**fields):
    return sd.Randomize(**{"ranges": RANGES, "values": {"pain": ORDER}, **fields})


def small(values=None, **columns):
    given = pl.DataFrame(columns or {"age": list(range(30)), "sex": ["F", "M"] * 15})
    return sd.read(given).describe(quasi=given.columns)


def test_the_example_of_the_design():
    people = sd.read(pl.DataFrame({"age": list(range(100))})).describe(quasi=["age"])
    release = sd.anonymize(people, sd.PkAnonymity(10), method=sd.Randomize(ranges={"age": (0, 120)}))
    assert release.holds
    assert release.verdicts[0].reached == pytest.approx(10)
    mechanism = release.table.column("age").mechanism
    assert mechanism == Laplace(mechanism.scale, 0, 120, grid=1)
    assert mechanism.scale == pytest.approx(-2 * 120 / math.log(9 / 99))


def test_every_kind_of_column_stays_what_it_is():
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(), seed=1)
    before, after = frame(), release.frame
    assert after.schema == before.schema
    assert after["age"].is_between(0, 120).all()
    assert after["born"].is_between(date(1990, 1, 1), date(2030, 12, 31)).all()
    assert set(after["pain"]) == set(ORDER)
    assert set(after["sex"]) == {"女", "男"}
    steps = after["weight"] / release.table.column("weight").mechanism.grid
    assert (steps - steps.round()).abs().max() < 1e-6
    assert sorted(after["row"]) == list(range(ROWS))
    assert after["row"].to_list() == release.rows_of_original.tolist()
    kinds = {column.name: type(column.mechanism) for column in release.table.columns if column.mechanism}
    assert kinds == {
        "age": Laplace, "sex": Retention, "weight": Laplace, "born": Laplace, "pain": Laplace, "disease": Retention,
    }  # fmt: skip
    assert release.table.column("pain").mechanism.values == ORDER


def test_equal_budgets_and_weights():
    equal = sd.anonymize(table(), sd.PkAnonymity(5), method=method(), seed=1).table
    rates = [column.mechanism.rate() for column in equal.columns if column.mechanism]
    assert np.allclose(rates, (4 / 399) ** (1 / 6))
    weighted = sd.anonymize(table(), sd.PkAnonymity(5), method=method(weights={"age": 3}), seed=1).table
    logs = {c.name: math.log(c.mechanism.rate()) for c in weighted.columns if c.mechanism}
    assert logs["age"] == pytest.approx(3 * logs["sex"])
    assert sum(logs.values()) == pytest.approx(math.log(4 / 399))


def test_an_exact_column_leaves_its_smallest_block():
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(exact=["sex"]), seed=1)
    women = int((frame()["sex"] == "女").sum())
    assert release.table.column("sex").mechanism is None
    assert release.frame["sex"].to_list() == frame()["sex"][release.rows_of_original].to_list()
    product = math.prod(column.mechanism.rate() for column in release.table.columns if column.mechanism)
    assert product == pytest.approx(4 / (women - 1))
    assert f"{women}" in release.verdicts[0].explanation
    with pytest.raises(InfeasibleError, match="age leave"):
        sd.anonymize(table(), sd.PkAnonymity(6), method=method(exact=["age"]))


def test_given_mechanisms_are_used_and_counted():
    noise = stats.logistic(scale=500)
    own = {
        "sex": Retention(0.2, ("女", "男")),
        "age": "normal",
        "weight": {"type": "density", "noise": noise},
    }
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(mechanisms=own), seed=1)
    columns = release.table
    assert columns.column("sex").mechanism == own["sex"]
    assert isinstance(columns.column("age").mechanism, Normal)
    assert (
        columns.column("weight").mechanism.noise.name,
        columns.column("weight").mechanism.noise.scale,
    ) == ("logistic", 500)
    assert release.verdicts[0].reached == pytest.approx(5, rel=1e-6)
    weak = {"sex": Retention(0.99, ("女", "男"))}
    with pytest.raises(InfeasibleError, match="more noise"):
        sd.anonymize(table(), sd.PkAnonymity(50), method=method(mechanisms=weak))


def test_mechanisms_without_a_requirement():
    given_fully = {"age": Laplace(30, 0, 120), "sex": {"type": "retention", "keep": 0.5}}
    release = sd.anonymize(small(), method=sd.Randomize(mechanisms=given_fully), seed=1)
    assert release.table.column("age").mechanism == Laplace(30, 0, 120, grid=1)
    assert release.table.column("sex").mechanism == Retention(0.5, ("F", "M"))
    with pytest.raises(ParameterError, match="no Pk-anonymity requirement"):
        sd.anonymize(small(), method=sd.Randomize(ranges={"age": (0, 120)}))
    with pytest.raises(GuaranteeError, match=r"1/1\.00"):
        sd.anonymize(small(), sd.PkAnonymity(20), method=sd.Randomize(mechanisms=given_fully))


def test_unbounded_laplace_and_uniform():
    wide = {"age": {"type": "laplace", "bounded": False}, "sex": "retention"}
    release = sd.anonymize(
        small(), sd.PkAnonymity(5), method=sd.Randomize(ranges={"age": (0, 120)}, mechanisms=wide), seed=1
    )
    assert release.holds
    assert not release.frame["age"].is_between(0, 120).all()
    flat = sd.anonymize(
        small(),
        sd.PkAnonymity(30),
        method=sd.Randomize(ranges={"age": (0, 120)}, mechanisms={"age": "uniform"}),
        seed=1,
    )
    assert isinstance(flat.table.column("age").mechanism, Uniform)
    assert flat.verdicts[0].reached == pytest.approx(30)


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt16, pl.Int64, pl.Float32, pl.Float64, pl.Decimal(10, 2)])
def test_types_of_numbers(dtype):
    people = small(x=pl.Series([1, 50, 99] * 10).cast(dtype))
    ranges = {"x": (0, 100)}
    release = sd.anonymize(people, sd.PkAnonymity(4), method=sd.Randomize(ranges=ranges), seed=1)
    assert release.frame["x"].dtype == dtype
    assert release.frame["x"].cast(pl.Float64).is_between(0, 100).all()
    if dtype == pl.Int8:
        wider = sd.anonymize(people, sd.PkAnonymity(4), method=sd.Randomize(ranges={"x": (0, 1000)}), seed=1)
        assert wider.frame["x"].dtype == pl.Int64
        assert wider.frame["x"].max() > 127


def test_moments_become_midnights_and_truth_values_stay():
    people = small(
        seen=pl.datetime_range(datetime(2024, 1, 1, 13), datetime(2024, 1, 20, 13), "1d", eager=True),  # noqa: DTZ001
        insured=[True, False] * 10,
    )
    release = sd.anonymize(
        people,
        sd.PkAnonymity(4),
        method=sd.Randomize(ranges={"seen": (date(2024, 1, 1), "2024-12-31")}),
        seed=1,
    )
    assert release.frame.schema == people.frame.schema
    assert (release.frame["seen"].dt.hour() == 0).all()
    assert release.table.column("insured").mechanism.values == (False, True)


def test_missing_cells():
    gaps = frame().with_columns(
        pl.when(pl.col("row") % 5 > 0).then(pl.col(name)).alias(name)
        for name in ("age", "sex", "pain", "born")
    )
    with pytest.raises(DescriptionError, match="'age' is missing in row 0"):
        sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method())
    release = sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method(missing="category"), seed=1)
    assert release.verdicts[0].reached == pytest.approx(5)
    assert release.table.column("age").mechanism.flip is not None
    assert None in release.table.column("sex").mechanism.values
    for name in ("age", "sex", "pain", "born"):
        was = gaps[name].is_null()[release.rows_of_original]
        now = release.frame[name].is_null()
        assert (was & ~now).any()
        assert (~was & now).any()
    kept = sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method(missing="keep"), seed=1)
    assert kept.frame["age"].is_null().to_list() == gaps["age"].is_null()[kept.rows_of_original].to_list()
    assert kept.verdicts[0].reached == pytest.approx(5)
    assert "missing age" in kept.verdicts[0].explanation
    assert kept.table.column("age").mechanism.rate() > release.table.column("age").mechanism.rate()


def test_values_outside_the_range():
    tight = method(ranges={**RANGES, "age": (0, 80)})
    with pytest.raises(DescriptionError, match=r"'age' has 81 in row 81 .* \[0, 80\]"):
        sd.anonymize(table(), sd.PkAnonymity(5), method=tight)
    with pytest.raises(DescriptionError, match=r"1990-01-01, 1990-02-01"):
        sd.anonymize(
            table(), sd.PkAnonymity(5), method=method(ranges={**RANGES, "born": ("1990-01-01", "1990-02-01")})
        )
    clipped = sd.anonymize(
        table(), sd.PkAnonymity(5), method=method(ranges={**RANGES, "age": (0, 80)}, outside="clip"), seed=1
    )
    assert clipped.frame["age"].max() <= 80
    assert any("clipped" in note for note in clipped.notes)
    with pytest.raises(DescriptionError, match="'sex' has '女' in row 0"):
        sd.anonymize(table(), sd.PkAnonymity(5), method=method(values={"sex": ["F", "M"]}))


def test_given_values_may_be_more_than_there_are():
    release = sd.anonymize(
        table(), sd.PkAnonymity(100), method=method(values={"sex": ("女", "男", "他"), "pain": ORDER}), seed=1
    )
    assert set(release.frame["sex"]) == {"女", "男", "他"}
    assert not any("sex" in note and "those in the data" in note for note in release.notes)
    assert any("disease" in note and "those in the data" in note for note in release.notes)
    assert any("disease" in warning and "read off the data" in warning for warning in release.warnings)
    assert not any("sex" in warning for warning in release.warnings)


def test_the_order_of_a_hierarchy_is_the_order_of_ranks():
    people = table(hierarchies={"pain": sd.hierarchy.order(["none", "mild", "severe"])})
    release = sd.anonymize(people, sd.PkAnonymity(5), method=sd.Randomize(ranges=RANGES), seed=1)
    assert release.table.column("pain").mechanism.values == ORDER


def test_rows_are_shuffled_unless_told_otherwise():
    assert method().apply(table(), context(seed=1)).rows.tolist() != list(range(ROWS))
    kept = method(shuffle=False).apply(table(), context(seed=1))
    assert kept.rows.tolist() == list(range(ROWS))
    assert kept.table.frame["row"].to_list() == list(range(ROWS))


def context(k=5.0, seed=None):
    return Context((sd.PkAnonymity(k),), Randomness(seed))


def test_released_ages_follow_their_mechanism():
    people = sd.read(pl.DataFrame({"age": [30] * 20_000})).describe(quasi=["age"])
    release = sd.anonymize(people, sd.PkAnonymity(400), method=sd.Randomize(ranges={"age": (0, 50)}), seed=4)
    mechanism = release.table.column("age").mechanism
    points = np.arange(51.0)
    chances = mechanism.cumulative(30, points) - mechanism.cumulative(30, points, strict=True)
    counts = np.bincount(release.frame["age"].to_numpy(), minlength=51)
    assert stats.chisquare(counts, chances * 20_000).pvalue > 1e-4


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"ranges": {}}, "no range for 'age'"),
        ({"ranges": {"age": (0.5, 120)}}, "whole ends"),
        ({"ranges": {"age": (120, 0)}}, "low end"),
        ({"ranges": {"age": ("0", "120")}}, "give numbers"),
        ({"ranges": {"agee": (0, 120)}}, "did you mean 'age'"),
        ({"ranges": {"age": (0, 120)}, "grids": {"age": 0.5}}, "whole step"),
        ({"ranges": {"age": (0, 120)}, "grids": {"age": 7}}, "does not divide"),
        ({"mechanisms": {"age": "laplas"}}, "did you mean 'laplace'"),
        ({"mechanisms": {"sex": "laplace"}, "ranges": {"age": (0, 120)}}, "use retention"),
        (
            {"mechanisms": {"age": {"type": "normal", "bounded": False}}, "ranges": {"age": (0, 120)}},
            "rate 0",
        ),
        ({"exact": ["sex", "age"]}, "no column to randomize"),
        ({"exact": ["sex"], "columns": ["sex"]}, "decide for one"),
        ({"ranges": {"age": (0, 120)}, "values": {"sex": ["F", None, "M"]}}, "last"),
        ({"outside": "ignore"}, "outside"),
        ({"weights": {"age": 0}}, "weights"),
    ],
)
def test_wrong_parameters_are_one_sentence(fields, part):
    with pytest.raises(SudareError) as caught:
        sd.anonymize(small(), sd.PkAnonymity(5), method=sd.Randomize(**fields))
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_refusals():
    with pytest.raises(InfeasibleError, match="31"):
        sd.anonymize(small(), sd.PkAnonymity(31), method=sd.Randomize(ranges={"age": (0, 120)}))
    twice = [sd.Randomize(ranges={"age": (0, 120)})] * 2
    with pytest.raises(ParameterError, match="already"):
        sd.anonymize(small(), sd.PkAnonymity(5), method=twice)
    lists = sd.read(pl.DataFrame({"items": [[1], [2]]})).describe(quasi=["items"])
    with pytest.raises(ParameterError, match="no mechanism"):
        sd.Randomize().apply(lists, context(2))
    people = table().describe(insensitive=["row"])
    with pytest.raises(ParameterError, match="'row'"):
        sd.anonymize(people, sd.PkAnonymity(5), method=method(exact=["row"]))

    class Custom:
        pdf, cdf, ppf = stats.norm.pdf, stats.norm.cdf, stats.norm.ppf

    with pytest.raises(ParameterError, match="public description"):
        sd.Randomize(mechanisms={"age": Density(Custom, 0, 1)})


def test_constant_and_missing_columns_cost_nothing():
    people = small(age=list(range(30)), one=["x"] * 30, none=pl.Series([None] * 30, dtype=pl.String))
    for policy in ("category", "keep"):
        release = sd.anonymize(
            people, sd.PkAnonymity(5), method=sd.Randomize(ranges={"age": (0, 120)}, missing=policy), seed=1
        )
        assert release.table.column("one").mechanism.rate() == 1
        assert release.table.column("age").mechanism.rate() == pytest.approx(4 / 29)
        assert release.frame["none"].null_count() == 30
    constant = small(age=list(range(30)), level=["x"] * 30).describe(kinds={"level": "ordinal"})
    assert sd.anonymize(constant, sd.PkAnonymity(5), method=sd.Randomize(ranges={"age": (0, 120)})).holds


def test_odd_tables():
    with pytest.raises(InfeasibleError, match="1 record,"):
        sd.anonymize(small(age=[3]), sd.PkAnonymity(2), method=sd.Randomize(ranges={"age": (0, 120)}))
    alike = sd.anonymize(
        small(age=[3] * 9), sd.PkAnonymity(8.9), method=sd.Randomize(ranges={"age": (0, 120)}), seed=1
    )
    assert alike.holds
    assert alike.frame["age"].n_unique() > 4
    far = small(money=[1e15, 1e15 + 50.25, 1e15 + 100] * 5)
    release = sd.anonymize(
        far, sd.PkAnonymity(4), method=sd.Randomize(ranges={"money": (1e15, 1e15 + 100)}), seed=1
    )
    assert release.frame["money"].is_between(1e15, 1e15 + 100).all()
    assert verify_frame(release.table.frame, described(release), [{"type": "pk-anonymity", "k": 4}])[-1].holds


def test_pk_anonymity_of_tables_that_are_not_randomized():
    people = small(age=[1, 1, 1, 2, 2], sex=["F", "F", "F", "M", "M"])
    assert sd.PkAnonymity(2).check(people).reached == 2
    verdict = sd.PkAnonymity(3).check(people)
    assert not verdict.holds
    assert verdict.violating_rows.tolist() == [3, 4]
    assert verdict.explanation.count("\n") == 0
    empty = people.take(np.empty(0, dtype=np.int64))
    assert sd.PkAnonymity(3).check(empty).holds
    assert sd.assess(people, sd.PkAnonymity(3)).verdicts[0].reached == 2


def test_a_method_that_groups_may_go_first():
    people = table(quasi=["age", "sex"], insensitive=["row", "weight", "born", "pain"])
    release = sd.anonymize(
        people,
        sd.PkAnonymity(5),
        sd.KAnonymity(5),
        method=[sd.Mondrian(), sd.Randomize(columns=["disease"])],
        seed=1,
    )
    assert release.holds


# -- written and read back --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
@pytest.mark.parametrize("missing", ["category", "keep"])
def test_a_written_release_is_verified_from_its_files(tmp_path, file_format, missing):
    gaps = frame().with_columns(
        pl.when(pl.col("row") % 4 > 0).then(pl.col(name)).alias(name)
        for name in ("age", "sex", "pain", "weight")
    )
    release = sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method(missing=missing), seed=1)
    written = release.write(tmp_path / "out", format=file_format)
    finding = written.findings[-1]
    assert finding.requirement["type"] == "pk-anonymity"
    assert finding.holds
    assert finding.reached == pytest.approx(release.verdicts[0].reached, rel=1e-9)
    columns = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))["columns"]
    assert columns["age"]["mechanism"]["type"] == "laplace"
    assert columns["row"].get("mechanism") is None
    assert sd.verify_release(tmp_path / "out")[-1].holds


def described(release):
    """Columns as a manifest has them."""
    from sudare.describe.mechanism import MECHANISMS

    return {
        column.name: {
            "role": column.role,
            "kind": column.kind,
            **({"mechanism": MECHANISMS.dump(column.mechanism)} if column.mechanism else {}),
        }
        for column in release.table.columns
    }


def test_a_weaker_mechanism_than_promised_is_noticed():
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(), seed=1)
    columns = described(release)
    asked = [{"type": "pk-anonymity", "k": 5}]
    assert verify_frame(release.table.frame, columns, asked)[-1].holds

    def verified(name, **changes):
        changed = {**columns, name: {**columns[name], "mechanism": {**columns[name]["mechanism"], **changes}}}
        return verify_frame(release.table.frame, changed, asked)[-1]

    assert not verified("age", scale=50).holds
    assert not verified("sex", keep=0.9).holds
    assert not verified("sex", distribution=[0.01, 0.99]).holds
    assert not verified("weight", high=100).holds
    assert not verified("weight", grid=7).holds
    assert not verified("age", type="normal", deviation=1e9, bounded=False).holds
    assert "cannot be checked" in verified("age", type="magic").sentence
    assert "cannot be checked" in verified("age", scale=None).sentence
    assert "never releases" in verified("sex", values=["a", "b"]).sentence
    bare = {
        name: {key: value for key, value in about.items() if key != "mechanism"}
        for name, about in columns.items()
    }
    assert verify_frame(release.table.frame, bare, asked)[-1].reached == 1


@settings(max_examples=30, deadline=None)
@given(
    st.floats(1.01, 30),
    st.sampled_from(["laplace", "normal", "uniform", "density"]),
    st.booleans(),
    st.floats(1e-3, 1e3),
    st.floats(0.01, 1),
)
def test_the_verifier_agrees_with_the_check(k, kind, gaps, width, share):
    rows = 40
    values = pl.Series(
        [None if gaps and row % 3 == 0 else row / rows * width for row in range(rows)], dtype=pl.Float64
    )
    people = small(x=values, sex=["F", "M"] * 20)
    given_mechanisms = {
        "x": {"type": "density", "noise": "logistic"} if kind == "density" else kind,
        "sex": {"type": "retention", "distribution": [share / (1 + share), 1 / (1 + share)]},
    }
    how = sd.Randomize(ranges={"x": (0, width)}, mechanisms=given_mechanisms, missing="category")
    release = sd.anonymize(people, sd.PkAnonymity(k), method=how, measures=["dm"], seed=1)
    finding = verify_frame(release.table.frame, described(release), [{"type": "pk-anonymity", "k": k}])[-1]
    assert finding.holds, finding.sentence
    assert finding.reached == pytest.approx(release.verdicts[0].reached, rel=1e-8)
    mechanisms = {name: MECHANISMS.dump(release.table.column(name).mechanism) for name in ("x", "sex")}
    for name, mechanism in mechanisms.items():
        assert noise_epsilon(name, mechanism) == pytest.approx(
            release.table.column(name).mechanism.epsilon(), rel=1e-6, abs=1e-9
        )


def test_parameters_survive_a_recipe():
    how = method(
        mechanisms={"age": Laplace(30, 0, 120), "sex": "retention"}, exact=["pain"], weights={"age": 2}
    )
    assert METHODS.build(METHODS.dump(how)) == how
    assert METHODS.build(json.loads(json.dumps(METHODS.dump(how)))) == how
    assert REQUIREMENTS.build("pk-anonymity k=10") == sd.PkAnonymity(10)
    with pytest.raises(ParameterError, match="greater than 1"):
        sd.PkAnonymity(1)


def test_a_shuffled_release_cannot_be_measured_again_by_position(tmp_path):
    from sudare.errors import InputError
    from sudare.release.reopen import reopen_pair

    frame().write_csv(tmp_path / "in.csv")
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(), seed=1)
    release.write(tmp_path / "out")
    with pytest.raises(InputError, match="random order"):
        reopen_pair(str(tmp_path / "in.csv"), str(tmp_path / "out"))
