import json
import math
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_retrieval.index.indexed_documents import stored_metadata


class Colour(Enum):
    RED = "red"


class NaTType:
    """Like pandas' NaT."""


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (datetime(2024, 1, 5, tzinfo=timezone.utc), "2024-01-05T00:00:00+00:00"),
        *((date(2024, 1, 5), "2024-01-05"), (time(9, 30), "09:30:00")),
        *((timedelta(minutes=2), 120.0), (Decimal("1.50"), 1.5), (Decimal(3), 3)),
        *((Decimal("NaN"), None), (math.nan, None), (-math.inf, None), (NaTType(), None)),
        *((PurePosixPath("mail/a.eml"), "mail/a.eml"), (PureWindowsPath("a"), "a")),
        *((UUID(int=0), "00000000-0000-0000-0000-000000000000"), (Colour.RED, "red")),
        *((np.int64(3), 3), (np.float32(0.5), 0.5), (np.float64("nan"), None)),
        *((np.bool_(True), True), (np.datetime64("2024-01-05"), "2024-01-05")),
        *((np.array([1, 2]), [1, 2]), ((1, {"a": date(2024, 1, 5)}), [1, {"a": "2024-01-05"}])),
        *(({2, 1}, [1, 2]), ("a", "a"), (True, True), (None, None)),
    ],
)
def test_values_become_types_of_json(value: Any, stored: Any) -> None:
    value_stored = stored_metadata({"key": value})["key"]
    assert value_stored == stored
    assert type(value_stored) is type(stored)


def test_values_that_cannot_be_stored_are_left_for_the_index_to_refuse() -> None:
    odd = object()
    assert stored_metadata({"key": odd, 1: "a"}) == {"key": odd, "1": "a"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.datetimes(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES))
def test_stored_metadata_is_valid_json_and_does_not_change_again(metadata: dict[str, Any]) -> None:
    stored = stored_metadata(metadata)
    assert json.loads(json.dumps(stored, allow_nan=False)) == stored
    assert stored_metadata(stored) == stored
