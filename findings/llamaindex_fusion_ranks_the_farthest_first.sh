#!/usr/bin/env bash
# llama-index-core 0.14.25 with llama-index-vector-stores-faiss 0.7.0: the scores of FaissVectorStore with IndexFlatL2, the
# index of its documentation, are distances. The retriever puts the nearest text first, QueryFusionRetriever the farthest,
# in each mode, and SimilarityPostprocessor drops the nearest. With IndexFlatIP, on vectors of length 1, all is right.
# Exits 0 while this holds; output: "found near, middle, far; reciprocal_rerank: far, middle, near; above 0.5: far".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 llama-index-vector-stores-faiss==0.7.0 faiss-cpu==1.15.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import faiss
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.vector_stores.faiss import FaissVectorStore

VECTORS = {"near": [1.0, 0.0], "middle": [0.8, 0.6], "far": [0.0, 1.0], "question": [0.995, 0.0998]}
MODES = ("reciprocal_rerank", "relative_score", "dist_based_score", "simple")


class Vectors(BaseEmbedding):
    def _get_text_embedding(self, text):
        return VECTORS[text]

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query):
        return VECTORS[query]


def texts(hits):
    return ", ".join(hit.text for hit in hits)


def found_in(index):
    """Return what is found, what each kind of fusion makes of it, and what has a score of 0.5."""
    storage = StorageContext.from_defaults(vector_store=FaissVectorStore(index))
    nodes = [TextNode(text=text, id_=text) for text in ("near", "middle", "far")]
    retriever = VectorStoreIndex(nodes, embed_model=Vectors(), storage_context=storage).as_retriever(
        similarity_top_k=3
    )
    hits = retriever.retrieve("question")
    options = {"num_queries": 1, "llm": MockLLM(), "use_async": False, "similarity_top_k": 3}
    fused = {
        mode: texts(QueryFusionRetriever([retriever], mode=mode, **options).retrieve("question"))
        for mode in MODES
    }
    cutoff = SimilarityPostprocessor(similarity_cutoff=0.5)
    return texts(hits), fused, texts(cutoff.postprocess_nodes(hits))


found, fused, above = found_in(faiss.IndexFlatL2(2))
for mode, order in fused.items():
    print(f"found {found}; {mode}: {order}; above 0.5: {above}")
backwards = found == "near, middle, far" and set(fused.values()) == {"far, middle, near"} and above == "far"
found, fused, above = found_in(faiss.IndexFlatIP(2))
right = {found, *fused.values()} == {"near, middle, far"} and above == "near, middle"
raise SystemExit(not (backwards and right))
PYTHON
