"""`sudare describe --baskets --sensitive`: the recipe names the items, protects them, and runs."""

import pytest
import yaml

from sudare.cli import main
from sudare.read.baskets.sniff import looks_like_baskets
from sudare.release.recipe.load import load_recipe

BASKETS = ["news shop", "news", "mail shop clinic", "mail news", "12 news clinic", "shop mail"] * 4


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    (tmp_path / "clicks.txt").write_text("\n".join(BASKETS) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["shop,clinic"], ["shop", "clinic"]),
        (["cl*", "shop"], ["clinic", "shop"]),
        (["re:^(shop|clinic)$"], "re:^(shop|clinic)$"),
        (["12"], ["12"]),
    ],
)
def test_named_items_are_in_the_recipe_and_protected(folder, capsys, given, named):
    options = [part for one in given for part in ("--sensitive", one)]
    assert main(["describe", "--baskets", "clicks.txt", *options, "-o", "b.yaml"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Sensitive items, as you said: " in told
    written = (folder / "b.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(written)
    assert (
        [str(one) for one in recipe["sensitive"]] == named
        if isinstance(named, list)
        else recipe["sensitive"] == named
    )
    assert [one["type"] for one in recipe["requirements"]] == ["km-anonymity", "rho-uncertainty"]
    assert "rho: 0.5" in written
    assert "Read it, then: sudare run b.yaml" in told
    assert load_recipe(folder / "b.yaml").read().has_sensitive
    assert main(["run", "b.yaml"]) == 0
    assert "No sensitive item can be inferred" in " ".join(capsys.readouterr().out.split())


def test_what_was_asked_for_stays(folder, capsys):
    asked = ["--require", "rho-uncertainty rho=0.7", "--sensitive", "shop"]
    assert main(["describe", "--baskets", "clicks.txt", *asked, "-o", "b.yaml", "--lang", "ja"]) == 0
    assert "1 個のアイテムを機微とします。" in capsys.readouterr().out
    recipe = yaml.safe_load((folder / "b.yaml").read_text(encoding="utf-8"))
    assert [(one["type"], one["rho"]) for one in recipe["requirements"]] == [("rho-uncertainty", 0.7)]
    assert "役割" not in capsys.readouterr().out
    exact = ["--require", "rho-uncertainty rho=1/3", "--sensitive", "shop"]
    assert main(["describe", "--baskets", "clicks.txt", *exact, "-o", "c.yaml"]) == 0
    assert yaml.safe_load((folder / "c.yaml").read_text(encoding="utf-8"))["requirements"][0]["rho"] == "1/3"


def test_baskets_show_themselves_where_sensitive_items_are_named(folder):
    assert main(["describe", "clicks.txt", "--sensitive", "clinic", "-o", "b.yaml"]) == 0
    assert yaml.safe_load((folder / "b.yaml").read_text(encoding="utf-8"))["sensitive"] == ["clinic"]
    people = ["age,sex,disease", "34,F,flu", "41,M,a cold", "29,F,flu", "50,M,gout"]
    (folder / "people.txt").write_text("\n".join(people) + "\n", encoding="utf-8")
    assert looks_like_baskets("people.txt")  # blanks delimit items, too
    assert not looks_like_baskets("people.txt", ["disease"])
    assert looks_like_baskets("people.txt", ["a cold"])
    assert looks_like_baskets("clicks.txt", ["shop, news"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--sensitive", "shopp"], "did you mean 'shop'?"),
        (["--quasi", "shop"], "name only their sensitive items with --sensitive"),
        (["--sensitive", "shop", "--rest", "drop"], "name only their sensitive items with --sensitive"),
    ],
)
def test_what_is_no_item_or_of_columns_is_refused(folder, capsys, options, sentence):
    assert main(["describe", "--baskets", "clicks.txt", *options, "-o", "b.yaml"]) == 2
    assert sentence in capsys.readouterr().err
    assert not (folder / "b.yaml").exists()


def test_compromises_are_for_tables(folder, capsys):
    assert main(["describe", "clicks.txt", "-o", "b.yaml"]) == 0
    assert main(["assess", "b.yaml", "--apply", "1"]) == 2
    assert "--apply takes a compromise for a table, and these data are baskets" in capsys.readouterr().err
    assert main(["assess", "b.yaml", "--apply", "1", "--lang", "ja"]) == 2
    assert "レシピの要件を直してください。" in capsys.readouterr().err
    assert main(["run", "b.yaml"]) == 0
    assert main(["measure", "clicks.txt", "clicks-release", "--by-column"]) == 2
    assert capsys.readouterr().err.rstrip().endswith("or leave it out.")
