"""Reading and writing baskets: every layout there and back, odd texts, and a sentence for what cannot be read."""

# mypy: disable-error-code="arg-type, index, union-attr"
# options are given as users write them, wrong ones included

import io
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.errors import InputError, OutputError
from sudare.formats.baskets import write_baskets

BMS = Path("../shared/data/bms")
needs_bms = pytest.mark.skipif(not BMS.is_dir(), reason="the click streams are not beside the project")
FAST = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
# No surrogates (no encoding has them), no NUL (no text file has it).
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5)
TEXT_LISTS = st.lists(st.lists(TEXTS, max_size=4), min_size=1, max_size=6)
PLACES = [
    ("b.txt", "lines", " "),
    ("b.txt", "lines", ","),
    ("b.txt", "lines", " :: "),
    ("b.tsv", "lines", "\t"),
    ("b.json", "json", None),
    ("b.jsonl", "json", None),
    ("b.parquet", "long", None),
    ("b.parquet", "lists", None),
    ("b.parquet", "sets", ";"),
    ("b.arrow", "lists", None),
    ("b.feather", "long", None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "layout", "delimiter"), PLACES)
@FAST
@given(lists=TEXT_LISTS)
def test_any_text_comes_back(tmp_path, name, layout, delimiter, lists):
    baskets = sd.read_baskets(lists)
    facts = write_baskets(baskets, tmp_path / name, layout, delimiter=delimiter)
    again = sd.read_baskets(tmp_path / name, layout=facts.layout, delimiter=facts.delimiter)
    assert again.sets() == [frozenset(each) for each in lists]


@pytest.mark.parametrize(("name", "layout"), [("b.csv", "long"), ("b.csv", "sets")])
@FAST
@given(
    lists=st.lists(
        st.lists(st.text("aé日 ,;\"'0", min_size=1, max_size=4), max_size=4), min_size=1, max_size=6
    )
)
def test_texts_come_back_from_csv(tmp_path, name, layout, lists):
    baskets = sd.read_baskets([[f"x{item}x" for item in each] for each in lists])
    facts = write_baskets(baskets, tmp_path / name, layout)
    again = sd.read_baskets(tmp_path / name, layout=layout, delimiter=facts.delimiter)
    assert again.lists() == baskets.lists()


@pytest.mark.parametrize("name", ["b.json", "b.jsonl", "b.parquet", "b.arrow", "b.txt"])
@FAST
@given(lists=st.lists(st.lists(st.integers(-(2**62), 2**62), max_size=4), min_size=1, max_size=6))
def test_numbers_come_back_where_the_format_has_numbers(tmp_path, name, lists):
    write_baskets(sd.read_baskets(lists), tmp_path / name)
    again = sd.read_baskets(tmp_path / name, layout="lines" if name == "b.txt" else None).lists()
    # A Parquet column without any item has no type worth keeping; lines are texts.
    expected = [sorted(set(each)) for each in lists]
    assert again == ([sorted(map(str, each)) for each in expected] if name == "b.txt" else expected)


@pytest.mark.parametrize(
    ("name", "layout"), [("b.csv", "long"), ("b.parquet", "lists"), ("b.json", None), ("b.csv", "sets")]
)
def test_ids_are_written_only_when_asked_for(tmp_path, name, layout):
    baskets = sd.read_baskets({"ann": ["milk", "beer"], "bob": []})
    write_baskets(baskets, tmp_path / name, layout)
    assert b"ann" not in (tmp_path / name).read_bytes()
    write_baskets(baskets, tmp_path / name, layout, ids=True)
    again = sd.read_baskets(tmp_path / name, layout=layout)
    assert again.ids.to_list() == ["ann", "bob"]
    assert again.lists() == baskets.lists()


