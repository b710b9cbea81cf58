"""The recounter of `make robustness` finds what is wrong: in figures that are known by heart, and in files that were changed."""

# mypy: disable-error-code="import-not-found"

import json
import math
from fractions import Fraction

import polars as pl
import pytest
from tests.cases.benchmark_scripts import ROBUSTNESS, importable

import sudare as sd


@pytest.fixture(scope="module", autouse=True)
def scripts():
    with importable(ROBUSTNESS) as folder:
        yield folder


def data(**columns):
    from recount_read import Data

    return Data(columns, len(next(iter(columns.values()))))


def test_k_is_the_size_of_the_smallest_block():
    from recount import k_of

    table = data(a=["1", "1", None, None, ""], b=["x", "x", "x", "x", "x"])
    assert k_of(table, ["b"]) == 5
    assert k_of(table, ["a", "b"]) == 1  # an empty text is not a missing one
    assert k_of(table, []) == 5


@pytest.mark.parametrize(
    ("kind", "c", "figure"),
    [("distinct", None, 2), ("entropy", None, math.exp(0.5623351446)), ("recursive", 4, 2)],
)
def test_l_of_a_block_of_three_and_one(kind, c, figure):
    from recount import l_of

    values = ["flu", "flu", "flu", "gout", "a", "b", "c", "d"]
    assert l_of(values, [[0, 1, 2, 3], [4, 5, 6, 7]], kind, c) == pytest.approx(figure)


def test_recursive_diversity_is_strict():
    from recount import l_of

    assert l_of(["a", "a", "a", "b"], [[0, 1, 2, 3]], "recursive", 3) == 1


def test_t_of_the_example_of_li_li_and_venkatasubramanian():
    """Incomes 3k … 11k: {3k, 4k, 5k} is 0.375 from the whole, {6k, 8k, 11k} 0.167."""
    from recount import Distance, InGroups, Ordered, t_of

    values = [3, 4, 5, 6, 11, 8, 7, 9, 10]
    ordered = Ordered({value: value for value in values})
    assert t_of(values, [[0, 1, 2]], ordered) == pytest.approx(0.375)
    assert t_of(values, [[3, 4, 5]], ordered) == pytest.approx(1 / 6)
    assert t_of(values, [[0, 1, 2]], Distance()) == pytest.approx(2 / 3)
    groups = InGroups({value: "low" if value < 6 else "high" for value in values})
    assert t_of(values, [[0, 1, 2]], groups) == pytest.approx(2 / 3)
    assert t_of(values, [[0, 3, 4]], groups) == pytest.approx(1 / 2 * 2 / 3)


@pytest.mark.parametrize(
    "cells",
    [
        ["HIV", "hiv", " HIV", "ＨＩＶ", "HI\u200bV"],
        ["1", "1.0", "１", "+1", "1e0"],
        ["0.3", "0.30000000000000004"],
        ["é", "e\u0301"],
        [None, "", " "],
    ],
)
def test_spellings_are_one_value(cells):
    from recount import alike

    assert len(set(alike(cells))) == 1


def test_the_text_nan_has_its_place_among_texts():
    from recount import ranks_of

    cells = ["NaN", "-0.0", "x", "sNaN", None]
    ranks = ranks_of(cells, cells, None)
    assert sorted(cells, key=lambda cell: ranks[cell]) == ["-0.0", "NaN", "sNaN", "x", None]


def test_values_are_several():
    from recount import alike

    cells = ["*", None, "a", "9007199254740992", "9007199254740993", "NaN"]
    assert len(set(alike(cells))) == 6
    assert alike(["NaN", "1"], "numeric") == [None, 1]


def test_rarest_set_of_baskets():
    from recount import rarest_set

    baskets = [frozenset(basket) for basket in ("ab", "ab", "abc", "c", "")]
    assert rarest_set(baskets, 1) == 2
    assert rarest_set(baskets, 2) == 1
    assert rarest_set([frozenset()], 2) is None


def test_inference_from_what_users_had():
    from recount import unsafe_shares

    original = [frozenset(basket) for basket in ("mt", "mt", "mt", "m")]
    sensitive = [frozenset("t")] * 4
    assert unsafe_shares(original, sensitive, original, Fraction(3, 4)) == {1: 0, 2: 0}
    assert unsafe_shares(original, sensitive, original, Fraction(1, 2)) == {1: Fraction(5, 8), 2: 0}
    released = [frozenset("t"), frozenset("mt"), frozenset("m"), frozenset("m")]
    assert unsafe_shares(original, sensitive, released, Fraction(1, 3)) == {1: 0, 2: 0}


