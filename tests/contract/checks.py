"""What the contracts of methods for tables and for baskets ask alike."""

import dataclasses

import pytest

from sudare.errors import CancelledError, ParameterError


class Recorder:
    """A progress that remembers what it was told and cancels at the given update."""

    def __init__(self, cancel_at=None):
        self.cancel_at = cancel_at
        self.updates: list[float] = []
        self.total = 0.0

    def start(self, phase, total):
        assert phase
        assert total >= 0
        self.total = total

    def update(self, done):
        self.updates.append(done)
        assert done <= self.total + 1e-9
        if self.cancel_at is not None and len(self.updates) > self.cancel_at:
            raise CancelledError("cancelled")


def wrong_parameters_are_one_sentence(catalogue, name, parameters):
    for wrong in ({**parameters, "nonsense": 1}, {"nonsense": 1}):
        with pytest.raises(ParameterError) as caught:
            catalogue.build({"type": name, **wrong})
        sentence = str(caught.value)
        assert sentence.startswith(name)
        assert "\n" not in sentence
        assert sentence.endswith((".", "?"))
    for field in dataclasses.fields(catalogue[name]):
        with pytest.raises(ParameterError) as caught:
            catalogue.build({"type": name, **parameters, field.name: object()})
        assert f"'{field.name}'" in str(caught.value)
        assert "\n" not in str(caught.value)


def parameters_are_frozen_and_survive_a_recipe(catalogue, method):
    assert catalogue.build(catalogue.dump(method)) == method
    for field in dataclasses.fields(method):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(method, field.name, None)
