"""Measures of baskets against plain twins: item shares, frequencies, association rules, and who pays."""

# mypy: disable-error-code="arg-type, index, union-attr"
# parameters are given as users write them, wrong ones included

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.cli import main
from sudare.errors import DescriptionError, ParameterError
from sudare.kernels.baskets.eclat import mine
from sudare.measure.baskets import association

BMS = Path("../shared/data/bms/BMS-WebView-1.txt")
FAST = settings(max_examples=80, deadline=None)
LISTS = st.lists(st.frozensets(st.sampled_from("abcdefg"), max_size=6), max_size=14)


@st.composite
def suppressed(draw):
    """Baskets, and what is left of them."""
    lists = draw(LISTS)
    left = [
        frozenset(item for item in sorted(basket) if draw(st.booleans())) if draw(st.booleans()) else basket
        for basket in lists
    ]
    return lists, left


def plain_sets(lists, least):
    """Support of every set of items in at least `least` baskets, by counting all subsets."""
    counts = Counter(
        chain.from_iterable(
            combinations(sorted(basket), size) for basket in lists for size in range(1, len(basket) + 1)
        )
    )
    return {items: count for items, count in counts.items() if count >= least}


def plain_rules(lists, support, confidence, top):
    """Rules (body, head) -> (count, confidence), the strongest first."""
    found = plain_sets(lists, max(1, math.ceil(Fraction(str(support)) * len(lists))))
    listed = []
    for items, count in found.items():
        for head in items if len(items) > 1 else ():
            body = tuple(item for item in items if item != head)
            sure = Fraction(count, found[body])
            if sure >= Fraction(str(confidence)):
                listed.append(((-count, -sure, len(body), body, head), (body, head, count, float(sure))))
    return [rule for _, rule in sorted(listed)][:top]


def mined(baskets, least):
    """Support of every mined set."""
    tree = mine(baskets.starts.copy(), baskets.codes.copy(), max(len(baskets.items), 1), least, 10**6)
    parents, items, supports, firsts, widths, complete = tree
    assert complete
    found = {}
    for node in range(1, len(parents)):
        names, place = [], node
        while place > 0:
            names.append(baskets.items[items[place]])
            place = parents[place]
        found[tuple(reversed(names))] = int(supports[node])
        children = parents[firsts[node] : firsts[node] + widths[node]]
        assert (children == node).all()
    assert len(found) == len(parents) - 1
    return found


@FAST
@given(LISTS, st.integers(1, 5))
def test_mined_sets_are_those_of_brute_force(lists, least):
    assert mined(sd.read_baskets(lists), least) == plain_sets(lists, least)


def test_mining_stops_at_its_limit():
    baskets = sd.read_baskets([list("abcdefgh")] * 3)
    *_, complete = mine(baskets.starts.copy(), baskets.codes.copy(), 8, 2, 254)
    assert not complete
    *_, complete = mine(baskets.starts.copy(), baskets.codes.copy(), 8, 2, 255)
    assert complete


@FAST
@given(
    LISTS,
    st.sampled_from([0, 0.05, 0.2, 0.5]),
    st.sampled_from([0, 0.3, 0.5, 1.0]),
    st.sampled_from([1, 3, 100, None]),
)
def test_rules_are_those_of_brute_force(lists, support, confidence, top):
    found = sd.measure.rules(lists, support, confidence, top=top)
    rows = [(tuple(body), head, count, sure) for body, head, _, count, sure in found.iter_rows()]
    assert rows == plain_rules(lists, support, confidence, top)
    assert found["support"].to_list() == [count / len(lists) for count in found["count"]]


