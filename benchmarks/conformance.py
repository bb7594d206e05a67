"""Run the conformance kit over the splitters people use, and write its verdicts as Markdown.

Usage: python benchmarks/conformance.py FILE [PACKAGE ...]

Without packages, all of them; ours take several minutes, because a model reads every text.

Splitters whose package is not installed are left out by name. Each splitter gets the settings it
needs to run offline, a chunk size that its own counter measures, and no overlap.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lumber_conformance import CONTRACTS, Report, check_conformance

Make = Callable[[], Any]


def of(module: str, name: str, *arguments: Any, **settings: Any) -> Make:
    """Return a factory for a class that is imported when it is needed."""
    return lambda: getattr(import_module(module), name)(*arguments, **settings)


LANGCHAIN, LLAMA_INDEX = "langchain_text_splitters", "llama_index.core.node_parser"
SPLITTERS: dict[str, tuple[str, Make]] = {
    "BertTextSplitter": ("lumber-splitters", of("langchain_lumber", "BertTextSplitter")),
    "GreedyTextSplitter": ("lumber-splitters", of("langchain_lumber", "GreedyTextSplitter")),
    "LumberTextSplitter": ("lumber-splitters", of("langchain_lumber", "LumberTextSplitter")),
    "BertNodeParser": ("lumber-splitters", of("llamaindex_lumber", "BertNodeParser")),
    "GreedyNodeParser": ("lumber-splitters", of("llamaindex_lumber", "GreedyNodeParser")),
    "LumberNodeParser": ("lumber-splitters", of("llamaindex_lumber", "LumberNodeParser")),
    "RecursiveCharacterTextSplitter": (
        "langchain-text-splitters",
        of(LANGCHAIN, "RecursiveCharacterTextSplitter", chunk_size=500, chunk_overlap=0),
    ),
    "RecursiveCharacterTextSplitter, overlap 50": (
        "langchain-text-splitters",
        of(LANGCHAIN, "RecursiveCharacterTextSplitter", chunk_size=500, chunk_overlap=50),
    ),
    "CharacterTextSplitter": (
        "langchain-text-splitters",
        of(LANGCHAIN, "CharacterTextSplitter", chunk_size=500, chunk_overlap=0),
    ),
    "TokenTextSplitter": (
        "langchain-text-splitters",
        of(LANGCHAIN, "TokenTextSplitter", "cl100k_base", chunk_size=128, chunk_overlap=0),
    ),
    "SentenceSplitter": (
        "llama-index-core",
        of(LLAMA_INDEX, "SentenceSplitter", chunk_size=128, chunk_overlap=0),
    ),
    "SentenceSplitter, overlap 20": (
        "llama-index-core",
        of(LLAMA_INDEX, "SentenceSplitter", chunk_size=128, chunk_overlap=20),
    ),
    "llama-index TokenTextSplitter": (
        "llama-index-core",
        of(LLAMA_INDEX, "TokenTextSplitter", chunk_size=128, chunk_overlap=0),
    ),
    "SentenceWindowNodeParser": ("llama-index-core", of(LLAMA_INDEX, "SentenceWindowNodeParser")),
    "MarkdownNodeParser": ("llama-index-core", of(LLAMA_INDEX, "MarkdownNodeParser")),
    "chonkie RecursiveChunker": (
        "chonkie",
        of("chonkie", "RecursiveChunker", tokenizer="character", chunk_size=500),
    ),
    "chonkie SentenceChunker": (
        "chonkie",
        of("chonkie", "SentenceChunker", tokenizer="character", chunk_size=500, chunk_overlap=0),
    ),
    "chonkie TokenChunker": (
        "chonkie",
        of("chonkie", "TokenChunker", tokenizer="character", chunk_size=500, chunk_overlap=0),
    ),
}
MARKS = {"kept": "✓", "broken": "✗", "not applicable": "n/a"}


def main() -> None:
    reports: dict[str, Report] = {}
    packages: set[str] = set()
    for name, (package, make) in SPLITTERS.items():
        if sys.argv[2:] and package not in sys.argv[2:]:
            continue
        try:
            make()
        except ImportError as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
            continue
        packages.add(package)
        reports[name] = check_conformance(make)
        print(f"{name}: {len(reports[name].broken)} broken", file=sys.stderr)
    Path(sys.argv[1]).write_text(markdown(reports, packages), encoding="utf-8")


def markdown(reports: dict[str, Report], packages: set[str]) -> str:
    keys = [contract.key for contract in CONTRACTS]
    versions = ", ".join(f"{name} {version(name)}" for name in sorted(packages))
    lines = [
        f"Versions: {versions}.",
        "",
        f"| splitter | {' | '.join(keys)} |",
        f"| --- |{' :-: |' * len(keys)}",
    ]
    for name, report in reports.items():
        marks = " | ".join(MARKS[finding.status] for finding in report.findings)
        lines.append(f"| {name} | {marks} |")
    lines += ["", "What was found:", ""]
    for name, report in reports.items():
        for finding in report.broken:
            detail = finding.detail.replace("|", "\\|")
            lines.append(f"- {name}, {finding.contract.key}: {detail}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
