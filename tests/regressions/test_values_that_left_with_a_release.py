"""Removed values in bytes, manifests and figures of the public part: none of them may leave."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import struct
import zipfile
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.anonymize.baskets.catalogue import BASKET_METHODS as BASKET_CATALOGUE
from sudare.anonymize.catalogue import METHODS as CATALOGUE
from sudare.anonymize.protocol import Outcome
from sudare.cli import main
from sudare.errors import GuaranteeError, InputError, ParameterError
from sudare.formats import data as formats
from sudare.formats.data import EXTENSIONS
from sudare.parameters import parameters
from sudare.verify.leftovers import check_leftovers, parquet_pages
from sudare.verify.verify import verify_release

ROWS = 120
FORMATS = ["csv", "tsv", "parquet", "arrow", "excel", "spss", "stata", "jsonl"]
CITIES = [f"Municipality of Number {place:04d}" for place in range(40)]
METHODS = {
    "mondrian": sd.Mondrian(),
    "generalization": sd.Generalize(effort="fast"),
    "mindis": sd.MinDIS(effort="fast"),
    "diverdis": sd.DiverDIS(effort="fast"),
    "full-domain": sd.FullDomain(),
    "microaggregation": sd.Microaggregate(effort="fast"),
    "record-suppression": ["mondrian", "record-suppression limit=0.9"],
    "sampling": ["sampling share=0.5", "mondrian"],
    "rank-swapping": ["rank-swapping columns=income window=0.2", "mondrian"],
    "data-swapping": ["data-swapping columns=city share=0.2", "mondrian"],
    "top-bottom-coding": ["top-bottom-coding column=income top=60000", "mondrian"],
    "rounding": ["rounding columns=income base=1000", "mondrian"],
    "shuffling": ["mondrian", "shuffling"],
    "coarsening": [sd.Coarsen(levels={"city": 2}), sd.Mondrian()],
    "value-capping": ["value-capping column=disease most=20", "mondrian"],
    "remove-identifiers": ["remove-identifiers", "mondrian"],
    "pseudonyms": ["pseudonyms columns=name", "mondrian"],
    "randomization": sd.Randomize(ranges={"income": (0, 100_000_000)}, values={"city": tuple(CITIES)}),
}
LAYOUTS = ["lines", "json", "long", "sets", "lists"]
BASKET_METHODS = {
    "item-suppression": sd.SuppressItems(),
    "item-generalization": sd.GeneralizeItems(
        sd.hierarchy.tree(
            {
                f"group {place % 4}": [f"rare item {number}" for number in range(place % 4, 60, 4)]
                for place in range(4)
            }
        )
    ),
}


def people(categories):
    random = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "name": [f"Firstname Lastname {place:05d}" for place in range(ROWS)],
            "income": random.integers(20_000, 90_000, ROWS) * 1000 + 123,
            "city": [CITIES[place] for place in random.integers(0, 40, ROWS)],
            "disease": [("influenza", "common cold", "gastritis")[place % 3] for place in range(ROWS)],
        }
    )
    if categories == "enum":
        return frame.with_columns(pl.col("city").cast(pl.Enum([*CITIES, "Nowhere at All"])))
    if categories == "categorical":
        return frame.with_columns(pl.col("city").cast(pl.Categorical))
    return frame


def described(frame, hierarchies=None):
    return sd.read(frame).describe(
        identifier=["name"], quasi=["income", "city"], sensitive=["disease"], hierarchies=hierarchies or {}
    )


def unpacked(folder):
    """All public bytes, decompressed by the means of each format."""
    found = b""
    for place in folder.iterdir():
        content = place.read_bytes()
        found += content
        if place.suffix == ".parquet":
            found += b"".join(parquet_pages(content))
        if place.suffix == ".xlsx":
            with zipfile.ZipFile(place) as archive:
                found += b"".join(archive.read(name) for name in archive.namelist())
    return found


@pytest.mark.parametrize(
    ("method", "categories"),
    [
        *((method, "text") for method in METHODS),
        ("sampling", "enum"),
        ("sampling", "categorical"),
        ("rounding", "enum"),
    ],
)
def test_no_removed_value_is_in_the_public_bytes(tmp_path, method, categories):
    frame = people(categories)
    requirement = sd.PkAnonymity(1.01) if method == "randomization" else sd.KAnonymity(3)
    table = described(frame, {"city": sd.hierarchy.mask()} if method == "coarsening" else None)
    release: Any = sd.anonymize(table, requirement, method=METHODS[method], seed=1)
    shown = " ".join(str(cell) for column in release.frame for cell in column.cast(pl.String).to_list())
    # Of a randomized column, all values that it may have are public: the custodian lists them.
    hidden = ("name",) if method == "randomization" else ("name", "city")
    gone = [text for name in hidden for text in frame[name].cast(pl.String) if text not in shown]
    gone += ["Nowhere at All"]
    numbers = [value for value in frame["income"].to_list() if str(value) not in shown]
    for kind in FORMATS:
        written = release.write(tmp_path / kind, format=kind, reports=["public"] if kind == "csv" else [])
        assert all(finding.holds for finding in written.findings)
        found = unpacked(written.folder / "public")
        assert not [text for text in gone if text.encode() in found]
        assert not [value for value in numbers if str(value).encode() in found]
        if kind in {"parquet", "arrow"}:
            assert not [value for value in numbers if value.to_bytes(8, "little") in found]
        if kind in {"spss", "stata"}:
            assert not [value for value in numbers if struct.pack("<d", value) in found]


@pytest.mark.parametrize("method", BASKET_METHODS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_removed_item_is_in_the_public_bytes(tmp_path, method, layout):
    random = np.random.default_rng(5)
    items = [
        [f"rare item {number}" for number in sorted(set((60 * random.random(4) ** 2).astype(int)))]
        for _ in range(80)
    ]
    release = sd.anonymize(
        sd.read_baskets(items), sd.KmAnonymity(k=5, m=2), method=BASKET_METHODS[method], seed=1
    )
    shown = {str(item) for basket in release.baskets for item in basket}
    gone = {item for basket in items for item in basket} - shown
    assert gone
    written = release.write(tmp_path / "out", layout=layout)
    assert all(finding.holds for finding in written.findings)
    # "rare item 1" is also the beginning of "rare item 12", so what follows must not be a digit.
    found = unpacked(written.folder / "public")
    assert not [item for item in gone if re.search(re.escape(item.encode()) + rb"(?![0-9])", found)]


def test_every_method_of_the_catalogues_is_tried():
    assert {*METHODS} == {*CATALOGUE.entries} - {"leave-out"}
    assert {*BASKET_METHODS} == {*BASKET_CATALOGUE.entries}
    assert {*FORMATS} == {*EXTENSIONS}


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_writer_that_leaks_is_stopped_by_the_verifier(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(formats, "afresh", lambda frame: frame)
    table = described(people("enum")).describe(insensitive=["city"])
    release = sd.anonymize(table, sd.KAnonymity(3), method=["sampling share=0.2", "mondrian"], seed=1)
    with pytest.raises(GuaranteeError, match="still hold values of the column city"):
        release.write(tmp_path / "out", format=kind)
    assert not list(tmp_path.iterdir())


def test_numbers_under_missing_values_are_found(tmp_path):
    frame = people("text")
    numbers = frame["income"].to_numpy()
    nobody = pa.py_buffer(bytes(len(numbers) // 8 + 1))  # no bit of validity is set
    masked = pa.Array.from_buffers(pa.int64(), len(numbers), [nobody, pa.py_buffer(numbers.tobytes())])
    place = tmp_path / "data.arrow"
    with (
        pa.OSFile(str(place), "wb") as file,
        pa.ipc.new_file(file, pa.schema({"income": pa.int64()})) as writer,
    ):
        writer.write_batch(pa.record_batch([masked], names=["income"]))
    hidden = pl.read_ipc(place.read_bytes())
    assert hidden["income"].null_count() == len(numbers)
    assert not check_leftovers(place, hidden, frame.select("income")).holds
    formats.write_data(hidden, place, format="arrow")
    assert check_leftovers(place, pl.read_ipc(place.read_bytes()), frame.select("income")).holds


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "lz4", "uncompressed"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_are_decompressed(compression, version):
    buffer = io.BytesIO()
    table = pl.DataFrame({"city": [*CITIES, None] * 9, "number": range(369)}).to_arrow()
    pq.write_table(
        table, buffer, compression=compression.replace("uncompressed", "none"), data_page_version=version
    )
    pages = b"".join(parquet_pages(buffer.getvalue()))
    assert all(city.encode() in pages for city in CITIES)


def test_columns_of_every_type_are_the_same_when_written_afresh():
    frame = pl.DataFrame(
        {
            "text": ["a", None, ""],
            "wide": pl.Series([1, 2**63, None], dtype=pl.UInt64),
            "real": [0.1, float("nan"), None],
            "moment": pl.Series([1, 2, None], dtype=pl.Int64).cast(pl.Datetime("ns", "Asia/Tokyo")),
            "length": pl.Series([1, 2, None], dtype=pl.Int64).cast(pl.Duration("ns")),
            "time": pl.Series([1, 2, None], dtype=pl.Int64).cast(pl.Time),
            "bytes": [b"a", None, b""],
            "set": [["a"], [], None],
            "record": [{"a": 1, "b": "x"}, None, {"a": None, "b": None}],
            "nothing": pl.Series([None] * 3, dtype=pl.Null),
        }
    )
    assert formats.afresh(frame).equals(frame)
    assert formats.afresh(frame).schema == frame.schema
    assert formats.afresh(frame.clear()).schema == frame.schema


# -- the manifest


def released_with_trees(folder, frame, left_out):
    """A release of all rows but one, with trees on sensitive columns."""
    table = sd.read(frame).describe(
        quasi=["age"],
        sensitive=["income", "degree"],
        insensitive=["group"],
        hierarchies={
            "income": sd.hierarchy.intervals(quantiles=4),
            "degree": sd.hierarchy.order(["none", "Unusual Doctorate of Secrets", "school", "college"]),
        },
    )
    release = sd.anonymize(
        table,
        sd.TCloseness(0.9, distance="hierarchical", sensitive=("income",)),
        sd.TCloseness(0.9, distance="ordered", sensitive=("degree",)),
        method=[LeaveOut(left_out), sd.Mondrian()],
        seed=1,
    )
    return release.write(folder, reports=["public"])


@parameters
class LeaveOut:
    """Leave one row out."""

    row: int
    """Its number."""

    def apply(self, table, context):
        rows = np.delete(np.arange(table.rows), self.row)
        return Outcome(table.take(rows), rows)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setitem(CATALOGUE.entries, "leave-out", LeaveOut)


def incomes(hidden):
    random = np.random.default_rng(3)
    values = (random.integers(20_000, 90_000, 61) + 7).tolist()
    values[30] = hidden
    return pl.DataFrame(
        {
            "age": random.integers(20, 60, 61),
            "income": values,
            "degree": [("none", "school", "college")[place % 3] for place in range(61)],
            "group": [place % 2 for place in range(61)],
        }
    )


def public_texts(folder):
    """Manifest and report without the moment, the digest and what follows from the folder's name."""
    manifest = json.loads((folder / "public" / "manifest.json").read_text(encoding="utf-8"))
    report = (folder / "public" / "report.html").read_text(encoding="utf-8")
    return {**manifest, "created": None}, re.sub(r"\d{4}-\d\d-\d\d[T ][\d:]+(\+00:00| UTC)?", "", report)


