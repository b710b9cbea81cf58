"""Recipes from clients name no file, key, variable or database that they may not, in whatever form they are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.web.conftest import RECIPE

from sudare.release.recipe.load import class_of
from sudare.release.recipe.parts import parse_yaml
from sudare.web.confine import Confined, check_parsed, confined, real_place
from sudare.web.problems import RefusedError

SECRET = "/etc/passwd"
ATTACKS = {
    "source": RECIPE.replace("people.csv", SECRET),
    "source above": RECIPE.replace("people.csv", "../../secret"),
    "standard input": RECIPE.replace("people.csv", "'-'"),
    "database": RECIPE.replace("people.csv", "postgresql://localhost/x"),
    "sqlite": RECIPE.replace("people.csv", "sqlite:////etc/passwd"),
    "query": RECIPE.replace("path: people.csv", "path: people.csv, query: select 1"),
    "hierarchy": RECIPE.replace("role: quasi", f"role: quasi, hierarchy: {{type: csv, path: {SECRET}}}"),
    "hierarchy as text": RECIPE.replace("role: quasi", f"role: quasi, hierarchy: csv path={SECRET}"),
    "hierarchy as JSON": RECIPE.replace(
        "role: quasi", f'role: quasi, hierarchy: \'csv {{"path": "{SECRET}"}}\''
    ),
    "hierarchy escaped": RECIPE.replace(
        "role: quasi", 'role: quasi, hierarchy: \'csv {"p\\u0061th": "/etc/passwd"}\''
    ),
    "key file": RECIPE + f"method: {{type: pseudonyms, columns: [age], key_file: {SECRET}}}\n",
    "key file in a list": RECIPE + f"method: [{{type: pseudonyms, columns: [age], key_file: {SECRET}}}]\n",
    "key file as text": RECIPE + f"method: pseudonyms columns=age key_file={SECRET}\n",
    "key variable": RECIPE + "method: {type: pseudonyms, columns: [age], key_variable: HOME}\n",
    "key variable as text": RECIPE + "method: pseudonyms columns=age key_variable=HOME\n",
    "written into a database": RECIPE.replace("reports: []", "database: sqlite:////tmp/x.sqlite, table: t"),
    "anchors": RECIPE.replace("role: quasi", f"role: quasi, hierarchy: &h {{type: csv, path: {SECRET}}}"),
    "instead of": RECIPE.replace("role: quasi", f"role: quasi, hierarchy: {{type: csv, path: [{SECRET}]}}"),
    "sensitive items": "baskets: {path: people.csv}\nsensitive: {file: /etc/passwd}\n"
    "requirements: [{type: km-anonymity, k: 2, m: 2}]\noutput: {folder: release}\n",
    "hierarchy of items": "baskets: {path: people.csv}\nrequirements: [{type: km-anonymity, k: 2, m: 2}]\n"
    "method: {type: item-generalization, hierarchy: {type: csv, path: /etc/passwd}}\noutput: {folder: release}\n",
    "hierarchy of items as text": "baskets: {path: people.csv}\n"
    "requirements: [{type: km-anonymity, k: 2, m: 2}]\n"
    "method: {type: item-generalization, hierarchy: csv path=/etc/passwd}\noutput: {folder: release}\n",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_recipe_may_not_name_is_refused(client, attack):
    place = client.project()
    for method, where, body in (
        ("PUT", f"{place}/recipe", {"content": ATTACKS[attack].encode()}),
        ("POST", f"{place}/jobs", {"json": {"kind": "run", "recipe": ATTACKS[attack]}}),
    ):
        answer = client(method, where, **body)
        assert answer.status_code in {403, 422}, answer.text
        assert "/etc" not in answer.text
    assert client("GET", f"{place}/recipe").status_code == 404
    assert client("GET", f"{place}/jobs").json()["items"] == []


@pytest.mark.parametrize("attack", [name for name in ATTACKS if name != "instead of"])
def test_the_parsed_recipe_alone_would_be_refused_too(attack, tmp_path):
    """The second look does not depend on the first: what names a file is found by the class that would open it."""
    raw = parse_yaml(ATTACKS[attack], "recipe")
    to = Confined("people.csv", str(tmp_path / "upload.csv"), (tmp_path,))
    if attack in {
        "query",
        "written into a database",
        "standard input",
        "database",
        "sqlite",
        "source",
        "source above",
    }:
        with pytest.raises(RefusedError):
            confined(raw, to, tmp_path / "release")
        return
    recipe = class_of(raw).parse(ATTACKS[attack].replace("people.csv", to.place), folder=tmp_path)
    with pytest.raises(RefusedError):
        check_parsed(recipe, to, tmp_path / "release")


def test_files_below_an_allowed_folder_are_taken(client, settings):
    place = client.project()
    (settings.allowed[0] / "ages.csv").write_text("".join(f"{age};all\n" for age in range(20, 25)))
    recipe = RECIPE.replace("role: quasi", "role: quasi, hierarchy: {type: csv, path: ages.csv}")
    answer = client("PUT", f"{place}/recipe", content=recipe.encode())
    assert answer.status_code == 200, answer.text
    assert answer.text == recipe


def test_links_do_not_lead_out(tmp_path):
    top = tmp_path / "top"
    (top / "inside").mkdir(parents=True)
    (tmp_path / "outside.csv").write_text("a")
    (top / "file.csv").write_text("a")
    (top / "link.csv").symlink_to(tmp_path / "outside.csv")
    (top / "folder").symlink_to(tmp_path)
    assert real_place("file.csv", (top,)) == top / "file.csv"
    assert real_place(str(top / "inside" / ".." / "file.csv"), (top,)) == top / "file.csv"
    for given in (
        "link.csv",
        "folder/outside.csv",
        "../outside.csv",
        "inside",
        "absent.csv",
        "",
        "-",
        "a\0b",
        "file://x",
    ):
        with pytest.raises(RefusedError) as refused:
            real_place(given, (top,))
        assert str(tmp_path) not in str(refused.value)


def test_the_given_recipe_stays_as_it_is(tmp_path):
    raw = parse_yaml(RECIPE, "recipe")
    before = repr(raw)
    made = confined(raw, Confined("people.csv", "/data/upload.csv", ()), tmp_path / "release")
    assert repr(raw) == before
    assert made["source"]["path"] == "/data/upload.csv"
    assert made["output"] == {"folder": str(tmp_path / "release"), "reports": [], "overwrite": False}


def test_names_in_trees_and_columns_are_values_not_files(tmp_path):
    raw = {
        "columns": {
            "path": {"role": "quasi", "hierarchy": {"type": "tree", "mapping": {"path": ["file", "-"]}}},
            "file": {"role": "sensitive"},
            "key_variable": {"role": "drop"},
        }
    }
    made = confined(raw, Confined("a.csv", "/data/a.csv", ()), Path("/out"))
    assert made["columns"] == raw["columns"]
