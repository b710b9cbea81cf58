"""Randomized releases written, read back and verified."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, union-attr"

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.randomize import described, frame, method, small, table

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.errors import ParameterError
from sudare.mechanism import MECHANISMS, Laplace
from sudare.verify.noise import noise_epsilon
from sudare.verify.verify import verify_frame

# -- written and read back --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("file_format", ["csv", "parquet"])
@pytest.mark.parametrize("missing", ["category", "keep"])
def test_a_written_release_is_verified_from_its_files(tmp_path, file_format, missing):
    gaps = frame().with_columns(
        pl.when(pl.col("row") % 4 > 0).then(pl.col(name)).alias(name)
        for name in ("age", "sex", "pain", "weight")
    )
    release = sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method(missing=missing), seed=1)
    written = release.write(tmp_path / "out", format=file_format)
    finding = written.findings[-2]
    assert finding.requirement["type"] == "pk-anonymity"
    assert finding.holds
    assert finding.reached == pytest.approx(release.verdicts[0].reached, rel=1e-9)
    columns = json.loads((tmp_path / "out/public/manifest.json").read_text(encoding="utf-8"))["columns"]
    assert columns["age"]["mechanism"]["type"] == "laplace"
    assert columns["row"].get("mechanism") is None
    assert sd.verify_release(tmp_path / "out")[-1].holds


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_shuffled_release_cannot_be_measured_again_by_position(tmp_path):
    from sudare.errors import InputError
    from sudare.release.reopen import reopen_pair

    frame().write_csv(tmp_path / "in.csv")
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(), seed=1)
    release.write(tmp_path / "out")
    (tmp_path / "out" / "internal" / "rows.parquet").unlink()  # only the custodian knows whose record it is
    with pytest.raises(InputError, match="random order"):
        reopen_pair(str(tmp_path / "in.csv"), str(tmp_path / "out"))
