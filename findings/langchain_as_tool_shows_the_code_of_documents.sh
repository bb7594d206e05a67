#!/usr/bin/env bash
# langchain-core 1.8.3: a retriever that as_tool makes a tool answers the model with Python's repr of a list of documents: line
# breaks of lists and tables are the two characters \n in one line, and all metadata and IDs go to the model as well.
# create_retriever_tool answers with the texts.
# Exits 0 while this holds; output: "as_tool: [Document(id='1', metadata={'source': 'pool.md', ...\n- Dogs: no')]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import ToolCall
from langchain_core.tools import create_retriever_tool
from langchain_core.vectorstores import InMemoryVectorStore

TEXT = "- Pool: open\n- Dogs: no"
store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
store.add_documents([Document(TEXT, metadata={"source": "pool.md", "checked_by": "Ann"}, id="1")])
retriever = store.as_retriever()


def answer(tool):
    """Return what a model reads when it has called the tool."""
    call = ToolCall(name=tool.name, args={next(iter(tool.args)): "May dogs swim?"}, id="1", type="tool_call")
    return tool.invoke(call).content


shown = answer(retriever.as_tool(name="search", description="Search the rules."))
texts = answer(create_retriever_tool(retriever, "search", "Search the rules."))
print(f"as_tool: {shown}; create_retriever_tool: {texts!r}")
raise SystemExit(texts != TEXT or TEXT in shown or r"- Pool: open\n- Dogs: no" not in shown or "Ann" not in shown)
PYTHON
