"""Manifests and shares that come from strangers: one sentence each, at once (found by benchmarks/robustness)."""

# mypy: disable-error-code="arg-type"
# parameters are given as users write them, wrong ones included

import collections
import json
import re
import time
from fractions import Fraction

import numpy as np
import pytest

import sudare as sd
from sudare.assess.baskets.sampling import draw
from sudare.cli import main
from sudare.errors import InputError, ParameterError, one_line, shown
from sudare.measure.baskets.association import _least_ratio
from sudare.randomness import Randomness
from sudare.rational import exact_share
from sudare.verify.baskets.adversaries import _some_of_each, draw_and_count
from sudare.verify.baskets.check import check_basket_folder
from sudare.verify.baskets.sets import verify_baskets
from sudare.verify.manifest import read_manifest

LISTS = [["x", "y"], ["x", "y"], ["x", "y"], ["x"], [], ["y", "z", "w x"], ["z"]]
RHO = {"type": "rho-uncertainty", "rho": 0.5}
SAMPLED = {**RHO, "m": 2, "eps": 0.1, "delta": 0.1}
KM = {"type": "km-anonymity", "k": 1, "m": 2}


@pytest.fixture
def at_once():
    began = time.process_time()
    yield
    assert time.process_time() - began < 20


def is_one_sentence(text):
    return text.endswith((".", "?")) and "\n" not in text and len(text) < 1500


# Shares


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (0.3, Fraction(3, 10)),
        ("0.3", Fraction(3, 10)),
        ("1/3", Fraction(1, 3)),
        (" 1/3 ", Fraction(1, 3)),
        ("3e-1", Fraction(3, 10)),
        (5e-324, Fraction(5, 10**324)),
        (Fraction(1, 7), Fraction(1, 7)),
        (np.float64(0.1), Fraction(1, 10)),
        (0, 0),
        (1, 1),
    ],
)
def test_a_share_is_what_was_written(given, value):
    assert exact_share(given, "rho") == value


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "given",
    [
        *("2e47483648", "1e9223372036854775808", "1e-99999999", "1e-401", "0." + "3" * 200, "9" * 5000, "1/" + "9" * 5000),
        *("inf", "nan", "-1", "1.5", "1/0", "1//3", "", "½", "１/３", "٠.٥", "x", "0x1", "1e"),
        *(float("nan"), float("inf"), -0.1, 2, 10**5000, True, None, [0.5], {"a": 1}),
    ],
    ids=lambda given: shown(given)[:20],
)  # fmt: skip
def test_what_is_no_share_is_said_at_once(given):
    with pytest.raises(ValueError, match=r"^'rho' is ") as error:
        exact_share(given, "rho")
    assert is_one_sentence(str(error.value))
    finding = verify_baskets(described(), described(), [{**RHO, "rho": given}])[0]
    assert not finding.holds
    assert "The requirement rho-uncertainty cannot be checked: its rho is " in finding.sentence
    assert is_one_sentence(finding.sentence)
    if isinstance(given, str):
        with pytest.raises(ParameterError, match="RhoUncertainty: 'rho' is "):
            sd.RhoUncertainty(given)
        with pytest.raises(ParameterError, match="'confidence' is "):
            sd.measure.rules(LISTS, confidence=given)


