"""Filters of metadata, in the notation of LangChain's vector stores."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from lumber_core.support.identity import safe_repr
from lumber_retrieval.hits import Accepts

Where = Mapping[str, Any] | Accepts | None
"""Which chunks may be found: metadata keys with values, or a function of the metadata."""

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
    "$in": lambda value, expected: value in expected,
    "$nin": lambda value, expected: value not in expected,
}
_LIST_OPERATORS = ("$in", "$nin")
_TRUE_IF_MISSING = ("$ne", "$nin")  # hold for metadata without the key, too
_COMBINATIONS: Mapping[str, Callable[[list[bool]], bool]] = {"$and": all, "$or": any}


def filter_of(where: Mapping[str, Any] | Accepts) -> Accepts:
    """Return a function that returns whether metadata fits.

    Args:
        where: A function of the metadata, or a mapping of metadata keys to values, or to operators
            with values, as in `{"year": {"$gte": 2020}}`; all must hold. `{"$or": [...]}`,
            `{"$and": [...]}` and `{"$not": {...}}` combine mappings.

    Raises:
        TypeError: `where` is something else.
        ValueError: It has an unknown operator, or a value that does not fit its operator.
    """
    if isinstance(where, Mapping):
        return _filter_of_mapping("where", where)
    if callable(where):
        return where
    raise TypeError(
        'a filter must map metadata keys to values, as in {"year": 2024}, or be a function of the '
        f"metadata or None, not {safe_repr(where)}"
    )


def _filter_of_item(name: str, expected: Any) -> Accepts:
    if name in _COMBINATIONS:
        joined = _COMBINATIONS[name]
        if not isinstance(expected, list) or not expected:
            raise ValueError(f"{name} takes a list of filters, not {safe_repr(expected)}")
        parts = [_filter_of_mapping(name, condition) for condition in expected]
        return lambda metadata: joined([part(metadata) for part in parts])
    if name == "$not":
        part = _filter_of_mapping(name, expected)
        return lambda metadata: not part(metadata)
    if str(name).startswith("$"):
        raise ValueError(
            f"a filter begins with a metadata key, $and, $or or $not, not with {name}: "
            'write {"year": {"$gt": 2020}}'
        )
    if isinstance(expected, Mapping):
        tests = [_filter_of_value(name, sign, value) for sign, value in expected.items()]
        return lambda metadata: all(test(metadata) for test in tests)
    return _filter_of_value(name, "$eq", expected)


def _filter_of_mapping(name: str, expected: object) -> Accepts:
    if not isinstance(expected, Mapping):
        raise ValueError(f"{name} takes filters as mappings, not {safe_repr(expected)}")
    parts = [_filter_of_item(key, value) for key, value in expected.items()]
    return lambda metadata: all(part(metadata) for part in parts)


def _filter_of_value(name: str, operator_name: str, expected: Any) -> Accepts:
    compare = _COMPARISONS.get(operator_name)
    if compare is None:
        raise ValueError(
            f"the filter for {name!r} has the unknown operator {operator_name!r}: there are "
            f"{', '.join(_COMPARISONS)}; for all else pass a function of the metadata"
        )
    listed = isinstance(expected, list | tuple | set | frozenset)
    if operator_name in _LIST_OPERATORS and not listed:
        raise ValueError(f"{operator_name} of {name!r} takes a list, not {safe_repr(expected)}")
    if isinstance(expected, tuple):
        expected = [*expected]  # stored tuples are lists

    def accepts(metadata: Mapping[str, Any]) -> bool:
        if name not in metadata:
            return operator_name in _TRUE_IF_MISSING
        if listed and operator_name not in _LIST_OPERATORS and not isinstance(metadata[name], list):
            raise ValueError(
                f"the filter for {name!r} is a list, but the metadata has "
                f"{safe_repr(metadata[name])}: to find any of several values, "
                f'write {{"{name}": {{"$in": [...]}}}}'
            )
        try:
            return bool(compare(metadata[name], expected))
        except TypeError:
            raise ValueError(
                f"the filter {name} {operator_name} {safe_repr(expected)} does not fit "
                f"{safe_repr(metadata[name])} in the metadata: compare values of one type"
            ) from None

    return accepts
