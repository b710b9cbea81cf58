"""Every entry of a catalogue, its parameters and every measure have words in both languages, by their names."""

from __future__ import annotations

import re

import pytest

from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.catalogue import METHODS
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.describe.hierarchy.catalogue import CATALOGUE as HIERARCHIES
from sudare.measure.baskets.catalogue import BASKET_MEASURE_PARAMETERS, BASKET_MEASURES
from sudare.measure.catalogue import MEASURE_PARAMETERS, MEASURES, Measure, nothing_to_tell
from sudare.mechanism.catalogue import MECHANISMS
from sudare.parameters import Catalogue, parameters
from sudare.words.sentence import loaded

CATALOGUES = (
    REQUIREMENTS,
    BASKET_REQUIREMENTS,
    METHODS,
    BASKET_METHODS,
    HIERARCHIES,
    MECHANISMS,
    MEASURE_PARAMETERS,
    BASKET_MEASURE_PARAMETERS,
)
ENTRIES = [(catalogue, name) for catalogue in CATALOGUES for name in catalogue]
every_entry = pytest.mark.parametrize(
    ("catalogue", "name"), ENTRIES, ids=[f"{catalogue.what} {name}" for catalogue, name in ENTRIES]
)
every_language = pytest.mark.parametrize("language", ["en", "ja"])
ENGLISH, JAPANESE = loaded("catalogue", "en"), loaded("catalogue", "ja")
FIGURE = re.compile(r"(?<!\{)\{(\w+)")
JAPANESE_LETTERS = re.compile(r"[ぁ-んァ-ヶ一-龠]")


@parameters
class Sorted:
    """Sort the rows.

    By one column after the other.
    """

    first: str
    """Column to sort by."""
    share: float = 0.5
    """Share of the rows."""


def keys_of(catalogue, name):
    """The keys of an entry and of its parameters."""
    prefix = f"{catalogue.what}.{name}"
    fields = [field for field, _, _ in catalogue.fields(name)]
    return [f"{prefix}.about", *(f"{prefix}.parameters.{field}" for field in fields)]


@every_language
@every_entry
def test_an_entry_and_its_parameters_have_words(catalogue, name, language):
    absent = [key for key in keys_of(catalogue, name) if key not in loaded("catalogue", language)]
    assert not absent, f"Put these into words/{language}/catalogue.yaml: {absent}"


@every_entry
def test_words_are_whole_sentences(catalogue, name):
    for key in keys_of(catalogue, name):
        assert re.fullmatch(r"[A-Z].*\.", ENGLISH[key]), key
        assert re.fullmatch(r".*。", JAPANESE[key]), key
        assert JAPANESE_LETTERS.search(JAPANESE[key]), key


def test_no_words_are_of_something_that_is_gone():
    known = {key for catalogue, name in ENTRIES for key in keys_of(catalogue, name)}
    known |= {key for key in ENGLISH if key.startswith("type.")}
    assert ENGLISH.keys() == JAPANESE.keys() == known


@pytest.mark.parametrize("key", ENGLISH)
def test_both_languages_say_the_same_figures(key):
    assert sorted(set(FIGURE.findall(ENGLISH[key]))) == sorted(set(FIGURE.findall(JAPANESE[key])))


def test_types_and_defaults_are_said_in_the_language():
    fields = {field: kind for field, kind, _ in METHODS.fields("full-domain", "ja")}
    assert fields["objective"] == "loss | dis | ncp、既定値 'loss'"
    assert fields["weights"] == "対応表、省略可"
    assert HIERARCHIES.fields("order", "ja")[0][1] == "リスト、必須"
    assert HIERARCHIES.fields("order")[0][1] == "array, required"


@every_language
def test_an_entry_of_somebody_else_says_its_docstring(language):
    catalogue = Catalogue("method", {"sorted": Sorted})
    assert catalogue.about("sorted", language) == "Sort the rows."
    assert [said for _, _, said in catalogue.fields("sorted", language)] == [
        "Column to sort by.",
        "Share of the rows.",
    ]


def test_every_measure_has_words():
    measures = {**MEASURES, **BASKET_MEASURES}
    words = loaded("measures", "en")
    assert {key for key in words if key.startswith("meaning.")} == {f"meaning.{name}" for name in measures}
    assert {key for key in words if key.startswith("applies.")} == {
        f"applies.{each.applies}" for each in measures.values()
    }
    for each in measures.values():
        assert each.meaning.into("ja") == loaded("measures", "ja")[f"meaning.{each.name}"]


def test_a_measure_of_somebody_else_says_its_docstring():
    def lost(before, after):
        """Rows that are lost.

        Counted one by one.
        """

    measure = Measure("lost", lost, applies="sorted rows")
    assert measure.meaning == measure.meaning.into("ja") == "Rows that are lost."
    said = "'lost' looks at sorted rows, which these tables do not have."
    assert nothing_to_tell(measure) == said


def test_why_a_measure_has_no_value_in_japanese():
    said = nothing_to_tell(MEASURES["correlation_change"]).into("ja")
    assert said == "指標「correlation_change」の対象は二つ以上の数値の列ですが、これらの表にはありません。"
