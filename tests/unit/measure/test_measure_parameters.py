"""Measures with parameters: from texts, mappings, recipes and the command line, the same figures as the functions."""

# mypy: disable-error-code="arg-type"
# parameters are given as users write them, also wrong ones

import json
import math

import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins.information import amount, levenshtein

import sudare as sd
from sudare.cli import main
from sudare.errors import ParameterError
from sudare.measure.baskets.catalogue import chosen_basket_measures
from sudare.measure.catalogue import MEASURE_PARAMETERS, measure_label

FRAME = pl.DataFrame(
    {
        "age": [20, 25, 31, 38, 44, 52, 60, 71],
        "name": ["ann", "anna", "bob", "bobby", "cara", "carl", "dan", "dana"],
        "sex": ["F", "F", "M", "M", "F", "M", "M", "F"],
        "disease": ["flu", "flu", "gout", "flu", "gout", "gout", "flu", "flu"],
    }
)
TABLE = sd.read(FRAME).describe(quasi=["age", "name", "sex"], sensitive=["disease"])
RELEASED = FRAME.with_columns(
    pl.Series("age", ["[20, 38]"] * 4 + ["[44, 71]"] * 4),
    pl.Series("name", ["ann"] * 2 + ["bob"] * 2 + ["car"] * 2 + ["dan"] * 2),
    pl.Series("sex", ["F", "F", "M", "M", "*", "*", "*", "*"]),
)
BEFORE = [["a", "b", "c"], ["a", "b"], ["b", "c"], ["a", "c"], ["a", "b", "c"]]
AFTER = [["a", "b", "c"], ["a", "b"], ["b"], ["c"], ["a", "c"]]


@pytest.mark.parametrize(
    ("given", "label", "value"),
    [
        ("dm", "dm", lambda: sd.measure.dm(TABLE, RELEASED)),
        ("dm k=1", "dm", lambda: sd.measure.dm(TABLE, RELEASED)),
        ("dm k=3", "dm k=3", lambda: sd.measure.dm(TABLE, RELEASED, k=3)),
        ({"type": "dm", "k": 3}, "dm k=3", lambda: sd.measure.dm(TABLE, RELEASED, k=3)),
        (
            "ncp weights=age:2,sex:0.5",
            "ncp weights=age:2,sex:0.5",
            lambda: sd.measure.ncp(TABLE, RELEASED, {"age": 2, "sex": 0.5}),
        ),
        (
            {"type": "gcp", "weights": {"age": 2}},
            "gcp weights=age:2",
            lambda: sd.measure.gcp(TABLE, RELEASED, {"age": 2}),
        ),
        ("cm target=sex", "cm target=sex", lambda: sd.measure.cm(TABLE, RELEASED, "sex")),
        (
            {"type": "ild", "distances": {"name": "levenshtein"}},
            "ild distances=name:levenshtein",
            lambda: sd.measure.ild(TABLE, RELEASED, {"name": sd.distance.Levenshtein()}),
        ),
        (
            "ild distances=name:levenshtein,age:euclid weights=name:2,age:1 p=1",
            "ild distances=name:levenshtein,age:euclid weights=name:2,age:1 p=1",
            lambda: sd.measure.ild(
                TABLE,
                RELEASED,
                sd.distance.Product(
                    {"name": sd.distance.Levenshtein(), "age": sd.distance.Euclid()}, {"name": 2, "age": 1}
                ),
                p=1,
            ),
        ),
        (
            "ild order=inf p=1 weights=age:1,sex:1",
            "ild weights=age:1,sex:1 p=1 order=inf",
            lambda: sd.measure.ild(
                TABLE, RELEASED, sd.distance.Product(weights={"age": 1, "sex": 1}, order=math.inf), p=1
            ),
        ),
        (
            "ild columns=age,sex",
            "ild columns=age,sex",
            lambda: sd.measure.ild(TABLE, RELEASED, columns=["age", "sex"]),
        ),
    ],
    ids=lambda given: "" if callable(given) else None,  # an address would differ from worker to worker
)
def test_a_text_or_mapping_measures_what_the_function_measures(given, label, value):
    found = sd.measure.measure(TABLE, RELEASED, [given])
    assert list(found) == [label]
    assert found[label] == pytest.approx(float(value()))
    assert sd.measure.measure(TABLE, RELEASED, [label]) == found


def test_ild_by_name_is_the_twin():
    was, now = (amount(frame["name"].to_list(), levenshtein, 3) for frame in (FRAME, RELEASED))
    found = sd.measure.measure(TABLE, RELEASED, ["ild distances=name:levenshtein p=3"])
    assert list(found.values()) == pytest.approx([(was - now) / was])


