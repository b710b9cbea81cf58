"""One contract for every method for baskets: what it promises holds, and nothing else is touched."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator, type-arg"
# parameters are given as users write them: mappings, texts, and wrong ones

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.contract import checks
from tests.contract.checks import Recorder
from tests.twins.baskets import rare_sets, unsafe_adversaries

import sudare as sd
from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.protocol import Context
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.errors import CancelledError, ParameterError
from sudare.measure.baskets import BASKET_MEASURES
from sudare.randomness import Randomness
from sudare.verify.baskets.sets import verify_baskets

COUNT = 80
NAMES = ["ale", "stout", "milk", "cream", "bread", "緑茶", "a, b", 'quote"']
TREE = {
    "type": "tree",
    "mapping": {
        "beer": ["ale", "stout"],
        "dairy": ["milk", "cream"],
        "other": ["bread", "緑茶", "a, b", 'quote"'],
    },
}


@dataclasses.dataclass(frozen=True)
class Example:
    """Sensible parameters of a method, and what may be said about its result."""

    parameters: dict[str, Any]
    requirements: tuple[Any, ...]
    """What it promises, each asked for alone."""
    random: bool = False
    """Two runs without a seed differ."""
    suppresses: bool = True
    """Whether released baskets are parts of the original ones."""


EXAMPLES = {
    "item-suppression": Example(
        {},
        (
            sd.RhoUncertainty(0.5),
            sd.RhoUncertainty("1/3", m=2),
            sd.RhoUncertainty(0.5, m=2, eps=0.1, delta=0.1),
            sd.KmAnonymity(3, 2),
        ),
        random=True,
    ),
    "item-generalization": Example({"hierarchy": TREE}, (sd.KmAnonymity(3, 2),), suppresses=False),
}
PAIRS = [(name, requirement) for name in BASKET_METHODS for requirement in EXAMPLES[name].requirements]
every_method = pytest.mark.parametrize("name", list(BASKET_METHODS))
every_promise = pytest.mark.parametrize(("name", "requirement"), PAIRS, ids=str)


def lists():
    random = np.random.default_rng(4)
    weights = np.array([8, 6, 6, 4, 3, 2, 2, 1]) / 32
    drawn = [random.choice(8, size, replace=False, p=weights) for size in random.integers(0, 5, COUNT)]
    return [[NAMES[item] for item in basket] for basket in drawn]


def described():
    """Baskets with empty ones, Unicode and signs in their items; users name items that they do not have."""
    random = np.random.default_rng(5)
    sensitive = [[NAMES[item] for item in random.choice(8, 3, replace=False)] for _ in range(COUNT)]
    return sd.read_baskets(dict(enumerate(lists()))).describe(sensitive=sensitive)


def method_of(name):
    assert name in EXAMPLES, f"give the method '{name}' an example in this file"
    return BASKET_METHODS[name](**EXAMPLES[name].parameters)


def state(baskets):
    """Everything that a method could have changed."""
    return (
        baskets.items,
        baskets.starts.tolist(),
        baskets.codes.tolist(),
        baskets.ids.to_list(),
        baskets.sensitive_sets(),
    )


@every_promise
def test_what_it_promises_holds_by_independent_code(name, requirement):
    baskets = described()
    release = sd.anonymize(baskets, requirement, method=method_of(name))
    assert release.holds
    asked = BASKET_REQUIREMENTS.dump(requirement)
    assert verify_baskets(release.released, baskets, [asked])[0].holds
    if isinstance(requirement, sd.KmAnonymity):
        assert rare_sets(release.baskets, requirement.k, requirement.m) == set()
    elif requirement.eps is None:
        over, under = requirement.ratio
        unsafe = unsafe_adversaries(
            release.baskets, baskets.sets(), baskets.sensitive_sets(), Fraction(over, under), requirement.m
        )
        assert unsafe == []


@every_promise
def test_the_input_is_untouched_and_users_keep_their_place(name, requirement):
    baskets = described()
    before = state(baskets)
    release = sd.anonymize(baskets, requirement, method=method_of(name), seed=1)
    assert state(baskets) == before
    assert len(release.baskets) == COUNT
    assert release.released.ids.to_list() == baskets.ids.to_list()
    if EXAMPLES[name].suppresses:
        assert all(left <= had for left, had in zip(release.released, baskets.sets(), strict=True))
        assert release.alike
        assert release.released.sensitive_sets() == baskets.sensitive_sets()
    else:
        assert all(
            bool(left) == bool(had) for left, had in zip(release.released, baskets.sets(), strict=True)
        )
    for kept in (baskets.codes, baskets.starts, release.released.codes):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 0


@every_promise
def test_the_same_seed_gives_the_same_release(name, requirement):
    baskets = described()
    first, second = (
        method_of(name).apply(baskets, Context((requirement,), Randomness(7))).baskets for _ in range(2)
    )
    assert first.lists() == second.lists()
    assert not sd.anonymize(baskets, requirement, method=method_of(name), seed=7).secure


@every_method
def test_secure_runs_differ_exactly_for_random_methods(name):
    runs = [
        sd.anonymize(described(), EXAMPLES[name].requirements[0], method=method_of(name)) for _ in range(4)
    ]
    assert all(run.secure for run in runs)
    assert (len({str(run.released.lists()) for run in runs}) > 1) == EXAMPLES[name].random


@every_promise
def test_it_reports_progress_and_can_be_cancelled(name, requirement):
    baskets = described()
    before = state(baskets)
    recorder = Recorder()
    method_of(name).apply(baskets, Context((requirement,), Randomness(1), recorder))
    assert recorder.updates
    for place in range(0, len(recorder.updates), max(1, len(recorder.updates) // 12)):
        with pytest.raises(CancelledError):
            sd.anonymize(
                baskets, requirement, method=method_of(name), seed=1, progress=Recorder(cancel_at=place)
            )
    assert state(baskets) == before


@every_method
def test_wrong_parameters_are_one_sentence(name):
    checks.wrong_parameters_are_one_sentence(BASKET_METHODS, name, EXAMPLES[name].parameters)


@every_method
def test_a_requirement_that_it_cannot_reach_is_one_sentence(name):
    reached = {type(requirement) for requirement in EXAMPLES[name].requirements}
    for asked in (sd.RhoUncertainty(0.5), sd.KmAnonymity(2, 2), sd.KAnonymity(2)):
        if type(asked) not in reached:
            with pytest.raises(ParameterError) as caught:
                sd.anonymize(described(), asked, method=method_of(name))
            assert type(asked).__name__ in str(caught.value)
            assert "\n" not in str(caught.value)


@every_method
def test_parameters_are_frozen_and_survive_a_recipe(name):
    checks.parameters_are_frozen_and_survive_a_recipe(BASKET_METHODS, method_of(name))


@every_promise
@pytest.mark.parametrize(
    "odd", [[[]], [[], []], [["ale"]], [["ale"]] * 5, [["ale", "milk"]] * 4 + [[]]], ids=str
)
def test_odd_baskets(name, requirement, odd):
    baskets = sd.read_baskets(odd)
    baskets = baskets.describe(sensitive=list(baskets.items))
    try:
        release = sd.anonymize(baskets, requirement, method=method_of(name), seed=1)
    except sd.SudareError as error:
        assert "\n" not in str(error)  # noqa: PT017  # a single basket cannot be among three: a sentence is right
        assert not EXAMPLES[name].suppresses
    else:
        assert release.holds
        assert len(release.baskets) == len(odd)


@every_promise
def test_all_measures_can_be_taken(name, requirement):
    release = sd.anonymize(described(), requirement, method=method_of(name), seed=1)
    if release.alike:
        assert list(release.losses) == list(BASKET_MEASURES)
        assert all(value >= 0 for value in release.losses.values())
    else:
        assert release.losses == {}


@every_promise
def test_it_can_be_written_with_its_reports(name, requirement, tmp_path):
    written = sd.anonymize(described(), requirement, method=method_of(name)).write(tmp_path / "out")
    assert all(finding.holds for finding in written.findings)
    assert [place.parent.name for place in written.reports] == ["public", "internal"]
