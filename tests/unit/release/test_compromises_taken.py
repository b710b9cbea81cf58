"""Every compromise of a study can be run from a recipe, and the release says so; a second try keeps the better release."""

import csv
import json
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
import yaml

import sudare as sd
from sudare.cli import main
from sudare.display import share
from sudare.errors import ParameterError
from sudare.release.recipe.load import load_recipe
from sudare.release.retry import retry_folder, risen_risks

SKEWED = [0.72, 0.1, 0.08, 0.05, 0.05]


@pytest.fixture
def recipe(tmp_path):
    def made(shares=SKEWED, l=3, kind="entropy", rows=300, method=None, **more):  # noqa: E741  # the name in the field
        random = np.random.default_rng(5)
        frame = pl.DataFrame(
            {
                "age": random.integers(20, 80, rows),
                "zip": [f"{number:03d}" for number in random.integers(100, 160, rows)],
                "disease": random.choice(["flu", "cold", "gout", "hiv", "acne"], rows, p=shares),
            }
        )
        frame.write_csv(tmp_path / "people.csv")
        content = {
            "version": 1,
            "source": {"path": "people.csv"},
            "columns": {
                "age": {"role": "quasi", "hierarchy": {"type": "intervals", "width": 5}},
                "zip": {"role": "quasi", "kind": "string", "hierarchy": {"type": "mask"}},
                "disease": {"role": "sensitive"},
            },
            "requirements": [{"type": "k-anonymity", "k": 3}, {"type": "l-diversity", "l": l, "kind": kind}],
            "method": method or {"type": "mondrian"},
            **more,
            "output": {"folder": "out"},
        }
        place = tmp_path / "people.yaml"
        place.write_text(yaml.safe_dump(content), encoding="utf-8")
        return place

    return made


def taken(place, number, capsys):
    """The recipe of a compromise, written beside the first one."""
    capsys.readouterr()
    assert main(["assess", str(place), "--apply", str(number)]) == 0
    other = place.with_name(f"taken-{number}.yaml")
    other.write_text(capsys.readouterr().out, encoding="utf-8")
    return other


