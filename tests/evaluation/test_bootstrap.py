import math

import numpy as np
import pytest

from lumber_evaluation.bootstrap import Interval, mean_interval, paired_difference


def test_equal_lists_differ_by_nothing() -> None:
    values = [1.0, 0.0, 0.5, 1.0]
    assert paired_difference(values, values) == Interval(0.0, 0.0, 0.0)


def test_the_pairs_matter_and_not_the_two_distributions() -> None:
    easy_and_hard = np.random.default_rng(1).normal(size=40) * 10
    paired = paired_difference(list(easy_and_hard + 1), list(easy_and_hard))
    unpaired = mean_interval(list(easy_and_hard))
    assert paired.low == pytest.approx(1)
    assert paired.high == pytest.approx(1)
    assert unpaired.high - unpaired.low > 3


def test_two_values_give_the_interval_that_can_be_counted() -> None:
    # The mean of two draws from 0 and 1 is 0 in a quarter of cases, 0.5 in half, 1 in a quarter.
    assert mean_interval([0.0, 1.0]) == Interval(0.5, 0.0, 1.0)


def test_intervals_contain_the_true_difference_as_often_as_stated() -> None:
    generator = np.random.default_rng(7)
    held = 0
    for _ in range(200):
        hits = generator.random((2, 60)) < [[0.7], [0.5]]
        interval = paired_difference(list(hits[0] * 1.0), list(hits[1] * 1.0))
        held += interval.low <= 0.2 <= interval.high
    assert 0.90 <= held / 200 <= 0.99


def test_questions_missing_in_one_list_are_left_out_of_both() -> None:
    nan = math.nan
    assert paired_difference([1.0, nan, 0.0], [0.0, 1.0, nan]) == Interval(1.0, 1.0, 1.0)
    assert mean_interval([nan, 2.0, 2.0]) == Interval(2.0, 2.0, 2.0)


def test_no_question_or_unequal_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="no question"):
        mean_interval([])
    with pytest.raises(ValueError, match="no question"):
        paired_difference([math.nan], [1.0])
    with pytest.raises(ValueError, match="not 2 values and 1"):
        paired_difference([1.0, 2.0], [1.0])


def test_questions_that_share_a_document_widen_the_interval() -> None:
    # Ten documents have twenty equal values each, so the sample has ten independent values.
    values = [float(document % 2) for document in range(10) for _ in range(20)]
    documents = [f"d{document}" for document in range(10) for _ in range(20)]
    independent, clustered = mean_interval(values), mean_interval(values, clusters=documents)
    assert independent.value == clustered.value == 0.5
    assert clustered.high - clustered.low > 4 * (independent.high - independent.low)


def test_a_document_of_many_questions_weighs_more_when_it_is_drawn() -> None:
    values, documents = [1.0] * 9 + [0.0], ["a"] * 9 + ["b"]
    interval = mean_interval(values, clusters=documents)
    # A draw has both documents, or one of them twice.
    assert (interval.low, interval.value, interval.high) == (0.0, 0.9, 1.0)
