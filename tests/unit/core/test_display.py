"""How values look to people: texts of at most 80 columns, HTML that is well-formed and escaped, nobody's name in it."""

# mypy: disable-error-code="no-untyped-call"

import functools
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.display import WIDTH, html_table, listed, said, shortened, width_of

NASTY = "<b>&\"'x\n患者" * 6


def _table(rows=60):
    ages = [20 + 7 * (row % 5) for row in range(rows)]
    return sd.read(
        pl.DataFrame(
            {
                "name": [f"Secret Person {row}" for row in range(rows)],
                "age": ages,
                NASTY: [f"<i>{row % 3}</i>" for row in range(rows)],
                "disease": [["flu", "gout", "<cold>"][row % 3] for row in range(rows)],
            }
        )
    ).describe(identifier=["name"], quasi=["age", NASTY], sensitive=["disease"])


@functools.cache
def _release():
    return sd.anonymize(_table(), sd.KAnonymity(3), sd.LDiversity(2), seed=1)


@functools.cache
def _noisy():
    table = sd.read(pl.DataFrame({"sex": ["<f>", "m"] * 300})).describe(quasi=["sex"])
    return sd.anonymize(table, sd.PkAnonymity(3), method=sd.Randomize(), seed=1)


def _baskets():
    baskets = sd.Baskets.from_lists([["milk", "<beer>"], [], ["milk", "test"]] * 4, ids=range(12))
    return baskets.describe(sensitive=["test"])


def _counted():
    numbers = sd.read(pl.DataFrame({"age": [1, 2, 3] * 20, "sex": ["<f>", "m"] * 30}))
    return sd.crosstab(numbers, by=["age", "sex"], bins={"age": [0, 2, 4]})


# Each value is made by the test that shows it: made here, every collection of tests would compile kernels.
MAKERS: dict[str, Callable[[], Any]] = {
    "Risk": lambda: _release().risk_before,
    "Risk of noise": lambda: _noisy().risk_after,
    "Comparison": lambda: sd.measure.compare({NASTY: _release(), "same": _release()}),
    "noisy CrossTab": lambda: sd.crosstab(_noisy(), by="sex", seed=1),
    "Table": _table,
    "wide": lambda: sd.read(pl.DataFrame({f"column number {place}": [1] for place in range(60)})),
    "Verdict": lambda: sd.KAnonymity(5).check(_table()),
    "Study": lambda: sd.assess(_table(), sd.KAnonymity(3), sd.LDiversity(2)),
    "infeasible": lambda: sd.assess(_table(), sd.LDiversity(9)),
    "Release": _release,
    "CrossTab": _counted,
    "Baskets": _baskets,
    "BasketRelease": lambda: sd.anonymize(_baskets(), sd.RhoUncertainty(0.5), seed=1),
    "BasketVerdict": lambda: sd.RhoUncertainty(0.5).check(_baskets()),
}


@functools.cache
def shown(name):
    return MAKERS[name]()


@pytest.mark.parametrize("name", MAKERS)
def test_texts_are_short_and_fit_80_columns(name):
    text = repr(shown(name))
    assert len(text.splitlines()) <= 16
    for line in text.splitlines():
        assert width_of(line) <= WIDTH, line
    assert "Secret Person" not in text


@pytest.mark.parametrize("name", MAKERS)
def test_html_is_well_formed_escaped_and_short(name):
    html = shown(name)._repr_html_()
    root = ET.fromstring(html)
    assert root.tag == "div"
    assert {element.tag for element in root.iter()} <= {
        "div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li",
    }  # fmt: skip
    assert "Secret Person" not in html
    assert len(list(root.iter("tr"))) < 50


def test_a_table_shows_roles_and_a_head_without_identifiers():
    html = _table()._repr_html_()
    assert "Table: 60 rows, 4 columns" in html
    assert "•••" in html
    assert html.count("&lt;cold&gt;") <= 5
    assert "… and 55 more rows" in html


def test_of_many_columns_only_the_first_are_shown():
    root = ET.fromstring(shown("wide")._repr_html_())
    assert max(len(list(row)) for row in root.iter("tr")) <= 12
    assert "… and 48 more columns" in shown("wide")._repr_html_()


def test_a_release_shows_nothing_of_the_original():
    release = shown("Release")
    assert repr(release).startswith("Release(")
    html = release._repr_html_()
    assert "✓" in html
    assert "Release: 60 of 60 rows" in html


def test_a_study_names_its_figures():
    text = repr(shown("Study"))
    assert text.startswith("Study(")
    assert "feasible: yes" in text
    assert "feasible: NO" in repr(shown("infeasible"))


def test_figures_are_written_as_people_read_them():
    cells = [cell.text for cell in ET.fromstring(html_table(["dm"], [[28_960.0], [0.123456]])).iter("td")]
    assert cells == ["28,960", "0.1235"]


def test_a_crosstab_shows_counts_with_one_decimal_and_says_what_they_are():
    table = shown("noisy CrossTab")
    root = ET.fromstring(table._repr_html_())
    heads = [head.text for head in root.iter("th")]
    assert heads == ["sex", "estimate", "stderr", "low", "high", "released", "verdict"]
    released = table.array(figure="released")
    rows = [[cell.text for cell in row.iter("td")] for row in root.iter("tr")][1:]
    assert [row[-2] for row in rows] == [f"{count:,.1f}" for count in released]
    assert "95 % interval" in "".join(root.itertext())
    assert repr(table).startswith("CrossTab(sex (2); 600 records; cells to within ±")
    assert repr(shown("CrossTab")) == "CrossTab(age (2) x sex (2); 60 records; counted as they are)"


def test_a_risk_and_a_comparison_are_no_dumps():
    assert repr(shown("Risk")).startswith("Risk(rows: 60 in 15 blocks")
    assert "smallest block: 4" in repr(shown("Risk"))
    assert "blocks" not in repr(shown("Risk of noise"))
    assert "risk of being found, at most: " in repr(shown("Risk of noise"))
    assert repr(shown("Comparison")).startswith("Comparison(2 releases by prosecutor_mean and loss")


def test_what_was_written_is_told_without_the_internal_manifest(tmp_path):
    written = shown("Release").write(tmp_path / "<out>")
    text = repr(written)
    assert text.startswith("Written(")
    assert "60 rows" in text
    assert "checks hold" in text
    assert "public/report.html" in text
    assert all(width_of(line) <= WIDTH for line in text.splitlines())
    html = written._repr_html_()
    assert ET.fromstring(html).tag == "div"
    assert "✓ Every combination of" in html
    assert len(html) < 4_000
    baskets = shown("BasketRelease").write(tmp_path / "baskets", reports=[])
    assert "12 baskets" in repr(baskets)
    assert "reports" not in repr(baskets)


def test_short_ones_stay_on_one_line():
    table = sd.read(pl.DataFrame({"age": [1]})).describe(quasi=["age"])
    assert repr(table) == "Table(1 rows; quasi: age)"


@settings(max_examples=200, deadline=None)
@given(st.text(), st.integers(1, 100))
def test_shortened_fits(text, width):
    found = shortened(text, width)
    assert width_of(found) <= width
    assert "\n" not in found


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=30), st.integers(30, 100))
def test_listed_and_said_fit(names, width):
    assert width_of(listed(names, width)) <= width
    for line in said("Name", names).splitlines():
        assert width_of(line) <= WIDTH


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=20),
        min_size=1,
        max_size=5,
    )
)
def test_cells_are_escaped(cells):
    root = ET.fromstring(html_table(cells, [cells]))
    assert [cell.text or "" for cell in root.iter("td")] == [shortened(cell, 40) for cell in cells]