@pytest.mark.slow
@FAST
@given(suppressed())
def test_losses_are_their_formulas(pair):
    before, after = pair
    total = sum(map(len, before))
    lost = total - sum(map(len, after))
    assert sd.measure.util1(before, after) == pytest.approx(lost / total if total else 0)
    first, then = (Counter(chain.from_iterable(lists)) for lists in pair)
    sums = first.total(), then.total()
    kl = sum(n / sums[1] * math.log(n / sums[1] / (first[item] / sums[0])) for item, n in then.items())
    assert sd.measure.util2(before, after) == pytest.approx(kl, abs=1e-12)
    rules = [{rule[:2] for rule in plain_rules(lists, 0.0005, 0.3, 100)} for lists in pair]
    union = rules[0] | rules[1]
    distance = 1 - len(rules[0] & rules[1]) / len(union) if union else 0
    assert sd.measure.rule_distance(before, after) == pytest.approx(distance)
    loss = sd.measure.user_loss(before, after)
    assert loss.frame["lost"].to_list() == [len(old - new) for old, new in zip(before, after, strict=True)]
    shares = [len(old - new) / len(old) for old, new in zip(before, after, strict=True) if old]
    if shares:
        assert loss.mean == pytest.approx(sum(shares) / len(shares))
        assert loss.untouched == pytest.approx(shares.count(0) / len(shares))
        assert loss.emptied == pytest.approx(shares.count(1) / len(shares))
    assert loss.gini == pytest.approx(
        plain_gini([len(o - n) for o, n in zip(before, after, strict=True) if o])
    )
    change = sd.measure.frequency_change(before, after).frame
    assert {item: (old, new) for item, old, new, _ in change.iter_rows()} == {
        item: (first[item], then[item]) for item in first
    }


def plain_gini(values):
    if not sum(values):
        return 0.0
    differences = sum(abs(one - other) for one in values for other in values)
    return differences / (2 * len(values) * sum(values))


@pytest.mark.slow
@FAST
@given(suppressed())
def test_compared_rules_have_their_true_supports(pair):
    before, after = pair
    compared = sd.measure.compare_rules(before, after, support=0.1, top=5)
    strongest = [{rule[:2] for rule in plain_rules(lists, 0.1, 0.3, 5)} for lists in pair]
    assert compared.height == len(strongest[0] | strongest[1])
    for row in compared.iter_rows(named=True):
        rule = tuple(row["body"]), row["head"]
        status = {(True, True): "kept", (True, False): "lost", (False, True): "new"}
        assert row["status"] == status[rule in strongest[0], rule in strongest[1]]
        for when, lists in (("before", before), ("after", after)):
            body = sum(set(row["body"]) <= basket for basket in lists)
            whole = sum({*row["body"], row["head"]} <= basket for basket in lists)
            assert row[f"support_{when}"] == whole / len(lists)
            assert row[f"confidence_{when}"] == (whole / body if body else None)


def test_examples_by_hand():
    before = [["a", "b"], ["a", "b", "c"], ["c"]]
    after = [["a"], ["a", "b"], []]
    assert sd.measure.util1(before, after) == pytest.approx(3 / 6)
    kl = 2 / 3 * math.log((2 / 3) / (2 / 6)) + 1 / 3 * math.log((1 / 3) / (2 / 6))
    assert sd.measure.util2(before, after) == pytest.approx(kl)
    assert sd.measure.measure_baskets(before, before) == {"util1": 0, "util2": 0, "rule_distance": 0}


def test_nothing_left_generalized_and_empty():
    before = [["a", "b"], ["b"]]
    assert sd.measure.util1(before, [[], []]) == 1
    assert sd.measure.util2(before, [[], []]) == 0
    assert sd.measure.rule_distance(before, [[], []]) == 1
    assert sd.measure.util1(before, [["*"], ["b"]]) == pytest.approx(2 / 3)
    assert sd.measure.util2(before, [["*"], ["b"]]) == math.inf
    every: list[list[list[str]]] = [[], [[]], [["a"]]]
    for lists in every:
        assert sd.measure.measure_baskets(lists, lists) == {"util1": 0, "util2": 0, "rule_distance": 0}
        assert sd.measure.compare_rules(lists, lists).is_empty()
        assert sd.measure.user_loss(lists, lists).gini == 0


