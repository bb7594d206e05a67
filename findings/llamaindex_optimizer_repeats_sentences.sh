#!/usr/bin/env bash
# llama-index-core 0.14.25: SentenceEmbeddingOptimizer, which should shorten a text to the sentences near a question,
# takes the best sentences first, not in their order, each with both neighbours. Half of four sentences is all four, the
# last ones before the first; a neighbour of two is there twice. The metadata of the node is taken for its first
# sentence, and is in the text from then on.
# Exits 0 while this holds; output: "Then clean it. Last light the fire. First drain the boiler. Then open it.", and
# with
# metadata "First drain the boiler. Then open it. file: boiler.txt  First drain the boiler. Then clean it. Last light
# the fire.".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.postprocessor import SentenceEmbeddingOptimizer
from llama_index.core.schema import NodeWithScore, TextNode

SENTENCES = ["First drain the boiler.", "Then open it.", "Then clean it.", "Last light the fire."]


class Model(BaseEmbedding):
    """The question is nearest to the last sentence, then to the first."""

    def _get_query_embedding(self, query):
        return [0.4, 0.2, 0.1, 0.5]

    def _get_text_embedding(self, text):
        return [float(sentence in text) for sentence in SENTENCES]

    async def _aget_query_embedding(self, query):
        return self._get_query_embedding(query)


def cut(text):
    return text.replace(". ", ".\n").splitlines()


def shorten(**settings):
    node = TextNode(text=" ".join(SENTENCES), **settings)
    optimizer = SentenceEmbeddingOptimizer(
        embed_model=Model(), percentile_cutoff=0.5, tokenizer_fn=cut
    )
    [found] = optimizer.postprocess_nodes(
        [NodeWithScore(node=node)], query_str="How do I light it?"
    )
    return found.node.text


short, named = shorten(), shorten(metadata={"file": "boiler.txt"})
print(short, named, sep="\n")
right = short == " ".join(SENTENCES[n] for n in (2, 3, 0, 1))
raise SystemExit(not right or "file: boiler.txt" not in named or named.count("Then clean it.") < 1)
PYTHON
