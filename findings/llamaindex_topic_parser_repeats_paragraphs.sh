#!/usr/bin/env bash
# llama-index-node-parser-topic 0.5.0 (llama-index-core 0.14.25): TopicNodeParser adds the statements of each paragraph once
# for each window of five paragraphs that it is in, so that a node has them up to five times; and it leaves out a paragraph
# that the model did not answer with JSON, and goes on. Here the model repeats each paragraph as it is.
# Exits 0 while this holds; output: "times in the node: ferry 3, dogs 4, pool 5, lift 5, bar 4, towel 3; unread: []".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-node-parser-topic==0.5.0 llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json

from llama_index.core import Document, MockEmbedding
from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
from llama_index.node_parser.topic import TopicNodeParser

THINGS = ["ferry", "dogs", "pool", "lift", "bar", "towel"]
TEXT = "\n\n".join(f"There is news of the {thing}." for thing in THINGS)


class Model(MockLLM):
    """Takes all statements for one topic, and states what a paragraph states."""

    def chat(self, messages, **kwargs):
        asked = str(messages[-1].content)
        reply = "same topic" if asked.startswith("Text 1") else json.dumps([asked])
        if asked.startswith("There is unreadable"):
            reply = "I cannot read this."
        return ChatResponse(message=ChatMessage(role="assistant", content=reply))


def texts(text):
    """Return the texts of the nodes of a document."""
    parser = TopicNodeParser.from_defaults(llm=Model(), embed_model=MockEmbedding(4))
    return [node.text for node in parser([Document(text=text)])]


(node,) = texts(TEXT)
times = [node.count(thing) for thing in THINGS]
unread = texts("There is unreadable news.")
print("times in the node:", ", ".join(map("{} {}".format, THINGS, times)) + f"; unread: {unread}")
raise SystemExit(not (times == [3, 4, 5, 5, 4, 3] and unread == []))
PYTHON
