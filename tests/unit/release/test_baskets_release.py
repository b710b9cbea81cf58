"""Releases of baskets: in memory, on disk, checked again with and without the original."""

# mypy: disable-error-code="arg-type, index, union-attr"
# parameters are given as users write them, wrong ones included

import json

import pytest

import sudare as sd
from sudare.assess.baskets.km_anonymity import KmAnonymity
from sudare.assess.baskets.rho_uncertainty import RhoUncertainty
from sudare.cli import main
from sudare.errors import DescriptionError, InputError, OutputError, ParameterError
from sudare.verify.baskets.check import check_basket_folder
from sudare.verify.manifest import kind_at

LISTS = [["x", "y"], ["x", "y"], ["x", "y"], ["x"], [], ["y", "z", "w x"], ["z"]]


@pytest.fixture
def clicks(tmp_path):
    path = tmp_path / "clicks.txt"
    path.write_text("".join(",".join(each) + "\n" for each in LISTS), encoding="utf-8")
    return path


@pytest.fixture
def release(clicks):
    return sd.anonymize(sd.read_baskets(clicks).describe(sensitive=["y"]), RhoUncertainty(0.5), seed=1)


def test_baskets_are_released_as_sets_in_random_order(release):
    assert release.holds
    assert not release.secure
    assert len(release.baskets) == len(LISTS)
    assert all(left <= set(given) for left, given in zip(release.released, LISTS, strict=True))
    assert [release.released[place] for place in release.rows_of_original] == release.baskets
    assert release.losses["util1"] == sd.measure.util1(LISTS, release) > 0
    assert repr(release).startswith("BasketRelease(7 baskets")
    assert "util1 0." in repr(release)
    assert RhoUncertainty(0.5).check(release).holds
    with pytest.raises(AttributeError):
        release.released = None


def test_requirements_may_be_texts_and_must_be_those_of_baskets(clicks):
    baskets = sd.read_baskets(clicks).describe(sensitive=["y"])
    assert sd.anonymize(baskets, "rho-uncertainty rho=0.5").holds
    with pytest.raises(ParameterError, match="KAnonymity is a requirement on tables, not on baskets"):
        sd.anonymize(baskets, sd.KAnonymity(2))
    with pytest.raises(
        ParameterError, match=r"KmAnonymity is a class; pass an instance, for example KmAnonymity\(…\)"
    ):
        sd.anonymize(baskets, sd.KmAnonymity)
    with pytest.raises(ParameterError, match="5 does not name a requirement on baskets"):
        sd.anonymize(baskets, 5)
    assert sd.anonymize(baskets, {"type": "rho-uncertainty", "rho": 0.5}).requirements == (
        RhoUncertainty(0.5),
    )
    with pytest.raises(ParameterError, match="'mondrian' is a method for tables, but these data are baskets"):
        sd.anonymize(baskets, RhoUncertainty(0.5), method="mondrian")
    with pytest.raises(DescriptionError, match="There are no baskets"):
        sd.anonymize(sd.read_baskets([]), RhoUncertainty(0.5))


def test_a_folder_must_be_a_path(release):
    with pytest.raises(ParameterError, match="The folder is None, which is not a path"):
        release.write(None)