def test_confidences_of_any_length_are_compared_exactly():
    """Products with a denominator of 10^17 would not fit into 64 bits."""
    lists = [["a", "b"]] * 600 + [["a"]] * 400
    for confidence in (0.6, 0.5999999999999999, 0.30000000000000004, 1e-300, 0.0):
        assert sd.measure.rules(lists, 0.5, confidence)["body"].to_list() == [["b"], ["a"]]
    assert sd.measure.rules(lists, 0.5, 0.6000000000000001)["body"].to_list() == [["b"]]


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_the_least_ratio_is_the_least(most):
    for share in (
        Fraction(0),
        Fraction(1),
        Fraction(1, 3),
        Fraction("0.30000000000000001"),
        Fraction(1, 10**30),
    ):
        best = min(
            Fraction(-(-share.numerator * under // share.denominator), under) for under in range(1, most + 1)
        )
        assert _least_ratio(share, most) == best


# Samples


@pytest.mark.parametrize(("eps", "delta"), [(1e-9, 0.1), (1e-300, 0.1), (1e-9, 1 - 1e-16), (1e-4, 1e-300)])
def test_more_adversaries_than_can_be_drawn(eps, delta):
    with pytest.raises(ParameterError, match=r"more than 10,000,000 attackers .* Choose a larger eps"):
        sd.RhoUncertainty(0.5, m=2, eps=eps, delta=delta)


def test_a_tiny_delta_is_no_zero():
    asked = sd.RhoUncertainty(1, m=2, eps=0.5, delta=1e-30)  # 1 - delta is 1 in floating point
    assert asked.check(described()).holds
    assert verify_baskets(described(), described(), [{**SAMPLED, "rho": 1, "eps": 0.5, "delta": 1e-30}])[
        0
    ].holds


def test_long_sets_are_not_drawn_by_the_million():
    with pytest.raises(ParameterError, match="too many to draw; choose a larger eps"):
        draw(sd.read_baskets([list(range(100))]), 100, 10_000_000, Randomness(1))


def test_the_verifier_draws_all_sets_alike():
    baskets = sd.read_baskets([["a", "b", "c", "d"], ["a"], ["b", "c", "d"]])
    users = np.repeat(np.array([0, 2]), 60_000)
    found = _some_of_each(baskets, users, 2, Randomness(3))
    seen = collections.Counter(zip(users.tolist(), map(tuple, found.tolist()), strict=True))
    assert len(seen) == 6 + 3
    assert all(abs(count - 60_000 / (3 if user else 6)) < 600 for (user, _), count in seen.items())


def test_the_verifier_counts_those_in_danger():
    baskets = sd.read_baskets([["a", "s"], ["a", "s"], ["b"], ["a"]]).describe(sensitive=["s"])
    left = np.ones(len(baskets.codes), dtype=np.bool_)
    one, two = draw_and_count(baskets, left, 5, 40_000, Fraction(1, 2))
    # Of length 1: whoever knows a (users 0 and 1 half of the time, user 3 always) infers s with 2/3.
    assert abs(one / 40_000 - 1 / 2) < 0.02
    assert two == 0  # nothing is outside of {a, s}


# Manifests of baskets


def described():
    return sd.read_baskets(LISTS).describe(sensitive=["y"])


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"type": "km-anonymity"}, "its k is None, not a whole number of 1 or more"),
        ({**KM, "k": "x"}, "its k is 'x', not a whole number"),
        ({**KM, "k": True}, "its k is True"),
        ({**KM, "k": 2.5}, "its k is 2.5"),
        ({**KM, "m": 0}, "its m is 0"),
        ({**KM, "m": [2]}, r"its m is \[2\]"),
        ({**RHO, "m": "2"}, "its m is '2'"),
        ({**RHO, "m": -1}, "its m is -1"),
        ({"type": "rho-uncertainty"}, "its rho is None"),
        ({**SAMPLED, "eps": 1e-9}, "more than 10,000,000 adversaries"),
        ({**SAMPLED, "eps": 1e-300}, "more than 10,000,000 adversaries"),
        ({**SAMPLED, "eps": "0.1"}, "its eps is '0.1', not a number between 0 and 1"),
        ({**SAMPLED, "eps": 1}, "its eps is 1,"),
        ({**SAMPLED, "eps": float("nan")}, "its eps is nan"),
        ({**SAMPLED, "delta": None}, "its delta is None"),
        ({**SAMPLED, "delta": 0.0}, "its delta is 0.0"),
        ({**SAMPLED, "m": None}, "its m is None"),
        ({"type": ["x" * 5000]}, "cannot check the requirement"),
        ({}, "cannot check the requirement None"),
    ],
)
def test_a_requirement_that_asks_nonsense_does_not_hold(asked, words):
    finding = verify_baskets(described(), described(), [asked])[0]
    assert not finding.holds
    assert re.search(words, finding.sentence)
    assert is_one_sentence(finding.sentence)


@pytest.mark.usefixtures("at_once")
def test_a_requirement_that_asks_for_endless_work_does_not_hold():
    long = sd.read_baskets([list(range(60))] * 2).describe(sensitive=[3])
    for asked in ({**KM, "m": 10**9}, RHO, {**RHO, "m": 10**400}):
        finding = verify_baskets(long, long, [asked])[0]
        assert not finding.holds
        assert "baskets of up to 60 items have more than 60,000,000 sets" in finding.sentence
    longer = sd.read_baskets([list(range(2000))]).describe(sensitive=[3])
    finding = verify_baskets(longer, longer, [{**SAMPLED, "m": 10**9, "eps": 0.01}])[0]
    assert "would take too long" in finding.sentence


