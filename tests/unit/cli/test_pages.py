"""What commands print: titles above tables, and the types of options."""

import pytest
from rich.cells import cell_len

from sudare.cli import COMMANDS, main
from sudare.cli.show import print_table

TITLE = "Values of each column before and after (30 of 411 figures; the losses come first, then the means)"


@pytest.mark.parametrize("wide", [False, True])
def test_a_title_has_the_width_of_the_terminal_and_no_blanks_at_its_end(capsys, wide):
    print_table("dm", ["figure", "value"], [["smallest", "0"]], wide=wide)
    assert capsys.readouterr().out.splitlines()[0] == "dm"
    title = (
        "列ごとの加工前後の値（45 件のうち 30 件。損失が先に並びます。すべての行は --out で書き出せます）"
        if wide
        else TITLE
    )
    print_table(title, ["a", "b"], [["1", "2"]], wide=wide)
    lines = capsys.readouterr().out.splitlines()
    table = next(place for place, line in enumerate(lines) if line.startswith("┏"))
    assert table == 2
    assert cell_len(lines[0]) > 60
    assert all(line == line.rstrip() and cell_len(line) <= 80 for line in lines[:table])


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_the_type_of_one_value(name, capsys):
    for language in ("en", "ja"):
        assert main([name, "--help", "--lang", language]) == 0
        page = capsys.readouterr().out
        assert "list[" not in page
        assert "<bool>" not in page
        assert "<Path>" not in page
