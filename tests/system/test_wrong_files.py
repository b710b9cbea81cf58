"""A file of another kind than a command takes is named for what it is."""

import pytest

import sudare as sd
from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.catalogue import METHODS
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.errors import ParameterError, did_you_mean


@pytest.fixture
def files(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = sd.read(sd.hospital(60)).describe(
        identifier=["patient_id", "name"],
        quasi=["sex"],
        sensitive=["disease"],
        insensitive=["birth_date", "zip", "nationality", "admission", "length_of_stay", "cost"],
    )
    sd.anonymize(table, sd.KAnonymity(5)).write("release", reports=[])
    sd.hospital(60).write_csv("stays.csv")
    (tmp_path / "a.recipe.yaml").write_text("version: 1\nsource: {path: stays.csv}\n", encoding="utf-8")
    for name, field in (
        ("misspelled", "requirement: [k-anonymity k=2]"),
        ("incomplete", "about: {title: x}"),
    ):
        recipe = f"version: 1\nsource: {{path: stays.csv}}\ncolumns: {{sex: {{role: quasi}}}}\n{field}\n"
        (tmp_path / f"{name}.yaml").write_text(f"{recipe}output: {{folder: out}}\n", encoding="utf-8")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n\xe2\xe3\xcf\xd3")
    return command


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["run", "a.pdf"], "'a.pdf' is a PDF document, not a recipe; give the YAML file"),
        (["measure", "a.recipe.yaml", "release"], "'a.recipe.yaml' is a recipe (YAML), not data"),
        (["crosstab", "a.recipe.yaml", "--by", "sex"], "'a.recipe.yaml' is a recipe (YAML), not data"),
        (["check", "a.recipe.yaml"], "a.recipe.yaml is a recipe, not a release; give the folder"),
        (["check", "release/public/data.csv"], "is a file of a release; give its folder, release/public."),
        (["anonymize", "stays.csv"], "'anonymize' is not a command; did you mean 'run'?"),
        (["describe", "stays.csv", "--quasi", "zzz"], "choose one of 'patient_id', 'name'"),
        (
            ["catalogue", "mdav"],
            "'mdav' is the algorithm of 'microaggregation'; `sudare catalogue microaggregation`",
        ),
        (["catalogue", "literal"], "'literal' is the strategy of 'item-suppression'"),
        (["catalogue", "0123456789"], "known ones is similar"),
        (["run"], "there is no recipe to run; give one (`sudare run recipe.yaml`)"),
        (["run", "a.recipe.yaml", "--retry", "release"], "give one of the two"),
        (
            ["run", "misspelled.yaml"],
            "'requirement' is not one of its parameters; did you mean 'requirements'?",
        ),
        (["run", "incomplete.yaml"], "'requirements' is missing"),
        (["compare", "release", "nowhere"], "There is no folder nowhere"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_was_given_is_named(files, arguments, part):
    assert part in files.refused(2, *arguments)


def test_names_in_japanese_are_compared_sign_by_sign():
    assert did_you_mean("病明", ["病名", "性別"]).into("ja") == "「病名」のことですか。"
    assert (
        did_you_mean("職業", ["病名", "性別"]).into("ja") == "「病名」、「性別」のいずれかを選んでください。"
    )


def test_of_many_names_the_closest_are_listed():
    names = [f"column_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] + ["place"]
    hint = did_you_mean("qplqqc", names)
    assert "'place'" in hint
    assert hint.endswith("and 22 more.")
    assert hint.count("'") == 10


@pytest.mark.parametrize(
    ("tables", "baskets"),
    [(METHODS, BASKET_METHODS), (REQUIREMENTS, BASKET_REQUIREMENTS)],
    ids=["methods", "requirements"],
)
def test_what_is_for_the_other_kind_of_data_is_known(tables, baskets):
    assert tables.others == set(baskets)
    assert baskets.others == set(tables)
    for catalogue, what in (
        (tables, "baskets, but these data are a table"),
        (baskets, "tables, but these data are baskets"),
    ):
        for name in catalogue.others:
            with pytest.raises(ParameterError, match=what):
                catalogue.build(name)


def test_all_columns_without_a_role_are_named_with_the_roles(files, tmp_path):
    (tmp_path / "b.recipe.yaml").write_text(
        "version: 1\nsource: {path: stays.csv}\ncolumns:\n  sex: {kind: nominal}\n  zip: {kind: string}\n"
        "requirements: [{type: k-anonymity, k: 5}]\noutput: {folder: out}\n",
        encoding="utf-8",
    )
    told = files.refused(2, "run", "b.recipe.yaml")
    assert "columns without a role: 'sex', 'zip'; give each one of identifier, quasi, sensitive" in told


def test_an_algorithm_leads_to_its_method():
    with pytest.raises(ParameterError, match="'mdav' is not a method by itself") as told:
        METHODS.build("mdav")
    assert "'microaggregation algorithm=mdav'" in str(told.value)
    assert told.value.into("ja").startswith(
        "「mdav」という方法はありません。microaggregation の algorithm なので"
    )
    assert METHODS.build("microaggregation algorithm=mdav") == sd.Microaggregate(algorithm="mdav")
    with pytest.raises(ParameterError, match="'literal' is not a method for baskets by itself"):
        BASKET_METHODS.build("literal k=3")


def test_of_many_names_none_is_listed_that_is_not_alike():
    items = [f"{number}" for number in range(30_000, 30_500)]
    hint = did_you_mean("abc", items)
    assert hint == "none of the 500 known ones is similar."
    assert hint.into("ja") == "似たものは 500 個の中にありません。"
