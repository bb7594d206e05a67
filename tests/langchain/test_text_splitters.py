from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import FakeListLLM, GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_text_splitters import TextSplitter
from tokenizers import Tokenizer, models, pre_tokenizers

from langchain_lumber import GreedyTextSplitter, LumberTextSplitter
from lumber_core import Usage

TEXT = (
    "Ada mended the clock. She oiled the spring.\n\n"
    "Then she set the hands.\n\n"
    "At sea the storm broke. Sails tore.\n\n"
    "The mate went below.\n"
)


class Recorder(BaseCallbackHandler):
    """Keeps the messages that reach chat models."""

    def __init__(self) -> None:
        self.seen: list[list[BaseMessage]] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self.seen += messages


def model_with_answers(
    *answers: str | AIMessage, recorder: Recorder | None = None
) -> GenericFakeChatModel:
    """Return a chat model that gives these answers, one after the other."""
    replies: Iterator[AIMessage] = iter(
        AIMessage(answer) if isinstance(answer, str) else answer for answer in answers
    )
    return GenericFakeChatModel(messages=replies, callbacks=[recorder] if recorder else None)


class TestLumber:
    async def test_the_model_decides_where_chunks_start(self) -> None:
        answers, recorder = ("Answer: ID 2", "Answer: none"), Recorder()
        splitter = LumberTextSplitter(
            model_with_answers(*answers, recorder=recorder), add_start_index=True
        )
        documents = splitter.create_documents([TEXT])
        assert [d.metadata["start_index"] for d in documents] == [0, TEXT.index("At sea")]
        first_question = str(recorder.seen[0][1].content)
        assert "ID 0: Ada mended the clock. She oiled the spring.\nID 1: Then" in first_question
        assert "ID 3:" in first_question
        assert str(recorder.seen[1][1].content).count("\nID ") == 2
        awaited = LumberTextSplitter(model_with_answers(*answers), add_start_index=True)
        assert await awaited.atransform_documents([Document(page_content=TEXT)]) == documents

    def test_usage_and_the_text_of_an_answers_blocks_are_in_the_segmentation(self) -> None:
        message = AIMessage(
            [{"type": "text", "text": "Answer: "}, {"type": "text", "text": "ID 2"}],
            usage_metadata={"input_tokens": 70, "output_tokens": 5, "total_tokens": 75},
        )
        segmentation = LumberTextSplitter(model_with_answers(message, "Answer: none")).segment(TEXT)
        assert segmentation.usage == Usage(2, 70, 5)
        assert segmentation.verdicts[0].answer == "Answer: ID 2"

    def test_a_blocked_answer_is_a_refusal_with_its_reason(self) -> None:
        message = AIMessage("", response_metadata={"finish_reason": "content_filter"})
        segmentation = LumberTextSplitter(model_with_answers(message)).segment(TEXT)
        (failure,) = segmentation.failures
        assert failure.outcome == "refused"
        assert "content_filter" in failure.reason

    def test_llm_must_be_a_chat_model_or_a_judge(self) -> None:
        with pytest.raises(TypeError, match="BaseChatModel"):
            LumberTextSplitter(FakeListLLM(responses=["x"]))
        with pytest.raises(TypeError, match="a judge must be a language model"):
            LumberTextSplitter(object())


@pytest.mark.parametrize("make", [GreedyTextSplitter, LumberTextSplitter])
class TestBoth:
    def test_documents_follow_each_other_in_order_without_their_ids(self, make: Any) -> None:
        given = [Document(TEXT, metadata={"n": n}, id=f"doc-{n}") for n in range(12)]
        assert isinstance(make(), TextSplitter)  # which code of LangChain's users checks
        chunks = make().split_documents(given)
        numbers = [chunk.metadata["n"] for chunk in chunks]
        assert numbers == sorted(numbers)
        assert set(numbers) == set(range(12))
        assert {chunk.id for chunk in chunks} == {None}

    def test_metadatas_must_match_the_texts(self, make: Any) -> None:
        with pytest.raises(ValueError, match="3 texts but 1 metadatas"):
            make().create_documents(["a", "b", "c"], [{}])

    def test_from_tiktoken_encoder_counts_with_the_encoder(self, make: Any) -> None:
        splitter = make.from_tiktoken_encoder(model_name="gpt-4o", chunk_size=9)
        assert splitter._length_function("abc <|endoftext|>") > 4
        assert "o200k_base" in repr(splitter)
        assert make.from_tiktoken_encoder("cl100k_base").split_text(TEXT)

    def test_from_huggingface_tokenizer_counts_with_the_tokenizer(self, make: Any) -> None:
        tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        splitter = make.from_huggingface_tokenizer(tokenizer, chunk_size=6)
        chunks = splitter.split_text(TEXT)
        assert max(len(chunk.split()) for chunk in chunks) <= 6
        assert splitter._length_function("three small words") == 3

    def test_tokenizer_and_length_function_exclude_each_other(self, make: Any) -> None:
        with pytest.raises(ValueError, match="not both"):
            make(length_function=len, tokenizer="o200k_base")
