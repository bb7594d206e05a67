"""Metadata as an index stores them: data for JSON, of which filters compare texts and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

_MISSING = ("NaTType", "NAType")  # of pandas


def stored_metadata(metadata: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return metadata with dates and times as ISO text, and what else JSON lacks as near to it.

    Paths and UUIDs become text, decimals, durations (in seconds) and values of numpy numbers,
    sets and arrays lists, and NaN, infinity and missing values of pandas None. Any other object
    is kept.
    """
    return {key: _stored(value) for key, value in metadata.items()}


def _stored(value: Any) -> Any:
    if isinstance(value, Enum):
        return _stored(value.value)
    if type(value).__name__ in _MISSING:
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, PurePath | UUID):
        return str(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal | Fraction) and math.isfinite(value):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return stored_metadata(value)
    if isinstance(value, list | tuple):
        return [*map(_stored, value)]
    if isinstance(value, set | frozenset):
        return sorted(map(_stored, value), key=repr)
    listed = getattr(value, "tolist", None)  # numbers and arrays of numpy
    return value if listed is None or isinstance(value, type) else _stored(listed())
