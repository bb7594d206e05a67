#!/usr/bin/env bash
# llama-index-core 0.14.25: SubQuestionQueryEngine puts the LLM's answer to a sub-question first among the source nodes,
# as a node like those of documents. Code that shows the sources, or looks for a quote in them, takes it for a document.
# MultiStepQueryEngine does the same.
# Exits 0 while this holds; output: "Sub question: What do otters eat? Response: Otters eat whales. | Otters eat fish."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document, SummaryIndex, get_response_synthesizer
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.query_engine import SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.question_gen.types import SubQuestion
from llama_index.core.tools import QueryEngineTool


class Errs(MockLLM):
    def complete(self, prompt, formatted=False, **_):
        return CompletionResponse(text="Otters eat whales.")


class Questions(LLMQuestionGenerator):
    def generate(self, tools, query):
        return [SubQuestion(sub_question="What do otters eat?", tool_name=tools[0].name)]


llm = Errs(max_tokens=None)
index = SummaryIndex.from_documents([Document(text="Otters eat fish.")])
tool = QueryEngineTool.from_defaults(index.as_query_engine(llm=llm), name="notes", description="Notes")
engine = SubQuestionQueryEngine(
    Questions.from_defaults(llm), get_response_synthesizer(llm=llm), [tool], verbose=False, use_async=False
)
sources = [node.text for node in engine.query("What do otters eat?").source_nodes]
seen = " | ".join(" ".join(text.split()) for text in sources)
print(seen)
raise SystemExit(seen != "Sub question: What do otters eat? Response: Otters eat whales. | Otters eat fish.")
PYTHON
