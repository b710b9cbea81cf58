"""The documentation cannot lag: its examples are run, their outputs compared, and every name of the program is in it.

Blocks of a page run in order in one temporary folder. Python blocks share a namespace; a `text` block right after
one is what it prints, and so it is for `sh` blocks, which the shell runs. In `console` blocks the lines
`$ sudare …` are run and the lines below are their output; `...` stands for what may differ, `# exit 1` for the
exit code; other commands are those of a short list. `json` and `yaml` blocks are parsed. `<!-- file: name -->` before
a block makes it a file, `<!-- not run: reason -->` lets it be; any other block fails, so that none escapes. What a page
adds to the catalogues is gone after it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import shlex
import subprocess
import sys
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import typer
import yaml

import sudare
from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.catalogue import METHODS
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.cli import COMMANDS, main
from sudare.describe.hierarchy.catalogue import CATALOGUE as HIERARCHIES
from sudare.experiments.catalogue import EXPERIMENTS
from sudare.measure.baskets.catalogue import BASKET_MEASURES
from sudare.measure.catalogue import MEASURES
from sudare.release.recipe import baskets as basket_recipe
from sudare.release.recipe import table as recipe_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if not page.is_relative_to(DOCS / "evidence")),
]


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


_FENCE = re.compile(r"^(?:```|~~~)(.*)$")
_COMMENT = re.compile(r"^<!-- (file|not run): (.+?) -->$")
_SCHEMA = re.compile(r"^# yaml-language-server: \$schema=(\S+)$", flags=re.MULTILINE)
_EXIT = re.compile(r"\s+# exit (\d+)$")
_LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
_OUTPUT_RULES = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_KINDS = "python, sh, console, json, yaml, or text right after python or sh"
_NOT_RUN_HERE = {
    *(
        "make demo",
        "make test",
        "make quick",
        "make docs",
        "make bench",
        "make experiments",
        "make robustness",
        "make warm",
        "make wheel",
    ),
    "pip install .",
}
"""Commands that pages show and that take too long or install something; what they make is tested elsewhere."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    """All that follows the fence; one that is no single known word is not run, and says so."""
    text: str
    line: int
    file: str | None = None
    reason_not_run: str | None = None
    is_output: bool = False


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page in order, each with the comment before it."""
    blocks: list[Block] = []
    marks: dict[str, str] = {}
    after_code = False
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
    for number, line in lines:
        if fence := _FENCE.match(line.strip()):
            inside = []
            for _, body in lines:
                if body.strip() == line.strip()[:3]:
                    break
                inside.append(body)
            else:
                raise AssertionError(f"{_name(page)}, line {number}: the block has no end.")
            language = fence[1].strip()
            blocks.append(
                Block(
                    language,
                    "\n".join(inside) + "\n",
                    number,
                    marks.get("file"),
                    marks.get("not run"),
                    is_output=after_code and language == "text",
                )
            )
            after_code, marks = language in {"python", "sh"}, {}
        elif comment := _COMMENT.match(line.strip()):
            marks[comment[1]] = comment[2]
        elif line.strip():
            after_code, marks = False, {}
    return blocks


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # files of a page can be imported, as in a Python started there
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    for catalogue in (METHODS, BASKET_METHODS, REQUIREMENTS, BASKET_REQUIREMENTS):
        monkeypatch.setattr(catalogue, "entries", copy(catalogue.entries))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in blocks_of(page):
        place = f"{_name(page)}, line {block.line}"
        if block.reason_not_run is not None:
            continue
        if block.language in {"json", "yaml"}:
            _parse(block, place)
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            printed = _run_python(block, place, namespace)
        elif block.language == "sh":
            printed = _run_shell(block, place)
        elif block.is_output:
            _compare(block.text, printed, place)
        elif block.language == "console":
            _run_console(block, place)
        else:
            assert block.language in {"json", "yaml"}, (
                f"{place}: a block '{block.language}' is not run; make it {_KINDS}, or say <!-- not run: why -->."
            )
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def _run_python(block: Block, place: str, namespace: dict[str, Any]) -> str:
    code = compile("\n" * block.line + block.text, place, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, namespace)
    return out.getvalue()


