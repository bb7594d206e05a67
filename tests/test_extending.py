"""A splitter, a model provider or a metric is added in the files that CONTRIBUTING names."""

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument

from langchain_lumber import SpanTextSplitter
from llamaindex_lumber import ChunkerNodeParser
from lumber_core import Chunker, Completion, LumberChunker, Segmentation
from lumber_core.chunking.chunker import enforce_limits
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.llms.exchange import RequestSettings
from lumber_core.llms.remote import RemoteModel
from lumber_core.spans import Span
from lumber_core.text.parsed import ParsedText
from lumber_evaluation import splitters
from lumber_evaluation.comparison import compare, metrics
from lumber_evaluation.report import render, report_json
from lumber_evaluation.splitters import Preset, preset, wrap_splitter
from tests.evaluation.comparing import WordEmbedder, corpus

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
TEXT = "\n".join(f"Line {number} of a long list." for number in range(9))


class LineChunker(Chunker):
    """The added splitter: cuts after a number of lines."""

    def __init__(self, lines: int = 2, *, chunk_size: int | None = None) -> None:
        super().__init__(chunk_size=chunk_size)
        self.lines = lines

    def _segment(self, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
        text = parsed.text
        ends = [match.end() for match in re.finditer(r"\n", text)][self.lines - 1 :: self.lines]
        edges = sorted({0, *ends, len(text)})
        spans = tuple(Span(start, end) for start, end in pairwise(edges))
        return enforce_limits(Segmentation(spans), parsed, limits, spans)


def test_a_splitter_of_the_core_works_in_both_frameworks() -> None:
    chunks = LineChunker(lines=4).split_text(TEXT)
    assert len(chunks) == 3
    splitter = SpanTextSplitter(LineChunker(lines=4), add_start_index=True, strip_whitespace=False)
    for document in splitter.split_documents([LangChainDocument(TEXT)]):
        start = document.metadata["start_index"]
        assert TEXT[start:].startswith(document.page_content)
    assert splitter.split_text(TEXT) == chunks
    parser = ChunkerNodeParser(splitter=LineChunker(lines=4))
    nodes = parser.get_nodes_from_documents([LlamaIndexDocument(text=TEXT)])
    assert [node.get_content() for node in nodes] == chunks


def test_the_base_class_provides_limits_overlap_and_identity() -> None:
    bounded = LineChunker(lines=9, chunk_size=20)
    assert max(bounded.counter.count(bounded.split_text(TEXT))) <= 20
    parser = ChunkerNodeParser(splitter=LineChunker(lines=2, chunk_size=40), chunk_overlap=12)
    first, second = parser.split_text(TEXT)[:2]
    assert second.startswith(first.splitlines()[1])
    assert LineChunker(lines=3).identity != LineChunker(lines=4).identity


def test_a_preset_gives_a_splitter_a_name_in_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    line_preset = Preset("lines", 2, lambda value, _: LineChunker(lines=int(value)))
    monkeypatch.setitem(splitters.PRESETS, "lines", line_preset)
    comparison = compare(corpus(), [preset("lines:4"), preset("lines")], embedder=WordEmbedder())
    assert [result.name for result in comparison.results] == ["lines:4", "lines"]


def test_a_metric_in_the_registry_is_in_the_report_and_its_json(monkeypatch) -> None:
    family = metrics.MetricFamily("hit", "First hit", "Whether the best passage answers.", "share")
    metric = metrics.Metric(
        "hit", "First hit", family, lambda question: question.recall(1), in_summary=True
    )
    monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, metric))
    comparison = compare(corpus(), [wrap_splitter(LineChunker())], embedder=WordEmbedder())
    assert '"hit"' in json.dumps(report_json(comparison))
    assert "First hit" in render(comparison)


class EchoModel(RemoteModel):
    """A provider whose package is `json`, and whose replies name the first allowed paragraph."""

    _provider: ClassVar[str] = "echo"
    _module: ClassVar[str] = "json"
    _package: ClassVar[Mapping[str, str]] = {"package": "json", "extra": "echo"}

    def _make_client(self) -> Any:
        return self._sdk()

    def _request(self, system: str, user: str, settings: RequestSettings) -> dict[str, Any]:
        assert settings.answers is not None
        return {"answer": settings.answers.allowed[0]}

    def _send(self, request: dict[str, Any]) -> Any:
        return self._get_client().dumps(request)

    def _completion(self, reply: Any) -> Completion:
        return Completion(f"Answer: {json.loads(reply)['answer']}", 7, 3, "stop")


def test_a_provider_is_one_subclass_that_sends_requests_and_reads_replies() -> None:
    chunker = LumberChunker(EchoModel("any"), theta=40)
    segmentation = chunker.segment("\n\n".join(TEXT.splitlines()))
    assert segmentation.failures == ()
    assert len(segmentation.spans) > 1
    assert segmentation.usage.prompt_tokens == 7 * segmentation.usage.calls


@pytest.mark.parametrize("thing", ["splitter", "model provider", "metric"])
def test_three_files_of_code_at_most_are_named_and_exist(thing: str) -> None:
    section = CONTRIBUTING.read_text(encoding="utf-8").split(f"## How to add a {thing}\n")[1]
    steps = re.findall(r"^\d\. `([^`]+)`", section.split("\n## ")[0], re.MULTILINE)
    assert 1 <= len(steps) <= 3
    for path in steps:
        assert (CONTRIBUTING.parent / path.replace("NAME", "__init__")).exists(), path
