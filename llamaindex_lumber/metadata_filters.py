"""Filters of LlamaIndex, checked before any work and applied to metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from lumber_core.support.identity import safe_repr
from lumber_retrieval.hits import Accepts

# Operators that compare with a list, with a text, and with a value of any type.
_LIST_OPERATORS = (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL)
_TEXT_OPERATORS = (FilterOperator.TEXT_MATCH, FilterOperator.TEXT_MATCH_INSENSITIVE)
_EQUALITY_OPERATORS = (FilterOperator.EQ, FilterOperator.NE)


def make_filter(filters: object) -> Accepts | None:
    """Return a function that tests metadata by filters, which may be nested; None for no filters.

    Wrong filters raise a TypeError, wrong values in them a ValueError.
    """
    if filters is None:
        return None
    if not isinstance(filters, MetadataFilters):
        raise TypeError(
            "filters must be MetadataFilters(filters=[MetadataFilter(key=..., value=...)]) of "
            f"LlamaIndex, not {safe_repr(filters)}"
        )
    tests = [
        (make_filter(part) or (lambda _: True))  # an empty group accepts all
        if isinstance(part, MetadataFilters)
        else _make_single_filter(part)
        for part in filters.filters
    ]
    if not tests:
        return None
    if filters.condition is FilterCondition.OR:
        return lambda metadata: any(accepts(metadata) for accepts in tests)
    if filters.condition is FilterCondition.NOT:
        return lambda metadata: not any(accepts(metadata) for accepts in tests)
    return lambda metadata: all(accepts(metadata) for accepts in tests)


def _make_single_filter(condition: MetadataFilter) -> Accepts:
    """Return a function that tests metadata as LlamaIndex's `SimpleVectorStore` would."""
    if not _fits(condition.operator, condition.value):
        raise ValueError(
            f"the filter {_format(condition)} has a value that does not fit: in, nin, any and all "
            "take a list, text_match takes a text, and others take one value; is_empty finds "
            "missing keys"
        )

    def metadata_of(metadata: Any) -> Mapping[str, Any]:  # LlamaIndex would pass the ID of a node
        return cast(Mapping[str, Any], metadata)

    matches: Any = build_metadata_filter_fn(metadata_of, MetadataFilters(filters=[condition]))

    def accepts(metadata: Mapping[str, Any]) -> bool:
        try:
            return bool(matches(metadata))
        except TypeError:  # such as 1 < "a"
            raise ValueError(
                f"the filter {_format(condition)} does not fit {metadata.get(condition.key)!r} in "
                "the metadata: text_match is for texts, contains, any and all are for lists, "
                "others compare values of one type"
            ) from None

    return accepts


def _fits(kind: FilterOperator, value: object) -> bool:
    """Return whether a value fits the operator of a filter."""
    if kind is FilterOperator.IS_EMPTY:
        return True
    if kind in _LIST_OPERATORS:
        return isinstance(value, list)
    if kind in _TEXT_OPERATORS:
        return isinstance(value, str)
    return isinstance(value, str | int | float) or (
        kind in _EQUALITY_OPERATORS and value is not None
    )


def _format(condition: MetadataFilter) -> str:
    return f"{condition.key} {condition.operator.value} {condition.value!r}"
