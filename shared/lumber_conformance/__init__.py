"""Checks whether a text splitter keeps its promises, for any framework.

`check_conformance` checks one splitter against every contract and returns a report;
`SplitterConformance` is a base class for pytest suites.
"""

from lumber_conformance.contracts import CONTRACTS, Contract
from lumber_conformance.report import Finding, Report, check_conformance
from lumber_conformance.subject import Piece, Subject
from lumber_conformance.suite import SplitterConformance
from lumber_conformance.texts import TEXTS

__all__ = [
    "CONTRACTS",
    "TEXTS",
    "Contract",
    "Finding",
    "Piece",
    "Report",
    "SplitterConformance",
    "Subject",
    "check_conformance",
]