def test_files_are_written_as_they_were_read(tmp_path):
    source = tmp_path / "in.txt"
    source.write_text("milk;beer\n\nwhole milk;beer\n", encoding="utf-8")
    baskets = sd.read_baskets(source)
    write_baskets(baskets, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "beer;milk\n\nbeer;whole milk\n"
    assert write_baskets(baskets, tmp_path / "out.parquet").layout == "lists"
    assert write_baskets(baskets, tmp_path / "out.json").layout == "json"
    long = sd.read_baskets(
        pl.DataFrame({"client": [7, 7, 8], "page": ["a", "b", None]}), id="client", items="page"
    )
    write_baskets(long, tmp_path / "out.csv", ids=True)
    assert (tmp_path / "out.csv").read_text() == "client,page\n7,a\n7,b\n8,\n"


def test_an_item_and_its_text_are_told_apart_or_refused(tmp_path):
    baskets = sd.read_baskets([[1, "1"]])
    with pytest.raises(OutputError, match="The number 1 and the text '1' are two items"):
        write_baskets(baskets, tmp_path / "b.txt")
    write_baskets(baskets, tmp_path / "b.json")
    assert sd.read_baskets(tmp_path / "b.json").lists() == [[1, "1"]]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"path": "b.txt", "layout": "rows"}, "The layout 'rows' is not known"),
        ({"path": "b.txt", "layout": "lists"}, "'b.txt' cannot have the layout 'lists'; choose 'sets'"),
        ({"path": "b.parquet", "layout": "lines"}, "cannot have the layout 'lines'; choose 'lists'"),
        ({"path": "b.txt", "ids": True}, "The baskets have no ids"),
        ({"path": "no/where/b.txt"}, "does not exist; create it"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_sentence(tmp_path, options, sentence):
    path = tmp_path / options.pop("path")
    with pytest.raises(OutputError, match=sentence):
        write_baskets(sd.read_baskets([["a"]]), path, **options)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("17 4 9\n\n8 1\n", " "),
        ("17 4 9 \r\n\r\n8  1", " "),
        ("17\t4\t9\n\n8\t1\n", "\t"),
        ("17, 4,9\n\n8,1,\n", ","),
        ("17;4;9\r\r8;1\r", ";"),
        ('17|"4"|9|17\n\n8|1\n', "|"),
    ],
)
def test_line_files_of_any_delimiter(tmp_path, text, delimiter):
    path = tmp_path / "clicks.txt"
    path.write_text(text, encoding="utf-8", newline="")
    baskets = sd.read_baskets(path)
    assert baskets.sets() == [{"17", "4", "9"}, set(), {"8", "1"}]
    assert baskets.source.delimiter == delimiter
    assert baskets.source.layout == "lines"
    assert sd.read_baskets(str(path), delimiter=delimiter).sets() == baskets.sets()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_encodings_are_detected(tmp_path, encoding):
    path = tmp_path / "買い物.txt"
    text = "牛乳,ビール,検査薬\nりんご,牛乳\n" * 5
    path.write_bytes(text.encode(encoding))
    assert sd.read_baskets(path).sets()[1] == {"りんご", "牛乳"}
    assert sd.read_baskets(path).items == sd.read_baskets(path, encoding=encoding).items


def test_long_tables(tmp_path):
    expected = [["beer", "milk"], [], ["milk"]]
    path = tmp_path / "long.csv"
    path.write_text("user,item\n2,milk\n1,\n2,beer\n3,milk\n2,milk\n", encoding="utf-8")
    baskets = sd.read_baskets(path)
    assert baskets.lists() == expected
    assert baskets.ids.to_list() == [2, 1, 3]
    assert (baskets.source.layout, baskets.source.id, baskets.source.items) == ("long", "user", "item")
    path.write_text("n;when;what\n2;x;milk\n1;x;\n2;x;beer\n3;x;milk\n", encoding="utf-8")
    assert sd.read_baskets(path, id="n", items="what").lists() == expected
    frame = pl.DataFrame({"n": [2, 1, 2, 3], "what": ["milk", None, "beer", "milk"]})
    assert sd.read_baskets(frame).lists() == expected
    assert sd.read_baskets(frame.to_pandas()).lists() == expected
    assert sd.read_baskets(frame.to_arrow()).lists() == expected
    frame.write_parquet(tmp_path / "long.parquet")
    assert sd.read_baskets(tmp_path / "long.parquet").lists() == expected
    frame.write_excel(tmp_path / "long.xlsx")
    assert sd.read_baskets(tmp_path / "long.xlsx").lists() == expected


