"""l-diversity used to be met by spelling: `HIV` and `HIV ` counted as two diseases."""

# mypy: disable-error-code="arg-type"
# parameters are given as users write them

import json
import unicodedata
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.describe.column import alike_values, encode
from sudare.errors import InfeasibleError, ParameterError
from sudare.formats.data import EXTENSIONS
from sudare.verify.blocks import read_values
from sudare.verify.verify import verify_frame, verify_release
from sudare.words.sentence import in_language

ALIKE = [
    (None, ""),
    ("", " \u3000"),
    ("HIV", "HIV "),
    ("HIV", "hiv"),
    ("HIV", "ＨＩＶ"),
    ("ガン", "ｶﾞﾝ"),
    ("é", "e\u0301"),
    ("HIV", "HI\u200bV"),
    ("HIV", "\ufeffHIV"),
    ("heart attack", "heart \t attack"),
    ("heart attack", "heart\u00a0attack"),
    ("Straße", "STRASSE"),
    ("1", "1.0"),
    ("1", "１.００"),
    ("0.5", ".50"),
    (0.1 + 0.2, 0.3),
    (1e-300, 1.0000000000000002e-300),
    (-1e9 / 3, -1e9 / 3 * (1 + 2e-16)),
]
APART = [
    ("HIV", "HIV2"),
    ("HIV", "H IV"),
    ("1.1", "1.2"),
    ("100000000000000000001", "100000000000000000002"),
    (0.3, 0.3000001),
    (1e15, 1e15 + 1),
    (2**60, 2**60 + 1),
    ("はは", "ハハ"),
    ("*", None),
]
KINDS = ("distinct", "entropy", "recursive")


def homogeneous(one, other):
    """Two blocks: one with two spellings of a value, one with two values."""
    numbers = isinstance(one, int | float)
    values = [one, other, 7 if numbers else "flu", 8 if numbers else "gout"]
    frame = pl.DataFrame({"age": ["a", "a", "b", "b"], "disease": values})
    return sd.read(frame).describe(quasi=["age"], sensitive=["disease"], kinds={"age": "nominal"})


def found_by_verifier(table, requirement):
    columns = {column.name: {"role": column.role, "kind": column.kind} for column in table.columns}
    return verify_frame(table.frame, columns, [requirement])[1]


def asked(kind, **more):
    c = {"c": 3.0} if kind == "recursive" else {}
    return sd.LDiversity(2, kind=kind, **c, **more), {
        "type": "l-diversity",
        "l": 2,
        "kind": kind,
        **c,
        **more,
    }


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_two_spellings_are_one_value(one, other):
    table = homogeneous(one, other)
    for kind in KINDS:
        requirement, written = asked(kind)
        assert not requirement.check(table).holds
        assert not found_by_verifier(table, written).holds
        requirement, written = asked(kind, spelling="exact")
        assert requirement.check(table).holds
        assert found_by_verifier(table, written).holds
    closeness = sd.TCloseness(1.0).check(table).reached
    assert closeness == pytest.approx(0.5)
    assert found_by_verifier(table, {"type": "t-closeness", "t": 1, "distance": "equal"}).reached == 0.5
    assert sd.risk(table).guesses[0].homogeneous_share == 0.5


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_values_are_two_values(one, other):
    table = homogeneous(one, other)
    for kind in KINDS:
        requirement, written = asked(kind)
        assert requirement.check(table).holds
        assert found_by_verifier(table, written).holds


@pytest.mark.parametrize("layout", EXTENSIONS)
def test_library_and_verifier_agree_on_random_spellings_in_every_format(layout, tmp_path):
    random = np.random.default_rng(6)
    words = ["HIV", "HIV ", "ＨＩＶ", "flu", "Flu", None, "", "1", "1.0", "é", "e\u0301", "low", "mid "]
    for number in range(6):
        # SPSS and Stata have no empty texts, and no blanks at the end of one: such a release is refused there.
        chosen = (
            [word for word in words if word is None or word == word.strip() != ""]
            if layout in {"spss", "stata"}
            else words
        )
        values = random.choice(np.array(chosen, dtype=object), 24).tolist()
        known = [*random.permutation([word for word in words if word is not None])]
        disease = pl.Series(values, dtype=pl.Enum(known) if number % 2 else pl.String)
        cost = random.choice([0.1 + 0.2, 0.3, 0.30001, 7.0, 7.5, 1e-7], 24)
        frame = pl.DataFrame(
            {"age": [f"b{row % 2}" for row in range(24)], "disease": disease, "cost": cost},
        )
        table = sd.read(frame).describe(quasi=["age"], sensitive=["disease", "cost"])
        table = table.describe(kinds={"disease": "ordinal", "age": "nominal"})
        requirements = [
            *(sd.LDiversity(1, kind=kind, c=9 if kind == "recursive" else None) for kind in KINDS),
            sd.LDiversity(1, spelling="exact"),
            sd.TCloseness(1, distance="ordered"),
            sd.TCloseness(1, distance="equal"),
            sd.TCloseness(1, distance="ordered", spelling="exact"),
        ]
        release = sd.anonymize(table, *requirements, method=sd.Shuffle())
        written = release.write(tmp_path / str(number), format=layout)
        found = verify_release(Path(written.folder))[2:]
        for verdict, finding in zip(release.verdicts, found, strict=True):
            assert finding.holds
            assert finding.reached == pytest.approx(verdict.reached, abs=1e-9)


