"""The advisor: bounds, ratio, reasons and compromises; bounds beside the losses of a release; retry."""

# mypy: disable-error-code="arg-type, attr-defined, misc, operator, union-attr"

import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.studies import ENTROPY, told_by_place, with_counts

import sudare as sd
from sudare.advise import advise as advisor
from sudare.anonymize.protocol import Context
from sudare.assess.bounds import k_bound, lower_bound
from sudare.assess.suitability import limits, loosened
from sudare.errors import CancelledError, ParameterError
from sudare.measure import dis
from sudare.release.manifest import public_manifest
from sudare.release.retry import judged_by
from sudare.release.table.kind import TABLE


@pytest.mark.parametrize(
    ("counts", "blocks", "simple", "entropy"),
    [((10, 8, 7, 3, 2), 10, 3, 3), ((50, 25, 15, 7, 3), 25, 4, 6)],
)
def test_the_examples_of_the_specification(counts, blocks, simple, entropy):
    table = with_counts(counts)
    for kind, size in (("distinct", simple), ("entropy", entropy)):
        study = sd.assess(table, sd.LDiversity(3, kind=kind))
        assert (study.max_blocks, study.min_largest_block, study.fair_k) == (blocks, size, size)


def test_the_ratio_is_bound_over_what_k_anonymity_reaches():
    table = told_by_place()
    study = sd.assess(table, ENTROPY, compromises=False)
    alone = sd.Generalize(objective="dis", effort="fast").apply(
        table, Context((sd.KAnonymity(study.fair_k),))
    )
    assert study.upper_bound == pytest.approx(dis(table, alone.table))
    assert study.lower_bound == lower_bound(table, [ENTROPY])
    expected = study.lower_bound.value / study.upper_bound if study.upper_bound else math.inf
    assert study.ratio == pytest.approx(expected)
    assert study.ratio > 2
    assert study.feasible
    assert not study.suited
    assert study.compromises == ()
    assert any("rows that are alike share their sensitive value" in sentence for sentence in study.advice)


def test_the_threshold_decides():
    table = with_counts((30, 30, 30), columns=2)
    study = sd.assess(table, ENTROPY, threshold=5)
    assert study.suited
    assert not study.costly
    assert (study.advice, study.compromises) == ((), ())
    tight = sd.assess(table, ENTROPY, threshold=study.ratio / 2)
    assert not tight.suited
    assert tight.compromises
    assert "Poorly suited" in tight.advice[0]


def test_a_low_bound_proves_nothing():
    """Diversity costs three times as much here, and the bound does not show it."""
    table = with_counts((30, 30, 30), columns=2)
    study = sd.assess(table, ENTROPY)
    quick = sd.Generalize(objective="dis", effort="fast").apply(table, Context((ENTROPY,)))
    assert study.reached == pytest.approx(dis(table, quick.table))
    assert study.reached > 2 * study.upper_bound > study.lower_bound.value
    assert study.suited
    assert study.costly
    assert "It is not known whether the table is suited" in study.advice[0]
    assert study.compromises


def test_k_anonymity_alone_has_a_bound_and_itself_for_comparison():
    table = with_counts((20, 20))
    study = sd.assess(table, sd.KAnonymity(4), objective="loss")
    assert study.lower_bound == k_bound(table, 4, objective="loss")
    assert (study.fair_k, study.max_blocks, study.min_largest_block) == (4, 10, 4)
    assert (study.ratio, study.suited) == (None, True)
    both = sd.assess(table, sd.KAnonymity(7), sd.LDiversity(2))
    assert (both.fair_k, both.max_blocks) == (7, 5)


def test_nothing_to_bound():
    table = with_counts((5, 5))
    for asked in ([], [sd.TCloseness(0.5)]):
        study = sd.assess(table, *asked)
        assert (study.feasible, study.fair_k, study.ratio, study.lower_bound.value) == (True, None, None, 0)


def test_reasons_name_the_values_and_the_rows():
    study = sd.assess(with_counts((90, 5, 5)), sd.LDiversity(2, kind="entropy"), compromises=False)
    (reason,) = study.reasons
    assert "'v0' is in 90.0% of the rows, 1.8 times that (40 rows too many)" in reason
    few = sd.assess(with_counts((5, 5)), sd.LDiversity(3), compromises=False)
    assert few.reasons == ("s has only 2 different values; l = 3 asks for 3 in every block.",)


def kinds(study):
    return {compromise.kind for compromise in study.compromises}