def blocks_of(folder, quasi):
    with (folder / "public" / "data.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    blocks = defaultdict(list)
    for row in rows:
        blocks[tuple(row[name] for name in quasi)].append(row["disease"])
    return rows, blocks


def test_every_compromise_of_an_impossible_requirement_runs(recipe, tmp_path, capsys):
    place = recipe()
    assert main(["run", str(place)]) == 1
    study = sd.assess(load_recipe(place).read(), *load_recipe(place).requirements)
    kinds = [one.kind for one in study.compromises]
    assert {"lower level", "exempt", "suppress"} <= set(kinds)
    for number, kind in enumerate(kinds, start=1):
        other = taken(place, number, capsys)
        assert "people.csv" in other.read_text(encoding="utf-8")  # relative, as it was
        written = sd.run(other, folder=tmp_path / f"out-{number}")
        assert written.manifest["compromise"]["kind"] == kind
        assert written.manifest["compromise"]["instead_of"][1]["l"] == 3
        public = json.loads((written.folder / "public" / "manifest.json").read_text(encoding="utf-8"))
        assert public["compromise"] == written.manifest["compromise"]
        assert "what" not in public["compromise"]
        assert any("A compromise was taken" in note for note in written.manifest["notes"])
        for part in ("public", "internal"):
            page = (written.folder / part / "report.html").read_text(encoding="utf-8")
            assert "A compromise was made" in page


def test_every_compromise_of_a_poorly_suited_table_runs(recipe, tmp_path, capsys):
    place = recipe(shares=[0.92, 0.02, 0.02, 0.02, 0.02], l=2, kind="distinct", rows=240)
    loaded = load_recipe(place)
    study = sd.assess(loaded.read(), *loaded.requirements, threshold=0.1)
    kinds = [one.kind for one in study.compromises]
    assert {"as asked", "coarsen", "drop"} <= set(kinds)
    for number, one in enumerate(study.compromises, start=1):
        capsys.readouterr()
        assert main(["assess", str(place), "--threshold", "0.1", "--apply", str(number)]) == 0
        other = place.with_name(f"taken-{number}.yaml")
        other.write_text(capsys.readouterr().out, encoding="utf-8")
        written = sd.run(other, folder=tmp_path / f"out-{number}")
        rows, _ = blocks_of(written.folder, [])
        if one.kind == "drop":
            assert one.parameters["column"] not in rows[0]
        if one.kind == "coarsen":
            tree = loaded.read().hierarchy(one.parameters["column"])
            values = {row[one.parameters["column"]] for row in rows}
            leaves = set(tree.labels[: tree.leaves])
            assert not values & leaves
        if one.kind == "suppress":
            assert one.changes.suppression == one.parameters["rows"]
            assert 240 - one.parameters["rows"] <= len(rows) < 240


def test_capped_values_are_left_out_at_random(tmp_path):
    frame = pl.DataFrame({"age": list(range(100)), "ill": ["flu"] * 80 + ["gout"] * 15 + [None] * 5})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    seen: Counter[int] = Counter()
    for seed in range(30):
        release = sd.anonymize(
            table, sd.KAnonymity(2), method=[sd.CapValues("ill", 20), sd.Mondrian()], seed=seed
        )
        assert Counter(release.table.frame["ill"].to_list()) == {"flu": 20, "gout": 15, None: 5}
        assert release.rows_of_original is not None
        seen.update(row for row in release.rows_of_original.tolist() if row < 80)
    assert len(seen) > 75  # whoever remains differs from run to run
    with pytest.raises(ParameterError):
        sd.CapValues("ill", 0)


def test_coarsened_columns_go_on_from_their_level():
    frame = pl.DataFrame({"age": [21, 22, 23, 24, 41, 42, 43, None], "sex": list("ffmmffmm")})
    table = sd.read(frame).describe(
        quasi=["age", "sex"], hierarchies={"age": {"type": "intervals", "width": 5}}
    )
    tree = table.hierarchy("age")
    assert tree is not None
    for level in range(1, tree.height + 1):
        release = sd.anonymize(
            table, sd.KAnonymity(1), method=[sd.Coarsen({"age": level}), sd.Mondrian()], order="keep"
        )
        ancestors = tree.labels_of(tree.ancestors(level)).to_list()
        expected = [ancestors[leaf] for leaf in table.leaves("age", tree)]
        assert release.table.frame["age"].to_list() == expected
    coarse = sd.anonymize(table, sd.KAnonymity(2), method=[sd.Coarsen({"age": 1}), sd.Generalize()])
    assert all(block >= 2 for block in Counter(coarse.table.frame.rows()).values())
    assert coarse.lower_bounds["loss"].value <= coarse.losses["loss"]
    with pytest.raises(ParameterError, match="levels 1 to"):
        sd.anonymize(table, sd.KAnonymity(2), method=[sd.Coarsen({"age": 9}), sd.Mondrian()])
    with pytest.raises(ParameterError, match="has no hierarchy"):
        sd.anonymize(table, sd.KAnonymity(2), method=[sd.Coarsen({"sex": 1}), sd.Mondrian()])


def test_a_retry_replaces_a_release_only_if_it_loses_less(recipe, tmp_path, capsys):
    place = recipe(shares=[0.2] * 5, l=2)
    first = sd.run(place, folder=tmp_path / "out")
    assert main(["run", "--retry", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "loss fell from" in said
    manifest = json.loads((tmp_path / "out" / "internal" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["losses"]["loss"] < first.manifest["losses"]["loss"]
    assert manifest["method"][0]["effort"] == "thorough"
    assert any("Tried again" in note for note in manifest["notes"])
    assert all(finding.holds for finding in sd.verify_release(tmp_path / "out"))
    before = {file: file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()}
    found = retry_folder(tmp_path / "out", effort="default")
    assert found.written is None
    assert {file: file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()} == before
    assert main(["run", "--retry", str(tmp_path)]) == 2
    assert main(["run"]) == 2
    assert main(["run", str(place), "--retry", str(tmp_path / "out")]) == 2


def test_a_retry_of_a_recipe_without_a_method_starts_from_the_method_that_was_run(recipe, tmp_path):
    place = recipe(shares=[0.2] * 5, l=2)
    content = yaml.safe_load(place.read_text(encoding="utf-8"))
    del content["method"]
    place.write_text(yaml.safe_dump(content), encoding="utf-8")
    first = sd.run(place, folder=tmp_path / "out")
    found = retry_folder(tmp_path / "out")
    assert found.before == first.manifest["losses"]["loss"]
    assert found.written is None or found.after < found.before


def test_a_recipe_may_ask_for_a_second_try(recipe, tmp_path):
    once = sd.run(recipe(shares=[0.2] * 5, l=2), folder=tmp_path / "once")
    twice = sd.run(recipe(shares=[0.2] * 5, l=2, retry="default"), folder=tmp_path / "twice")
    assert twice.manifest["losses"]["loss"] < once.manifest["losses"]["loss"]
    assert any("the second release was kept" in note for note in twice.manifest["notes"])


def test_a_retry_says_which_risk_rose_and_by_how_much(recipe, tmp_path, capsys):
    """Recounted from the two manifests: less loss may come from smaller blocks."""
    place, out = recipe(shares=[0.2] * 5, l=2), tmp_path / "out"
    first = sd.run(place, folder=out).manifest["risk"]["after"]
    assert main(["run", "--retry", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    second = json.loads((out / "internal" / "manifest.json").read_text(encoding="utf-8"))["risk"]["after"]
    assert second["prosecutor_mean"] > first["prosecutor_mean"]
    (sentence,) = told["risk_rose"]
    mean = f"mean risk of being found {share(first['prosecutor_mean'])} before, {share(second['prosecutor_mean'])}"
    assert mean in sentence
    page = (out / "internal" / "report.html").read_text(encoding="utf-8")
    assert mean in page
    assert "risk is higher" not in (out / "public" / "report.html").read_text(encoding="utf-8")
    assert risen_risks(second, second) == ()
    assert "largest risk" not in "".join(risen_risks({**second, "prosecutor_largest": 1.0}, second))
    twice = sd.run(recipe(shares=[0.2] * 5, l=2, retry="thorough"), folder=tmp_path / "twice")
    assert any(mean in note for note in twice.manifest["notes"])


@pytest.mark.parametrize(
    ("language", "said"), [("en", "change the method in the recipe"), ("ja", "レシピの method を")]
)
def test_a_retry_without_effort_gives_advice_for_recipes(recipe, tmp_path, capsys, language, said):
    place = recipe(shares=[0.2] * 5, l=2, method={"type": "full-domain"})
    sd.run(place, folder=tmp_path / "out")
    assert main(["run", "--retry", str(tmp_path / "out"), "--lang", language]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "full-domain" in error
    assert "sudare.Generalize" not in error


def test_a_release_says_how_suited_its_table_was(recipe, tmp_path, capsys):
    shares = [0.8, 0.05, 0.05, 0.05, 0.05]
    quick = sd.run(recipe(shares=shares, l=2), folder=tmp_path / "quick").manifest["suitability"]
    place = recipe(shares=shares, l=2, method={"type": "generalization", "effort": "fast"})
    written = sd.run(place, folder=tmp_path / "out")
    found = written.manifest["suitability"]
    study = sd.assess(load_recipe(place).read(), *load_recipe(place).requirements, compromises=False)
    assert found["ratio"] == pytest.approx(study.ratio)
    assert found["fair_k"] == quick["fair_k"] == study.fair_k
    assert quick["ratio"] <= found["ratio"]  # Mondrian loses more with k-anonymity, too
    public = json.loads((tmp_path / "out" / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert "suitability" not in public
    page = (tmp_path / "out" / "internal" / "report.html").read_text(encoding="utf-8")
    assert "with diversity, no release loses less than" in page
    assert "of this loss may be the method’s" in page or "mostly the data’s" in page


def test_a_compromise_that_is_not_there_is_one_sentence(recipe, capsys):
    assert main(["assess", str(recipe()), "--apply", "99"]) == 2
    assert "There is no compromise 99" in capsys.readouterr().err
    assert main(["assess", str(recipe(shares=[0.2] * 5, l=2)), "--apply", "1"]) == 2
    assert "No compromise was computed" in capsys.readouterr().err