def test_items_of_texts_are_texts(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("user,item\n1,1.10\n1,1.1\n2,007\n", encoding="utf-8")
    assert sd.read_baskets(path).lists() == [["1.1", "1.10"], ["007"]]


def test_json_lists(tmp_path):
    path = tmp_path / "b.json"
    for text in (
        '[["a", 7], [], ["b", "a", "a"]]',
        '["a", 7]\n[]\n["b", "a"]\n',
        '[["a", 7],\n null,\n ["a", "b"]]',
    ):
        path.write_text(text, encoding="utf-8")
        assert sd.read_baskets(path).lists() == [[7, "a"], [], ["a", "b"]]
    path.write_text(json.dumps([{"id": "x", "items": ["a"]}, {"id": "y", "items": []}]), encoding="utf-8")
    assert sd.read_baskets(path).ids.to_list() == ["x", "y"]
    path.write_text(json.dumps([{"who": 3, "what": ["a"]}]), encoding="utf-8")
    assert sd.read_baskets(path, id="who", items="what").ids.to_list() == [3]
    path.write_text('["a", "b"]', encoding="utf-8")
    assert sd.read_baskets(path).lists() == [["a", "b"]]


def test_json_numbers_beyond_64_bits(tmp_path):
    """Found by fuzzing: ids that are negative beside ids beyond 64 bits fit no type of column."""
    rows = [{"id": -1, "items": [2**63, 1]}, {"id": 2**63, "items": [1]}, {"id": 3, "items": [1, 2**63]}]
    (tmp_path / "b.json").write_text(json.dumps(rows), encoding="utf-8")
    baskets = sd.read_baskets(tmp_path / "b.json")
    assert baskets.ids is not None
    assert baskets.ids.to_list() == ["-1", str(2**63), "3"]
    assert baskets.items == (1, str(2**63))
    release = sd.anonymize(baskets.describe(sensitive=[2**63]), sd.RhoUncertainty(0.9))
    release.write(tmp_path / "out")
    assert (tmp_path / "out" / "public" / "manifest.json").is_file()


@pytest.mark.parametrize("kind", [pl.UInt64, pl.Int128, pl.UInt8])
def test_list_columns_of_any_whole_numbers(tmp_path, kind):
    huge = {pl.UInt64: 2**63, pl.Int128: -(2**100), pl.UInt8: 200}[kind]
    column = pl.Series("items", [[huge, 1], [1], []], dtype=pl.List(kind))
    baskets = sd.read_baskets(pl.DataFrame([column]))
    beyond = kind != pl.UInt8
    assert set(baskets.items) == ({"1", str(huge)} if beyond else {1, huge})
    release = sd.anonymize(baskets.describe(sensitive=[huge]), sd.RhoUncertainty(0.9))
    release.write(tmp_path / "out")
    assert (tmp_path / "out" / "public" / "manifest.json").is_file()


def test_list_columns_and_columns_of_sets(tmp_path):
    frame = pl.DataFrame({"person": ["x", "y", "z"], "age": [1, 2, 1], "seen": [["a", "b"], [], None]})
    baskets = sd.read_baskets(frame, id="person")
    assert baskets.lists() == [["a", "b"], [], []]
    assert baskets.ids.to_list() == ["x", "y", "z"]
    assert sd.read_baskets(frame["seen"]).lists() == baskets.lists()
    assert sd.read_baskets(frame.select("seen").to_pandas()).lists() == baskets.lists()
    sets = pl.DataFrame({"age": [1, 1, 2], "seen": ["a; b", None, "c"], "private": ["c;a", "", "b"]})
    baskets = sd.read_baskets(sets, items="seen", sensitive="private")
    assert baskets.lists() == [["a", "b"], [], ["c"]]
    assert baskets.sensitive_sets() == [{"a", "c"}, set(), {"b"}]
    sets.write_csv(tmp_path / "sets.csv")
    again = sd.read_baskets(tmp_path / "sets.csv", items="seen", sensitive="private")
    assert (again.lists(), again.sensitive_sets()) == (baskets.lists(), baskets.sensitive_sets())
    array = pl.DataFrame({"pair": pl.Series([[1, 2], [2, 3]], dtype=pl.Array(pl.Int64, 2))})
    assert sd.read_baskets(array).lists() == [[1, 2], [2, 3]]


def test_memory(tmp_path):
    assert sd.read_baskets([{"a"}, ("b", "a"), []]).lists() == [["a"], ["a", "b"], []]
    assert sd.read_baskets(iter([[3, 1]])).lists() == [[1, 3]]
    baskets = sd.read_baskets([["a"]])
    assert sd.read_baskets(baskets) is baskets


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", {}, "'f.txt' is empty"),
        ("a b", {"layout": "rows"}, "The layout 'rows' is not known"),
        ("a b", {"delimiter": '"'}, "The delimiter '\"' cannot separate the items"),
        ("a b", {"encoding": "utf-99"}, "The encoding 'utf-99' is not known"),
        ("a,b\n1,2", {"items": "c"}, "'f.txt' has no column 'c'"),
        (
            "a,b,c\n1,2,3",
            {"layout": "long"},
            "not clear which of the 3 columns of 'f.txt' contains the items; name it with items=",
        ),
        (
            "a,b,c\n1,2,3",
            {"layout": "long", "items": "c"},
            "which of its 3 columns contains the users; name it with id=",
        ),
        (
            "a\n1",
            {"layout": "long", "items": "a"},
            "it has only one column; give a table with a column of users",
        ),
        ("a\n1", {"id": "a"}, "'f.txt' has no column left for the items"),
        ("id,items\n,a;b\n,c;d", {"layout": "sets"}, "'id' of 'f.txt' has 2 rows without an id"),
        ("id,items\n1,a;b\n1,c;d", {"layout": "sets"}, "The id '1' occurs more than once in 'f.txt'"),
        ("id,item\n,a\n1,c", {}, "'f.txt' has 1 row without a value in 'id'"),
        (
            "id,item,s\n1,a,b\n1,c,b",
            {"sensitive": "s"},
            "In a long table, the column 's' cannot list the sensitive items of each user",
        ),
        ('[["a"], "b"]', {"layout": "json"}, "'f.txt' contains 'b' where a basket should be"),
        ('[["a"], ', {"layout": "json"}, "'f.txt' is not valid JSON in line 1"),
        ('["a"]\n["b"', {"layout": "json"}, "'f.txt' is not valid JSON in line 2"),
        ('[{"id": 1}]', {"layout": "json"}, r"has an object without 'items' \(it has 'id'\)"),
        ("[{}]", {"layout": "json"}, r"has an object without 'items' \(it has no fields\)"),
        (
            '[{"id": 1, "items": []}, {"id": 1, "items": []}]',
            {"layout": "json"},
            "an id that is missing or occurs twice",
        ),
        ("[[1.5]]", {"layout": "json"}, "The item 1.5 has the type float"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(tmp_path, text, options, sentence):
    path = tmp_path / "f.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=sentence) as caught:
        sd.read_baskets(path, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "options", "sentence"),
    [
        (b"a b\nc \xff\n", {"encoding": "utf-8"}, r"'f\.txt' is not valid utf-8 in line 2 \(byte 7\)"),
        (b"a b\nc\0d e\n", {}, "contains a NUL character in line 2"),
        (b"a b\n" * 2000 + b"c\0d e\n", {}, "contains a NUL character in line 2001"),
        (bytes(range(256)) * 4, {}, "does not look like text"),
        (b"+2AA-", {"encoding": "utf-7"}, "('f.txt' is not valid utf-7|Read as utf-7, 'f.txt' contains)"),
    ],
)
def test_what_is_no_text_is_said_as_for_tables(tmp_path, data, options, sentence):
    path = tmp_path / "f.txt"
    path.write_bytes(data)
    for read in (sd.read_baskets, sd.read):
        with pytest.raises(InputError, match=sentence):
            read(path, **options)


def test_wrong_sources_are_said_in_a_sentence(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        sd.read_baskets(tmp_path / "nothing.txt")
    with pytest.raises(InputError, match="is a folder, not a file"):
        sd.read_baskets(tmp_path)
    with pytest.raises(InputError, match="is not a valid file name"):
        sd.read_baskets("a\0b.txt")
    with pytest.raises(InputError, match="type float does not contain baskets"):
        sd.read_baskets(1.5)
    with pytest.raises(InputError, match="The option 'delimiter' does not apply to this source"):
        sd.read_baskets([["a"]], delimiter=",")
    with pytest.raises(InputError, match="The layout 'json' applies to text files"):
        sd.read_baskets(pl.DataFrame({"a": [1]}), layout="json")


@pytest.mark.slow
@needs_bms
@pytest.mark.parametrize(
    ("name", "figures"), [("BMS-WebView-1", (59_602, 497, 267)), ("BMS-WebView-2", (77_512, 3_340, 161))]
)
def test_click_streams_have_the_published_figures(name, figures):
    baskets = sd.read_baskets(BMS / f"{name}.txt")
    assert (len(baskets), len(baskets.items), int(baskets.lengths.max())) == figures
    lines = (BMS / f"{name}.txt").read_text().splitlines()
    assert baskets.sets() == [frozenset(line.split()) for line in lines]


def test_a_table_of_users_and_sets_is_recognized_by_its_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("user,items\n1,a;b\n2,\n3,c\n", encoding="utf-8")
    baskets = sd.read_baskets(path)
    assert baskets.lists() == [["a", "b"], [], ["c"]]
    assert (baskets.source.layout, baskets.source.delimiter) == ("sets", ";")


def test_standard_input_holds_lines_or_a_table(monkeypatch):
    def given(text):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))

    given(b"a b\nc\n")
    assert sd.read_baskets("-").lists() == [["a", "b"], ["c"]]
    given(b"user,item\n1,a\n1,b\n2,c\n")
    assert sd.read_baskets("-", layout="long").lists() == [["a", "b"], ["c"]]


