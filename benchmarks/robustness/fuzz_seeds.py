"""Valid files from which the fuzzer starts: small tables in every format that is read, recipes, hierarchies, baskets."""

from __future__ import annotations

import datetime as dt
import io
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import polars as pl

DISEASES = ("flu", "cold", "ulcer", "asthma")
PATIENTS = pl.DataFrame(
    {
        "name": [f"Person{number:02}" for number in range(24)],
        "age": [20 + number * 7 % 60 for number in range(24)],
        "sex": ["MF"[number % 2] for number in range(24)],
        "zip": [f"{number * 37 % 900:05}" for number in range(24)],
        "born": [dt.date(1950 + number, 1 + number % 12, 1 + number) for number in range(24)],
        "cost": [None if number == 5 else number * 10.25 for number in range(24)],
        "disease": [DISEASES[number % 4] for number in range(24)],
    }
)
_JAPANESE = "氏名,年齢,病名\n山田太郎,34,インフルエンザ\n鈴木花子,28,胃潰瘍\n佐藤次郎,,ｶｾﾞ\n"
_WESTERN = "Name;Größe;Café\nJürgen Müller;1,80;Cœur\nZoë;;naïve\n"

RECIPE = """\
version: 1
source: {path: patients.csv}
columns:
  name: {role: identifier}
  age: {role: quasi, kind: numeric, hierarchy: {type: intervals, width: 5, nested: 2}}
  sex: {role: quasi, hierarchy: {type: suppress}}
  zip: {role: quasi, hierarchy: {type: mask}}
  born: {role: quasi, missing: own, hierarchy: {type: dates, levels: [month, year]}}
  cost: {role: insensitive}
  disease: {role: sensitive}
requirements: [{type: k-anonymity, k: 2}, {type: l-diversity, l: 2}]
method: {type: mondrian}
output: {folder: release, reports: []}
"""
_RECIPES = (
    ("{type: intervals, width: 5, nested: 2}", "{type: intervals, bounds: [20, 40.5, 60], nested: [2, 2]}"),
    ("{type: intervals, width: 5, nested: 2}", "{type: intervals, quantiles: 4, levels: 2}"),
    ("{type: suppress}", "{type: tree, mapping: {any: [M, F]}, root: all}"),
    ("{type: suppress}", "{type: order, values: [F, M], groups: 2}"),
    ("{type: mask}", "{type: csv, path: zip.csv, header: false}"),
    ("{type: l-diversity, l: 2}", "{type: l-diversity, l: 1.5, kind: entropy, sensitive: [disease]}"),
    ("{type: l-diversity, l: 2}", "{type: t-closeness, t: 0.9}"),
    ("{type: mondrian}", "[{type: rounding, columns: [cost], base: 10}, {type: mondrian, relaxed: true}, {type: shuffling}]"),
    ("{type: mondrian}", "[{type: generalization, objective: loss}, {type: record-suppression, limit: 0.5}]"),
    ("{type: mondrian}", "{type: full-domain, suppression: 0.1}"),
    ("{type: mondrian}", "[{type: pseudonyms, columns: [name], length: 12}, {type: mondrian}]"),
    ("{type: mondrian}", "[{type: mondrian}, {type: sampling, share: 0.9}, {type: rank-swapping, columns: [cost], window: 0.3}]"),
    (
        "requirements: [{type: k-anonymity, k: 2}, {type: l-diversity, l: 2}]\nmethod: {type: mondrian}",
        ("requirements: [{type: pk-anonymity, k: 2}]\nmeasures: [marginal_tv]\n"
        "method: {type: randomization, columns: [age, sex], exact: [zip, born], ranges: {age: [0, 120]}, missing: category}"),
    ),
    ("{type: mondrian}", "{type: microaggregation, effort: fast, strata: [sex]}"),
    ("method: {type: mondrian}\n", "measures: [loss, dis]\n"),
    ("source: {path: patients.csv}", "source: {path: patients.csv, delimiter: ',', encoding: utf-8, missing: ['', '?']}"),
)  # fmt: skip

