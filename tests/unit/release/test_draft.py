"""What a drafted recipe says, and that a run takes it as it is."""

import re

import polars as pl
import pytest
import yaml

from sudare.advise.defaults import chosen
from sudare.cli import main
from sudare.release.recipe.draft import draft_of
from sudare.release.recipe.load import load_recipe
from sudare.release.recipe.table import Recipe


def drafted(tmp_path, columns, *options):
    """The place of the recipe drafted for these columns."""
    place, recipe = tmp_path / "a.csv", tmp_path / "a.yaml"
    pl.DataFrame(columns).write_csv(place)
    assert main(["describe", str(place), "-o", str(recipe), "--overwrite", *options]) == 0
    return recipe


NUMBERS = {"tax": [n * 1.5 for n in range(60)], "hours": [n % 40 for n in range(60)]}


@pytest.mark.parametrize(
    ("columns", "options", "hierarchies", "method"),
    [
        (NUMBERS, [], 0, "Microaggregate"),
        (NUMBERS, ["--method", "mondrian"], 2, "Mondrian"),
        ({**NUMBERS, "sex": ["f", "m"] * 30}, [], 3, "Generalize"),
        ({**NUMBERS, "code": [1, 2] * 30}, [], 3, "Generalize"),
    ],
)
def test_numbers_alone_have_no_hierarchies(tmp_path, columns, options, hierarchies, method):
    """So that the method that suits numbers is chosen, unless another one is named."""
    path = drafted(tmp_path, columns, "--quasi", "*", *options)
    assert path.read_text(encoding="utf-8").count("hierarchy: {") == hierarchies
    recipe = Recipe.load(path)
    methods = recipe.method or chosen(recipe.read(), recipe.requirements).methods
    assert [type(one).__name__ for one in methods] == [method]
    assert ("keep more detail than intervals" in path.read_text(encoding="utf-8")) == (hierarchies == 0)


@pytest.mark.parametrize(
    ("language", "sentence", "possible"),
    [
        ("en", "No column is a quasi-identifier", "requirements are possible"),
        ("ja", "準識別子の列が一つもない", "要件は、行を除かずに満たせます"),
    ],
)
def test_a_table_without_a_quasi_identifier_is_warned_of_first(
    tmp_path, capsys, language, sentence, possible
):
    columns = {"wage": [n * 1.5 for n in range(60)]}
    path = drafted(tmp_path, columns, "--sensitive", "wage", "--lang", language)
    assert sentence in capsys.readouterr().out
    comments = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert comments[1].startswith("# " + sentence)
    main(["assess", str(path), "--lang", language])
    out = capsys.readouterr().out.replace("\n", " ")
    assert out.startswith(("! " + sentence, "！" + sentence))
    assert possible not in out