def test_compromises_of_the_infeasible():
    table = with_counts((90, 12, 10, 8, 7), columns=2)
    study = sd.assess(table, sd.KAnonymity(3), sd.LDiversity(3, kind="entropy"))
    assert (study.feasible, study.suited, study.fair_k, study.ratio) == (False, False, None, None)
    assert {"lower level", "exempt"} <= kinds(study)
    highest = next(one for one in study.compromises if one.kind == "lower level").requirements[1]
    counts = np.array([90, 12, 10, 8, 7]) / 127
    largest = math.exp(-(counts * np.log(counts)).sum())
    assert highest.l == math.floor(largest * 100) / 100
    exempt = next(one for one in study.compromises if one.kind == "exempt")
    assert exempt.parameters == {"column": "s", "values": ["v0"]}
    assert exempt.risk.rows == 37
    few = sd.assess(with_counts((40, 20, 20, 18), columns=2), sd.LDiversity(3.9, kind="entropy"))
    suppress = next(one for one in few.compromises if one.kind == "suppress")
    assert 0 < suppress.parameters["rows"] < 49


def test_compromises_of_the_poorly_suited():
    table = told_by_place()
    study = sd.assess(table, ENTROPY)
    assert {"as asked", "lower level", "exempt", "drop", "coarsen", "k-anonymity"} <= kinds(study)
    by_kind = {one.kind: one for one in study.compromises}
    assert by_kind["as asked"].requirements == (ENTROPY,)
    assert by_kind["as asked"].bound.value == pytest.approx(study.lower_bound.value)
    # diversity is what costs: without it all rows give their value away
    assert by_kind["k-anonymity"].risk.guesses[0].homogeneous_share == 1
    assert by_kind["as asked"].risk.guesses[0].homogeneous_share == 0
    assert by_kind["drop"].parameters["column"] in {"zip", "age"}
    # a column that is dropped loses all of it
    assert by_kind["drop"].distortion >= 0.5
    for one in study.compromises:
        assert one.bound.value <= one.distortion + 1e-9
        assert one.sentence in study.advice
        assert one.sentence.endswith(".")


def test_what_is_too_large_is_sampled_and_said(monkeypatch):
    monkeypatch.setattr(advisor, "LARGEST_ROWS", 100)
    monkeypatch.setattr(advisor, "LARGEST_CELLS", 120)
    study = sd.assess(told_by_place(), ENTROPY)
    assert any("sample of 100 of 240 rows" in note for note in study.notes)
    assert any(
        "The compromises were computed on a random sample of 60 of 240" in note for note in study.notes
    )
    assert study.lower_bound == lower_bound(told_by_place(), [ENTROPY])
    assert study.compromises
    assert study.to_dict() == sd.assess(told_by_place(), ENTROPY).to_dict()


def test_a_large_k_is_bounded_by_a_smaller_one(monkeypatch):
    from sudare.advise import bounds as bounding

    monkeypatch.setattr(bounding, "LARGEST_K", 3)
    table = with_counts((20, 20))
    study = sd.assess(table, sd.KAnonymity(8))
    assert study.lower_bound.value == k_bound(table, 3).value
    assert not study.lower_bound.exact
    assert study.notes == (study.lower_bound.explanation,)


def test_a_study_is_json():
    for study in (sd.assess(told_by_place(), ENTROPY), sd.assess(with_counts((9, 1)), sd.LDiversity(3))):
        found = json.loads(json.dumps(study.to_dict(), allow_nan=False))
        assert found["feasible"] == study.feasible
        assert len(found["compromises"]) == len(study.compromises)
        assert all(
            {"kind", "sentence", "bound", "distortion", "risk"} <= set(one) for one in found["compromises"]
        )


class Stops:
    """Cancels at the n-th update."""

    def __init__(self, left):
        self.left = left

    def start(self, phase, total):
        pass

    def update(self, done):
        self.left -= 1
        if self.left < 0:
            raise CancelledError


@pytest.mark.parametrize("after", [0, 1, 3, 8, 15])
def test_cancel(after):
    with pytest.raises(CancelledError):
        sd.assess(told_by_place(), ENTROPY, progress=Stops(after))


def test_requirements_may_be_texts_and_wrong_options_are_one_sentence():
    table = with_counts((10, 10))
    assert sd.assess(table, "l-diversity l=2").fair_k == 2
    for options in ({"threshold": 0}, {"threshold": "2"}, {"threshold": math.inf}, {"objective": "nothing"}):
        with pytest.raises(ParameterError) as caught:
            sd.assess(table, sd.LDiversity(2), **options)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (sd.LDiversity(4), r"l-diversity l=4 is asked.*reaches only 3.*ask for no more than that"),
        (
            sd.LDiversity(3, kind="entropy"),
            r"reaches only 1\.89.*the most frequent, v0, in 80\.0%.*ask for no more",
        ),
        (sd.KAnonymity(51), r"k=51 is asked of a table of 50 rows; ask for 50 at most"),
    ],
)
def test_the_impossible_is_refused_with_the_way_out(asked, words):
    table = with_counts((40, 5, 5))
    for method in ("generalization", "mondrian", "full-domain"):
        with pytest.raises(sd.SudareError, match=words) as caught:
            sd.anonymize(table, asked, method=method)
        assert "sudare assess" in str(caught.value)
    assert sd.assess(table, asked, compromises=False).advice[0].startswith("No release can comply")


