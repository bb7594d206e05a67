#!/usr/bin/env bash
# llama-index-postprocessor-rankgpt-rerank 0.6.0 (llama-index-core 0.14.25): RankGPTRerank takes any number in a model's
# reply for a rank: of "Ranking of the 3 passages: [2] > [1] > [3]" the third passage is the best.
# Exits 0 while this holds; output: "[2] > [1] > [3]: Dogs travel free.; with words before: The pool opens at ten.".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-postprocessor-rankgpt-rerank==0.6.0 llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.postprocessor.rankgpt_rerank import RankGPTRerank

RANKING = "[2] > [1] > [3]"
TEXTS = ["The ferry leaves at nine.", "Dogs travel free.", "The pool opens at ten."]


class Model(MockLLM):
    """Gives one reply to everything."""

    _reply: str = ""

    def chat(self, messages, **kwargs):
        return ChatResponse(message=ChatMessage(role="assistant", content=self._reply))


def best(reply):
    """Return the text that is ranked first."""
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.5) for text in TEXTS]
    model = Model()
    model._reply = reply
    rerank = RankGPTRerank(llm=model, top_n=1)
    return rerank.postprocess_nodes(nodes, query_str="May I bring a dog?")[0].text


plain, in_words = best(RANKING), best(f"Ranking of the 3 passages: {RANKING}")
print(f"{RANKING}: {plain}; with words before: {in_words}")
raise SystemExit(not (plain == TEXTS[1] and in_words == TEXTS[2]))
PYTHON
