"""Commands that do without polars do not load it, and those that use it find it as it is."""

import subprocess
import sys

import pytest

_TELLING = """
import sys
from sudare.cli import main
code = main({arguments!r})
print(code, [name for name in {heavy!r} if type(sys.modules.get(name)).__name__ == "module"], file=sys.stderr)
"""
_HEAVY = ("numba", "pandas", "polars", "rapidfuzz", "scipy")


def loaded(*arguments):
    """Exit code, and the heavy libraries that a command loads."""
    code = _TELLING.format(arguments=list(arguments), heavy=_HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [("catalogue",), ("catalogue", "mondrian"), ("schema",), ("schema", "--baskets")]
)
def test_lists_and_schemas_load_no_tables(arguments):
    assert loaded(*arguments) == "0 []"


@pytest.mark.slow
def test_a_check_of_k_loads_polars_only(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("sex\nF\nF\n", encoding="utf-8")
    assert loaded("check", str(table), "--quasi", "sex", "--require", "k-anonymity k=2") == "0 ['polars']"


_FRAME = """
import sys
import pandas as pd
import sudare as sd
assert sd.KAnonymity(2).check(pd.DataFrame({"sex": ["F", "F"]}), quasi=["sex"]).holds
print([name for name in ("numba", "polars", "scipy") if name in sys.modules])
"""


@pytest.mark.slow
def test_k_of_a_pandas_frame_is_checked_without_polars():
    done = subprocess.run([sys.executable, "-c", _FRAME], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


_LATER = """
import json
import sys
from threading import Thread
from sudare.cli.later import load_later
load_later("json", "colorsys")
assert sys.modules["json"] is json
import colorsys
stand_in = colorsys
assert not hasattr(stand_in, "__file__")
assert "rgb_to_hls" not in vars(stand_in)
found = []
threads = [Thread(target=lambda: found.append(stand_in.rgb_to_hls)) for _ in range(8)]
for one in threads: one.start()
for one in threads: one.join()
import colorsys
assert colorsys is not stand_in
assert {*found} == {colorsys.rgb_to_hls}
load_later("xml")
from xml.dom import Node
assert Node.ELEMENT_NODE == 1
try:
    stand_in.absent
except AttributeError as error:
    print(error)
"""


def test_a_module_is_loaded_when_it_is_used():
    done = subprocess.run([sys.executable, "-c", _LATER], capture_output=True, text=True, check=True)
    assert done.stdout == "module 'colorsys' has no attribute 'absent'\n"
