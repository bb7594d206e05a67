"""Split one long document with every splitter, through both frameworks, and ask it a question.

Usage: python examples/demo.py [TEXT]

Needs no key and no network: the bundled classifier takes the place of Lumber's language model. With
a language model, write `LumberTextSplitter(llm)` and `LumberNodeParser(llm=llm)`.
"""

from __future__ import annotations

import os
import statistics
import sys
import textwrap
from pathlib import Path

from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core.schema import TextNode

from langchain_lumber import (
    BertTextSplitter,
    GreedyTextSplitter,
    LayoutTextSplitter,
    LumberTextSplitter,
    PassageRetriever,
    SpanTextSplitter,
)
from llamaindex_lumber import (
    BertNodeParser,
    GreedyNodeParser,
    LayoutNodeParser,
    LumberNodeParser,
    SpanNodeParser,
)
from lumber_core import token_counter

BUNDLED = Path(__file__).resolve().parent / "data" / "the_tide_clock.txt"
QUESTION = "How does a machine add up the tides?"
QUESTION_OF_OTHER_TEXTS = "What is this text about?"
MAX_SHOWN_CHUNKS = 4
WIDTH = 88

Chunks = list[tuple[int, str]]
"""Offset and text of each chunk."""


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED
    text = read(path)
    (tokens,) = token_counter("cl100k_base").count([text])
    print(f"{path.name}: {len(text):,} characters, {len(text.split()):,} words, {tokens:,} tokens")

    layout = LayoutTextSplitter(add_start_index=True)
    greedy = GreedyTextSplitter(target_size=400, add_start_index=True)
    bert = BertTextSplitter(add_start_index=True)
    lumber = LumberTextSplitter(add_start_index=True)
    show("Layout, about 150 tokens", langchain(layout, text), calls=None)
    show("Bert, about 150 tokens", langchain(bert, text), calls=None)
    calls = lumber.segment(text).usage.calls
    show("Lumber, with the bundled classifier as judge", langchain(lumber, text), calls)
    show("Greedy, about 400 tokens", langchain(greedy, text), calls=None)

    print(f"\n{'LangChain and LlamaIndex, side by side ':-<{WIDTH}}")
    for name, splitter, parser in (
        ("Layout", layout, LayoutNodeParser()),
        ("Bert", bert, BertNodeParser()),
        ("Lumber", lumber, LumberNodeParser()),
        ("Greedy", greedy, GreedyNodeParser(target_size=400)),
    ):
        documents, nodes = langchain(splitter, text), llamaindex(parser, text)
        are_same = [(start, chunk.strip()) for start, chunk in documents] == trim(nodes)
        exact = all(text.startswith(chunk, start) for start, chunk in [*documents, *nodes])
        print(
            f"{name}: {len(documents)} documents, {len(nodes)} nodes, "
            f"{'the same chunks' if are_same else 'DIFFERENT CHUNKS'}, "
            f"{'every offset exact' if exact else 'WRONG OFFSETS'}, "
            f"{'nothing lost' if ''.join(c for _, c in nodes) == text else 'TEXT LOST'}"
        )
    answer(path, text, QUESTION if path.resolve() == BUNDLED else QUESTION_OF_OTHER_TEXTS)


def answer(path: Path, text: str, question: str) -> None:
    print(f"\n{f'PassageRetriever, best first: {question} ':-<{WIDTH}}")
    retriever = PassageRetriever(budget=150)
    retriever.add_documents([LangChainDocument(text, metadata={"source": str(path)})])
    for passage in retriever.invoke(question):
        start, line = passage.metadata["start_index"], passage.metadata["line_first"]
        exact = text.startswith(passage.metadata["text"], start)
        print(f"  at {start:>6,}, line {line}{'' if exact else ', WRONG OFFSET'}")
        short = textwrap.shorten(passage.metadata["text"], 4 * WIDTH, placeholder=" ...")
        print(textwrap.indent(textwrap.fill(short, WIDTH - 4), "    "))
    print("\nAsk your own, after .venv/bin/pip install '.[cli]':")
    print(f'  .venv/bin/lumber-splitters ask {os.path.relpath(path)} "..."')


def read(path: Path) -> str:
    """Read a text as it is on disk, line endings included."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return path.read_bytes().decode("latin-1")
    except OSError as error:
        sys.exit(f"cannot read {path}: {error.strerror}. Usage: make demo TEXT=path/to/a/text")


def langchain(splitter: SpanTextSplitter, text: str) -> Chunks:
    documents = splitter.split_documents([LangChainDocument(page_content=text)])
    return [(document.metadata["start_index"], document.page_content) for document in documents]


def llamaindex(parser: SpanNodeParser, text: str) -> Chunks:
    nodes = parser.get_nodes_from_documents([LlamaIndexDocument(text=text)])
    return [(node.start_char_idx or 0, node.text) for node in nodes if isinstance(node, TextNode)]


def trim(chunks: Chunks) -> Chunks:
    """Trim the chunks as LangChain does, offsets included."""
    return [(start + len(chunk) - len(chunk.lstrip()), chunk.strip()) for start, chunk in chunks]


def show(title: str, chunks: Chunks, calls: int | None) -> None:
    sizes = token_counter("cl100k_base").count([chunk for _, chunk in chunks])
    print(f"\n{title + ' ':-<{WIDTH}}")
    print(f"{len(chunks)} chunks; tokens: {spread(sizes)}", end="")
    print("" if calls is None else f"; {calls} questions to the model")
    for (start, chunk), size in list(zip(chunks, sizes, strict=True))[:MAX_SHOWN_CHUNKS]:
        line = textwrap.shorten(chunk, WIDTH - 22, placeholder=" ...")
        print(f"  at {start:>6,} {size:>5} tok  {line}")
    if len(chunks) > MAX_SHOWN_CHUNKS:
        print(f"  ... and {len(chunks) - MAX_SHOWN_CHUNKS} more")


def spread(sizes: list[int]) -> str:
    if not sizes:
        return "none"
    return (
        f"min {min(sizes)}, median {statistics.median(sizes):.0f}, mean "
        f"{statistics.mean(sizes):.0f}, max {max(sizes)}, total {sum(sizes):,}"
    )


if __name__ == "__main__":
    main()
