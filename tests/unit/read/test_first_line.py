"""A first line that is a person's record must not become the names of the columns."""

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import InputError

RECORDS = (
    "39,State-gov,2020-01-05,Never-married\n50,Private,2020-01-05,Married\n39,State-gov,2020-01-06,Married\n"
)


def test_a_record_is_no_line_of_names(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(RECORDS, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"'39' and 'State-gov' occur as values in their own columns\. Set header=False"
    ):
        sd.read(path)
    assert sd.read(path, header=False).rows == 3
    assert sd.read(path, header=True).frame.columns == ["39", "State-gov", "2020-01-05", "Never-married"]


def test_a_record_in_a_workbook(tmp_path):
    path = tmp_path / "people.xlsx"
    pl.DataFrame({"39": [50, 39], "State-gov": ["Private", "State-gov"]}).write_excel(path)
    with pytest.raises(InputError, match="looks like a record, not like column names"):
        sd.read(path)
    assert sd.read(path, header=True).rows == 2


@pytest.mark.parametrize(
    "text",
    [
        "age,job\n39,State-gov\n50,Private\n",
        "2019,2020\n5,6\n7,8\n",
        "F\nF\nM\n",
        "yes,no,c,d,e,f,g,h,i\nyes,no,1,2,3,4,5,6,7\n",
        "a,b\n",
    ],
    ids=["names", "years", "one column", "fewer than one in four", "no rows"],
)
def test_names_are_names(tmp_path, text):
    path = tmp_path / "people.csv"
    path.write_text(text, encoding="utf-8")
    assert sd.read(path).frame.columns == text.splitlines()[0].split(",")


def test_describe_and_run_ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(RECORDS, encoding="utf-8")
    assert main(["describe", "people.csv"]) == 2
    assert "--no-header" in capsys.readouterr().err
    assert not (tmp_path / "people.recipe.yaml").exists()
    assert main(["describe", "people.csv", "--header"]) == 0
    assert "header: true" in (tmp_path / "people.recipe.yaml").read_text(encoding="utf-8")
    assert main(["describe", "people.csv", "--no-header", "--overwrite"]) == 0
    assert "column_1" in (tmp_path / "people.recipe.yaml").read_text(encoding="utf-8")