@pytest.mark.usefixtures("at_once")
def test_large_numbers_that_ask_little_are_checked():
    found = verify_baskets(described(), described(), [{**KM, "m": 10**400}, {**KM, "k": 10**400}])
    assert [finding.holds for finding in found] == [True, False]
    assert all(is_one_sentence(finding.sentence) for finding in found)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "clicks.txt"
    path.write_text("".join(",".join(each) + "\n" for each in LISTS), encoding="utf-8")
    baskets = sd.read_baskets(path).describe(sensitive=["y"])
    sd.anonymize(baskets, sd.RhoUncertainty(0.5), seed=1).write(tmp_path / "out")
    return tmp_path / "out"


def change(path, place, value):
    content = json.loads(path.read_text(encoding="utf-8"))
    *way, last = place
    holder = content
    for key in way:
        holder = holder[key]
    holder[last] = value
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize("name", ["", "..", "a\0b", "\ud800", "../x", "/etc/passwd"])
def test_the_data_file_is_one_of_the_folder(folder, name):
    change(folder / "public" / "manifest.json", ["data", "file"], name)
    with pytest.raises(InputError, match=r"names the data file .* outside its own folder") as error:
        check_basket_folder(folder)
    assert is_one_sentence(str(error.value))


def test_the_data_file_is_no_way_out_of_the_folder(folder, tmp_path):
    (folder / "public" / "link.txt").symlink_to(tmp_path / "clicks.txt")
    change(folder / "public" / "manifest.json", ["data", "file"], "link.txt")
    with pytest.raises(InputError, match="outside its own folder"):
        check_basket_folder(folder)


@pytest.mark.parametrize("count", [True, 10**400, 1.5, None])
def test_counts_are_whole_numbers(folder, count):
    change(folder / "public" / "manifest.json", ["data", "baskets"], count)
    with pytest.raises(InputError, match="is not one of baskets that this version reads"):
        check_basket_folder(folder)


def test_a_delimiter_may_be_missing(folder):
    path = folder / "public" / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["data"]["delimiter"]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert len(check_basket_folder(folder)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kept", [5, "y", [["y"]], [None], [True], [1.5], {"file": "x"}])
def test_kept_sensitive_items_are_items(folder, kept):
    change(folder / "internal" / "manifest.json", ["sensitive"], kept)
    for original in (None, folder.parent / "clicks.txt"):
        with pytest.raises(InputError, match="are not a list of texts and whole numbers; restore it"):
            check_basket_folder(folder, original=original)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kept", [5, "lines", ["layout"], {"query": "DROP TABLE x"}, {"layout": 1}, {"header": "no"}, {"": None}]
)
def test_the_original_is_read_only_in_ways_that_are_kept(folder, kept):
    change(folder / "internal" / "manifest.json", ["input", "read"], kept)
    with pytest.raises(InputError, match="does not say correctly how the original was read"):
        check_basket_folder(folder, original=folder.parent / "clicks.txt")


def test_manifests_nested_without_end(folder):
    for place in ("public", "internal"):
        (folder / place / "manifest.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match="is not valid JSON"):
        check_basket_folder(folder)


def test_a_broken_manifest_is_said_before_its_kind(folder, capsys):
    (folder / "public" / "manifest.json").write_text("{", encoding="utf-8")
    assert main(["check", str(folder), "--original", str(folder.parent / "clicks.txt")]) == 2
    assert "is not valid JSON" in capsys.readouterr().err


# What is printed


def test_nothing_in_a_manifest_commands_the_terminal(folder, capsys):
    path = folder / "public" / "manifest.json"
    change(path, ["data", "sha256"], "\x1b[31m\ud800\nx")
    change(path, ["requirements"], [{"type": "\ud800\x1b[31m"}])
    for more in ([], ["--json"]):
        assert main(["check", str(folder), *more]) == 1
        out = capsys.readouterr().out
        assert "\x1b[31m" not in out
        out.encode()
    assert one_line("a\nb\ud800") == "a\\nb\\ud800"


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "9" * 500])
def test_the_data_file_of_a_table_has_a_name(tmp_path, name):
    data = {"file": name, "format": "csv", "sha256": "", "rows": 1, "escape_formulas": False}
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "data": data}), encoding="utf-8")
    with pytest.raises(InputError, match=r"outside its own folder|does not exist"):
        read_manifest(tmp_path)
