"""A recipe that is changed by the program keeps what its owner wrote: comments, order, and form of all that stays."""

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.release.recipe.yaml import edited, load

RECIPE = """\
# Patients of 2024, for the board.
version: 1
source: {path: people.csv}  # from the registry

columns:
  # Ages as they were told.
  age: {role: quasi, hierarchy: {type: intervals, width: 5}}  # five years
  zip:
    role: quasi

    # Digits from the right.
    hierarchy: {type: mask}
  quasi: [sex, nation]
  drop: [a, b,
    c, d]
  # The last word on columns.

# What the board asked for.
requirements:
  - {type: k-anonymity, k: 3}
  - {type: l-diversity, l: 3}
output:
  folder: out   # new each time
"""


def test_what_stays_is_not_touched():
    assert edited(RECIPE, load(RECIPE)) == RECIPE


def test_an_entry_is_replaced_in_its_place_and_the_rest_stays():
    content = load(RECIPE)
    content["requirements"] = [{"type": "k-anonymity", "k": 3}, {"type": "l-diversity", "l": 2}]
    made = edited(RECIPE, content)
    assert made == RECIPE.replace(
        "  - {type: k-anonymity, k: 3}\n  - {type: l-diversity, l: 3}\n",
        "- {type: k-anonymity, k: 3}\n- {type: l-diversity, l: 2}\n",
    )


def test_a_column_moves_to_the_list_of_what_is_dropped():
    content = load(RECIPE)
    content["columns"]["quasi"] = ["sex"]
    content["columns"]["drop"] = ["a", "b", "c", "d", "nation"]
    made = edited(RECIPE, content)
    assert "  quasi: [sex]\n  drop: [a, b, c, d, nation]\n  # The last word on columns.\n" in made
    assert "  age: {role: quasi, hierarchy: {type: intervals, width: 5}}  # five years\n" in made


def test_a_new_entry_follows_the_one_before_it():
    content = load(RECIPE)
    output = content.pop("output")
    made = edited(RECIPE, {**content, "compromise": {"kind": "drop"}, "output": output})
    assert "  - {type: l-diversity, l: 3}\ncompromise: {kind: drop}\noutput:\n" in made


def test_an_entry_inside_an_entry_changes_alone():
    content = load(RECIPE)
    content["columns"]["zip"]["role"] = "drop"
    made = edited(RECIPE, content)
    assert made == RECIPE.replace("    role: quasi\n", "    role: drop\n")


def test_a_text_without_an_end_of_line_can_be_followed():
    assert edited("a: 1", {"a": 1, "b": [2]}) == "a: 1\nb: [2]\n"


def test_what_cannot_be_edited_by_lines_is_written_anew():
    for text in ("{a: 1, b: 2}", "a: &x [1, 2]\nb: *x\n"):
        content = {**load(text), "a": 3}
        assert load(edited(text, content)) == content


# PyYAML itself does not bring every line separator back.
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=8)
values = st.recursive(
    st.one_of(st.integers(), texts, st.none(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
contents = st.dictionaries(texts, values, max_size=5)


@given(contents, contents, st.sampled_from([False, None, True]))
@settings(max_examples=300)
def test_the_result_always_says_the_new_content(old, new, flow):
    text = yaml.safe_dump(old, default_flow_style=flow, allow_unicode=True)
    both = {**old, **new}
    assert load(edited(text, both)) == both
    assert load(edited(text, new)) == new