BASKETS = "bread,beer,hospital\nbeer\nbread,milk\n\nmilk,beer,hospital\nbread,beer,milk\nbread,beer\nmilk,bread,beer\n"
BASKET_RECIPE = """\
version: 1
baskets: {path: baskets.txt}
sensitive: [hospital]
requirements: [{type: rho-uncertainty, rho: 0.7}]
method: {type: item-suppression}
output: {folder: release, reports: []}
"""
_BASKET_RECIPES = (
    ("{path: baskets.txt}", "{path: baskets.txt, layout: lines, delimiter: ','}"),
    ("[hospital]", "re:^hos\nunknown: ignore"),
    ("[hospital]", "{file: private.txt}"),
    ("[{type: rho-uncertainty, rho: 0.7}]", "[{type: km-anonymity, k: 2, m: 2}]\nmeasures: [util1]"),
    (
        "[{type: rho-uncertainty, rho: 0.7}]\nmethod: {type: item-suppression}",
        (
            "[{type: km-anonymity, k: 2, m: 2}]\n"
            "method: {type: item-generalization, hierarchy: {type: tree, mapping: {food: [bread, milk, beer], else: [hospital]}}}"
        ),
    ),
)
_ASKED = (
    '{"type": "rho-uncertainty", "rho": "1/3", "m": 2, "eps": null, "delta": null, "rule": "exact"}',
    '{"type": "rho-uncertainty", "rho": 0.7, "m": 2, "eps": 0.05, "delta": 0.05, "rule": "exact"}',
    '{"type": "km-anonymity", "k": 2, "m": 2}',
)
LEVELS = "".join(f"{zip_code};{zip_code[:4]}*;{zip_code[:2]}***;*\n" for zip_code in PATIENTS["zip"])


def texts() -> list[bytes]:
    """Delimited texts in several encodings and dialects."""
    plain = PATIENTS.write_csv()
    return [
        plain.encode(),
        PATIENTS.head(6).write_csv(separator=";", quote_style="always").encode(),
        PATIENTS.head(6).write_csv(separator="\t").replace("\n", "\r\n").encode("utf-16"),
        b"a, b, c\n1, 2, x\n3, 4, 'y'\n",
        b"'a','b'\n'1','it''s'\n",
        b"x\n1\n\n3\n",
        *(_JAPANESE.encode(name) for name in ("utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-32")),
        *(_WESTERN.encode(name) for name in ("cp1252", "iso8859_15")),
    ]


def excels() -> list[bytes]:
    """Workbooks of one and two sheets."""
    made = io.BytesIO()
    PATIENTS.head(5).write_excel(made)
    import xlsxwriter  # type: ignore[import-untyped]

    second = io.BytesIO()
    with xlsxwriter.Workbook(second, {"in_memory": True}) as book:
        for name in ("one", "two"):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["a", "b", "", "d"])
            sheet.write_row(1, 0, [1, "x", None, 2.5])
            sheet.write_datetime(2, 0, dt.datetime(2024, 1, 2))  # noqa: DTZ001  # Excel has no zones
            sheet.write_formula(2, 1, "=1/0")
            sheet.write_boolean(2, 3, boolean=True)
    return [made.getvalue(), second.getvalue()]


def parquets() -> list[bytes]:
    """Tables of plain columns, and of lists and categories."""
    nested = pl.DataFrame(
        {"id": [1, 2], "items": [["a", "b"], None], "c": pl.Series(["x", "y"], dtype=pl.Categorical)}
    )
    odd = pl.DataFrame(
        {
            "duration": pl.Series([1, 2], dtype=pl.Duration("us")),
            "time": [dt.time(1), None],
            "decimal": pl.Series(["1.5", "-2"]).cast(pl.Decimal(38, 3)),
            "bytes": [b"\xff", b""],
            "parts": [{"a": 1}, {"a": None}],
            "nothing": pl.Series([None, None]),
            "unsigned": pl.Series([2**64 - 1, 0], dtype=pl.UInt64),
            "zone": pl.Series([dt.datetime(2024, 1, 1), None]).dt.replace_time_zone("Asia/Tokyo"),  # noqa: DTZ001  # given next
        }
    )
    found = []
    for frame, compression in (
        (PATIENTS, "uncompressed"),
        (PATIENTS.head(3), "zstd"),
        (nested, "snappy"),
        (odd, "lz4"),
    ):
        made = io.BytesIO()
        frame.write_parquet(made, compression=compression)  # type: ignore[arg-type]  # of the three known
        found.append(made.getvalue())
    return found