def test_empty_texts_and_missing_cells_of_a_text_file():
    from recount_read import cells_of

    assert cells_of('a,b\n"",\n"x ""y""\n",z\n', ",") == [["a", "b"], ["", None], ['x "y"\n', "z"]]
    with pytest.raises(ValueError, match="not a cell"):
        cells_of('a"b\n', ",")


@pytest.mark.parametrize("layout", ["csv", "tsv", "parquet", "arrow", "excel", "jsonl"])
def test_every_format_reads_as_it_was_written(layout, tmp_path):
    from recount_read import read_data

    frame = pl.DataFrame(
        {"=a": ["-x", "'y", None, ""], "n": [1, None, 3, 2**40], "z": [None] * 4}, strict=False
    )
    table = sd.read(frame.cast({"z": pl.String})).describe(insensitive=["=a", "n", "z"])
    written = sd.anonymize(table, method=sd.Shuffle(), order="keep", seed=1).write(
        tmp_path / "out", format=layout
    )
    read = read_data(written.data, escaped=True)
    assert read.rows == 4
    assert sorted(map(str, read.columns["=a"])) == sorted(map(str, ["-x", "'y", None, ""]))
    # A workbook has floats only.
    assert sorted(str(cell).removesuffix(".0") for cell in read.columns["n"]) == sorted(
        map(str, [1, None, 3, 2**40])
    )
    assert read.columns["z"] == [None] * 4


def test_wide_integers_beside_nanoseconds(tmp_path):
    """pyarrow cannot read the one, and Python has not the others."""
    from recount_read import read_data

    moments = pl.Series([1, 2], dtype=pl.Int64).cast(pl.Datetime("ns"))
    wide = pl.Series([2**70, 3], dtype=pl.Int128)
    pl.DataFrame({"wide": wide, "when": moments}).write_ipc(tmp_path / "x.arrow")
    assert read_data(tmp_path / "x.arrow", escaped=False).columns == {
        "wide": [str(2**70), "3"],
        "when": ["1", "2"],
    }


@pytest.mark.parametrize("layout", ["lines", "json", "long", "sets", "lists"])
def test_every_layout_reads_as_it_was_written(layout, tmp_path):
    from recount_read import read_baskets

    lists = [["a b", "=x"], [], ["a b", 'say "a"', "c,d"], ["é"]]
    baskets = sd.read_baskets(lists).describe(sensitive=["é"])
    written = sd.anonymize(baskets, sd.KmAnonymity(1, 1), seed=1).write(tmp_path / "out", layout=layout)
    about = json.loads((tmp_path / "out" / "public" / "manifest.json").read_text(encoding="utf-8"))["data"]
    read = read_baskets(written.data, layout, about["delimiter"], escaped=about["escape_formulas"])
    assert sorted(map(sorted, read)) == sorted(map(sorted, lists))


def table_case(**changes):
    from recount_tables import TableCase

    frame = pl.DataFrame(
        {
            "age": ["a", "a", "b", "b"],
            "ill": ["flu", "gout", "flu", "gout"],
            "name": [f"bcdfghjklmn{end}" for end in "pqrs"],
        }
    )
    given = {
        "frame": frame,
        "roles": {"age": "quasi", "ill": "sensitive", "name": "identifier"},
        "requirements": (
            {"type": "k-anonymity", "k": 2},
            {"type": "l-diversity", "l": 2, "kind": "distinct"},
            {"type": "t-closeness", "t": 0.2, "distance": "equal"},
        ),
        "methods": ({"type": "mondrian"},),
    }
    return TableCase(**(given | changes))


def test_a_case_in_order(tmp_path):
    from recount_case import outcome_of

    assert outcome_of(table_case(), tmp_path / "place").state == "released"
    assert not list((tmp_path / "place").iterdir())
    impossible = table_case(requirements=({"type": "k-anonymity", "k": 9},))
    assert outcome_of(impossible, tmp_path / "place").state == "refused"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("a,gout", "b,gout", "k-anonymity does not hold: 1.0 counted"),
        ("a,gout", "a,Flu ", "l-diversity does not hold: 1.0 counted"),
        ("a,gout", "a,flu", "t-closeness does not hold: 0.25 counted"),
        ("a,gout", "a,bcdfghjklmnp x", "the verifier says: The file data.csv"),
    ],
)
def test_a_file_that_was_changed_is_found(old, new, sentence, tmp_path):
    from recount_case import faults_of, release

    case = table_case()
    release(case, tmp_path / "release")
    assert list(faults_of(case, tmp_path / "release")) == []
    path = tmp_path / "release" / "public" / "data.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert any(fault.startswith(sentence) for fault in faults_of(case, tmp_path / "release"))


