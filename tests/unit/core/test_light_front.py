"""What a first call loads: reading a file and checking k need no compiler, no scipy and nothing of a release."""

import subprocess
import sys

import polars as pl
import pytest

import sudare as sd

HEAVY = (
    "numba",
    "scipy",
    "pandas",
    "pyarrow",
    "sklearn",
    "altair",
    "jinja2",
    "yaml",
    "typer",
    "rich",
    "rapidfuzz",
)
CODE = """
import sys
import sudare as sd
{code}
print([name for name in {heavy!r} if name in sys.modules])
print(sum(name.startswith("sudare.") for name in sys.modules))
print(sorted(name for name in sys.modules if name.startswith(("sudare.kernels.", "sudare.anonymize.", "sudare.release."))))
"""


def loaded(code, tmp_path):
    (tmp_path / "t.csv").write_text("age,disease\n30,flu\n40,gout\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("a b\na\nb c d\n", encoding="utf-8")
    text = CODE.format(code=code, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    heavy, count, rooms = done.stdout.splitlines()
    return eval(heavy), int(count), eval(rooms)


def test_importing_loads_next_to_nothing(tmp_path):
    heavy, count, rooms = loaded("", tmp_path)
    assert heavy == []
    assert rooms == []
    assert count < 20


@pytest.mark.parametrize(
    "code",
    [
        "sd.read('t.csv')",
        "sd.read('t.csv').describe(quasi=['age'], sensitive=['disease'])",
        "sd.read('t.csv').describe(quasi=['age'], hierarchies={'age': sd.hierarchy.intervals(width=5)})",
        "sd.read_baskets('b.txt')",
    ],
)
def test_reading_a_file_loads_polars_and_what_it_needs(code, tmp_path):
    heavy, count, rooms = loaded(code, tmp_path)
    assert heavy == []
    assert rooms == []
    assert count < 70


@pytest.mark.parametrize(
    "code",
    [
        "sd.KAnonymity(2).check(sd.read('t.csv').describe(quasi=['age']))",
        "import polars as pl; sd.KAnonymity(2).check(pl.DataFrame({'age': [1, 1]}), quasi=['age'])",
        "from sudare.assess.catalogue import REQUIREMENTS; REQUIREMENTS.build('k-anonymity k=2')",
        "from sudare.cli import main; main(['check', 't.csv', '--quasi', 'age', '--require', 'k-anonymity k=1', '--json'])",
    ],
)
def test_checking_k_loads_no_compiler(code, tmp_path):
    quiet = f"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    {code}"
    heavy, _, rooms = loaded(quiet, tmp_path)
    assert {"numba", "scipy", "pandas", "sklearn", "altair", "jinja2"}.isdisjoint(heavy)
    assert set(rooms) <= {"sudare.kernels.core", "sudare.kernels.core.compiling", "sudare.kernels.core.kinds"}


COMMANDS = """
import contextlib, io, sys
from sudare.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main({arguments!r})
"""


def test_check_of_a_release_loads_what_reads_and_counts_only(tmp_path):
    sd.anonymize(
        sd.read(pl.DataFrame({"age": [1, 1, 2, 2]})).describe(quasi=["age"]),
        sd.KAnonymity(2),
        method=sd.SuppressRecords(),
        seed=1,
    ).write(tmp_path / "released")
    code = COMMANDS.format(arguments=["check", "released", "--json"])
    heavy, _, rooms = loaded(code, tmp_path)
    assert set(heavy) <= {"typer", "yaml"}  # messages are YAML
    assert rooms == ["sudare.kernels.core", "sudare.kernels.core.compiling"]
    not_loaded(
        code, ("pydantic", "sudare.parameters", "sudare.read.workbooks", "sudare.describe.table"), tmp_path
    )


def test_describe_of_a_table_loads_no_method_and_nothing_of_baskets(tmp_path):
    arguments = ["describe", "t.csv", "--out", "drafted.recipe.yaml", "--json"]
    code = COMMANDS.format(arguments=arguments)
    heavy, count, rooms = loaded(code, tmp_path)
    assert set(heavy) <= {"typer", "yaml"}
    assert count < 80
    assert rooms == [
        "sudare.anonymize.baskets", "sudare.anonymize.baskets.catalogue", "sudare.anonymize.catalogue",
        "sudare.kernels.core", "sudare.kernels.core.compiling", "sudare.kernels.core.kinds",
        "sudare.release.recipe", "sudare.release.recipe.draft",
    ]  # fmt: skip
    not_loaded(
        code, ("sudare.measure", "sudare.mechanism", "sudare.describe.baskets", "sudare.advise"), tmp_path
    )


def not_loaded(code, names, tmp_path):
    text = f"{code}\nprint([name for name in {names!r} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ["catalogue", "schema"])
def test_lists_of_what_there_is_load_no_compiler(command, tmp_path):
    code = f"from sudare.cli import main\nwith contextlib.redirect_stdout(io.StringIO()):\n    main(['{command}'])"
    heavy, _, _ = loaded(f"import contextlib, io\n{code}", tmp_path)
    assert {"numba", "scipy", "pandas", "sklearn", "altair", "jinja2"}.isdisjoint(heavy)


def test_kernels_load_no_compiler_until_they_are_called(tmp_path):
    code = (
        "from sudare.anonymize.catalogue import METHODS; list(METHODS.entries.values())\n"
        "import sudare.kernels.partition.refine, sudare.kernels.partition.costs"
    )
    heavy, _, _ = loaded(code, tmp_path)
    assert "numba" not in heavy
