#!/usr/bin/env bash
# llama-index-core 0.14.25: SummaryExtractor(summaries=["prev", "self", "next"]) gives the first section of a document the
# summary of another document's last section as that of the section before, and the last one the next document's first.
# So what is embedded with "Owls fly." is about otters and bees, if the three were parsed together.
# Exits 0 while this holds; output: "owls: before Otters swim., after Bees hum."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document
from llama_index.core.extractors import SummaryExtractor
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.node_parser import SentenceSplitter

TEXTS = {"otters": "Otters swim.", "owls": "Owls fly.", "bees": "Bees hum."}


class Repeats(MockLLM):
    def complete(self, prompt, formatted=False, **_):
        return CompletionResponse(text=next(text for text in TEXTS.values() if text in prompt))


documents = [Document(text=text, id_=name) for name, text in TEXTS.items()]
nodes = SentenceSplitter().get_nodes_from_documents(documents)
extractor = SummaryExtractor(
    llm=Repeats(max_tokens=None), summaries=["prev", "self", "next"], show_progress=False
)
_, owls, _ = extractor.extract(nodes)
before, after = owls["prev_section_summary"], owls["next_section_summary"]
print(f"{nodes[1].ref_doc_id}: before {before}, after {after}")
raise SystemExit((before, after) != ("Otters swim.", "Bees hum."))
PYTHON