def test_wrong_descriptions_are_refused_with_the_way_out():
    frame = pl.DataFrame({"city": ["Oslo", "Rome"], "s": ["a", "b"]})
    with pytest.raises(sd.SudareError, match="two roles, quasi and sensitive; keep one"):
        sd.read(frame).describe(quasi=["city"], sensitive=["city"])
    with pytest.raises(
        sd.SudareError, match="'Rome', which its hierarchy does not cover; extend the hierarchy"
    ):
        sd.read(frame).describe(quasi=["city"], hierarchies={"city": sd.hierarchy.tree({"North": ["Oslo"]})})
    table = sd.read(frame).describe(quasi=["city"], sensitive=["s"])
    with pytest.raises(sd.SudareError, match="whose role is quasi; describe it as sensitive"):
        sd.assess(table, sd.LDiversity(2, sensitive=("city",)))


values = st.sampled_from(["a", "b", "c", "病"])


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 2)), values), max_size=14),
    st.sampled_from(
        [sd.LDiversity(2), sd.LDiversity(1.5, kind="entropy"), sd.LDiversity(2, kind="recursive", c=1.5)]
    ),
    st.integers(1, 4),
    st.sampled_from(["dis", "loss", "ncp"]),
)
def test_odd_tables(rows, diversity, k, objective):
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.Int64, "s": pl.String}, orient="row")
    before = frame.clone()
    table = sd.read(frame).describe(quasi=["x", "y"], sensitive=["s"])
    study = sd.assess(table, sd.KAnonymity(k), diversity, objective=objective, threshold=0.5)
    assert frame.equals(before)
    assert json.dumps(study.to_dict(), allow_nan=False)
    if study.feasible and rows:
        assert study.fair_k >= k
        assert study.max_blocks * k <= len(rows)
    for one in study.compromises:
        assert 0 <= one.bound.value <= one.distortion + 1e-9 <= 1 + 1e-6


def test_each_column_keeps_the_level_that_it_allows():
    """A column of two values does not bring the others down."""
    rows = 60
    frame = pl.DataFrame(
        {
            "age": [20 + place % 30 for place in range(rows)],
            "income": ["low", "high"] * (rows // 2),
            "job": [f"job {place % 5}" for place in range(rows)],
        }
    )
    table = sd.read(frame).describe(quasi=["age"], sensitive=["income", "job"])
    asked = sd.LDiversity(3)
    found = loosened(table, [asked])
    assert found == (sd.LDiversity(3, sensitive=("job",)), sd.LDiversity(2, sensitive=("income",)))
    study = sd.assess(table, asked)
    lower = next(one for one in study.compromises if one.kind == "lower level")
    assert lower.requirements == found
    assert "l = 3 (distinct) for job, l = 2 (distinct) for income" in lower.what
    assert "job は l = 3（異なる値の数）" in lower.in_language("ja").what
    release = sd.anonymize(table, *lower.requirements, method=sd.Mondrian(), seed=1)
    assert all(verdict.holds for verdict in release.verdicts)
    exempt = sd.LDiversity(3, exempt={"job": ("job 0",)})
    assert loosened(table, [exempt]) == (
        sd.LDiversity(3, sensitive=("job",), exempt={"job": ("job 0",)}),
        sd.LDiversity(2, sensitive=("income",)),
    )


def test_loosened_requirements_are_possible():
    for counts in ((90, 5, 5), (3, 1), (7,)):
        table = with_counts(counts)
        for asked in (sd.LDiversity(3, kind="entropy"), sd.LDiversity(9), sd.KAnonymity(1000)):
            (found,) = loosened(table, [asked])
            assert sd.assess(table, found, compromises=False).feasible
    assert limits(with_counts((3, 1)), [sd.KAnonymity(9)]).fair_k is None


def test_releases_have_a_bound_below_their_loss():
    table = told_by_place()
    for method in ("mondrian", "generalization effort=fast", "full-domain", "mindis effort=fast"):
        release = sd.anonymize(table, sd.KAnonymity(30), method=method)
        assert set(release.lower_bounds) == {"loss", "dis"}
        for name, bound in release.lower_bounds.items():
            assert 0 < bound.value <= release.losses[name] + 1e-9
            assert bound == lower_bound(table, [sd.KAnonymity(30)], objective=name)
        assert release.lower_bound == release.lower_bounds["loss"].value


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    [
        "microaggregation",
        sd.Generalize(cells="sets", effort="fast"),
        [sd.Round(("age",), 10), sd.Mondrian()],
        [sd.TopBottomCode("age", top=43), sd.Mondrian()],
        [sd.SwapRecords(columns=("age",), share=0.2), sd.Mondrian()],
    ],
    ids=str,
)
def test_what_is_not_generalized_has_no_bound(method):
    release = sd.anonymize(told_by_place(), sd.KAnonymity(30), method=method, measures=["suppressed"])
    assert release.lower_bounds == {}
    assert release.lower_bound is None