def test_keys_are_the_same_as_those_of_the_verifier():
    random = np.random.default_rng(11)
    letters = ["a", "A", "ａ", " ", "\u200b", "1", ".", "0", "é", "e\u0301", "ß", "ss", "\u3000", "-", "e"]
    texts = ["".join(random.choice(letters, random.integers(0, 5))) for _ in range(4000)]
    series = pl.Series(texts)
    groups = [set(group) for group in alike_values(encode(series))]
    values = read_values(series, "nominal")
    together: list[set[str]] = [set() for _ in values.texts]
    for text, code in zip(texts, values.code.tolist(), strict=True):
        together[code].add(text)
    assert sorted(map(sorted, groups)) == sorted(sorted(group) for group in together if len(group) > 1)


def test_floats_are_the_same_as_those_of_the_verifier():
    random = np.random.default_rng(12)
    base = random.normal(size=600) * 10.0 ** random.integers(-12, 17, 600)
    floats = np.concatenate([base, base * (1 + random.normal(size=600) * 1e-12), np.nextafter(base, np.inf)])
    series = pl.Series(floats)
    merged = sum(len(group) - 1 for group in alike_values(encode(series)))
    assert merged > 600
    assert len(read_values(series, "numeric").texts) == series.n_unique() - merged
    written = series.cast(pl.String)
    assert len(read_values(written, "numeric").texts) == series.n_unique() - merged


@pytest.mark.parametrize("method", [sd.Mondrian(), sd.Generalize(), sd.FullDomain()])
def test_methods_bounds_and_verifier_count_spellings_once(method, tmp_path):
    random = np.random.default_rng(2)
    diseases = np.array(["HIV", "HIV ", "hiv", "flu", "Flu", "gout"])
    frame = pl.DataFrame(
        {"age": random.integers(20, 60, 200), "disease": diseases[random.integers(0, 6, 200)].tolist()}
    )
    table = sd.read(frame).describe(
        quasi=["age"], sensitive=["disease"], hierarchies={"age": sd.hierarchy.intervals(5)}
    )
    release = sd.anonymize(table, sd.KAnonymity(3), sd.LDiversity(3), method=method)
    written = release.write(tmp_path / "out")
    manifest = json.loads((Path(written.folder) / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["requirements"][1]["spelling"] == "alike"
    rows = pl.read_csv(written.data)
    normal = rows["disease"].str.strip_chars().str.to_lowercase()
    blocks: dict[str, set[str]] = {}
    for age, disease in zip(rows["age"].to_list(), normal.to_list(), strict=True):
        blocks.setdefault(age, set()).add(disease)
    assert min(map(len, blocks.values())) >= 3
    assert sorted(release.table.frame["disease"].to_list()) == sorted(frame["disease"].to_list())
    with pytest.raises(InfeasibleError):
        sd.anonymize(table, sd.LDiversity(4), method=method)
    assert sd.anonymize(table, sd.LDiversity(4, spelling="exact"), method=method).verdicts[0].holds


def test_the_release_names_both_spellings():
    values = ["HIV", "HIV ", "flu", "gout", None, "", "é", unicodedata.normalize("NFD", "é")]
    table = sd.read(pl.DataFrame({"age": ["a"] * 8, "disease": values}))
    table = table.describe(quasi=["age"], sensitive=["disease"])
    release = sd.anonymize(table, sd.LDiversity(2), method=sd.Shuffle())
    said = "\n".join(release.warnings)
    assert "'HIV' and 'HIV ' count as one value of disease" in said
    assert "'' and missing count as one value of disease" in said
    assert r"'e\u0301' and '\xe9' count as one value of disease" in said
    assert "'HIV' と 'HIV '" in "".join(in_language(warning, "ja") for warning in release.warnings)
    exact = sd.anonymize(table, sd.LDiversity(2, spelling="exact"), method=sd.Shuffle())
    assert not any("count as one value" in warning for warning in exact.warnings)


def test_a_column_without_such_spellings_keeps_its_codes():
    table = sd.read(sd.hospital(300))
    for name in table.frame.columns:
        assert table.codes(name, "alike") is table.codes(name)


def test_other_words_for_spelling_are_refused():
    with pytest.raises(ParameterError, match="spelling"):
        sd.LDiversity(2, spelling="fuzzy")
    table = homogeneous("HIV", "flu")
    requirement = {"type": "l-diversity", "l": 2, "kind": "distinct", "spelling": "fuzzy"}
    assert "its spelling is 'fuzzy', not alike or exact" in found_by_verifier(table, requirement).sentence
