"""Exempt values of l-diversity: their rows need no protection and add none; requirement, methods, bound and verifier agree."""

import csv
import itertools
import json
import math
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.assess.bounds import lower_bound
from sudare.errors import DescriptionError
from sudare.verify.verify import verify_release


def level(values, kind, c):
    """What a block reaches, from the definition."""
    counts = sorted(Counter(values).values(), reverse=True)
    if not counts:
        return math.inf
    if kind == "distinct":
        return len(counts)
    if kind == "entropy":
        return math.exp(-sum(n / sum(counts) * math.log(n / sum(counts)) for n in counts))
    return max(
        (one for one in range(1, len(counts) + 1) if counts[0] < c * sum(counts[one - 1 :])), default=0
    )


def complies(rows, exempt, l, kind, c):  # noqa: E741  # the name in the field
    blocks = defaultdict(list)
    for quasi, value in rows:
        blocks[quasi].append(value)
    return all(
        level([value for value in values if value not in exempt], kind, c) >= l * (1 - 1e-9)
        for values in blocks.values()
    )


KINDS = [("distinct", None), ("entropy", None), ("recursive", 2.0)]


@pytest.mark.parametrize(("kind", "c"), KINDS)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("xyz"), st.sampled_from(["a", "b", "c", "d"])), min_size=1, max_size=14
    ),
    exempt=st.sets(st.sampled_from("ab"), max_size=2),
    l=st.sampled_from([1, 2, 3]),
)
@settings(max_examples=60, deadline=None)
def test_the_requirement_is_its_definition(kind, c, rows, exempt, l):  # noqa: E741
    if all(value in exempt for _, value in rows):
        return
    frame = pl.DataFrame({"quasi": [one for one, _ in rows], "ill": [one for _, one in rows]})
    table = sd.read(frame).describe(quasi=["quasi"], sensitive=["ill"])
    asked = sd.LDiversity(l, kind=kind, c=c, exempt={"ill": tuple(sorted(exempt))})
    assert asked.check(table).holds == complies(rows, exempt, l, kind, c)


METHODS = [
    sd.Mondrian(),
    sd.Generalize(effort="fast"),
    sd.FullDomain(),
    sd.Microaggregate(effort="fast"),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(("kind", "c"), KINDS)
def test_every_method_meets_it_and_the_verifier_agrees(method, kind, c, tmp_path):
    random = np.random.default_rng(3)
    ill = random.choice(["flu", "cold", "gout", "acne", "hiv"], 120, p=[0.7, 0.1, 0.1, 0.05, 0.05])
    frame = pl.DataFrame(
        {"age": random.integers(20, 80, 120), "zip": random.integers(10, 30, 120), "ill": ill}
    )
    table = sd.read(frame).describe(
        quasi=["age", "zip"],
        sensitive=["ill"],
        hierarchies={"age": {"type": "intervals", "width": 10}, "zip": {"type": "intervals", "width": 5}},
    )
    strict = sd.LDiversity(3, kind=kind, c=c)
    assert not sd.assess(table, strict, compromises=False).feasible or kind == "distinct"
    asked = sd.LDiversity(3, kind=kind, c=c, exempt={"ill": ("FLU ",)})  # spelled otherwise, and the same
    release = sd.anonymize(table, sd.KAnonymity(3), asked, method=method)
    release.write(tmp_path / "out")
    with (tmp_path / "out" / "public" / "data.csv").open(encoding="utf-8", newline="") as file:
        rows = [((row["age"], row["zip"]), row["ill"]) for row in csv.DictReader(file)]
    assert complies(rows, {"flu"}, 3, kind, c)
    assert min(Counter(quasi for quasi, _ in rows).values()) >= 3
    findings = verify_release(tmp_path / "out" / "public")
    assert all(finding.holds for finding in findings)
    assert any("are exempt" in finding.sentence for finding in findings)
    # Without the exemption, the same file does not comply.
    place = tmp_path / "out" / "public" / "manifest.json"
    manifest = json.loads(place.read_text(encoding="utf-8"))
    manifest["requirements"][1]["exempt"] = {}
    place.write_text(json.dumps(manifest), encoding="utf-8")
    (found,) = (
        one for one in verify_release(tmp_path / "out" / "public") if one.requirement["type"] == "l-diversity"
    )
    assert complies(rows, set(), 3, kind, c) == found.holds


def partitions(rows):
    if not rows:
        yield []
        return
    first, *rest = rows
    for part in partitions(rest):
        yield [[first], *part]
        for place in range(len(part)):
            yield [*part[:place], [first, *part[place]], *part[place + 1 :]]


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_below_the_optimum(seed):
    random = np.random.default_rng(seed)
    ages = random.integers(0, 8, 6).tolist()
    ill = random.choice(["flu", "gout", "hiv", "acne"], 6, p=[0.5, 0.2, 0.2, 0.1]).tolist()
    if set(ill) <= {"flu"} or len(set(ages)) < 2:
        ill[0], ages[0], ages[1] = "gout", 0, 9
    table = sd.read(pl.DataFrame({"age": ages, "ill": ill})).describe(quasi=["age"], sensitive=["ill"])
    asked = sd.LDiversity(2, exempt={"ill": ("flu",)})
    width = max(ages) - min(ages)
    best = math.inf
    for groups in partitions(list(range(6))):
        if all(
            level([ill[row] for row in group if ill[row] != "flu"], "distinct", None) >= 2 for group in groups
        ):
            spread = [max(ages[row] for row in group) - min(ages[row] for row in group) for group in groups]
            best = min(
                best, sum(len(group) * one for group, one in zip(groups, spread, strict=True)) / 6 / width
            )
    bound = lower_bound(table, [asked], objective="loss").value
    assert bound <= min(best, 1.0) + 1e-9
    if math.isfinite(best):
        made = sd.anonymize(table, asked, method=sd.Generalize(objective="loss"))
        assert best <= made.losses["loss"] + 1e-9


def test_wrong_exemptions_are_refused():
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    with pytest.raises(DescriptionError, match="'il', which is not a sensitive column"):
        sd.LDiversity(2, exempt={"il": ("a",)}).check(table)
    with pytest.raises(DescriptionError, match="every value of 'ill'"):
        sd.LDiversity(2, exempt={"ill": ("a", "B")}).check(table)
    assert sd.LDiversity(1, exempt={"ill": (None,)}).check(table).holds


def test_missing_values_can_be_exempt():
    rows = list(itertools.product([1, 2], [None, "a", "b"]))
    frame = pl.DataFrame({"age": [one for one, _ in rows], "ill": [one for _, one in rows]})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    assert sd.LDiversity(3).check(table).holds
    assert not sd.LDiversity(3, exempt={"ill": (None,)}).check(table).holds
    assert sd.LDiversity(2, exempt={"ill": (None,)}).check(table).reached == 2
