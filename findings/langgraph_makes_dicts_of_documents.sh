#!/usr/bin/env bash
# langgraph-checkpoint 4.3.2: the documents that a tool returns beside its text (response_format="content_and_artifact",
# as for retrievers) become dicts in the message as soon as a checkpoint stores it, even in memory: document.metadata
# raises an error.
# Exits 0 while this holds; output: "before: Document, in the state: dict".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langgraph==1.2.24 langgraph-checkpoint==4.3.2 langchain-core==1.8.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


@tool(response_format="content_and_artifact")
def search(question: str) -> tuple[str, list[Document]]:
    """Search the timetable."""
    found = [Document("The ferry leaves at nine.", metadata={"source": "ferry.md"})]
    return found[0].page_content, found


call = ToolCall(name="search", args={"question": "When?"}, id="1", type="tool_call")
graph = StateGraph(MessagesState)
graph.add_node("tools", ToolNode([search]))
graph.add_edge(START, "tools")
agent = graph.compile(checkpointer=InMemorySaver())
thread = {"configurable": {"thread_id": "1"}}
before = agent.invoke({"messages": [AIMessage("", tool_calls=[call])]}, thread)["messages"][-1]
after = agent.get_state(thread).values["messages"][-1]
kinds = [type(message.artifact[0]).__name__ for message in (before, after)]
print("before: {}, in the state: {}".format(*kinds))
raise SystemExit(kinds != ["Document", "dict"])
PYTHON
