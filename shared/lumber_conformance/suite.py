"""A base class for pytest suites, as in langchain-tests.

class TestMySplitter(SplitterConformance):
def make_splitter(self):
return MySplitter(chunk_size=200)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lumber_conformance.contracts import CONTRACTS, Contract
from lumber_conformance.report import check_contract
from lumber_conformance.subject import Subject

_BY_KEY = {contract.key: contract for contract in CONTRACTS}


class SplitterConformance:
    """Inherit from it, return your splitter from `make_splitter`, and run pytest.

    There is one test for each contract. Override a test to expect a failure, as with any pytest
    class.
    """

    chunk_size: int | None = None
    """Maximum size of a chunk. None: the splitter's own chunk size."""

    def make_splitter(self) -> Any:
        """Return a new splitter."""
        raise TypeError(f"{type(self).__name__} must define make_splitter")

    def length(self) -> Callable[[str], int] | None:
        """Return a function from a text to its size, or None for the splitter's own."""
        return None

    def test_splits_any_text_without_an_error(self) -> None:
        """The contract "errors"."""
        self._check(_BY_KEY["errors"])

    def test_loses_no_visible_character(self) -> None:
        """The contract "text"."""
        self._check(_BY_KEY["text"])

    def test_changes_no_chunks_text(self) -> None:
        """The contract "slices"."""
        self._check(_BY_KEY["slices"])

    def test_gives_exact_offsets(self) -> None:
        """The contract "offsets"."""
        self._check(_BY_KEY["offsets"])

    def test_keeps_offsets_exact_in_a_chain(self) -> None:
        """The contract "chains"."""
        self._check(_BY_KEY["chains"])

    def test_holds_its_chunk_size(self) -> None:
        """The contract "limit"."""
        self._check(_BY_KEY["limit"])

    def test_gives_the_same_chunks_every_time(self) -> None:
        """The contract "repeatable"."""
        self._check(_BY_KEY["repeatable"])

    def test_gives_the_same_chunks_asynchronously(self) -> None:
        """The contract "async"."""
        self._check(_BY_KEY["async"])

    def test_gives_the_same_chunks_in_several_threads(self) -> None:
        """The contract "threads"."""
        self._check(_BY_KEY["threads"])

    def test_works_in_a_forked_process(self) -> None:
        """The contract "fork"."""
        self._check(_BY_KEY["fork"])

    def test_works_after_pickling(self) -> None:
        """The contract "pickle"."""
        self._check(_BY_KEY["pickle"])

    def test_leaves_metadata_alone(self) -> None:
        """The contract "metadata"."""
        self._check(_BY_KEY["metadata"])

    def test_prints_nothing(self) -> None:
        """The contract "quiet"."""
        self._check(_BY_KEY["quiet"])

    def test_takes_time_in_proportion_to_the_text(self) -> None:
        """The contract "linear"; it measures processor time."""
        self._check(_BY_KEY["linear"])

    def _check(self, contract: Contract) -> None:
        import pytest  # deferred: only suites need it

        subject = Subject(self.make_splitter, chunk_size=self.chunk_size, length=self.length())
        finding = check_contract(contract, subject)
        if finding.status == "not applicable":
            pytest.skip(finding.detail)
        assert finding.status == "kept", finding.detail