def arrows() -> list[bytes]:
    """An IPC file and an IPC stream."""
    file, stream = io.BytesIO(), io.BytesIO()
    PATIENTS.head(5).write_ipc(file)
    PATIENTS.head(5).write_ipc_stream(stream)
    return [file.getvalue(), stream.getvalue()]


def databases() -> list[bytes]:
    """SQLite files of one table and of a table with a view."""
    found = []
    for statements in (
        (
            "CREATE TABLE t (a INTEGER, b TEXT, c REAL)",
            "INSERT INTO t VALUES (1, 'x', 2.5), (2, NULL, 'odd')",
        ),
        (
            "CREATE TABLE t (a)",
            "INSERT INTO t VALUES (1), (x'00ff'), ('é')",
            "CREATE VIEW v AS SELECT * FROM t",
        ),
    ):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.sqlite"
            with closing(sqlite3.connect(path)) as connection, connection:
                for statement in statements:
                    connection.execute(statement)
            found.append(path.read_bytes())
    return found


def statistical(ending: str) -> list[bytes]:
    """A file of SPSS, Stata or SAS."""
    import pyreadstat

    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[ending]
    frame = PATIENTS.head(5).select("name", "age", "sex", "cost")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{ending}"
        write(frame, str(path))
        return [path.read_bytes()]


def recipes() -> list[bytes]:
    """Recipes of tables that between them name most methods and hierarchies."""
    return [RECIPE.encode(), *(RECIPE.replace(*change).encode() for change in _RECIPES)]


def basket_recipes() -> list[bytes]:
    """Recipes of baskets."""
    return [BASKET_RECIPE.encode(), *(BASKET_RECIPE.replace(*change).encode() for change in _BASKET_RECIPES)]


def basket_manifests(manifest: bytes) -> list[bytes]:
    """The manifest of a release of baskets, and the same with other requirements."""
    content = json.loads(manifest)
    found = [content, *({**content, "requirements": [json.loads(one)]} for one in _ASKED)]
    return [json.dumps(one, indent=1, ensure_ascii=False).encode() for one in found]


def levels() -> list[bytes]:
    """Tables of levels for the column zip."""
    return [
        LEVELS.encode(),
        LEVELS.replace(";", ",").encode("utf-8-sig"),
        LEVELS.replace("*", "＊").encode("cp932"),
    ]


def stored_hierarchies() -> list[bytes]:
    """JSON files of hierarchies as `save` writes them."""
    from sudare.describe.hierarchy.makers import Intervals
    from sudare.describe.hierarchy.tree import Hierarchy

    trees = [
        Hierarchy.from_levels([["Lyon", "France", "*"], ["Oslo", "Norway", "*"]], "city"),
        Intervals(width=10).build(PATIENTS["age"], "age"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h.json"
        found = []
        for tree in trees:
            tree.save(path)
            found.append(path.read_bytes())
        return found


def basket_texts() -> list[bytes]:
    """Baskets a line, in JSON, and as tables of users and items."""
    lists = [line.split(",") if line else [] for line in BASKETS.splitlines()]
    long = "user,item\n" + "".join(
        f"u{number},{item}\n" for number, items in enumerate(lists) for item in items
    )
    return [
        BASKETS.encode(),
        BASKETS.replace(",", " ").encode(),
        b'"a, b";c\n"d""e";c\n',
        json.dumps(lists).encode(),
        "\n".join(map(json.dumps, lists)).encode(),
        json.dumps([{"id": number, "items": items} for number, items in enumerate(lists)]).encode(),
        long.encode(),
        b'id;items\n1;"a,b"\n2;\n',
        "パン,ビール\nビール\n".encode("cp932"),
    ]