@pytest.mark.parametrize("place", ["manifest.json", "data.csv"])
def test_a_removed_value_in_the_public_bytes_is_found(place, tmp_path):
    from recount_case import faults_of, release

    case = table_case()
    release(case, tmp_path / "release")
    path = tmp_path / "release" / "public" / place
    path.write_bytes(path.read_bytes() + b" \n" * (place != "data.csv"))
    (path.parent / "more.bin").write_bytes(b"\0bcdfghjklmnp\0")
    assert any("removed values" in fault for fault in faults_of(case, tmp_path / "release"))


def test_values_within_compressed_pages_are_found(tmp_path):
    from recount_read import found_in

    pl.DataFrame({"x": ["bcdfghjklmnp"] * 300}).write_parquet(tmp_path / "x.parquet", compression="zstd")
    assert found_in(tmp_path, {"bcdfghjklmnp", "bcdfghjklmnq"}) == {"bcdfghjklmnp"}


def test_baskets_that_were_changed_are_found(tmp_path):
    from recount_case import faults_of, release
    from recount_tables import BasketCase

    case = BasketCase(
        baskets=(("m", "t"), ("m", "t"), ("m",), ("m",)),
        sensitive=("t",),
        requirements=({"type": "rho-uncertainty", "rho": 0.5}, {"type": "km-anonymity", "k": 2, "m": 2}),
        methods=({"type": "item-suppression"},),
    )
    release(case, tmp_path / "release")
    assert list(faults_of(case, tmp_path / "release")) == []
    path = tmp_path / "release" / "public" / "baskets.txt"
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[lines.index("m")] = "m t x"
    path.write_text("\n".join(lines), encoding="utf-8")
    said = [fault.split(":")[0] for fault in faults_of(case, tmp_path / "release")]
    assert {
        "rho-uncertainty does not hold",
        "km-anonymity does not hold",
        "items appear that were not there",
    } <= set(said)


def test_findings_are_made_small(tmp_path, monkeypatch):
    import recount_case
    from recount_case import Outcome, shrunk

    def outcome_of(case, _place):
        wrong = "b" in case.frame["age"].to_list() if "age" in case.frame.columns else False
        return Outcome("wrong", "a b") if wrong else Outcome("released")

    monkeypatch.setattr(recount_case, "outcome_of", outcome_of)
    small = shrunk(table_case(), "a b", tmp_path)
    assert small.frame.rows() == [("b",)]
    assert len(small.requirements) == 1


def test_cases_follow_from_their_numbers():
    from recount_case import told
    from recount_tables import case_of

    assert [told(case_of(1, number)) for number in range(20)] == [
        told(case_of(1, number)) for number in range(20)
    ]
    assert told(case_of(1, 3)) != told(case_of(2, 3))


def test_all_methods_and_formats_are_among_few_cases():
    from recount_tables import BASKET_METHODS, FORMATS, LAYOUTS, METHODS, case_of

    from sudare.anonymize import catalogue
    from sudare.anonymize.baskets import catalogue as basket_catalogue
    from sudare.formats.data import EXTENSIONS

    cases = [case_of(1, number) for number in range(600)]
    assert {case.method for case in cases} == set(METHODS) | set(BASKET_METHODS)
    assert {case.format for case in cases} == set(FORMATS) | set(LAYOUTS)
    assert set(METHODS) == set(catalogue.METHODS)
    assert set(BASKET_METHODS) == set(basket_catalogue.BASKET_METHODS)
    # SPSS and Stata have no raw parser here; their verifier and leaks have tests of their own.
    assert set(FORMATS) == set(EXTENSIONS) - {"spss", "stata"}


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch):
    import recount_fuzz
    from recount_case import Outcome

    seen: list[int] = []

    def case_of(_seed, number):
        seen.append(number)
        return table_case()

    monkeypatch.setattr(recount_fuzz, "case_of", case_of)
    monkeypatch.setattr(recount_fuzz, "outcome_of", lambda _case, _place: Outcome("released"))
    recount_fuzz.Run(tmp_path, 1).until(3, tmp_path)
    recount_fuzz.Run(tmp_path, 1).until(5, tmp_path)
    assert seen == [0, 1, 2, 3, 4]
    (tmp_path / "current.json").write_text('{"number": 5}', encoding="utf-8")
    died = recount_fuzz.Run(tmp_path, 1)
    assert died.done["found"]["the process died"]["number"] == 5
    died.until(7, tmp_path)
    assert seen[5:] == [6]
    recount_fuzz.Run(tmp_path, 2).until(1, tmp_path)
    assert seen[6:] == [0]