def test_one_measure_may_be_asked_several_times():
    found = sd.measure.measure(TABLE, RELEASED, ["dm", "dm k=3", "dm k=8", {"type": "dm", "k": 3}])
    assert list(found) == ["dm", "dm k=3", "dm k=8"]


NAMES = st.text(min_size=1, max_size=6)


@settings(deadline=None, max_examples=80)
@given(
    st.dictionaries(NAMES, st.sampled_from(["levenshtein", "discrete", "tree"]), max_size=3),
    st.dictionaries(NAMES, st.floats(0, 1e6), max_size=3),
    st.floats(0.01, 50),
)
def test_every_text_reads_back_as_the_same_parameters(distances, weights, p):
    asked = {"type": "ild", "distances": distances, "weights": weights, "p": p}
    label = measure_label(asked)
    assert measure_label(label) == label
    if label != "ild":
        assert MEASURE_PARAMETERS.build(label) == MEASURE_PARAMETERS.build(asked)


def test_distances_with_fields_survive_their_text():
    edges = {"F": {"M": 2.0, "*": 1.0}}
    asked = {"type": "ild", "distances": {"sex": {"type": "graph", "edges": edges}}}
    (label,) = sd.measure.measure(TABLE, RELEASED, [asked])
    expected = sd.measure.ild(TABLE, RELEASED, {"sex": sd.distance.Graph(edges)})
    assert sd.measure.measure(TABLE, RELEASED, [label])[label] == float(expected)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("loss k=5", "'loss' has no parameters"),
        ("dmm k=5", "did you mean 'dm'"),
        ("dm k=0", "greater than or equal to 1"),
        ("dm l=2", "'l' is not one of its parameters"),
        ("ild p=0", "greater than 0"),
        ("ild distances=name:levenstein", "did you mean 'levenshtein'"),
        ("ild distances=name:levenshtein,age", "not of the form key:value"),
        ("ild distances=nobody:levenshtein", "nobody"),
        ("ild distances=name:levenshtein weights=age:1", "age"),
        ("ncp weights=age:-1", "greater than or equal to 0"),
        ("ncp weights=nobody:1", "nobody"),
        ("cm target=nobody", "nobody"),
        ("ild {p", "not JSON"),
        (5, "5 is not a measure"),
    ],
)
def test_mistakes_get_one_sentence(given, sentence):
    with pytest.raises(sd.SudareError, match=sentence):
        sd.measure.measure(TABLE, RELEASED, [given])