def _run_shell(block: Block, place: str) -> str:
    done = subprocess.run(
        ["sh", "-eu"], input=block.text, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, f"{place}: exit {done.returncode}\n{done.stderr}"
    return done.stdout


def _parse(block: Block, place: str) -> None:
    """A block of data is what it says it is; the schema that it names was made on the page."""
    try:
        json.loads(block.text) if block.language == "json" else yaml.safe_load(block.text)
    except (ValueError, yaml.YAMLError) as error:
        raise AssertionError(f"{place} is not {block.language}: {error}") from error
    absent = [name for name in _SCHEMA.findall(block.text) if not Path(name).is_file()]
    assert not absent, f"{place} names {absent}, which the page does not make."


def _run_console(block: Block, place: str) -> None:
    assert block.text.startswith("$ "), f"{place}: output without a command, which nothing checks."
    for command, shown in _commands(block.text):
        expected = _EXIT.search(command)
        words = shlex.split(_EXIT.sub("", command))
        if words[0] != "sudare":
            _let_be(command, shown, f"{place}: $ {command}")
            continue
        target = words[words.index(">") + 1] if ">" in words else None
        arguments = words[1 : words.index(">")] if target else words[1:]
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            code = main(arguments)
        printed = out.getvalue()
        assert code == (int(expected[1]) if expected else 0), f"{place}: $ {command}\n{printed}"
        if target:
            Path(target).write_text(printed, encoding="utf-8")
        elif shown.strip():
            _compare(shown, printed, f"{place}: $ {command}")


def _let_be(command: str, shown: str, place: str) -> None:
    """A command that is not run is one of a short list, shows no output, and exists."""
    assert command in _NOT_RUN_HERE, (
        f"{place} is not run; run it in an sh block, or say <!-- not run: why -->."
    )
    assert not shown.strip(), f"{place} is not run, so that nothing checks its output."
    program, target = command.split()[:2]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert program != "make" or re.search(rf"^{re.escape(target)}:", makefile, flags=re.MULTILINE), (
        f"{place}: the Makefile has no target '{target}'."
    )


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block (lines ended by a backslash are joined) with the output shown below it."""
    for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command.strip(), shown


def _compare(shown: str, printed: str, place: str) -> None:
    same = doctest.OutputChecker().check_output(shown.strip() + "\n", printed.strip() + "\n", _OUTPUT_RULES)
    assert same, f"{place} prints something else than the page shows:\n{printed}"


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "something else"),
        ("```sh\nexit 3\n```\n", "exit 3"),
        ("```console\n$ sudare nonsense\n```\n", "not a command"),
        ("```py\n1 / 0\n```\n", "'py' is not run"),
        ("```bash\nfalse\n```\n", "'bash' is not run"),
        ('```python title="x"\n1 / 0\n```\n', "is not run"),
        ("``` {.python}\n1 / 0\n```\n", "is not run"),
        ("~~~python title\n1 / 0\n~~~\n", "is not run"),
        ("```\n1 / 0\n```\n", "'' is not run"),
        ("```text\nprinted by nothing\n```\n", "'text' is not run"),
        ("```console\n$ false\n```\n", r"\$ false is not run"),
        ("```console\n$ make nonsense\n```\n", "make nonsense is not run"),
        ("```console\n$ make test\nall well\n```\n", "nothing checks its output"),
        ("```console\nall well\n```\n", "without a command"),
        ('```json\n{"a": \n```\n', "is not json"),
        ("```yaml\na: [\n```\n", "is not yaml"),
        ("```yaml\n# yaml-language-server: $schema=none.json\n```\n", "does not make"),
        ("<!-- file: x.yaml -->\n```yaml\na: [\n```\n", "is not yaml"),
        ("```python\n1 / 0\n", "no end"),
    ],
)
def test_a_block_that_does_not_run_is_noticed(text, noticed, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match=noticed):
        test_examples_of_a_page_run(page, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- not run: a reason -->\n```bash\nfalse\n```\n",
        '```json\n{"a": 1}\n```\n',
        "```console\n$ make test\n$ pip install .\n```\n",
    ],
)
def test_a_block_that_needs_no_run_is_let_be(text, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    test_examples_of_a_page_run(page, tmp_path, monkeypatch)


def _section(page: str, heading: str) -> str:
    """The text of a page below a heading, up to the next heading of its rank or a higher one."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}\s*$", text, flags=re.MULTILINE)
    assert found, f"docs/{page} has no section '{heading}'; write one."
    end = re.search(rf"^#{{1,{len(found[1])}}} ", text[found.end() :], flags=re.MULTILINE)
    return text[found.end() :][: end.start() if end else None]


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name):
    section = _section("cli.md", f"sudare {name}")
    app = typer.Typer(add_completion=False)
    app.command(name)(import_module(f"sudare.cli.{name}_command").command)
    for parameter in typer.main.get_command(app).params:
        options = [
            option for option in (*parameter.opts, *parameter.secondary_opts) if option.startswith("-")
        ]
        wanted = options or [parameter.name.upper()]
        absent = [option for option in wanted if not _is_named(option, section)]
        assert not absent, f"docs/cli.md does not say what {absent} of `sudare {name}` is."


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_documented(name):
    section = _section("cli.md", "sudare experiment")
    assert f"`{name}`" in section, f"docs/cli.md does not say what `sudare experiment {name}` does."


