"""What the commands print: golden texts, JSON with its keys, exit codes, one sentence for each error.

The texts are compared word by word: boxes, blanks and line ends may change with rich and typer. They are
written anew by `SUDARE_REFRESH_GOLDEN=1 pytest tests/system/test_cli_golden.py`.
"""

import json
import os
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from textwrap import dedent
from uuid import UUID

import pytest
from rich.cells import cell_len
from tests.system.conftest import ENVIRONMENT, one_sentence

from sudare.cli import COMMANDS, main
from sudare.errors import CancelledError
from sudare.release.ledger.ledger import Ledger

GOLDEN = Path(__file__).parent / "golden"
REFRESH = os.environ.get("SUDARE_REFRESH_GOLDEN") == "1"
VOLATILE = (
    (re.compile(r"\b[0-9a-f]{12}…"), "<digest>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<digest>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00)?"), "<time>"),
)
BOX = re.compile(r"[\u2500-\u257f|+\-]{2,}|[\u2500-\u257f]")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A demonstration, and a release of its recipe that keeps the order of the rows."""
    folder = tmp_path_factory.mktemp("golden")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        patch.setenv("SUDARE_LEDGER", str(folder / "ledger.sqlite"))
        patch.chdir(folder)
        told = StringIO()
        with redirect_stdout(told):
            assert main(["demo", "--out", "demo", "--rows", "300"]) == 0
            recipe = Path("demo/recipe.yaml").read_text(encoding="utf-8")
            ordered = recipe.replace("- type: shuffling\n", "").replace("language: en", "reports: []")
            Path("demo/ordered.yaml").write_text(ordered, encoding="utf-8")
        (folder / "demo.txt").write_text(told.getvalue(), encoding="utf-8")
        with redirect_stdout(StringIO()):
            assert main(["run", "demo/ordered.yaml", "--out", "ordered"]) == 0
    return folder


@pytest.fixture
def at(command, made, monkeypatch):
    """The command in the folder of the demonstration."""
    monkeypatch.chdir(made)
    return command


def test_the_front_page(command):
    out = command.done("--help")
    compare("help", out)
    assert out == command.done() == command.done("-h") == command.done("help")
    for name in COMMANDS:
        assert f"\n  {name} " in out


def test_the_front_page_in_japanese(command):
    compare("help-ja", command.done("--help", "--lang", "ja"))


def test_the_version(command):
    assert re.fullmatch(r"sudare \d+\.\d+\.\d+\n", command.done("--version"))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command(command, name):
    out = command.done(name, "--help")
    compare(f"help-{name}", out)
    assert f"sudare {name}" in " ".join(out.split("Example", 1)[1].split())
    assert "--json" in out


def test_the_page_of_a_command_in_japanese(command):
    compare("help-run-ja", command.done("run", "--help", "--lang", "ja"))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_says_what_its_arguments_are(command, name):
    arguments = command.done(name, "--help").partition("Arguments")[2].partition("Options")[0]
    for line in arguments.splitlines():
        if found := re.search(r"\b(data|recipe|place|before|after|name)\b +\S+", line):
            assert len(words(line[found.end() :].replace("[required]", ""))) >= 2, line


def test_demo(made):
    out = (made / "demo.txt").read_text(encoding="utf-8")
    compare("demo", out, made)
    for path in re.findall(r"(?:Hand over|Keep private|Report): +(.+)", out):
        assert Path(path).exists()


def test_demo_json(command, tmp_path):
    found = json.loads(command.done("demo", "--out", "here", "--rows", "100", "--json"))
    assert sorted(found) == ["folder", "reports"]
    assert all(Path(report).is_file() for report in found["reports"])


def test_describe(at, made):
    out = at.done("describe", "demo/patients.csv", "--out", "draft.yaml")
    compare("describe", out)
    compare("describe-recipe", (made / "draft.yaml").read_text(encoding="utf-8"))


def test_describe_in_japanese(command, tmp_path):
    (tmp_path / "患者.csv").write_text(
        "氏名,年齢,性別,郵便番号,病名\n"
        + "".join(f"山田{n},{20 + n},{'男女'[n % 2]},{n:07},風邪\n" for n in range(40)),
        encoding="utf-8",
    )
    out = command.done("describe", "患者.csv", "--lang", "ja")
    compare("describe-ja", out, tmp_path)


def test_describe_json(at, made):
    before = sorted(made.iterdir())
    found = json.loads(at.done("describe", "demo/patients.csv", "--json"))
    assert sorted(found) == ["guesses", "recipe", "rows", "warnings"]
    assert found["rows"] == 300
    assert {"column", "role", "kind", "reason", "reason_ja", "hierarchy"} <= set(found["guesses"][0])
    assert sorted(found["recipe"]) == sorted(["version", "source", "columns", "requirements", "output"])
    assert sorted(made.iterdir()) == before


def test_assess(at):
    compare("assess", at.done("assess", "demo/recipe.yaml"))


def test_assess_of_the_impossible(at):
    result = at("assess", "demo/recipe.yaml", "--require", "k-anonymity k=301")
    assert (result.code, result.err) == (1, "")
    compare("assess-impossible", result.out)


@pytest.fixture(scope="module")
def made_in_japanese(tmp_path_factory):
    """The demonstration in Japanese, with a recipe of it that randomizes."""
    folder = tmp_path_factory.mktemp("golden-ja")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        patch.setenv("SUDARE_LEDGER", str(folder / "ledger.sqlite"))
        patch.chdir(folder)
        told = StringIO()
        with redirect_stdout(told):
            assert main(["demo", "--out", "demo", "--rows", "300", "--lang", "ja"]) == 0
        (folder / "demo.txt").write_text(told.getvalue(), encoding="utf-8")
    return folder


def test_demo_in_japanese(made_in_japanese):
    out = (made_in_japanese / "demo.txt").read_text(encoding="utf-8")
    compare("demo-ja", out, made_in_japanese)
    places = re.findall(r"(?:引き渡し用|管理者専用|報告書　　)：(.+)", out)
    assert len(places) == 4
    assert all(Path(place).exists() for place in places)


@pytest.mark.parametrize(
    ("name", "code", "options"),
    [
        ("assess-ja", 0, []),
        ("assess-ja-impossible", 1, ["--require", "l-diversity l=40 sensitive=病名"]),
        ("assess-ja-poorly-suited", 0, ["--threshold", "0.3"]),
        ("assess-ja-noise", 0, ["--require", "pk-anonymity k=5"]),
        ("assess-ja-noise-impossible", 1, ["--require", "pk-anonymity k=301"]),
    ],
)
def test_assess_in_japanese(command, made_in_japanese, monkeypatch, name, code, options):
    monkeypatch.chdir(made_in_japanese)
    result = command("assess", "demo/recipe.yaml", "--lang", "ja", *options)
    assert (result.code, result.err) == (code, "")
    compare(name, result.out)
    in_english = command("assess", "demo/recipe.yaml", *options)
    assert in_english.code == code
    # the same figures, wherever and however often a language puts them
    assert figures_in(result.out) == figures_in(in_english.out)


JOBS = {
    "blocks": """
        version: 1
        source: {path: data.csv}
        columns: {年齢: {role: quasi}, 地域: {role: quasi, kind: nominal}, 病名: {role: sensitive, kind: nominal}}
        requirements: [{type: k-anonymity, k: 5}, {type: l-diversity, l: 2}]
        method: [{type: mondrian}]
        output: {folder: release, language: ja}
        """,
    "noise": """
        version: 1
        source: {path: data.csv}
        columns: {年齢: {role: insensitive}, 地域: {role: quasi, kind: nominal}, 病名: {role: sensitive, kind: nominal}}
        requirements: [{type: pk-anonymity, k: 3}]
        method: [{type: randomization}]
        output: {folder: release, language: ja}
        """,
    "noise-exact": """
        version: 1
        source: {path: data.csv}
        columns: {年齢: {role: insensitive}, 地域: {role: quasi, kind: nominal}, 病名: {role: sensitive, kind: nominal}}
        requirements: [{type: pk-anonymity, k: 3}]
        method: [{type: randomization, exact: [地域]}]
        output: {folder: release, language: ja}
        """,
    "baskets": """
        version: 1
        baskets: {path: clicks.txt, layout: lines}
        sensitive: [shop]
        requirements: [{type: rho-uncertainty, rho: 0.5}]
        method: {type: item-suppression}
        output: {folder: release, language: ja}
        """,
}


@pytest.fixture(params=JOBS)
def job_in_japanese(request, command, tmp_path):
    """A recipe whose output is Japanese."""
    rows = "".join(
        f"{20 + n * 7 % 50},{'東西南'[n % 3]},{['風邪', '結核', '骨折', '喘息'][n % 4]}\n" for n in range(120)
    )
    (tmp_path / "data.csv").write_text(f"年齢,地域,病名\n{rows}", encoding="utf-8")
    clicks = "".join(f"news {'shop' if n % 2 else 'mail'} {'bank' if n % 5 else 'game'}\n" for n in range(60))
    (tmp_path / "clicks.txt").write_text(clicks, encoding="utf-8")
    (tmp_path / "recipe.yaml").write_text(dedent(JOBS[request.param]), encoding="utf-8")
    return request.param


def test_run_and_check_in_japanese(command, job_in_japanese):
    asked = ("run", "recipe.yaml", "--seed", "7", "--overwrite")
    in_english, out = command.done(*asked, "--lang", "en"), command.done(*asked)
    assert out == command.done(*asked, "--lang", "ja")
    assert_fits(out)
    assert "Hand over: " in in_english
    assert "引き渡し用：" in out
    told = re.sub(r"：/.*", "", out)
    assert not re.search(r"[A-Za-z]{3,} +[A-Za-z]{3,}", told.replace("│", "|")), told
    # the verdicts are the report's words; everything after them has the same figures
    assert figures_after(out, "情報損失") == figures_after(in_english, "Loss")
    checked = command.done("check", "release", "--lang", "ja")
    assert_fits(checked)
    assert out.startswith(checked)


def test_a_broken_release_is_said_in_japanese(command, job_in_japanese, tmp_path):
    command.done("run", "recipe.yaml")
    data = next(
        place for place in (tmp_path / "release/public").iterdir() if place.suffix in {".csv", ".txt"}
    )
    data.write_text(
        data.read_text(encoding="utf-8") + data.read_text(encoding="utf-8")[-5:], encoding="utf-8"
    )
    result = command("check", "release", "--lang", "ja")
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith("✗ ファイル ")
    assert "はマニフェストと一致しません" in result.out
    assert not re.search(r"[A-Za-z]{3,} [a-z]{3,}", result.out)
    assert_fits(result.out)


def test_other_answers_in_japanese(command, made_in_japanese, monkeypatch, tmp_path):
    monkeypatch.chdir(made_in_japanese)
    file = ("check", "demo/patients.csv", "--quasi", "性別", "--require", "k-anonymity k=2")
    assert "どのブロックも" in command.done(*file, "--lang", "ja")
    recipe = Path("demo/recipe.yaml").read_text(encoding="utf-8").replace("- type: shuffling\n", "")
    Path("demo/ordered.yaml").write_text(recipe, encoding="utf-8")
    command.done("run", "demo/ordered.yaml", "--out", tmp_path / "ordered")
    for asked, head in (
        (("measure", "demo/patients.csv", tmp_path / "ordered"), "情報損失"),
        (("compare", tmp_path / "ordered", "demo/release"), "リスクと損失"),
    ):
        out = command.done(*asked, "--lang", "ja")
        assert out.startswith(head)
        assert_fits(out)
        assert figures_in(out) == figures_in(command.done(*asked))
        assert command.done(*asked, "--json", "--lang", "ja") == command.done(*asked, "--json")


def figures_after(out, head):
    return figures_in(re.sub(r"(?:: +|：)/.*", "", out.partition(head)[2]))


def figures_in(out):
    return set(re.findall(r"\d[\d,.]*\d|\d", " ".join(words(out))))


def test_json_is_the_same_in_every_language(at):
    asked = ("assess", "demo/recipe.yaml", "--json")
    assert at.done(*asked, "--lang", "ja") == at.done(*asked)


def test_assess_json(at):
    found = json.loads(at.done("assess", "demo/recipe.yaml", "--json"))
    assert {"feasible", "verdicts", "risk", "advice"} <= set(found)
    assert found["feasible"] is True
    impossible = at("assess", "demo/recipe.yaml", "--json", "--require", "k-anonymity k=301")
    assert impossible.code == 1
    assert json.loads(impossible.out)["feasible"] is False


def test_run(at, made, tmp_path):
    out = at.done("run", "demo/ordered.yaml", "--out", tmp_path / "release", "--seed", "7")
    compare("run", out, made, tmp_path)


def test_run_json(at, tmp_path):
    found = json.loads(at.done("run", "demo/ordered.yaml", "--out", tmp_path / "release", "--json"))
    assert sorted(found) == ["folder", "manifest"]
    written = json.loads((tmp_path / "release/internal/manifest.json").read_text(encoding="utf-8"))
    assert found["manifest"] == written


def test_check(at, made):
    out = at.done("check", "ordered")
    compare("check", out)
    assert out == at.done("check", "ordered/public")


def test_check_of_a_data_file(at):
    asked = ("check", "demo/patients.csv", "--quasi", "sex, nationality", "--require", "k-anonymity k=2")
    result = at(*asked, "--sensitive", "disease", "--require", "l-diversity l=2")
    assert (result.code, result.err) == (1, "")
    compare("check-data", result.out)


def test_check_json(at):
    found = json.loads(at.done("check", "ordered", "--json"))
    assert sorted(found) == ["findings", "holds"]
    assert found["holds"] is True
    keys = {"requirement", "holds", "reached", "sentence", "violating_rows"}
    assert all(set(finding) == keys for finding in found["findings"])
    asked = ("demo/patients.csv", "--quasi", "sex,zip", "--require", "k-anonymity k=5", "--json")
    broken = at("check", *asked)
    assert broken.code == 1
    assert json.loads(broken.out)["holds"] is False


def test_measure(at):
    compare("measure", at.done("measure", "demo/patients.csv", "ordered"))


def test_measure_of_two_files(at):
    files = ("demo/patients.csv", "ordered/public/data.csv", "--recipe", "demo/recipe.yaml")
    assert at.done("measure", *files) == at.done("measure", "demo/patients.csv", "ordered")


def test_measure_json(at, made):
    found = json.loads(at.done("measure", "demo/patients.csv", "ordered", "--json"))
    written = json.loads((made / "ordered/internal/manifest.json").read_text(encoding="utf-8"))
    assert found == pytest.approx(written["losses"])
    chosen = json.loads(at.done("measure", "demo/patients.csv", "ordered", "--json", "--measure", "loss"))
    assert chosen == {"loss": pytest.approx(written["losses"]["loss"])}


def test_measure_of_shuffled_rows_needs_the_part_of_the_custodian(at, made):
    assert "loss" in at.done("measure", "demo/patients.csv", "demo/release")
    rows = made / "demo" / "release" / "internal" / "rows.parquet"
    kept = rows.read_bytes()
    rows.unlink()
    sentence = at.refused(2, "measure", "demo/patients.csv", "demo/release")
    rows.write_bytes(kept)
    assert "random order" in sentence


@pytest.fixture
def book(command, tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite")
    one, other = str(UUID(int=1)), str(UUID(int=2 << 120))
    ledger.append("started", one, {"source": "patients.csv", "folder": "release"})
    ledger.append("released", one, {"folder": "release", "rows": 300})
    ledger.append("started", other, {"source": "patients.csv", "folder": "again"})
    ledger.append("failed", other, {"reason": "The disk is full."})
    return ledger


def test_ledger(command, book):
    compare("ledger", command.done("ledger", "--ledger", "ledger.sqlite"))


def test_ledger_json(command, book, tmp_path):
    found = json.loads(command.done("ledger", "--json"))
    assert sorted(found) == ["entries", "faults", "head", "intact", "ledger"]
    assert (found["intact"], found["faults"]) == (True, [])
    assert found["ledger"] == str(tmp_path / "ledger.sqlite")
    assert [entry["event"] for entry in found["entries"]] == ["started", "released", "started", "failed"]
    assert set(found["entries"][0]) == {"number", "time", "event", "run", "details", "chain"}
    last = json.loads(command.done("ledger", "--last", "1", "--json"))
    assert last["entries"] == found["entries"][-1:]


def test_ledger_that_was_tampered_with(command, book, tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        connection.execute("DROP TRIGGER entry_update")
        connection.execute("UPDATE entry SET event = 'cancelled' WHERE number = 2")
    connection.close()
    result = command("ledger", "--ledger", "ledger.sqlite")
    assert (result.code, result.err) == (1, "")
    compare("ledger-tampered", result.out)
    found = command("ledger", "--json")
    assert found.code == 1
    assert json.loads(found.out)["intact"] is False


def test_catalogue(command):
    compare("catalogue", command.done("catalogue"))


def test_catalogue_of_one_entry(command):
    compare("catalogue-l-diversity", command.done("catalogue", "l-diversity"))


def test_catalogue_in_japanese(command):
    compare("catalogue-ja", command.done("catalogue", "--lang", "ja"))


@pytest.mark.parametrize("name", ["l-diversity", "dm"])
def test_catalogue_of_one_entry_in_japanese(command, name):
    compare(f"catalogue-ja-{name}", command.done("catalogue", name, "--lang", "ja"))


def test_catalogue_json_in_japanese(command):
    """Names stay what a recipe writes; what is said of them is Japanese."""
    english, japanese = (
        json.loads(command.done("catalogue", "--json", "--lang", language)) for language in ("en", "ja")
    )
    assert {name: entry["kind"] for name, entry in japanese.items()} == {
        name: entry["kind"] for name, entry in english.items()
    }
    assert "機微な各列" in japanese["l-diversity"]["about"]
    assert [field for field, _, _ in japanese["mondrian"]["parameters"]] == ["relaxed", "weights"]
    (measured,) = json.loads(command.done("catalogue", "dm", "--json", "--lang", "ja")).values()
    assert measured["meaning"] == "識別性指標：ブロックの大きさの二乗和"


def test_catalogue_json(command):
    found = json.loads(command.done("catalogue", "--json"))
    kinds = {entry["kind"] for entry in found.values()}
    tables = {"requirement", "method", "hierarchy", "measure"}
    assert kinds == tables | {"basket requirement", "basket method", "basket measure"}
    one = json.loads(command.done("catalogue", "mondrian", "--json"))
    assert one == {"mondrian": found["mondrian"]}
    assert sorted(one["mondrian"]) == ["about", "kind", "parameters"]


def test_every_name_of_the_catalogue_can_be_looked_up(command):
    for name in json.loads(command.done("catalogue", "--json")):
        out = command.done("catalogue", name)
        assert out.startswith(f"{name} (")
        assert_fits(out)
        out = command.done("catalogue", name, "--lang", "ja")
        assert out.startswith(f"{name}（")
        assert_fits(out)


def test_schema(command):
    out = command.done("schema")
    assert out == command.done("schema", "--json")
    found = json.loads(out)
    assert {"$defs", "properties", "required", "title", "type"} <= set(found)
    assert sorted(found["properties"]) == sorted(
        [
            "version",
            "source",
            "columns",
            "requirements",
            "method",
            "order",
            "measures",
            "retry",
            "compromise",
            "about",
            "output",
        ]
    )


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["rum"], "did you mean 'run'?"),
        (["--wrong"], "'--wrong' is not a command"),
        (["run"], "recipe"),
        (["run", "a.yaml", "b.yaml"], "b.yaml"),
        (["demo", "--rows", "5"], "100"),
        (["demo", "--rows", "many"], "many"),
        (["demo", "--lang", "fr"], "only en and ja are available"),
        (["assess", "absent.yaml", "--lang", "fr"], "only en and ja are available"),
        (["check", "absent", "--lang", "fr"], "only en and ja are available"),
        (["measure", "a.csv", "b.csv", "--lang", "fr"], "only en and ja are available"),
        (["compare", "a", "b", "--lang", "fr"], "only en and ja are available"),
        (["check", "x", "--require", "k-anonymity k=5"], "--quasi"),
        (["check", "x.csv", "--quasi", "age"], "--require"),
        (["catalogue", "mondrain"], "did you mean 'mondrian'?"),
        (["catalogue", "--lang", "fr"], "only en and ja are available"),
        (["describe", "x.csv", "--nonsense"], "--nonsense"),
        (["ledger", "--last", "0"], "0"),
        (["measure", "a.csv", "b.csv"], "There is no file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_one_sentence_and_exit_code_2(command, arguments, part):
    sentence = command.refused(2, *arguments)
    assert part in sentence


def test_an_error_with_json(command):
    result = command("assess", "absent.yaml", "--json")
    assert result.code == 2
    assert json.loads(result.out) == {"error": one_sentence(result.err), "exit_code": 2}


def test_json_and_stdout_exclude_each_other(job, command):
    result = command("run", "recipe.yaml", "--json", "--stdout")
    assert result.code == 2
    assert "keep one" in one_sentence(result.err)
    assert not (job / "release").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), CancelledError("stopped")], ids=["Ctrl-C", "cancel"])
def test_cancel_is_exit_code_130(job, command, monkeypatch, error):
    def stop(*arguments, **options):
        raise error

    monkeypatch.setattr("sudare.release.run.anonymize", stop)
    sentence = command.refused(130, "run", "recipe.yaml")
    assert sentence == "Canceled; nothing was written."
    assert not (job / "release").exists()
    assert [entry.event for entry in Ledger().entries()] == ["started", "cancelled"]


def test_tables_of_wide_characters_fit(command, tmp_path):
    name = "とても長い列の名前" * 8
    rows = "".join(f"{n},値{n % 3}\n" for n in range(30))
    (tmp_path / "wide.csv").write_text(f"{name},病名\n{rows}", encoding="utf-8")
    assert_fits(command.done("describe", "wide.csv"))
    assert_fits(command.done("describe", "wide.csv", "--lang", "ja", "--overwrite"))
    assert_fits(command.done("assess", "wide.recipe.yaml"))
    assert_fits(command.done("assess", "wide.recipe.yaml", "--lang", "ja"))
    recipe = {
        "version": 1,
        "source": {"path": "wide.csv"},
        "columns": {name: {"role": "quasi"}, "病名": {"role": "sensitive"}},
        "requirements": [{"type": "k-anonymity", "k": 3}, {"type": "l-diversity", "l": 2}],
        "method": [{"type": "mondrian"}],
        "output": {"folder": "release"},
    }
    (tmp_path / "wide.json.yaml").write_text(json.dumps(recipe), encoding="utf-8")
    assert_fits(command.done("run", "wide.json.yaml", "--lang", "ja"))


def test_brackets_in_names_are_not_markup(command, tmp_path):
    rows = "".join(f"{n % 4},x{n % 3}\n" for n in range(30))
    (tmp_path / "t.csv").write_text(f"[red]age[/red],[/bold]\n{rows}", encoding="utf-8")
    out = command.done("describe", "t.csv")
    assert "[red]age[/red]" in out
    assert "[/bold]" in out


def compare(name, out, *folders):
    """Compare an output with its golden text word by word; it must fit 80 columns besides."""
    for folder in folders:
        out = out.replace(str(folder), "<folder>")
    shown = out
    for pattern, word in VOLATILE:
        out = pattern.sub(word, out)
    out = "\n".join(line.rstrip() for line in out.splitlines()).strip("\n") + "\n"
    path = GOLDEN / f"{name}.txt"
    if REFRESH:
        path.write_text(out, encoding="utf-8")
    assert path.exists(), f"{path} is missing; write it with SUDARE_REFRESH_GOLDEN=1"
    assert words(out) == words(path.read_text(encoding="utf-8"))
    if name != "describe-recipe":
        assert_fits(shown)


def words(text):
    return BOX.sub(" ", text).split()


def assert_fits(out):
    """No line is wider than 80 columns, but one that ends with a path or a command to copy."""
    for line in out.splitlines():
        copied = re.search(r"(: +|： *|sudare run |\), recipe: )\S+$", line)
        assert cell_len(line) <= 80 or copied, line
