"""Checks a splitter against the contracts and reports the findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from lumber_conformance.contracts import CONTRACTS, Contract, NotApplicableError, described
from lumber_conformance.subject import Subject

Status = Literal["kept", "broken", "not applicable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of checking one contract.

    Attributes:
        contract: The contract.
        status: "kept", "broken" or "not applicable".
        detail: What went wrong, or why the contract does not apply; empty if it is kept.
    """

    contract: Contract
    status: Status
    detail: str = ""

    def __str__(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.status:<14}  {self.contract.promise}{detail}"


@dataclass(frozen=True, slots=True)
class Report:
    """The findings about one splitter.

    Attributes:
        splitter: The splitter's class.
        findings: One for each contract that was checked.
    """

    splitter: str
    findings: tuple[Finding, ...]

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The contracts that the splitter does not keep."""
        return tuple(finding for finding in self.findings if finding.status == "broken")

    @property
    def passed(self) -> bool:
        """Whether no contract is broken."""
        return not self.broken

    def __str__(self) -> str:
        return "\n".join([self.splitter, *(f"  {finding}" for finding in self.findings)])


def check_conformance(
    make: Callable[[], Any],
    *,
    chunk_size: int | None = None,
    length: Callable[[str], int] | None = None,
    only: Iterable[str] | None = None,
) -> Report:
    """Check a splitter against the contracts.

    Args:
        make: Returns a new splitter each time, as in `lambda: SentenceSplitter(chunk_size=128)`:
            a LangChain `TextSplitter`, a LlamaIndex `NodeParser` or a chonkie chunker.
        chunk_size: Maximum size of a chunk. None: the splitter's own chunk size.
        length: Returns the size of a text. None: the splitter's own length function.
        only: Keys of the contracts to check. None: all of them.

    Returns:
        A report with a finding for each contract; `print` shows it as a table.

    Raises:
        TypeError: `make` does not return a splitter.
        ValueError: `only` names a contract that does not exist.

    Example:
        >>> from langchain_text_splitters import CharacterTextSplitter
        >>> report = check_conformance(lambda: CharacterTextSplitter(), only=["quiet"])
        >>> print(report)
        CharacterTextSplitter
          kept            prints nothing
    """
    chosen = _chosen(only)
    subject = Subject(make, chunk_size=chunk_size, length=length)
    # A new splitter each time, so that checking one contract does not affect the next; chunks that
    # contracts look at or compare with are made once.
    findings = (check_contract(contract, subject.fresh()) for contract in chosen)
    return Report(subject.name, tuple(findings))


def check_contract(contract: Contract, subject: Subject) -> Finding:
    """Check one contract of a splitter."""
    try:
        fault = contract.check(subject)
    except NotApplicableError as reason:
        return Finding(contract, "not applicable", str(reason))
    except Exception as error:  # noqa: BLE001 - a splitter that fails here breaks the contract
        return Finding(contract, "broken", described(error))
    return Finding(contract, "kept") if fault is None else Finding(contract, "broken", fault)


def _chosen(only: Iterable[str] | None) -> tuple[Contract, ...]:
    if only is None:
        return CONTRACTS
    if isinstance(only, str):
        raise TypeError(f'only must be a list of contract keys, not one string: pass ["{only}"]')
    wanted = list(only)
    known = {contract.key for contract in CONTRACTS}
    unknown = [key for key in wanted if key not in known]
    if unknown:
        raise ValueError(
            f"unknown contract {unknown[0]!r}: expected some of "
            f"{', '.join(contract.key for contract in CONTRACTS)}"
        )
    return tuple(contract for contract in CONTRACTS if contract.key in wanted)
