"""Retrieval over a long text with LlamaIndex, offline: no key, no network, no PyTorch.

python examples/llamaindex_rag.py                                   the story beside it
python examples/llamaindex_rag.py my_book.txt "Who owned the boat?"   a text of your own
"""

import sys
from pathlib import Path

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.schema import TextNode

from llamaindex_lumber import BertNodeParser, LumberEmbedding

STORY = Path(__file__).parent / "data" / "the_tide_clock.txt"


def main(path: Path, question: str) -> None:
    text = path.read_text(encoding="utf-8")
    # embed=True fills node.embedding, so the index has nothing left to embed but the question.
    parser = BertNodeParser(embed=True, chunk_size=300, min_chunk_size=40)
    nodes = parser.get_nodes_from_documents([Document(text=text, metadata={"source": path.name})])
    index = VectorStoreIndex(nodes, embed_model=LumberEmbedding())

    print(f"{path.name}: {len(text):,} characters in {len(nodes)} nodes\n\n{question}")
    for found in index.as_retriever(similarity_top_k=3).retrieve(question):
        node = found.node
        assert isinstance(node, TextNode)
        start, end = node.start_char_idx, node.end_char_idx
        assert text[start:end] == node.text
        print(f"\n[{start}:{end}]  similarity {found.score:.2f}")
        print(node.text.strip())


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else STORY,
        sys.argv[2] if len(sys.argv) > 2 else "Why did the clock stop?",
    )
