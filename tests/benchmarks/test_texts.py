"""The benchmark's generated texts."""

import pytest

from benchmarks.suite.texts import KINDS, documents


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_has_the_size_asked_for_and_is_the_same_each_time(kind: str):
    first, again, other = (KINDS[kind](5000, seed) for seed in (0, 0, 1))
    assert abs(len(first) - 5000) <= 10
    assert first == again
    assert first != other


def test_documents_have_the_total_size_asked_for_and_differ():
    found = list(documents(100_000, 3000))
    assert 100_000 <= sum(map(len, found)) < 104_000
    assert len(set(found)) == len(found)
    assert max(map(len, found)) < 4000
