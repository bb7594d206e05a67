"""Lumber with an OpenAI-compatible server (vLLM, Ollama, llama.cpp), in each framework.

Install: pip install '.[langchain,llama-index,openai]' langchain-openai \
llama-index-llms-openai-like
Run:     python examples/lumber_with_a_server.py [PATH ...] --llm http://127.0.0.1:8000/v1#MODEL

For Ollama, use http://127.0.0.1:11434/v1#MODEL. A key is read from OPENAI_API_KEY. Without `--llm`,
the bundled classifier decides.
"""

from __future__ import annotations

import os

from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI
from llama_index.llms.openai_like import OpenAILike
from pydantic import SecretStr

from common import Options, Passage, options, show, temporary_folder
from langchain_lumber import FilesLoader, LumberEmbeddings, LumberTextSplitter
from llamaindex_lumber import FilesReader, LumberNodeParser
from lumber_core import Segmentation, Usage

KEY = os.environ.get("OPENAI_API_KEY", "none")
MAX_CONCURRENCY = 8  # questions in flight


def main(args: Options) -> None:
    with temporary_folder() as folder:
        print(f"{'':<12}chunks   calls  tokens read  written  failures")
        report = Report()
        splitter = LumberTextSplitter(
            chat_model(args.llm_name),
            store=folder / "answers.db",  # a run that fails is continued by the next one
            max_concurrency=MAX_CONCURRENCY,
            on_segmentation=report,
            add_start_index=True,
        )
        chunks = splitter.split_documents(FilesLoader(args.paths).load())
        report.show("LangChain", len(chunks))

        report = Report()
        parser = LumberNodeParser(
            llm=llm(args.llm_name),
            store=folder / "answers.db",
            max_concurrency=MAX_CONCURRENCY,
            on_segmentation=report,
        )
        nodes = parser.get_nodes_from_documents(FilesReader().load_data(args.paths))
        report.show("LlamaIndex", len(nodes))

        store = InMemoryVectorStore.from_documents(chunks, LumberEmbeddings())
        hits = store.similarity_search_with_score(args.question, k=3)
        show([Passage.of(chunk, score) for chunk, score in hits], args)


class Report:
    """Adds up the cost of splitting: called with each text as soon as it is split."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.failures = 0

    def __call__(self, number: int, text: str, segmentation: Segmentation) -> None:
        """Add a text's cost."""
        del number, text
        self.usage += segmentation.usage
        self.failures += len(segmentation.failures)

    def show(self, framework: str, chunks: int) -> None:
        """Print the sums as a row."""
        usage = self.usage
        print(
            f"{framework:<12}{chunks:>6}{usage.calls:>8}{usage.prompt_tokens:>13,}"
            f"{usage.completion_tokens:>9,}{self.failures:>10}"
        )


def chat_model(name: str | None) -> ChatOpenAI | None:
    """Return LangChain's model of a server; None if there is no name."""
    if name is None:
        return None
    url, _, model = name.partition("#")
    return ChatOpenAI(base_url=url, model=model, api_key=SecretStr(KEY))


def llm(name: str | None) -> OpenAILike | None:
    """Return LlamaIndex's model of a server; None if there is no name."""
    if name is None:
        return None
    url, _, model = name.partition("#")
    return OpenAILike(api_base=url, model=model, api_key=KEY, is_chat_model=True)


if __name__ == "__main__":
    main(options(__doc__))
