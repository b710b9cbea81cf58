"""Tables with every kind of column, and the method that randomizes them."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, union-attr"

import numpy as np
import polars as pl

import sudare as sd
from sudare.anonymize.protocol import Context
from sudare.mechanism import MECHANISMS
from sudare.randomness import Randomness

ROWS = 400


def frame(rows=ROWS):
    place = np.arange(rows)
    return pl.DataFrame(
        {
            "age": place % 90,
            "sex": np.where(place % 3 == 0, "女", "男"),
            "weight": 40.0 + place % 50 / 2,
            "born": pl.Series(10_000 + place % 300, dtype=pl.Int32).cast(pl.Date),
            "pain": np.array(["none", "mild", "severe"])[place % 3],
            "disease": np.array(["flu", "gout", "cold", "胃炎"])[place % 4],
            "row": place,
        }
    )


RANGES = {"age": (0, 120), "weight": (0, 200), "born": ("1990-01-01", "2030-12-31")}


ORDER = ("none", "mild", "severe")


def table(given=None, **more):
    described = sd.read(frame() if given is None else given)
    return described.describe(
        **{
            "quasi": ["age", "sex", "weight", "born", "pain"],
            "sensitive": ["disease"],
            "insensitive": ["row"],
            "kinds": {"pain": "ordinal"},
            **more,
        }
    )


def method(**fields):
    return sd.Randomize(**{"ranges": RANGES, "values": {"pain": ORDER}, **fields})


def small(values=None, **columns):
    given = pl.DataFrame(columns or {"age": list(range(30)), "sex": ["F", "M"] * 15})
    return sd.read(given).describe(quasi=given.columns)


def context(k=5.0, seed=None):
    return Context((sd.PkAnonymity(k),), Randomness(seed))


def described(release):
    """Columns as a manifest has them."""

    return {
        column.name: {
            "role": column.role,
            "kind": column.kind,
            **({"mechanism": MECHANISMS.dump(column.mechanism)} if column.mechanism else {}),
        }
        for column in release.table.columns
    }