def test_the_method_of_the_tutorial_is_as_short_as_its_title_says():
    page = DOCS / "tutorials" / "researcher.md"
    title = re.match(r"# .* in (\d+) lines$", page.read_text(encoding="utf-8").split("\n", 1)[0])
    assert title, "the title says how many lines the method has"
    (method,) = [block for block in blocks_of(page) if block.file == "sorted_cut.py"]
    assert method.text.count("\n") <= int(title[1])


_ENTRIES = [
    *(("assess.md", REQUIREMENTS, name) for name in REQUIREMENTS),
    *(("anonymize.md", METHODS, name) for name in METHODS),
    *(("describe.md", HIERARCHIES, name) for name in HIERARCHIES),
    *(("methods/baskets.md", BASKET_REQUIREMENTS, name) for name in BASKET_REQUIREMENTS),
    *((f"methods/{name}.md", BASKET_METHODS, name) for name in BASKET_METHODS),
]


@pytest.mark.parametrize(("page", "catalogue", "name"), _ENTRIES, ids=[entry[2] for entry in _ENTRIES])
def test_every_entry_of_a_catalogue_is_documented(page, catalogue, name):
    section = _section(page, name)
    absent = [field for field, _, _ in catalogue.fields(name) if f"`{field}`" not in section]
    assert not absent, f"docs/{page} does not say what the parameters {absent} of {name} are."


_METHOD_HEADINGS = ("Formula", "Guarantee", "Assumptions", "Complexity", "Paper", "Limits")
_OTHER_PAGES = {"baskets"}
"""Pages of docs/methods about something else than one method: requirements on baskets."""


@pytest.mark.parametrize("name", [*METHODS, *BASKET_METHODS])
def test_every_method_has_a_page(name):
    assert (DOCS / "methods" / f"{name}.md").exists(), f"Write docs/methods/{name}.md."


@pytest.mark.parametrize("page", sorted((DOCS / "methods").glob("*.md")), ids=_name)
def test_pages_of_methods_have_the_same_headings(page):
    if page.stem in _OTHER_PAGES:
        return
    empty = [heading for heading in _METHOD_HEADINGS if not _section(f"methods/{page.name}", heading).strip()]
    assert not empty, f"docs/methods/{page.name} says nothing under {empty}."


_GUARANTEES = ["guarantees.md", "ja/guarantees.md"]


@pytest.mark.parametrize("name", [*REQUIREMENTS, *BASKET_REQUIREMENTS])
@pytest.mark.parametrize("page", _GUARANTEES)
def test_every_requirement_is_on_the_page_of_guarantees(page, name):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert re.search(rf"^#+ .*{re.escape(name)}", text, flags=re.MULTILINE), (
        f"docs/{page} has no heading for {name}."
    )


@pytest.mark.parametrize("name", [*MEASURES, *BASKET_MEASURES])
def test_every_measure_is_documented(name):
    assert _section("measure.md", name).strip()


@pytest.mark.parametrize("part", ["Recipe", "Source", "ColumnPart", "Output"])
def test_every_field_of_a_recipe_is_documented(part):
    section = _section("release.md", "Recipe reference")
    fields = getattr(recipe_parts, part).model_fields
    absent = [field for field in fields if f"`{field}`" not in section]
    assert not absent, f"docs/release.md does not say what the fields {absent} of a recipe are."


@pytest.mark.parametrize("part", ["BasketRecipe", "BasketSource", "BasketOutput"])
def test_every_field_of_a_recipe_of_baskets_is_documented(part):
    section = _section("baskets.md", "By recipe")
    fields = getattr(basket_recipe, part).model_fields
    absent = [field for field in fields if f"`{field}`" not in section]
    assert not absent, f"docs/baskets.md does not say what the fields {absent} of a recipe are."


@pytest.mark.parametrize("name", sudare.__all__)
def test_every_public_name_is_documented(name):
    assert _is_named(name, (DOCS / "python.md").read_text(encoding="utf-8")), (
        f"docs/python.md says nothing about sudare.{name}."
    )