@pytest.mark.slow
@pytest.mark.parametrize("layout", [None, "lines", "json", "long", "lists", "sets"])
def test_a_folder_is_written_and_checked_again(release, clicks, tmp_path, layout):
    written = release.write(tmp_path / "out", layout=layout)
    assert [finding.holds for finding in written.findings] == [True, True, True]
    assert kind_at(tmp_path / "out") == "baskets"
    chosen = written.manifest["data"]
    again = sd.read_baskets(written.data, layout=chosen["layout"], delimiter=chosen["delimiter"])
    assert again.sets() == release.baskets
    assert all(finding.holds for finding in check_basket_folder(tmp_path / "out", original=clicks))
    assert all(finding.holds for finding in check_basket_folder(tmp_path / "out"))
    assert main(["check", str(tmp_path / "out"), "--original", str(clicks)]) == 0
    public = json.loads((tmp_path / "out" / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert not {"input", "sensitive", "notes"} & set(public)


def test_sensitive_items_of_each_user_are_kept_inside_and_never_published(clicks, tmp_path):
    baskets = sd.read_baskets(clicks).describe(sensitive=[["y"]] * 4 + [[]] * 3)
    release = sd.anonymize(baskets, RhoUncertainty("1/2"))
    written = release.write(tmp_path / "out")
    assert not (tmp_path / "out" / "public" / "sensitive.parquet").exists()
    assert all(finding.holds for finding in check_basket_folder(written.folder, original=clicks))
    public = written.folder / "public"
    alone = check_basket_folder(public)
    assert [finding.holds for finding in alone] == [True, False]
    assert "cannot be checked without them" in alone[1].sentence
    nameless = check_basket_folder(public, original=clicks)
    assert "It is not known which items are sensitive" in nameless[1].sentence
    assert check_basket_folder(public, original=clicks, sensitive=[["y"]] * 4 + [[]] * 3)[1].holds


def test_users_may_keep_items_sensitive_that_only_baskets_left_out_had(tmp_path):
    every = sd.read_baskets(dict(enumerate([*LISTS, ["rare"]])))
    some = every.describe(sensitive=[["y", "rare"]] * 7 + [[]]).take(range(7))
    sd.anonymize(some, RhoUncertainty(0.5)).write(tmp_path / "out", layout="json")
    sd.write_baskets(some, tmp_path / "original.json", ids=True)
    assert all(
        finding.holds
        for finding in check_basket_folder(tmp_path / "out", original=tmp_path / "original.json")
    )


def test_a_changed_or_unsafe_file_is_noticed(release, clicks, tmp_path, capsys):
    folder = tmp_path / "out"
    data = release.write(folder).data
    data.write_bytes(clicks.read_bytes())
    findings = check_basket_folder(folder, original=clicks)
    assert [finding.holds for finding in findings] == [False, False, True]
    assert "does not match the manifest" in findings[0].sentence
    assert main(["check", str(folder), "--original", str(clicks), "--sensitive", "re:^y$"]) == 1
    assert "✗" in capsys.readouterr().out
    data.write_text("v\n" * 7, encoding="utf-8")
    assert "not parts of these originals" in check_basket_folder(folder, original=clicks)[1].sentence


def test_km_anonymity_is_checked_from_the_release_alone(clicks, tmp_path):
    release = sd.anonymize(sd.read_baskets(clicks), KmAnonymity(2, 2), seed=3)
    release.write(tmp_path / "out")
    assert all(finding.holds for finding in check_basket_folder(tmp_path / "out" / "public"))


def test_a_folder_that_cannot_be_written_or_read_is_said_in_a_sentence(release, tmp_path):
    with pytest.raises(ParameterError, match="output: 'layout' is 'rows', but it should be 'lines', 'json'"):
        release.write(tmp_path / "out", layout="rows")
    release.write(tmp_path / "out")
    with pytest.raises(OutputError, match="already exists"):
        release.write(tmp_path / "out")
    release.write(tmp_path / "out", overwrite=True)
    manifest = tmp_path / "out" / "public" / "manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content["data"]["file"] = "../internal/manifest.json"
    manifest.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="outside its own folder"):
        check_basket_folder(tmp_path / "out")
    manifest.write_text('{"kind": "baskets"}', encoding="utf-8")
    with pytest.raises(InputError, match="not one of baskets that this version reads"):
        check_basket_folder(tmp_path / "out")
    with pytest.raises(InputError, match=r"contains no manifest\.json"):
        check_basket_folder(tmp_path)
    assert main(["check", str(tmp_path / "out"), "--require", "k-anonymity k=2"]) == 2


@pytest.fixture
def recipe(clicks, tmp_path, monkeypatch):
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))

    def write(**changes):
        asked = {
            "version": 1,
            "baskets": {"path": clicks.name, "delimiter": ","},
            "sensitive": ["y"],
            "requirements": [{"type": "rho-uncertainty", "rho": 0.5}],
            "output": {"folder": "out"},
        }
        path = tmp_path / "recipe.yaml"
        path.write_text(json.dumps({**asked, **changes}), encoding="utf-8")  # JSON is YAML
        return str(path)

    return write


def test_a_recipe_is_run_and_entered_into_the_ledger(recipe, clicks, tmp_path, capsys):
    assert main(["run", recipe()]) == 0
    assert "No sensitive item can be inferred" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "out"), "--original", str(clicks)]) == 0
    assert main(["ledger"]) == 0
    told = capsys.readouterr().out
    assert "released" in told
    assert "The ledger is intact" in told
    asked = ["run", recipe(), "--overwrite", "--require", "km-anonymity k=2 m=2", "--json", "--seed", "1"]
    assert main(asked) == 0
    manifest = json.loads(capsys.readouterr().out)["manifest"]
    assert manifest["requirements"] == [{"type": "km-anonymity", "k": 2, "m": 2}]
    assert manifest["secure_randomness"] is False
    assert "secure" not in manifest