def test_the_manifest_has_no_bounds_and_no_names_beyond_the_released_values(tmp_path):
    written = released_with_trees(tmp_path / "out", incomes(55_555), 30)
    text = (written.folder / "public" / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert set(manifest["hierarchies"]) == {"income", "degree"}
    assert "55555" not in text
    assert "Unusual Doctorate" not in text
    for tree in manifest["hierarchies"].values():
        assert set(tree) == {"parent", "level", "labels"}
        shown = set(pl.read_csv(written.data, infer_schema=False)[["income", "degree"]].unpivot()["value"])
        assert {label for label in tree["labels"] if label} <= shown
    assert all(finding.holds for finding in sd.verify_release(written.folder))


def test_trees_that_no_requirement_asks_for_are_not_published(tmp_path):
    table = sd.read(incomes(5)).describe(
        quasi=["age"], sensitive=["income"], hierarchies={"income": sd.hierarchy.intervals(quantiles=4)}
    )
    written = sd.anonymize(table, sd.KAnonymity(3), seed=1).write(tmp_path / "out", reports=[])
    assert written.manifest["hierarchies"] == {}


@pytest.mark.parametrize("role", ["sensitive", "quasi", "insensitive"])
@pytest.mark.parametrize("way", ["left out", "top-coded"])
def test_nothing_public_depends_on_a_value_that_was_removed(tmp_path, role, way):
    """Two tables that differ in one hidden income give the same public part, so no figure of it tells of that income."""
    told = []
    # Of a row left out also values within the range of the others: bounds and domains must not depend on them.
    for hidden in (91_000, 150_000, 5_000_000) if way == "top-coded" else (33_333, 61_616, 5_000_000):
        frame = incomes(hidden).with_columns(income=pl.col("income").cast(pl.Float64))
        roles: dict[str, Any] = {"quasi": ["age"], "sensitive": ["degree"], "insensitive": ["group"]}
        roles[role] = [*roles[role], "income"]
        first = LeaveOut(30) if way == "left out" else "top-bottom-coding column=income top=90100"
        release = sd.anonymize(
            sd.read(frame).describe(**roles), sd.KAnonymity(3), method=[first, "mondrian"], seed=1
        )
        folder = tmp_path / str(hidden)
        release.write(folder, reports=["public"])
        told.append((*public_texts(folder), (folder / "public" / "data.csv").read_bytes()))
    assert told[0][2] == told[1][2] == told[2][2]
    assert told[0] == told[1] == told[2]


def test_losses_are_published_where_they_tell_nothing_more(tmp_path):
    release = sd.anonymize(
        sd.read(incomes(50_000)).describe(quasi=["age", "income"], sensitive=["degree"]),
        sd.KAnonymity(3),
        method="mondrian",
        seed=1,
    )
    manifest = json.loads(
        (release.write(tmp_path / "out", reports=[]).folder / "public" / "manifest.json").read_text(
            encoding="utf-8"
        )
    )
    assert manifest["losses"]["loss"] == pytest.approx(release.losses["loss"], rel=0.01)
    assert "mean_change" not in manifest["losses"]
    assert manifest["lower_bounds"]["loss"]["value"] <= manifest["losses"]["loss"]


def test_the_squared_error_of_microaggregation_is_published_in_steps(tmp_path):
    release = sd.anonymize(
        sd.read(
            pl.concat([incomes(50_000)] * 8).with_columns(pl.col("income") + pl.int_range(pl.len()))
        ).describe(quasi=["age", "income"], sensitive=["degree"]),
        sd.KAnonymity(3),
        method=sd.Microaggregate(effort="fast"),
        seed=1,
    )
    manifest = json.loads(
        (release.write(tmp_path / "out", reports=[]).folder / "public" / "manifest.json").read_text(
            encoding="utf-8"
        )
    )
    told = manifest["losses"]["sse_ratio"]
    assert told == pytest.approx(round(told / 0.05) * 0.05)
    assert abs(told - release.losses["sse_ratio"]) <= 0.025 + 1e-9


def test_a_table_is_searched_again_with_its_original(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = people("text")
    frame.write_parquet("people.parquet")
    sd.anonymize(described(frame), sd.KAnonymity(3), seed=1).write("out", format="arrow", reports=[])
    assert main(["check", "out", "--original", "people.parquet"]) == 0
    assert "hold no original value" in capsys.readouterr().out
    assert main(["check", "out/public", "--original", "people.parquet", "--lang", "ja"]) == 0
    assert "取り除いた元の値は残っていません" in capsys.readouterr().out
    assert main(["check", "out", "--original", "nowhere.csv"]) == 2
    assert main(["check", "out", "--sensitive", "disease"]) == 2
    assert "only for releases of baskets" in capsys.readouterr().err


def test_another_table_is_not_taken_for_the_original(tmp_path, capsys, monkeypatch):
    """Nothing of another table is ever left over, so searching for it would always look good."""
    monkeypatch.chdir(tmp_path)
    frame = people("text")
    frame.write_parquet("people.parquet")
    sd.anonymize(described("people.parquet"), sd.KAnonymity(3), seed=1).write("out", reports=[])
    assert main(["check", "out", "--original", "people.parquet"]) == 0
    frame.reverse().write_parquet("other.parquet")
    assert main(["check", "out", "--original", "other.parquet"]) == 2
    assert "was not made from this original: the SHA-256 differs" in capsys.readouterr().err
    assert main(["check", "out/public", "--original", "other.parquet", "--lang", "ja"]) == 2
    assert "この元のデータから作られたものではありません（SHA-256 が異なります）" in capsys.readouterr().err
    shutil.rmtree("out/internal")  # what a recipient has does not say which file it was made from
    assert main(["check", "out/public", "--original", "other.parquet"]) == 0
    frame.head(7).write_parquet("other.parquet")
    assert main(["check", "out", "--original", "other.parquet"]) == 2
    assert f"which has 7 rows for its {frame.height} records" in capsys.readouterr().err
    frame.drop("disease").write_parquet("other.parquet")
    assert main(["check", "out", "--original", "other.parquet"]) == 2
    assert "lacks its column 'disease'" in capsys.readouterr().err
    with pytest.raises(InputError, match="lacks its column"):
        verify_release("out", original=frame.drop("disease"))


# -- the order


def test_the_place_of_a_row_tells_nothing(tmp_path):
    """Of an alphabetical list, the row at a person's place has that person's disease no more often than any other row."""
    rows = 1000
    diseases = [f"disease {place % 50}" for place in range(rows)]
    frame = pl.DataFrame({"age": [20 + place % 2 for place in range(rows)], "disease": diseases})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["disease"])
    cases: list[tuple[Any, range]] = [("keep", range(rows, rows + 1)), ("shuffle", range(60))]
    for order, hits in cases:
        release = sd.anonymize(table, sd.KAnonymity(5), sd.LDiversity(2), order=order)
        place = release.write(tmp_path / order, reports=["internal"]).folder
        text = (place / "public" / "data.csv").read_text(encoding="utf-8")
        told = [row["disease"] for row in csv.DictReader(io.StringIO(text))]
        assert sum(one == other for one, other in zip(told, diseases, strict=True)) in hits
        assert release.secure
        manifest = json.loads((place / "public" / "manifest.json").read_text(encoding="utf-8"))
        report = (place / "internal" / "report.html").read_text(encoding="utf-8")
        warned = [any("order of the input" in text for text in (*manifest["warnings"], report))]
        assert warned == [order == "keep"]
        assert manifest["order"] == order
        assert not (place / "public" / "rows.parquet").exists()


@pytest.mark.parametrize("layout", ["lines", "json", "long", "sets", "lists"])
def test_the_place_of_a_basket_tells_nothing(tmp_path, layout):
    count = 300
    given = [["shared", f"own {place}"] for place in range(count)]
    baskets = sd.read_baskets(given).describe(sensitive=[])
    release = sd.anonymize(baskets, sd.RhoUncertainty(1))
    written = release.write(tmp_path / "out", layout=layout)
    read = sd.read_baskets(
        written.data,
        layout=written.manifest["data"]["layout"],
        delimiter=written.manifest["data"]["delimiter"],
    )
    assert sum(one == set(other) for one, other in zip(read, given, strict=True)) < 20
    assert sorted(map(sorted, read)) == sorted(map(sorted, given))
    # The report lists the first baskets: those of the file, not those of the first users.
    report = (written.folder / "public" / "report.html").read_text(encoding="utf-8")
    assert all(str(item) in report for item in read[0])
    assert sum(f"own {place}<" in report or f"own {place}," in report for place in range(5)) < 5
    assert all(finding.holds for finding in sd.verify_release(written.folder, original=baskets))


def test_a_recipe_may_keep_the_order_and_is_warned(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people("text").write_csv("people.csv")
    recipe = """
version: 1
source: {path: people.csv}
columns:
  name: {role: identifier}
  income: {role: quasi}
  city: {role: quasi}
  disease: {role: sensitive}
requirements: [{type: k-anonymity, k: 3}]
order: ORDER
output: {folder: out, reports: [], overwrite: true}
"""
    for order, code, said in (
        ("keep", 0, "order of the input"),
        ("shuffle", 0, ""),
        ("sorted", 2, "order"),
    ):
        (tmp_path / "recipe.yaml").write_text(recipe.replace("ORDER", order), encoding="utf-8")
        assert main(["run", "recipe.yaml", "--ledger", "ledger.sqlite"]) == code
        shown = capsys.readouterr()
        told = " ".join((shown.out + shown.err).split())
        assert said in told
        assert ("order of the input" in told) == (order == "keep")
    with pytest.raises(ParameterError, match="'order' is 'sorted', but records are published"):
        sd.anonymize(described(people("text")), sd.KAnonymity(3), order="sorted")  # type: ignore[call-overload]
