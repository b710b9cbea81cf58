"""`sudare check --sensitive` looks at every item that was named, or says which it did not."""

import json
import shutil

import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import DescriptionError
from sudare.verify.finding import FindingSentence
from sudare.words.sentence import in_language

LISTS = [["news", "shop"]] * 6 + [["news"]] * 6 + [["mail", "clinic-1"], ["mail", "clinic-2"], ["mail"]] * 3
RARE = [["hobby", "clinic-3"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release that protects the shop and nothing else: each clinic can be inferred from nothing but itself."""
    place = tmp_path_factory.mktemp("items")
    baskets = sd.read_baskets(LISTS + RARE)
    (place / "original.json").write_text(json.dumps(baskets.lists()), encoding="utf-8")
    described = baskets.describe(sensitive=["shop", "clinic-3"])
    sd.anonymize(described, sd.RhoUncertainty("2/5"), seed=1).write(place / "release")
    return place


def _told(capsys):
    return " ".join(capsys.readouterr().out.split())


def _check(folder, sensitive, *more):
    return main(["check", str(folder / "release" / "public"), "--sensitive", sensitive, *more])


def test_patterns_mean_the_same_as_in_describe(folder, capsys):
    assert _check(folder, "shop,m*") == 1
    assert "mail can be inferred" in _told(capsys)
    assert _check(folder, "shop,clinic-[12]") == 0
    assert "do not occur" not in _told(capsys)


def test_items_that_do_not_occur_are_counted(folder, capsys):
    assert _check(folder, "shop,clinic-3") == 0
    told = _told(capsys)
    assert "✓ No sensitive item can be inferred with a confidence above 2/5." in told
    assert "1 of the 2 items named does not occur in the release and was not checked (clinic-3)" in told
    assert _check(folder, "shop,typo,x*") == 0
    assert "2 of the 3 items named do not occur in the release and were not checked (typo, x*)" in _told(
        capsys
    )
    assert _check(folder, "shop,typo", "--lang", "ja") == 0
    japanese = capsys.readouterr().out.replace("\n", "").replace(" ", "")
    assert "指定された2個のうち1個のアイテムは公開データに現れず、検証していません（typo）" in japanese


def test_a_single_item_that_does_not_occur_is_never_confirmed(folder, capsys):
    assert _check(folder, "clinic-3") == 1
    assert "✗ None of the sensitive items named occurs in the release (clinic-3)" in _told(capsys)
    assert _check(folder, ",".join(f"t{number}" for number in range(9))) == 1
    assert "(t0, t1, t2, t3, t4, t5 and 3 more)" in _told(capsys)
    assert _check(folder, "re:^q") == 1
    assert "✗ No item of the release was named as sensitive" in _told(capsys)


@pytest.mark.parametrize(
    "given", [["shop", "typo"], {"shop", "typo"}, ("shop", "typo"), ["shop", "typo", None]]
)
def test_python_says_it_too(folder, given):
    finding = sd.verify_release(folder / "release" / "public", sensitive=given)[-1]
    assert finding.holds
    assert "(typo)" in finding.sentence


def test_one_item_need_not_be_in_a_list(folder):
    public = folder / "release" / "public"
    assert sd.verify_release(public, sensitive="shop")[-1].holds
    assert not sd.verify_release(public, sensitive="typo")[-1].holds
    assert not sd.verify_release(public, sensitive=12)[-1].holds


def test_beside_the_original_a_name_that_fits_no_item_is_refused(folder, capsys):
    original = str(folder / "original.json")
    whole = str(folder / "release")
    for wrong in ("shop,typo", "shop,x*", "re:^q"):
        assert main(["check", whole, "--original", original, "--sensitive", wrong]) == 2
    assert main(["check", whole, "--original", original, "--sensitive", "shop,clinic-3"]) == 0
    assert main(["check", whole, "--original", original, "--sensitive", "sh*,clinic-3"]) == 0
    capsys.readouterr()
    assert main(["check", whole, "--original", original, "--sensitive", "m*"]) == 1
    with pytest.raises(DescriptionError, match="No basket has the sensitive item 'shopp'"):
        sd.verify_release(whole, original=LISTS + RARE, sensitive=["shopp"])


def test_the_sentences_are_said_in_both_languages():
    more = FindingSentence("rho.more", names="a", more=2)
    assert in_language(more, "en") == "a and 2 more"
    assert in_language(more, "ja") == "a ほか 2 個"


@pytest.fixture(scope="module")
def personal(tmp_path_factory):
    """Each user calls something else sensitive, and the baskets are in random order."""
    place = tmp_path_factory.mktemp("personal")
    baskets = sd.read_baskets(LISTS).describe(sensitive=[["shop"]] * 12 + [["clinic-1"]] * 9)
    (place / "original.json").write_text(json.dumps(baskets.lists()), encoding="utf-8")
    release = sd.anonymize(baskets, sd.RhoUncertainty("2/5"), seed=1, order="shuffle")
    release.write(place / "release")
    shutil.copytree(place / "release" / "public", place / "handed-over")
    return place


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nobody_is_sent_for_an_original_that_does_not_help(personal, capsys, language):
    public, original = str(personal / "handed-over"), str(personal / "original.json")
    lacking = {"en": "only the internal part of the release says whose", "ja": "内部用の部分にしか"}[language]
    unhelpful = {"en": "together with the original", "ja": "元のデータ（--original FILE）を指定"}[language]
    for more in ([], ["--original", original]):
        assert main(["check", public, *more, "--lang", language]) == 1
        joint = "" if language == "ja" else " "
        told = joint.join(line.strip() for line in capsys.readouterr().out.splitlines())
        assert lacking in told
        assert unhelpful not in told
        assert "--sensitive" in told
    assert main(["check", public, "--sensitive", "shop"]) == 0
    assert main(["check", public, "--original", original, "--sensitive", "sh*"]) == 0
    assert main(["check", public, "--original", original, "--sensitive", "m*"]) == 1
    assert main(["check", str(personal / "release"), "--original", original]) == 0


def test_an_original_is_asked_for_where_it_helps(personal):
    finding = sd.verify_release(personal / "release")[-1]
    assert not finding.holds
    assert "together with the original (--original FILE)" in finding.sentence
