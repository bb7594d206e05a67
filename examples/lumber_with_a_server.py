"""Lumber with an OpenAI-compatible server (vLLM, Ollama, llama.cpp), by each framework's package.

Install: pip install '.[langchain,llama-index,openai]' langchain-openai \
llama-index-llms-openai-like
Run:     python examples/lumber_with_a_server.py [PATH ...] --llm http://127.0.0.1:8000/v1#MODEL

`--llm` also takes ollama:NAME, openai:NAME and gemini:NAME. Without it, the bundled model decides.
"""

from __future__ import annotations

import os
import sys

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI
from llama_index.core import Document as LlamaIndexDocument
from llama_index.llms.openai_like import OpenAILike
from pydantic import SecretStr

from common import Options, Passage, options, show
from langchain_lumber import LumberEmbeddings, LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from lumber_cli.language_models import OLLAMA
from lumber_core import Segmentation, Usage

SERVERS = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai/",
    "ollama": OLLAMA,
}
KEYS = {"openai": ("OPENAI_API_KEY",), "gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY")}
AT_ONCE = 8  # questions in flight


def main(given: Options) -> None:
    with given.folder() as folder:
        print(f"{'':<12}chunks   calls  tokens read  written  failures")
        documents = [Document(t, metadata={"source": name}) for name, t in given.files.items()]
        report = Report()
        splitter = LumberTextSplitter(
            chat_model(given.llm_name),
            store=folder / "answers.db",  # a run that fails is continued by the next one
            max_concurrency=AT_ONCE,
            on_segmentation=report,
            add_start_index=True,
        )
        chunks = splitter.split_documents(documents)
        report.show("LangChain", len(chunks))

        report = Report()
        parser = LumberNodeParser(
            llm=llm(given.llm_name),
            store=folder / "answers.db",
            max_concurrency=AT_ONCE,
            on_segmentation=report,
        )
        nodes = parser.get_nodes_from_documents(
            [
                LlamaIndexDocument(text=text, id_=name, metadata={"source": name})
                for name, text in given.files.items()
            ]
        )
        report.show("LlamaIndex", len(nodes))

        store = InMemoryVectorStore.from_documents(chunks, LumberEmbeddings())
        found = store.similarity_search_with_score(given.question, k=3)
        show([Passage.of_document(chunk, score) for chunk, score in found], given)


class Report:
    """Adds up what splitting costs: called with each text as soon as it is split."""

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
    url, model, key = server(name)
    return ChatOpenAI(base_url=url, model=model, api_key=SecretStr(key))


def llm(name: str | None) -> OpenAILike | None:
    """Return LlamaIndex's model of a server; None if there is no name."""
    if name is None:
        return None
    url, model, key = server(name)
    return OpenAILike(api_base=url, model=model, api_key=key, is_chat_model=True)


def server(name: str) -> tuple[str, str, str]:
    """Return the URL, the model and the key that a name stands for."""
    kind, _, model = name.partition(":")
    if kind not in SERVERS:
        url, _, model = name.partition("#")
        return (url, model, "none") if model else sys.exit(f"name the model: {url}#MODEL")
    keys = [os.environ[variable] for variable in KEYS.get(kind, ()) if os.environ.get(variable)]
    return SERVERS[kind], model, keys[0] if keys else "none"


if __name__ == "__main__":
    main(options(__doc__))
