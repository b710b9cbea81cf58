"""A short notebook in a real kernel: what cells show, a bar while a call takes long, charts; nothing on standard output."""

from typing import Any

import pytest

pytest.importorskip("ipykernel", reason="ipykernel is absent: pip install sudare[dev]")
nbclient = pytest.importorskip("nbclient", reason="nbclient is absent: pip install sudare[dev]")
nbformat = pytest.importorskip("nbformat", reason="nbformat is absent: pip install sudare[dev]")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of the notebook's machinery, not ours

CELLS = [
    "import sudare as sd\nimport sudare.progress as progress\nassert progress.in_notebook()",
    (
        "table = sd.read(sd.hospital(300, seed=1)).describe("
        "identifier=['name'], quasi=['length_of_stay', 'sex'], sensitive=['disease'])\ntable"
    ),
    "sd.KAnonymity(2).check(table)",
    # What the bar shows is kept, for it is gone when the call has ended.
    (
        "progress.DELAY, seen = 0.0, []\n"
        "show = progress.ProgressBar._show\n"
        "def kept(bar, share, seconds):\n"
        "    show(bar, share, seconds)\n"
        "    seen.append(bar._place is not None)\n"
        "progress.ProgressBar._show = kept\n"
        "release = sd.anonymize(table, sd.KAnonymity(5), seed=1)\n"
        "release"
    ),
    "assert seen and all(seen), seen",
    "release.chart()",
    "sd.crosstab(release, by=['sex', 'disease']).chart()",
    "sd.assess(table, sd.KAnonymity(5))",
    "sd.crosstab(release, by=['sex', 'disease'])",
    "release.write('out')",
    "progress.DELAY = 2.0\nrelease = sd.anonymize(table, sd.KAnonymity(5), seed=1)",
]


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    folder = str(tmp_path_factory.mktemp("notebook"))
    nbclient.NotebookClient(notebook, timeout=240, resources={"metadata": {"path": folder}}).execute()
    return list(notebook.cells)


def _results(cell: Any) -> list[Any]:
    return [output for output in cell.outputs if output.output_type == "execute_result"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "Table: 300 rows"),
        (2, "Verdict("),
        (3, "Release: 300 of 300"),
        (7, "Study"),
        (8, "CrossTab(sex (2) x disease ("),
        (9, "Written: out, 300 rows"),
    ],
)
def test_a_value_shows_html_and_text(cells, number, text):
    (result,) = _results(cells[number])
    assert text in result.data["text/html"]
    assert max(len(line) for line in result.data["text/plain"].splitlines()) <= 80


def test_nothing_is_printed(cells):
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "stream"]


def test_the_bar_is_gone_at_the_end_and_absent_from_short_calls(cells):
    (bar,) = [output for output in cells[3].outputs if output.output_type == "display_data"]
    assert bar.data["text/html"] == ""
    assert cells[-1].outputs == []


@pytest.mark.parametrize("number", [5, 6])
def test_plots_are_altair_charts(cells, number):
    (result,) = _results(cells[number])
    assert result.data["text/plain"].startswith("alt.")
    assert "vega-lite" in result.data["text/html"]