def test_rules_of_baskets_take_parameters():
    asked = {"type": "rule_distance", "support": 0.3, "top": 2}
    found = sd.measure.measure_baskets(BEFORE, AFTER, [asked, "rule_distance"])
    expected = sd.measure.rule_distance(BEFORE, AFTER, support=0.3, top=2)
    assert found["rule_distance support=0.3 top=2"] == expected
    assert chosen_basket_measures(found) == list(found)
    with pytest.raises(ParameterError, match="not a measure of baskets"):
        sd.measure.measure_baskets(BEFORE, AFTER, ["ild p=1"])
    with pytest.raises(ParameterError, match="has no parameters"):
        sd.measure.measure_baskets(BEFORE, AFTER, ["util1 top=3"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.jsonl"))
    FRAME.write_csv("people.csv")
    RELEASED.write_csv("released.csv")
    roles = {"age": "quasi", "name": "quasi", "sex": "quasi", "disease": "sensitive"}
    recipe = {
        "source": {"path": "people.csv"},
        "columns": {name: {"role": role} for name, role in roles.items()},
        "requirements": ["k-anonymity k=2"],
        "method": "mondrian",
        "measures": [
            "loss",
            "dm k=5",
            {"type": "ncp", "weights": {"age": 2, "sex": 1}},
            {"type": "ild", "distances": {"sex": "levenshtein"}, "weights": {"sex": 3}, "p": 1},
        ],
        "output": {"folder": "release"},
    }
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    for name, baskets in (("before.txt", BEFORE), ("after.txt", AFTER)):
        (tmp_path / name).write_text("".join(" ".join(basket) + "\n" for basket in baskets))
    return tmp_path


@pytest.fixture
def told(folder, capsys):
    """What `sudare measure … --json` prints."""

    def run(*arguments):
        assert main(["measure", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_a_recipe_asks_for_parameters_and_its_release_tells_them(folder):
    sd.run(folder / "recipe.yaml")
    labels = [
        "loss",
        "dm k=5",
        "ncp weights=age:2,sex:1",
        "ild distances=sex:levenshtein weights=sex:3 p=1",
    ]
    internal = json.loads((folder / "release/internal/manifest.json").read_text())
    public = json.loads((folder / "release/public/manifest.json").read_text())
    assert list(internal["losses"]) == labels
    # What compares the release with the original is not for everybody, whatever its parameters.
    assert "dm k=5" in public["losses"]
    assert not any(label.startswith("ild") for label in public["losses"])
    assert sd.Recipe.load(folder / "release/internal/recipe.yaml").measures == tuple(labels)
    assert "dm k=5" in (folder / "release/internal/report.html").read_text()


def test_the_command_line_takes_parameters(told):
    options = [
        "--measure",
        "dm k=3",
        "--measure",
        "ild",
        "--distance",
        "name=levenshtein",
        "--weight",
        "name=2",
    ]
    found = told("people.csv", "released.csv", "--recipe", "recipe.yaml", *options, "--p", "1")
    assert found == sd.measure.measure(
        TABLE, RELEASED, ["dm k=3", "ild distances=name:levenshtein weights=name:2 p=1"]
    )


def test_the_command_line_gives_distances_to_the_usual_ild(told):
    found = told("people.csv", "released.csv", "--recipe", "recipe.yaml", "--distance", "name=levenshtein")
    assert "ild distances=name:levenshtein" in found
    assert "loss" in found


@pytest.mark.parametrize(("table", "first"), [("rules", "body"), ("users", "basket"), ("items", "item")])
def test_tables_of_baskets(folder, capsys, told, table, first):
    assert main(["measure", "before.txt", "after.txt", "--table", table, "--out", "rows.csv"]) == 0
    assert "rows.csv" in capsys.readouterr().out
    rows = pl.read_csv(folder / "rows.csv")
    assert rows.columns[0] == first
    as_json = told("before.txt", "after.txt", "--table", table)
    assert len(as_json[table]) == rows.height
    assert set(as_json["losses"]) == {"util1", "util2", "rule_distance"}


def test_the_table_of_rules_is_that_of_python(told):
    options = ["--table", "rules", "--support", "0.3", "--confidence", "0.7", "--top", "4"]
    found = told("before.txt", "after.txt", *options)["rules"]
    expected = sd.measure.compare_rules(BEFORE, AFTER, support=0.3, confidence=0.7, top=4)
    assert [row["support_after"] for row in found] == expected["support_after"].to_list()
    assert [row["body"] for row in found] == [", ".join(body) for body in expected["body"]]


def test_the_table_of_users_starts_with_those_who_lost_most(told):
    found = told("before.txt", "after.txt", "--table", "users")["users"]
    shares = [row["share"] for row in found]
    assert shares == sorted(shares, reverse=True)
    expected = sd.measure.user_loss(BEFORE, AFTER).frame
    assert sorted(row["lost"] for row in found) == sorted(expected["lost"])
    # Numbered from 1, as the lines of the file are.
    assert {row["basket"] - 1: row["lost"] for row in found} == dict(enumerate(expected["lost"]))


def test_headings_do_not_break_inside_of_words(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["measure", "before.txt", "after.txt", "--table", "rules"]) == 0
    out = capsys.readouterr().out
    assert out.count("confidence") == 2
    assert "entered the list" in " ".join(out.split()) or "kept" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("people.csv", "released.csv", "--measure", "loss", "--distance", "name=hamming"),
            "add --measure ild",
        ),
        (("people.csv", "released.csv", "--distance", "name"), "must have the form name=levenshtein"),
        (("people.csv", "released.csv", "--weight", "name"), "must have the form age=2"),
        (("people.csv", "released.csv", "--p", "0"), "greater than 0"),
        (("before.txt", "after.txt", "--p", "1"), "not a measure of baskets"),
        (("people.csv", "released.csv", "--table", "rules"), "leave out --table"),
        (("before.txt", "after.txt", "--table", "rule"), "did you mean 'rules'"),
        (("before.txt", "after.txt", "--top", "3"), "parameters of --table rules"),
        (("before.txt", "after.txt", "--out", "x.csv"), "writes the rows of --table"),
    ],
)
def test_mistakes_at_the_command_line_get_one_sentence(folder, arguments, sentence, capfd):
    assert main(["measure", *arguments]) == 2
    assert sentence in " ".join(capfd.readouterr().err.split())