NAMELESS = "1,tea\n1,rum\n2,tea\n3,ale\n"


@pytest.mark.parametrize("name", ["clicks.csv", "clicks.txt"])
def test_users_and_items_without_names_are_read_when_said_and_never_guessed(tmp_path, name):
    path = tmp_path / name
    path.write_text(NAMELESS, encoding="utf-8")
    for options in ({"header": False}, {"header": False, "layout": "long"}):
        baskets = sd.read_baskets(path, **options)
        assert baskets.lists() == [["rum", "tea"], ["tea"], ["ale"]]
        assert baskets.ids.to_list() == [1, 2, 3]
        assert not baskets.source.header
    assert sd.read_baskets(path, layout="lines").lists()[0] == ["1", "tea"]
    with pytest.raises(
        InputError, match=r"may be a table of users and items, .* layout='long' .* layout='lines'"
    ):
        sd.read_baskets(path)
    with pytest.raises(InputError, match=r"looks like data, not like column names\. Set header=False"):
        sd.read_baskets(path, layout="long")
    assert sd.read_baskets(path, layout="long", header=True).lists() == [["rum"], ["tea"], ["ale"]]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,b,c\nd,e,f\n", {"header": False}, "has 3 columns without names"),
        ("a\nd\n", {"header": False}, "has 1 column without a name"),
        (NAMELESS, {"header": False, "id": "x"}, "id, items and sensitive cannot name them"),
        (NAMELESS, {"header": False, "layout": "sets"}, "applies only to a text table of users and items"),
        (NAMELESS, {"header": False, "layout": "lines"}, "applies only to a text table of users and items"),
    ],
)
def test_a_wrong_use_of_header_is_one_sentence(tmp_path, text, options, words):
    path = tmp_path / "clicks.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        sd.read_baskets(path, **options)


