"""Figures of each column before and after: what is left out of them, and how a terminal shows them."""

import csv
import json
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.cli import main

BORN = [date(1950, 1, 1) + timedelta(days=400 * place) for place in range(20)]
RECIPE = {
    "version": 1,
    "source": {"path": "people.csv"},
    "columns": {
        "born": {"role": "quasi", "kind": "date"},
        "age": {"role": "quasi"},
        "city": {"role": "quasi"},
        "insensitive": ["n*"],
    },
}


def people():
    return pl.DataFrame({"born": BORN, "age": range(20, 40), "city": ["Nara", "Kobe"] * 10})


def coarser():
    """Of eight rows nothing is said, of one the age is missing; the others are as they were, but for one range."""
    frame = people()
    ages: list[str | None] = [*map(str, range(20, 31)), "[30, 32]", *["*"] * 8]
    ages[0] = None
    born = [*(str(day) for day in BORN[:12]), *["*"] * 8]
    return frame.with_columns(pl.Series("age", ages), pl.Series("born", born))


def test_cells_that_say_nothing_are_left_out_and_counted():
    found = sd.measure.by_column(sd.read(people()).describe(quasi=["born", "age", "city"]), coarser())
    figures = {(row["column"], row["figure"]): row["after"] for row in found.to_dicts() if not row["other"]}
    known = [*range(21, 31), 31]
    assert figures["age", "unknown"] == pytest.approx(9 / 20)
    assert figures["age", "mean"] == pytest.approx(np.mean(known))
    assert figures["age", "std"] == pytest.approx(np.std(known))
    assert figures["age", "q50"] == pytest.approx(np.median(known))
    days = [(day - date(1970, 1, 1)).days for day in BORN[:12]]
    assert figures["born", "q50"] == pytest.approx(np.median(days))
    assert figures["born", "unknown"] == pytest.approx(8 / 20)
    (correlation,) = found.filter(pl.col("figure") == "correlation")["after"]
    assert correlation == pytest.approx(np.corrcoef(known, days[1:])[0, 1])
    before = {(row["column"], row["figure"]): row["before"] for row in found.to_dicts()}
    assert before["age", "unknown"] == 0
    assert before["age", "mean"] == pytest.approx(29.5)


def test_the_command_shows_losses_dates_and_where_all_rows_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    more = {f"n{number}": range(number, 20 + number) for number in range(4)}
    people().with_columns(**{name: pl.Series(values) for name, values in more.items()}).write_csv(
        "people.csv"
    )
    coarser().with_columns(**{name: pl.Series(values) for name, values in more.items()}).write_csv(
        "after.csv"
    )
    (tmp_path / "recipe.yaml").write_text(
        json.dumps({**RECIPE, "requirements": ["k-anonymity k=2"], "output": {"folder": "out"}}),
        encoding="utf-8",
    )
    asked = ["measure", "people.csv", "after.csv", "--recipe", "recipe.yaml", "--by-column"]
    assert main([*asked, "--out", "all.csv"]) == 0
    out = capsys.readouterr().out
    joined = " ".join(out.split())
    assert "add --out FILE" in joined
    lines = [
        [cell.strip() for cell in line.strip("│").split("│")] for line in out.splitlines() if "│" in line
    ]
    told = {(cells[0], cells[1]): cells[3:] for cells in lines if len(cells) == 5}
    assert told["born", "mean"][0] == str(BORN[0] + timedelta(days=round(400 * 9.5)))
    assert told["born", "standard deviation"][0].endswith("days")
    assert told["born", "no value (missing or *)"] == ["0%", "40%"]
    assert "Figures that did not change are not shown" in joined
    assert ("n0", "mean") not in told
    assert set(told) >= {("born", "loss"), ("age", "loss")}
    assert ("city", "loss") not in told  # nothing of it was lost
    with (tmp_path / "all.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    losses = sd.measure.column_losses(
        sd.read(people()).describe(quasi=["born", "age", "city"], kinds={"born": "date"}), coarser()
    )
    assert {row["column"]: float(row["after"]) for row in rows if row["figure"] == "loss"} == pytest.approx(
        losses
    )
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"][0]["figure"] == "loss"
    assert main([*asked, "--lang", "ja"]) == 0
    assert "--out でファイル" in capsys.readouterr().out.replace("\n", "")
