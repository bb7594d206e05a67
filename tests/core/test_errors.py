"""Errors: what callers can rely on."""

import pickle

import pytest

from lumber_core import errors

CLASSES = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.LumberError)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_of_a_worker_process_reaches_its_parent(kind: type[errors.LumberError]) -> None:
    missing = kind is errors.MissingExtraError
    error = kind("torch", "torch", "to train, ") if missing else kind("it is broken")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert vars(again) == vars(error)
