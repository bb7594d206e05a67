"""Filters of metadata, in the notation of LangChain's vector stores."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from lumber_core.support.identity import safe_repr
from lumber_retrieval.hits import Accepts

Where = Mapping[str, Any] | Accepts | None
"""Which chunks may be found: values that their metadata must have, or a function of it."""

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
    "$in": lambda value, wanted: value in wanted,
    "$nin": lambda value, wanted: value not in wanted,
}
_LIST_OPERATORS = ("$in", "$nin")
_TRUE_IF_MISSING = ("$ne", "$nin")  # hold for metadata without the name, too
_COMBINATIONS: Mapping[str, Callable[[list[bool]], bool]] = {"$and": all, "$or": any}


def filter_of(where: Mapping[str, Any] | Accepts) -> Accepts:
    """Return a function that returns whether metadata fits.

    Args:
        where: A function, or a mapping: values by their names in the metadata, or operators
            with their values, as `{"year": {"$gte": 2020}}`; all must hold. `{"$or": [...]}`,
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
        'a filter must be values by their names in the metadata, as {"year": 2024}, a function '
        f"of the metadata, or None, not {safe_repr(where)}"
    )


def _filter_of_item(name: str, wanted: Any) -> Accepts:
    if name in _COMBINATIONS:
        joined = _COMBINATIONS[name]
        if not isinstance(wanted, list) or not wanted:
            raise ValueError(f"{name} takes a list of filters, not {safe_repr(wanted)}")
        parts = [_filter_of_mapping(name, one) for one in wanted]
        return lambda metadata: joined([part(metadata) for part in parts])
    if name == "$not":
        part = _filter_of_mapping(name, wanted)
        return lambda metadata: not part(metadata)
    if str(name).startswith("$"):
        raise ValueError(
            f"a filter begins with the name of a value, with $and, $or or $not, not with {name}: "
            'write {"year": {"$gt": 2020}}'
        )
    if isinstance(wanted, Mapping):
        tests = [_filter_of_value(name, each, value) for each, value in wanted.items()]
        return lambda metadata: all(test(metadata) for test in tests)
    return _filter_of_value(name, "$eq", wanted)


def _filter_of_mapping(name: str, wanted: object) -> Accepts:
    if not isinstance(wanted, Mapping):
        raise ValueError(f"{name} takes filters as mappings, not {safe_repr(wanted)}")
    parts = [_filter_of_item(each, value) for each, value in wanted.items()]
    return lambda metadata: all(part(metadata) for part in parts)


def _filter_of_value(name: str, operator_name: str, wanted: Any) -> Accepts:
    compare = _COMPARISONS.get(operator_name)
    if compare is None:
        raise ValueError(
            f"the filter of {name!r} has {operator_name!r}, which is not known: there are "
            f"{', '.join(_COMPARISONS)}; for all else pass a function of the metadata"
        )
    listed = isinstance(wanted, list | tuple | set | frozenset)
    if operator_name in _LIST_OPERATORS and not listed:
        raise ValueError(f"{operator_name} of {name!r} takes a list, not {safe_repr(wanted)}")
    if isinstance(wanted, tuple):
        wanted = [*wanted]  # as JSON has it

    def accepts(metadata: Mapping[str, Any]) -> bool:
        if name not in metadata:
            return operator_name in _TRUE_IF_MISSING
        if listed and operator_name not in _LIST_OPERATORS and not isinstance(metadata[name], list):
            raise ValueError(
                f"the filter of {name!r} has a list, and the metadata {safe_repr(metadata[name])}: "
                f'one of several values is {{"{name}": {{"$in": [...]}}}}'
            )
        try:
            return bool(compare(metadata[name], wanted))
        except TypeError:
            raise ValueError(
                f"the filter {name} {operator_name} {safe_repr(wanted)} does not fit "
                f"{safe_repr(metadata[name])} in the metadata: compare values of one type"
            ) from None

    return accepts