def test_harmless_steps_keep_the_bound():
    methods = [sd.SuppressRecords(limit=1), sd.Mondrian(), sd.Shuffle()]
    release = sd.anonymize(told_by_place(), sd.KAnonymity(10), method=methods, seed=1)
    assert release.lower_bounds == {} or release.lower_bound <= release.losses["loss"]


@pytest.mark.slow
def test_the_bound_is_in_the_manifest_and_the_reports(tmp_path):
    release = sd.anonymize(told_by_place(), sd.KAnonymity(30), method="generalization effort=fast")
    least = math.floor(release.lower_bound * 1000) / 1000
    for language, words in (("en", "that meets these requirements has at least"), ("ja", "避けられない損失")):
        written = release.write(tmp_path / language, language=language)
        assert written.manifest["lower_bound"] == release.lower_bound
        assert written.manifest["lower_bounds"]["dis"]["exact"] is True
        public = public_manifest(TABLE, written.manifest)
        assert 0 <= release.lower_bound - public["lower_bound"] < 1e-4
        for report in written.reports:
            text = report.read_text(encoding="utf-8")
            assert words in text
            assert f"{least:.3f}" in text


@pytest.mark.slow
def test_a_weaker_bound_is_said_to_be_one(monkeypatch, tmp_path):
    from sudare.advise import bounds as bounding

    monkeypatch.setattr(bounding, "_BUDGET", 2000)
    monkeypatch.setattr(bounding, "_COMPARISONS_EACH", 1)
    release = sd.anonymize(with_counts((200, 200), columns=3), sd.KAnonymity(3))
    assert not all(bound.exact for bound in release.lower_bounds.values())
    written = release.write(tmp_path / "out")
    assert "ended early" in written.reports[0].read_text(encoding="utf-8")


def test_retry_keeps_the_better():
    table = with_counts((60, 60), columns=3)
    release = sd.anonymize(table, sd.KAnonymity(4), method="generalization effort=fast")
    again = release.retry(effort="default")
    assert again.losses["loss"] <= release.losses["loss"]
    assert again.holds
    assert again.requirements == release.requirements
    worse = again.retry(method=[sd.Mondrian()])
    assert worse is again
    mondrian = sd.anonymize(table, sd.KAnonymity(4), method="mondrian")
    assert mondrian.retry(method="generalization effort=fast").losses["loss"] <= mondrian.losses["loss"]
    with pytest.raises(ParameterError, match=r"Mondrian.*takes more effort; give another"):
        mondrian.retry()
    with pytest.raises(ParameterError, match="effort"):
        release.retry(effort="endless")


def test_retry_compares_what_the_method_makes_small():
    assert judged_by([sd.Generalize(objective="ncp")]) == "gcp"
    assert judged_by([sd.Mondrian()]) == "loss"
    assert judged_by([sd.Microaggregate()]) == "sse_ratio"
    release = sd.anonymize(
        with_counts((30, 30), columns=2),
        sd.KAnonymity(3),
        method="mindis effort=fast",
        measures=["suppressed"],
    )
    again = release.retry(effort="default")
    assert list(again.losses) == ["suppressed"]
    assert dis(release.original, again) <= dis(release.original, release)


@pytest.mark.parametrize(("counts", "l"), [((90, 5, 5), 2), ((50, 30, 15, 5), 4), ((7, 1), 2)])
def test_recursive_diversity_is_offered_with_the_least_c(counts, l):  # noqa: E741  # the name in the field
    asked = sd.LDiversity(l, kind="recursive", c=0.5)
    study = sd.assess(with_counts(counts), asked)
    offered = [one.requirements[0] for one in study.compromises if one.requirements[0].l == l]
    least = next(one.c for one in offered if one.c != asked.c)
    # By hand: the whole table complies with it, and with no smaller number of two digits.
    rest = sum(counts[l - 1 :])
    assert counts[0] < least * rest
    assert counts[0] >= (least - 0.01) * rest - 1e-9
    assert sd.assess(with_counts(counts), sd.LDiversity(l, kind="recursive", c=least)).feasible


def test_no_c_makes_up_for_too_few_values():
    study = sd.assess(with_counts((90, 5)), sd.LDiversity(3, kind="recursive", c=1.5))
    assert all(
        one.requirements[0].c in {None, 1.5} for one in study.compromises if hasattr(one.requirements[0], "c")
    )