def test_ranges_that_are_missing_are_all_named_and_taken_as_text(tmp_path, capsys):
    """What the error says to write works in the recipe, as a text and in Python."""
    path = drafted(
        tmp_path, {**NUMBERS, "sex": ["f", "m"] * 30}, "--quasi", "*", "--require", "pk-anonymity k=2"
    )
    out = str(tmp_path / "out")
    capsys.readouterr()
    assert main(["run", str(path), "--out", out]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "no range for 'tax', 'hours'," in error
    assert "`ranges: {tax: [LOW, HIGH], hours: [LOW, HIGH]}`" in error
    assert "ranges={'tax': (LOW, HIGH), 'hours': (LOW, HIGH)}" in error
    assert main(["run", str(path), "--out", out, "--method", "randomization ranges=tax:0,hours:0:40"]) == 2
    assert "'tax:0' in 'ranges=tax:0,hours:0:40' is not of the form key:low:high" in " ".join(
        capsys.readouterr().err.split()
    )
    assert (
        main(["run", str(path), "--out", out, "--method", "randomization ranges=tax:0:99.5,hours:0:40"]) == 0
    )
    text = path.read_text(encoding="utf-8").replace("  # ranges:", "  ranges:")
    assert "The list of values of sex is read off the data and published" in text
    text = text.replace("  # values: {sex: [EVERY, POSSIBLE, VALUE]}", "  values: {sex: [f, m, x]}")
    path.write_text(text.replace("[LOW, HIGH]", "[0, 100]"), encoding="utf-8")
    assert main(["run", str(path), "--out", out + "2"]) == 0


@pytest.mark.parametrize(("longest", "offered"), [(6, "rho: 0.5}"), (87, "rho: 0.5, m: 2}")])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_requirement_that_a_draft_of_baskets_offers_can_run(tmp_path, longest, offered, language):
    """Nobody can examine all that may be known of a long basket."""
    place, path = tmp_path / "clicks.txt", tmp_path / "a.yaml"
    items = " ".join(f"i{n}" for n in range(longest))
    place.write_text("\n".join([items] * 4 + ["i1 i2"] * 8), encoding="utf-8")
    draft_of(str(place), {}, folder=tmp_path, language=language).write(path, overwrite=False)
    text = path.read_text(encoding="utf-8")
    [requirement] = re.findall("{type: rho-uncertainty.*?}", text)
    assert requirement.endswith(offered)
    text = text.replace("sensitive: []", "sensitive: [i3]")
    start, end = text.index("requirements:"), text.index("method:")
    path.write_text(f"{text[:start]}requirements: [{requirement}]\n{text[end:]}", encoding="utf-8")
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(("columns", "told"), [(15, False), (16, True)])
def test_too_many_quasi_identifiers_are_told_before_and_after(tmp_path, capsys, columns, told):
    """In describe, assess and run; the public part of a release has no advice for its custodian."""
    path = drafted(tmp_path, {f"q{n}": ["a", "b"] * 10 for n in range(columns)}, "--quasi", "*")
    release = tmp_path / "out"
    sentence = f"{columns} columns are quasi-identifiers"
    shown = [capsys.readouterr().out]
    for command in (["assess", str(path)], ["run", str(path), "--out", str(release)]):
        assert main(command) == 0
        shown.append(capsys.readouterr().out)
    assert [sentence in text for text in shown] == [told] * 3
    assert (sentence in path.read_text(encoding="utf-8")) == told
    assert sentence not in (release / "public" / "manifest.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "53 other columns: drop, as you said."), ("ja", "ほかの 53 列は、指定どおり drop とします。")],
)
def test_the_rest_is_one_line_and_its_reason_is_said_once(tmp_path, capsys, language, sentence):
    columns = {"age": [30, 40], **{f"q{n}": ["a", "b"] for n in range(53)}}
    options = ["--quasi", "age", "--rest", "drop", "--explain", "--lang", language]
    text = drafted(tmp_path, columns, *options).read_text(encoding="utf-8")
    out = capsys.readouterr().out
    assert sentence in out
    assert "q17" not in out
    assert text.count("role: drop") == 53
    assert sum(line.startswith("  # ") for line in text.splitlines()) == 2


def test_words_for_missing_values_do_not_make_numbers_texts(tmp_path, monkeypatch):
    """The draft takes them for missing, so that ages stay numbers with intervals; a code with zeros stays a text."""
    monkeypatch.chdir(tmp_path)
    lines = [
        f"P{place:03},{'不明' if place % 9 == 0 else 20 + place % 50},{'?' if place % 7 == 0 else '0600001'},x"
        for place in range(90)
    ]
    head = "患者番号,年齢,郵便番号,病名"
    (tmp_path / "a.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    assert main(["describe", "a.csv", "-o", "a.yaml"]) == 0
    written = (tmp_path / "a.yaml").read_text(encoding="utf-8")
    assert "which the recipe takes for missing values" in written
    columns = yaml.safe_load(written)["columns"]
    assert columns["年齢"]["kind"] == "numeric"
    assert columns["年齢"]["missing_values"] == ["不明"]
    assert columns["年齢"]["hierarchy"]["type"] == "intervals"
    assert "missing_values" not in columns["郵便番号"]
    table = load_recipe(tmp_path / "a.yaml").read()
    assert table.frame["年齢"].null_count() == 10
    assert table.frame["年齢"].dtype.is_numeric()
    assert main(["describe", "a.csv", "-o", "b.yaml", "--drop", "年齢"]) == 0
    assert "takes for missing" not in (tmp_path / "b.yaml").read_text(encoding="utf-8")


def test_shift_jis_is_offered_where_it_was_read_and_known_by_its_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{20 + place % 40},{'男女'[place % 2]}" for place in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["年齢,性別", *lines]) + "\n", encoding="cp932")
    for language, sentence in {
        "en": "The table was read as Shift_JIS",
        "ja": "元のファイルは Shift_JIS です",
    }.items():
        assert main(["describe", "a.csv", "-o", f"{language}.yaml", "--lang", language]) == 0
        assert sentence in (tmp_path / f"{language}.yaml").read_text(encoding="utf-8")
    for name in ("sjis", "Shift_JIS", "cp932"):
        asked = ["run", "ja.yaml", "--out", f"out-{name}", "--encoding", name]
        assert main(asked) == 0
        assert (
            (tmp_path / f"out-{name}" / "public" / "data.csv").read_text(encoding="cp932").startswith("年齢")
        )
    assert main(["run", "ja.yaml", "--out", "x", "--encoding", "latin-1"]) == 2


def test_neighbors_of_which_the_same_is_said_are_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    answers = {f"Q{number:02}": [(number + place) % 4 for place in range(80)] for number in range(12)}
    frame = pl.DataFrame({"age": [20 + place % 50 for place in range(80)], **answers})
    frame.write_csv(tmp_path / "a.csv")
    assert main(["describe", "a.csv", "-o", "a.yaml"]) == 0
    told = capsys.readouterr().out
    assert "Q00 … Q11 (12)" in told
    assert "Q05" not in told
    assert set(load_recipe(tmp_path / "a.yaml").read().frame.columns) == {"age", *answers}
