"""Releases that a measure does not apply to, or that are not alike, side by side; and which cells a table counts."""

import itertools
import json
from collections import Counter

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import ParameterError
from sudare.release.reopen import figures_of
from sudare.verify.verify import verify_release


def people(rows=120):
    return pl.DataFrame(
        {
            "age": [20 + place * 7 % 60 for place in range(rows)],
            "sex": ["FM"[place % 2] for place in range(rows)],
            "disease": [("flu", "cold", "ulcer")[place % 3] for place in range(rows)],
        }
    )


def generalized(*quasi, k=5):
    rest = [name for name in ("age", "sex") if name not in quasi]
    table = sd.read(people()).describe(quasi=[*quasi], sensitive=["disease"], insensitive=rest)
    return sd.anonymize(table, sd.KAnonymity(k), method=sd.Mondrian(), seed=1)


def randomized():
    table = sd.read(people()).describe(quasi=["age", "sex"], sensitive=["disease"])
    return sd.anonymize(table, sd.PkAnonymity(3), method=sd.Randomize(ranges={"age": (0, 120)}), seed=1)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Written releases: noise, noise as manifests had it before, blocks, and blocks of fewer columns."""
    place = tmp_path_factory.mktemp("releases")
    randomized().write(place / "noise", reports=[])
    generalized("age", "sex").write(place / "blocks", reports=[])
    generalized("age").write(place / "fewer", reports=[])
    randomized().write(place / "older", reports=[])
    manifest = place / "older" / "internal" / "manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content["losses"] |= {"loss": 0.0, "dis": 0.0, "gcp": 0.0}
    manifest.write_text(json.dumps(content), encoding="utf-8")
    return place


@pytest.fixture
def told(folders, monkeypatch, capsys):
    """Standard output of a command, with its lines joined."""
    monkeypatch.chdir(folders)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        capsys.readouterr()
        assert main([*arguments]) == 0
        return capsys.readouterr().out

    return call


def joined(out):
    return " ".join(out.split())


def row_of(out, name):
    (line,) = [line for line in out.splitlines() if f"│ {name} " in line]
    return [cell.strip() for cell in line.strip("│").split("│")]


# --- a measure that does not apply ---------------------------------------------------------------------------------


def test_a_release_that_the_measure_does_not_apply_to_is_on_no_front():
    both = {"noise": randomized(), "blocks": generalized("age", "sex")}
    compared = sd.measure.compare(both, loss="loss")
    assert compared.pick is None  # of one it says nothing
    usual = sd.measure.compare(both)
    assert (usual.loss, usual.not_applicable) == ("marginal_tv", ())  # squared errors are the noise itself
    assert usual.pick is not None
    rows = {row["release"]: row for row in compared.frame.to_dicts()}
    assert (rows["noise"]["loss"], rows["noise"]["best"]) == (None, False)
    assert rows["blocks"]["best"]
    assert compared.frame["release"].to_list() == ["blocks", "noise"]
    assert compared.not_applicable == ("noise",)
    assert compared.differing_quasi == ()
    drawn = json.dumps(compared.chart().to_dict())
    assert '"blocks"' in drawn
    assert '"noise"' not in drawn


def test_risks_that_differ_by_rounding_are_equal():
    """Noise calibrated to the same k has the same risk, whatever the last digits of its rate are."""
    figures = {
        name: {"risk": {"prosecutor_mean": 0.2 - digits}, "losses": {"loss": loss}}
        for name, digits, loss in (("a", 1.75e-12, 0.1456), ("b", 1.46e-12, 0.141), ("c", 4.24e-12, 0.1567))
    }
    found = sd.measure.compare(figures)
    assert found.frame.filter(found.frame["best"])["release"].to_list() == ["b"]
    assert found.pick is not None
    assert found.pick.release == "b"
    two = sd.measure.compare({name: figures[name] for name in "ab"})
    assert two.opposites is None
    assert two.pick is not None


def test_it_beats_nobody():
    figures = {
        "noise": {"risk": {"prosecutor_mean": 0.0}, "losses": {"loss": None}},
        "low": {"risk": {"prosecutor_mean": 0.1}, "losses": {"loss": 0.5}},
        "high": {"risk": {"prosecutor_mean": 0.2}, "losses": {"loss": 0.6}},
    }
    compared = sd.measure.compare(figures)
    assert compared.frame["best"].to_list() == [True, False, False]
    assert compared.pick is None
    alone = sd.measure.compare({"noise": figures["noise"]})
    assert alone.frame["loss"].to_list() == [None]
    assert alone.frame.schema["loss"] == pl.Float64
    assert alone.chart().to_dict()


def test_a_measure_that_applies_is_compared():
    compared = sd.measure.compare(
        {"noise": randomized(), "blocks": generalized("age", "sex")}, loss="suppressed"
    )
    assert compared.not_applicable == ()
    assert compared.frame["loss"].null_count() == 0


def test_the_manifest_has_no_figure_where_the_measure_does_not_apply(folders):
    manifest = json.loads((folders / "noise" / "internal" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["losses"]["loss"] is None
    assert manifest["losses"]["suppressed"] == 0.0
    public = json.loads((folders / "noise" / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert public["losses"] == {"suppressed": 0.0}
    assert all(finding.holds for finding in verify_release(folders / "noise"))


@pytest.mark.parametrize("name", ["noise", "older"])
def test_older_manifests_are_read_alike(folders, name):
    figures = figures_of(folders / name)
    assert figures.losses["loss"] is None
    assert figures.losses["suppressed"] == 0.0
    assert figures.quasi == ["age", "sex"]


@pytest.mark.parametrize("name", ["noise", "older"])
def test_the_command_says_so(told, name):
    out = told("compare", name, "blocks", "--loss", "loss")
    assert "No recommendation: loss does not apply to all" in joined(out)
    assert row_of(out, name)[2:] == ["–", "–"]
    assert row_of(out, "blocks")[3] == "yes"
    assert f"loss does not apply to {name} (" in joined(out)
    assert "quasi-identifiers of the releases differ" not in joined(out)
    japanese = told("compare", name, "blocks", "--loss", "loss", "--lang", "ja")
    assert "おすすめはありません" in japanese
    assert row_of(japanese, name)[2:] == ["–", "–"]
    assert f"{name} には当てはまりません" in japanese
    assert "does not apply" not in japanese


# --- other quasi-identifiers ---------------------------------------------------------------------------------------


def test_other_quasi_identifiers_are_named():
    compared = sd.measure.compare({"both": generalized("age", "sex"), "fewer": generalized("age")})
    assert compared.differing_quasi == ("sex",)
    unknown = {"risk": {"prosecutor_mean": 0.1}, "losses": {"loss": 0.5}}
    assert sd.measure.compare({"one": generalized("age"), "other": unknown}).differing_quasi == ()


def test_the_command_warns_of_other_quasi_identifiers(told):
    out = joined(told("compare", "blocks", "fewer"))
    assert "The quasi-identifiers of the releases differ (sex)" in out
    assert "not strictly comparable" in out
    assert "準識別子" in told("compare", "blocks", "fewer", "--lang", "ja")
    assert "!" not in told("compare", "blocks", "blocks/public")


def test_json_has_the_warnings(told):
    found = json.loads(told("compare", "noise", "blocks", "fewer", "--loss", "loss", "--json"))
    assert sorted(found) == ["pick", "releases", "warnings"]
    assert {row["release"]: row["loss"] for row in found["releases"]}["noise"] is None
    first, second = found["warnings"]
    assert "does not apply to noise" in first
    assert "quasi-identifiers" in second
    japanese = json.loads(
        told("compare", "noise", "blocks", "fewer", "--loss", "loss", "--json", "--lang", "ja")
    )
    assert japanese["releases"] == found["releases"]
    assert "準識別子" in japanese["warnings"][1]
    assert json.loads(told("compare", "blocks", "--json"))["warnings"] == []


# --- cells that a cross tabulation counts --------------------------------------------------------------------------


def diagonal(path, size):
    """Two columns of which each value of one occurs with a single value of the other."""
    values = [f"v{place % size:02}" for place in range(3 * size)]
    pl.DataFrame({"a": values, "b": values, "sex": ["F", "M", "F"] * size}).write_csv(path)
    return str(path)


def test_title_and_last_line_count_the_same_cells(told, tmp_path):
    out = joined(told("crosstab", diagonal(tmp_path / "many.csv", 40), "--by", "a,b"))
    assert "the 30 largest of 40 cells" in out
    assert "120 records, 40 cells, counted as they are" in out
    assert (
        "All in all there are 1,600 cells; the other 1,560 are empty: no released record has their a, b."
        in out
    )


def test_cells_of_combinations_that_do_not_occur_are_not_listed_among_the_largest(told, tmp_path):
    file = diagonal(tmp_path / "few.csv", 8)
    shown = told("crosstab", file, "--by", "a,b", "--out", str(tmp_path / "cells.csv"))
    assert "the 8 of 64 cells that are counted" in joined(shown)
    assert sum("│ v" in line for line in shown.splitlines()) == 8
    assert pl.read_csv(tmp_path / "cells.csv").height == 64
    mixed = told(
        "crosstab", file, "--by", "sex,a,b", "--mechanism", "sex=retention keep=0.5 values=F,M", "--draws", "0"
    )  # fmt: skip
    assert "24 records, 16 cells." in joined(mixed)
    assert sum("│ v" in line for line in mixed.splitlines()) == 16
    assert (
        "All in all there are 128 cells; the other 112 are empty: no released record has their a, b."
        in joined(mixed)
    )


def test_a_table_of_which_every_cell_is_counted_says_no_more(told, tmp_path):
    out = told("crosstab", diagonal(tmp_path / "plain.csv", 4), "--by", "sex")
    assert "All in all" not in out
    assert "12 records, 2 cells" in out


STREAMS = [
    ["a", "b", "x"],
    ["a", "x"],
    ["b"],
    ["a", "b"],
    ["b", "x"],
    ["a", "b", "c"],
    ["a", "c"],
    ["b", "c"],
]


def suppressed(requirement, lists=STREAMS):
    return sd.anonymize(sd.Baskets.from_lists(lists).describe(sensitive=["x"]), requirement, seed=1)


def test_baskets_are_compared_by_what_their_requirements_limit():
    """The confidence is recounted here, over every set of items a user has."""
    releases = {str(rho): suppressed(sd.RhoUncertainty(rho)) for rho in (0.9, 0.4)}
    compared = sd.measure.compare(releases)
    assert (compared.risk, compared.loss) == ("largest_confidence", "util1")
    for name, release in releases.items():
        known = {
            frozenset(subset)
            for basket in STREAMS
            for size in range(1, len(basket) + 1)
            for subset in itertools.combinations(set(basket) - {"x"}, size)
        }
        worst = 0.0
        for items in known:
            holding = [basket for basket in release.baskets if items <= basket]
            if holding:
                worst = max(worst, sum("x" in basket for basket in holding) / len(holding))
        row = compared.frame.row(by_predicate=pl.col("release") == name, named=True)
        assert row["risk"] == pytest.approx(worst)
        assert row["loss"] == pytest.approx(release.losses["util1"])


def test_singling_out_is_one_over_the_smallest_support():
    release = suppressed(sd.KmAnonymity(2, 1))
    counts = Counter(item for basket in release.baskets for item in basket)
    assert release.figures().risk == {"singling_out": 1 / min(counts.values())}
    assert sd.measure.compare({"one": release}).risk == "singling_out"
    assert suppressed(sd.KmAnonymity(9, 1)).figures().risk == {"singling_out": 0.0}  # nothing is left


def test_baskets_and_tables_are_not_compared():
    both = {"t": generalized("age"), "b": suppressed(sd.RhoUncertainty(0.5))}
    with pytest.raises(sd.SudareError, match="'t' is a release of a table and 'b' one of baskets"):
        sd.measure.compare(both)


def test_written_baskets_are_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for rho in (0.9, 0.4):
        suppressed(sd.RhoUncertainty(rho)).write(f"rho-{rho}", reports=[])
    public = json.loads((tmp_path / "rho-0.4" / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert "risk" not in public
    assert main(["compare", "rho-0.9", "rho-0.4", "--plot", "plot.svg", "--lang", "ja"]) == 0
    shown = capsys.readouterr().out
    assert "largest_confidence" in shown
    assert "util1" in shown
    assert "推測" in (tmp_path / "plot.svg").read_text(encoding="utf-8")


def test_measures_of_items_do_not_apply_to_groups():
    tree = sd.hierarchy.tree({"letters": ["a", "b", "c"], "rest": ["x"]})
    baskets = sd.Baskets.from_lists(STREAMS).describe(sensitive=["x"])
    grouped = sd.anonymize(baskets, sd.KmAnonymity(3, 2), method=sd.GeneralizeItems(tree), seed=1)
    assert not grouped.alike
    compared = sd.measure.compare({"groups": grouped, "items": suppressed(sd.KmAnonymity(3, 2))})
    assert compared.not_applicable == ("groups",)
    assert compared.frame["best"].to_list() == [True, False]


def test_releases_without_a_common_risk_or_with_different_requirements_are_told(
    tmp_path, monkeypatch, capsys
):
    rho, km = suppressed(sd.RhoUncertainty(0.5)), suppressed(sd.KmAnonymity(2, 1))
    both = sd.anonymize(
        sd.Baskets.from_lists(STREAMS).describe(sensitive=["x"]),
        sd.RhoUncertainty(0.5),
        sd.KmAnonymity(2, 1),
        seed=1,
    )
    with pytest.raises(sd.SudareError, match=r"rho \(largest_confidence\), km \(singling_out\)"):
        sd.measure.compare({"rho": rho, "km": km})
    compared = sd.measure.compare({"both": both, "km": km})
    assert (compared.risk, compared.differing_risks) == ("singling_out", ("largest_confidence",))
    assert "requirements differ" in repr(compared)
    assert sd.measure.compare({"one": km, "other": km}).differing_risks == ()
    monkeypatch.chdir(tmp_path)
    both.write("both", reports=[])
    km.write("km", reports=[])
    assert main(["compare", "both", "km"]) == 0
    assert "meet different requirements: largest_confidence" in joined(capsys.readouterr().out)


def ends(chart, axis):
    return chart.to_dict()["layer"][0]["encoding"][axis]["scale"]["domain"]


def test_axes_have_room_and_never_begin_below_the_smallest_possible_figure():
    def releases(figures):
        return {
            f"release number {place}": {"risk": {"prosecutor_mean": risk}, "losses": {"loss": loss}}
            for place, (risk, loss) in enumerate(figures)
        }

    one = sd.measure.compare(releases([(0.2, 0.5)])).chart()
    assert ends(one, "x") == [0.25, 0.75]
    zero = sd.measure.compare(releases([(0.0, 0.0)])).chart()
    assert ends(zero, "y") == [0.0, 1.0]
    near = sd.measure.compare(releases([(0.01, 0.5), (0.9, 0.1), (0.011, 0.5001), (0.0105, 0.5)])).chart()
    low, high = ends(near, "y")
    assert low == 0
    assert high > 0.9
    (rows,) = near.to_dict()["datasets"].values()
    close = [row["shift"] for row in rows if row["risk"] < 0.1]
    assert len(set(close)) == 3  # names of points that lie on one another are written on lines of their own
    assert "share of each quasi-identifier" in json.dumps(near.to_dict())


def test_other_baskets_are_told():
    other = suppressed(sd.RhoUncertainty(0.4), STREAMS[:-1])
    assert sd.measure.compare({"a": suppressed(sd.RhoUncertainty(0.4)), "b": other}).several_tables
    assert not sd.measure.compare({"a": other, "b": other}).several_tables


def test_baskets_without_a_requirement_say_so(tmp_path):
    release = suppressed(sd.RhoUncertainty(0.4))
    release.write(tmp_path / "older", reports=[])
    place = tmp_path / "older" / "internal" / "manifest.json"
    content = json.loads(place.read_text(encoding="utf-8"))
    del content["risk"]
    place.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(sd.SudareError, match="lists no risk figures"):
        figures_of(tmp_path / "older")


def test_releases_in_a_list_are_named_by_their_place():
    one, two = generalized("age", "sex"), generalized("age")
    listed = sd.measure.compare([one, two]).frame
    assert listed.equals(sd.measure.compare({"1": one, "2": two}).frame)
    assert sd.measure.compare(one).frame["release"].to_list() == ["1"]
    with pytest.raises(ParameterError, match="A value of type str is not a release"):
        sd.measure.compare(["released"])


def test_of_two_that_do_not_beat_each_other_none_is_recommended(tmp_path, capsys):
    figures = {
        "safe": {"risk": {"prosecutor_mean": 0.01}, "losses": {"loss": 0.5}},
        "fine": {"risk": {"prosecutor_mean": 0.02}, "losses": {"loss": 0.03}},
    }
    compared = sd.measure.compare(figures)
    assert compared.pick is None
    assert [one["release"] for one in compared.opposites or ()] == ["safe", "fine"]
    worse = {"risk": {"prosecutor_mean": 0.03}, "losses": {"loss": 0.6}}
    assert sd.measure.compare({**figures, "worse": worse}).pick is None
    between = {"risk": {"prosecutor_mean": 0.011}, "losses": {"loss": 0.04}}
    assert sd.measure.compare({**figures, "between": between}).pick == ("between", "balanced", 3)
    same = sd.measure.compare({"one": figures["safe"], "two": figures["safe"]})
    assert same.opposites is None
    assert same.pick == ("one", "safer", 2)
    generalized("age", "sex").write(tmp_path / "blocks", reports=[])
    generalized("age", "sex", k=20).write(tmp_path / "large", reports=[])
    assert main(["compare", str(tmp_path / "blocks"), str(tmp_path / "large")]) == 0
    assert "Which matters more is for you to decide." in " ".join(capsys.readouterr().out.split())
    assert main(["compare", str(tmp_path / "blocks")]) == 0
    assert "This is the only release" in capsys.readouterr().out
    assert main(["compare", str(tmp_path / "blocks"), "--lang", "ja"]) == 0
    assert "公開データが一つだけです" in capsys.readouterr().out
