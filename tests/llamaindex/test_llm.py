"""A LlamaIndex LLM as the model of a parser: its identity, its retries, its secrets."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.bridge.pydantic import Field
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata, MockLLM

from llamaindex_lumber import LumberNodeParser
from llamaindex_lumber.llm import LlamaIndexModel

KEY = "planted-4711-0815"


class ServerLLM(CustomLLM):
    """With the settings that LLMs of OpenAI-style servers have."""

    model: str = "m"
    api_key: str | None = None
    api_base: str | None = None
    temperature: float = 0.1
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)
    default_headers: dict[str, str] | None = None
    max_retries: int = 3
    timeout: float = 60.0
    max_tokens: int | None = None

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.model)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text="Answer: none")

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise AssertionError("nothing is streamed")


def identity(**settings: Any) -> str:
    return LlamaIndexModel(ServerLLM(**settings)).identity


@pytest.mark.parametrize(
    "settings",
    [
        {"api_base": "http://127.0.0.1:8000/v1"},
        {"model": "n"},
        {"temperature": 0.5},
        {"max_tokens": 5},
        {"system_prompt": "Be brief."},
        {"additional_kwargs": {"seed": 1}},
        {"default_headers": {"X-Model": "other"}},
    ],
)
def test_the_identity_covers_what_changes_answers(settings: dict[str, Any]) -> None:
    assert identity(**settings) != identity()
    assert identity(**settings) == identity(**settings)


@pytest.mark.parametrize("settings", [{"api_key": KEY}, {"max_retries": 0}, {"timeout": 3.0}])
def test_the_identity_is_that_of_another_key(settings: dict[str, Any]) -> None:
    assert identity(**settings) == identity()


def test_the_llms_own_retries_are_counted() -> None:
    assert LlamaIndexModel(ServerLLM(max_retries=5)).client_retries == 5
    assert LlamaIndexModel(MockLLM()).client_retries == 0


SECRET_SETTINGS: dict[str, Any] = {
    "api_key": KEY,
    "api_base": f"http://user:{KEY}@127.0.0.1:8000/v1",
    "additional_kwargs": {"extra_headers": {"Authorization": f"Bearer {KEY}"}},
    "default_headers": {"X-Gateway-Key": KEY},
}


def test_the_models_key_is_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = tmp_path / "answers.db"
    with caplog.at_level(logging.DEBUG):
        parser = LumberNodeParser(llm=ServerLLM(**SECRET_SETTINGS), store=store)
        segmentation = parser.segment("One.\n\nTwo.\n\nThree.\n\nFour.")
    told = [
        repr(parser),
        str(parser),
        str(parser.to_dict()),
        parser.to_json(),
        parser.model_dump_json(),
        str(parser.model_dump()),
        parser.chunker.identity,
        str(segmentation),
        caplog.text,
    ]
    assert [text for text in told if KEY in text] == []
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())
    assert list(tmp_path.iterdir())


def test_a_pickled_parser_keeps_the_key_that_other_processes_need() -> None:
    parser = pickle.loads(pickle.dumps(LumberNodeParser(llm=ServerLLM(api_key=KEY))))
    assert parser.llm.api_key == KEY
