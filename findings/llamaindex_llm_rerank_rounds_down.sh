#!/usr/bin/env bash
# llama-index-core 0.14.25: LLMRerank reads the scores of a model up to the full stop, so 9.7 and 9.2 are 9, and
# 0.9 and 0.2 are 0. It leaves out a document whose line has a second comma, as with a reason behind the
# score; after a line without a number, the scores move up to other documents.
# Exits 0 while this holds; output: "decimals B 9.0 C 9.0 A 0.0, reason C 3.0, without number A 9.0 B 2.0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.postprocessor import LLMRerank
from llama_index.core.schema import NodeWithScore, TextNode

ANSWERS = {
    "decimals": "Doc: 2, Relevance: 9.2\nDoc: 3, Relevance: 9.7\nDoc: 1, Relevance: 0.9",
    "reason": "Doc: 1, Relevance: 9 (names the pier, and the time)\nDoc: 3, Relevance: 3",
    "without number": "Doc: 1, Relevance: none\nDoc: 2, Relevance: 9\nDoc: 3, Relevance: 2",
}


class Model(CustomLLM):
    answer: str

    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, **_):
        return CompletionResponse(text=self.answer)

    def stream_complete(self, prompt, **_):
        raise NotImplementedError


found = {}
for name, answer in ANSWERS.items():
    nodes = [NodeWithScore(node=TextNode(text=text)) for text in "ABC"]
    ranked = LLMRerank(llm=Model(answer=answer), top_n=3).postprocess_nodes(nodes, query_str="When?")
    found[name] = " ".join(f"{node.text} {node.score}" for node in ranked)
print(", ".join(f"{name} {scores}" for name, scores in found.items()))
raise SystemExit([*found.values()] != ["B 9.0 C 9.0 A 0.0", "C 3.0", "A 9.0 B 2.0"])
PYTHON