def test_header_is_for_texts(tmp_path):
    pl.DataFrame({"id": [1, 1], "item": ["a", "b"]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="already names its columns; leave header out"):
        sd.read_baskets(tmp_path / "x.parquet", header=False)
    (tmp_path / "x.json").write_text('[["a"]]', encoding="utf-8")
    with pytest.raises(InputError, match="leave it out for other layouts"):
        sd.read_baskets(tmp_path / "x.json", header=False)
    with pytest.raises(InputError, match="The option 'header' does not apply to this source"):
        sd.read_baskets([["a"]], header=False)


def test_pairs_that_cannot_be_users_and_items_are_baskets(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("tea rum\ntea ale\nrum ale\nale tea\n", encoding="utf-8")
    assert len(sd.read_baskets(path)) == 4
    path.write_text("tea rum\ntea ale\nrum\nale tea\n", encoding="utf-8")
    assert len(sd.read_baskets(path)) == 4


@pytest.mark.parametrize("text", ["^a$", "id,^a$\n1,x\n2,y\n"])
def test_a_column_named_like_a_pattern(tmp_path, text):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="takes for a pattern; rename it"):
        sd.read_baskets(tmp_path / "a.csv", layout="sets", delimiter=",")


def test_a_table_is_not_read_as_baskets(tmp_path):
    stays = sd.hospital(50)
    path = tmp_path / "stays.csv"
    stays.write_csv(path)
    for source in (path, stays, stays.to_pandas()):
        with pytest.raises(InputError, match=r"looks like a table, not like baskets: .* sd\.read\)"):
            sd.read_baskets(source)
    with pytest.raises(InputError, match="looks like a table, not like baskets"):
        sd.read_baskets(path, layout="lines")  # as in a drafted recipe whose path was changed
    assert len(sd.read_baskets(path, delimiter=",")) == 51
    assert len(sd.read_baskets(stays, items="disease")) == 50
    # Baskets of one size have no line of names, or one that occurs again.
    path.write_text("ale,rum,tea\nale,tea,gin\nrum,tea,gin\ntea,ale,gin\n", encoding="utf-8")
    assert len(sd.read_baskets(path)) == 4


def test_baskets_are_not_read_as_a_table(tmp_path):
    path = tmp_path / "clicks.txt"
    path.write_text("10307 10311 12487\n12559\n12695 12703 18715\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"looks like a list of baskets, not like a table: .* sd\.read_baskets\)"
    ):
        sd.read(path)
    assert sd.read(path, delimiter=",").frame.width == 1
    path.write_text("12559\n17\n4\n", encoding="utf-8")
    assert sd.read(path).rows == 2  # numbers in one column, as ever