def test_a_recipe_names_the_sensitive_items_of_each_user_in_a_file(recipe, clicks, tmp_path):
    (tmp_path / "private.txt").write_text("y\ny\n\n\n\nz\n\n", encoding="utf-8")
    assert (
        main(["run", recipe(sensitive={"file": "private.txt"}, output={"folder": "out", "layout": "json"})])
        == 0
    )
    assert (tmp_path / "out" / "public" / "baskets.json").is_file()
    assert main(["check", str(tmp_path / "out"), "--original", str(clicks)]) == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"colour": 1}, "colour"),
        ({"sensitive": ["q"]}, "No basket has the sensitive item 'q'"),
        ({"requirements": []}, "requirements"),
        ({"requirements": [{"type": "k-anonymity", "k": 2}]}, "k-anonymity"),
        ({"baskets": {"path": "nothing.txt"}}, "There is no file"),
        ({"measures": ["util9"]}, "'util9' is not a measure of baskets"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said_in_a_sentence(recipe, tmp_path, capsys, changes, words):
    assert main(["run", recipe(**changes)]) != 0
    assert words in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "out").exists()


def test_released_baskets_are_printed_for_a_pipe(recipe, tmp_path, capsys):
    assert main(["run", recipe(), "--stdout"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [sorted(json.loads(line)) for line in lines] == [
        sorted(basket)
        for basket in sd.read_baskets(next((tmp_path / "out" / "public").glob("baskets.*"))).lists()
    ]


def test_a_check_reads_the_original_as_the_release_did(tmp_path, monkeypatch, capsys):
    """Users and items without names, and lines with an unusual delimiter: the guess would be another or none."""
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    (tmp_path / "long.csv").write_text("1,x\n1,y\n2,x\n2,y\n3,x\n4,x\n4,y\n", encoding="utf-8")
    (tmp_path / "odd.txt").write_text("x-1~y\nx-1~y\nx-1\nx-1~y\n", encoding="utf-8")
    for name, options in (("long.csv", {"header": False}), ("odd.txt", {"delimiter": "~"})):
        original, out = tmp_path / name, tmp_path / f"out-{name}"
        baskets = sd.read_baskets(original, **options)
        written = sd.anonymize(baskets.describe(sensitive=["y"]), RhoUncertainty(0.5)).write(out)
        assert all(finding.holds for finding in written.findings)
        assert main(["check", str(out), "--original", str(original)]) == 0
    capsys.readouterr()
    public = str(tmp_path / "out-long.csv" / "public")
    assert main(["check", public, "--original", str(tmp_path / "long.csv"), "--sensitive", "y"]) != 0
    assert "may be a table of users and items" in capsys.readouterr().err.replace("\n", " ")
    told = ["check", public, "--original", str(tmp_path / "long.csv"), "--sensitive", "y", "--layout", "long"]
    assert main([*told, "--no-header"]) == 0
    assert main(["check", public, "--layout", "long"]) == 2


def test_the_recipe_is_kept_inside_and_can_be_run_again(recipe, tmp_path):
    assert main(["run", recipe(output={"folder": "out", "language": "ja"})]) == 0
    kept = tmp_path / "out" / "internal" / "recipe.yaml"
    assert main(["run", str(kept), "--overwrite", "--lang", "en"]) == 0
    assert "The guarantee holds." in (tmp_path / "out" / "public" / "report.html").read_text(encoding="utf-8")
    manifest = json.loads((tmp_path / "out" / "internal" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["recipe"]["sensitive"] == ["y"]
    public = json.loads((tmp_path / "out" / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert not {"recipe", "run", "seconds", "input"} & set(public)
    assert [finding["holds"] for finding in public["verified"]] == [True, True, True]


def test_what_is_hardly_meant_is_warned_about(clicks):
    baskets = sd.read_baskets(clicks)
    nothing = sd.anonymize(baskets.describe(sensitive=[]), RhoUncertainty(0.5))
    assert nothing.warnings == ("No item is sensitive for anyone, so rho-uncertainty protects nothing.",)
    gone = sd.anonymize(baskets, KmAnonymity(500, 2))
    assert gone.warnings == ("Every entry was suppressed and nothing is left; loosen the requirement.",)
    assert sd.anonymize(baskets.describe(sensitive=["y"]), RhoUncertainty(0.5)).warnings == ()


def test_another_original_is_noticed_at_once(release, tmp_path):
    release.write(tmp_path / "out")
    with pytest.raises(InputError, match="The original has 1 baskets and the release 7; give the original"):
        check_basket_folder(tmp_path / "out", original=[["x"]])
