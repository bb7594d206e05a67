"""Metadata as an index stores them: data for JSON, of which filters compare texts and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID


def stored_metadata(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    """Return metadata with dates and times as ISO text, and what else JSON lacks as near to it.

    Paths, UUIDs and keys become text, decimals, durations (in seconds) and values of numpy numbers,
    sets and arrays lists, and NaN, infinity and pandas' missing values None. Other objects stay.
    """
    try:
        return {str(key): _as_data(value) for key, value in metadata.items()}
    except RecursionError:  # it contains itself, which JSON refuses
        return {str(key): value for key, value in metadata.items()}


def _as_data(value: Any) -> Any:
    if isinstance(value, Mapping):
        return stored_metadata(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [
            *map(_as_data, value if isinstance(value, list | tuple) else sorted(value, key=repr))
        ]
    if type(value).__name__ in ("NaTType", "NAType"):  # of pandas
        return None
    if isinstance(value, PurePath | UUID | date | time):
        return value.isoformat() if isinstance(value, date | time) else str(value)
    if isinstance(value, float | Decimal):
        whole = isinstance(value, Decimal) and value.is_finite() and not value % 1
        return int(value) if whole else float(value) if math.isfinite(value) else None
    if isinstance(value, timedelta | Enum):
        return value.total_seconds() if isinstance(value, timedelta) else _as_data(value.value)
    listed = getattr(value, "tolist", None)  # of numpy
    return value if listed is None else _as_data(listed())