@pytest.mark.parametrize("name", [name for name in sudare.__all__ if name != "__version__"])
def test_every_public_name_is_in_the_reference_made_from_docstrings(name):
    """A page of docs/api has the name as a heading; for a module, each of its own names."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    inside = (
        getattr(getattr(sudare, name), "__all__", None)
        if isinstance(getattr(sudare, name), ModuleType)
        else None
    )
    wanted = [f"sd.{name}.{member}" for member in inside] if inside else [f"sd.{name}"]
    absent = [
        one for one in wanted if not re.search(rf"heading: {re.escape(one)}$", pages, flags=re.MULTILINE)
    ]
    assert not absent, f"Add {absent} to a page of docs/api."


@pytest.mark.parametrize("module", ["hierarchy", "measure"])
def test_every_name_of_a_public_module_is_documented(module):
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    absent = [name for name in getattr(sudare, module).__all__ if not _is_named(name, text)]
    assert not absent, f"docs/python.md says nothing about {absent} of sudare.{module}."


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in _LINK.findall(prose):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path) if path else page
        assert place.exists(), f"{page.name} links to {target}, which does not exist."
        assert not anchor or anchor in _anchors(place), f"{page.name} links to {target}: no such heading."


@pytest.mark.parametrize("page", sorted((DOCS / "ja").glob("*.md")), ids=_name)
def test_japanese_pages_say_which_links_lead_to_english_ones(page):
    text = page.read_text(encoding="utf-8")
    unmarked = re.findall(r"\]\((\.\./[^)\s]+\.md[^)\s]*)\)(?!（英語）)", text)
    assert not unmarked, f"Write （英語） after the links of {_name(page)} to {unmarked}."
    translated = [path for path in re.findall(r"\]\(\.\./([\w/-]+\.md)", text) if _in_japanese(path, page)]
    assert not translated, f"{_name(page)} links to {translated}, which are there in Japanese."


def _in_japanese(path: str, page: Path) -> bool:
    """Whether a page has a Japanese one of the same name, other than the page that links to it."""
    if path == "baskets.md":  # the guide; docs/ja/baskets.md is the how-to page of the same name
        return False
    return Path(path).name != page.name and (DOCS / "ja" / Path(path).name).exists()


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        *(
            (f"howto/{name}.md", f"ja/{name}.md")
            for name in ("hierarchies", "mixed-data", "databases", "baskets")
        ),
        *((f"{name}.md", f"ja/{name}.md") for name in ("ledger", "release")),
    ],
)
def test_a_translated_page_has_the_examples_of_the_original(english, japanese):
    first, second = (
        [block.text for block in blocks_of(DOCS / page) if block.reason_not_run is None]
        for page in (english, japanese)
    )
    assert first == second, f"docs/{japanese} has other examples than docs/{english}."


@pytest.mark.parametrize("part", ["Recipe", "Source", "ColumnPart", "Output"])
def test_every_field_of_a_recipe_is_in_the_japanese_reference(part):
    section = _section("ja/release.md", "レシピの項目")
    absent = [field for field in getattr(recipe_parts, part).model_fields if f"`{field}`" not in section]
    assert not absent, f"docs/ja/release.md does not say what the fields {absent} of a recipe are."


def test_places_in_the_code_are_where_the_page_says():
    text = (DOCS / "where-things-are.md").read_text(encoding="utf-8")
    places = re.findall(r"`([\w/]+\.py)(?::(\w+))?`", text)
    assert len(places) > 40
    for path, name in places:
        source = (ROOT / "src" / "sudare" / path).read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {name}\b", source, re.MULTILINE) or not name, (
            f"{path} has no {name}."
        )
    absent = [name for name in (*METHODS, *BASKET_METHODS) if f"`{name}`" not in text]
    assert not absent, f"docs/where-things-are.md does not say where {absent} are."


def _anchors(page: Path) -> set[str]:
    """The anchors of headings as Markdown makes them."""
    headings = re.findall(r"^#+ (.+?)\s*$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in headings}


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"([\w/-]+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    written = {
        page for page in listed if not page.startswith("evidence/")
    }  # those are made by `make experiments`
    assert {page.relative_to(DOCS).as_posix() for page in PAGES if page.is_relative_to(DOCS)} == written
    assert all((DOCS / name).is_file() for name in listed - written), (
        "run `make experiments` and `make bench`"
    )


def test_every_page_of_evidence_has_its_head_and_is_listed():
    """Pages that `make experiments` and `make bench` write: command, date, machine, versions; links lead somewhere."""
    index = DOCS / "evidence" / "index.md"
    linked = set(_LINK.findall(index.read_text(encoding="utf-8")))
    pages = [page for page in sorted(DOCS.glob("evidence/*.md")) if page != index]
    assert {page.name for page in pages} == linked
    for page in pages:
        text = page.read_text(encoding="utf-8")
        head = text.split("\n", 9)[:8]
        for place, word in enumerate(("command", "date", "machine", "versions"), start=4):
            assert head[place].startswith(f"| {word} | "), f"{page.name} does not begin with its {word}."
        for target in _LINK.findall(text):
            path, _, anchor = target.partition("#")
            assert not path or (page.parent / path).exists(), f"{page.name} links to {target}."
            assert not anchor or anchor in _anchors(page), f"{page.name} links to {target}: no such heading."
