"""Models behind a loopback server, and documents with facts, for tests of questions."""

import json
import re

from lumber_core import CallPolicy, Span
from lumber_core.llms import OpenAIModel
from lumber_evaluation.dataset import Document, EvaluatedChunk, SplitDocument
from tests.loopback.server import LoopbackServer, Request

FAST = CallPolicy(attempts=3, initial_backoff=0.01, max_backoff=0.02)
_PASSAGE = re.compile(r"^Passage: (.*)$", re.MULTILINE)


def model_at(server: LoopbackServer, name: str = "a-model") -> OpenAIModel:
    return OpenAIModel(name, base_url=server.openai_url, api_key="a-key")


def fact(number: int) -> str:
    """A paragraph with one fact that occurs nowhere else."""
    return (
        f"The keeper of lighthouse {number} was a patient man who read by the window.\n"
        f"He lit the lamp number {number} for the first time in the year {1700 + number}, and "
        "the boats came home by it from then on.\n\n"
    )


def facts(name: str, first: int, count: int) -> tuple[Document, SplitDocument]:
    """A document of facts, with a chunk for each."""
    paragraphs = [fact(number) for number in range(first, first + count)]
    chunks, position = [], 0
    for paragraph in paragraphs:
        span = Span(position, position + len(paragraph))
        chunks.append(EvaluatedChunk(name, span, paragraph))
        position = span.end
    document = Document(name, "".join(paragraphs), (0,), (0,), "made")
    return document, SplitDocument(name, tuple(chunks), 0.0)


def passage_of(request: Request) -> str:
    """The passage that a request shows."""
    match = _PASSAGE.search(request.user)
    assert match is not None
    return match[1]


def good_question(request: Request) -> str:
    """A good question about a fact, asked as a model would."""
    number = re.findall(r"lamp number (\d+)", passage_of(request))[0]
    return question_reply(
        f"When was the lamp number {number} lit for the first time?",
        str(1700 + int(number)),
        f"He lit the lamp number {number} for the first time in the year {1700 + int(number)}",
    )


def question_reply(question: str | None, answer: str | None, quotation: str | None) -> str:
    """A reply with a question."""
    return json.dumps({"question": question, "answer": answer, "quotation": quotation})