def test_baskets_lists_and_releases_are_the_same_to_measures():
    before, after = [[1, 2], [2, 3]], [[1], [2, 3]]

    class Release:
        baskets = after

    expected = sd.measure.util1(before, after)
    assert sd.measure.util1(sd.read_baskets(before), sd.read_baskets(after)) == expected
    assert sd.measure.util1(before, Release()) == expected
    pair = sd.measure.basket_pair(before, after)
    assert sd.measure.util1(before, pair) == expected
    assert sd.measure.rules(before, 0.5, 0.9)["head"].dtype.is_integer()
    mixed = sd.measure.frequency_change([[1, "x"]], [["x"]]).frame
    assert mixed["item"].to_list() == ["1", "x"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m: m.util1([["a"]], [["a"], []]), "The number of baskets is 1 before and 2 after"),
        (lambda m: m.util1(3, [["a"]]), "A value of type int does not contain baskets"),
        (lambda m: m.rules([["a"]], 2), "'support' is 2, but it should be a number from 0 to 1"),
        (
            lambda m: m.rules([["a"]], confidence=-1),
            "'confidence' is -1, but it should be a number from 0 to 1",
        ),
        (lambda m: m.rules([["a"]], top=0), "'top' is 0, but the number of rules must be 1 or more"),
        (
            lambda m: m.measure_baskets([["a"]], [["a"]], ["util3"]),
            "'util3' is not a measure of baskets; did you",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(call, sentence):
    with pytest.raises((ParameterError, DescriptionError), match=sentence):
        call(sd.measure)


def test_too_many_sets_are_said_in_a_sentence_unless_enough_rules_are_found(monkeypatch):
    monkeypatch.setattr(association, "_MOST_SETS", 500)
    lists = [list("abcdefghij")] * 4 + [["x", "y"]] * 40
    with pytest.raises(ParameterError, match="More than 500 sets of items are in at least 2 baskets; raise"):
        sd.measure.rules(lists, 0.03, top=None)
    with pytest.raises(ParameterError, match="before 50 rules were found; raise the support, or lower top"):
        sd.measure.rules(lists, 0.03, top=50)
    assert sd.measure.rules(lists, 0.03, top=2)["count"].to_list() == [40, 40]


def test_charts_are_drawn():
    before = [["a", "b"], ["a"]] * 3
    after = [["a"], []] * 3
    assert sd.measure.user_loss(before, after).chart().to_dict()["mark"]["type"] == "bar"
    assert sd.measure.frequency_change(before, after).chart().to_dict()["mark"]["type"] == "circle"
    many = [[item] for item in range(7000)]
    assert len(str(sd.measure.frequency_change(many, many).chart().to_dict())) < 10**6


def test_every_measure_declares_itself():
    for name, each in sd.measure.BASKET_MEASURES.items():
        assert each.name == name
        assert each.smallest == 0
        assert each.meaning.into("ja") != each.meaning
        assert each.applies == "baskets"


@pytest.mark.slow
@pytest.mark.skipif(not BMS.is_file(), reason="the click streams are not beside the project")
def test_sets_and_rules_of_a_click_stream_are_those_of_brute_force():
    baskets = sd.read_baskets(BMS)
    short = baskets.take(np.flatnonzero(baskets.lengths <= 5))
    assert len(short) == 54_737
    found = mined(short, 28)
    assert found == plain_sets(short, 28)
    strongest = sd.measure.rules(short)
    rows = [(tuple(body), head, count) for body, head, _, count, _ in strongest.iter_rows()]
    assert rows == [rule[:3] for rule in plain_rules(short.sets(), 0.0005, 0.3, 100)]


def test_the_command_measures_baskets(tmp_path, capsys):
    (tmp_path / "before.txt").write_text("a b\na b c\nc\n", encoding="utf-8")
    (tmp_path / "after.json").write_text('[["a"], ["a", "b"], []]', encoding="utf-8")
    before, after, plot = (str(tmp_path / name) for name in ("before.txt", "after.json", "plot.svg"))
    assert main(["measure", before, after, "--baskets", "--json", "--plot", plot]) == 0
    assert json.loads(capsys.readouterr().out)["util1"] == 0.5
    assert Path(plot).read_text(encoding="utf-8").startswith("<svg")
    assert main(["measure", before, after, "--baskets", "--measure", "util2"]) == 0
    assert "Kullback-Leibler" in capsys.readouterr().out
    assert main(["measure", before, after, "--baskets", "--recipe", before]) == 2
    assert main(["measure", before, str(tmp_path), "--baskets"]) == 2
