#!/usr/bin/env bash
# llama-index-core 0.14.25: NodeWithScore, which retrievers return, cannot be read from what its to_dict writes. So the
# stored context of a workflow cannot be restored if a step has put retrieved nodes into it.
# Exits 0 while this holds; output: "NodeWithScore: TypeError; context of a workflow: ValueError; TextNode is read".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 llama-index-workflows==2.26.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import asyncio

from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.workflow import Context, StartEvent, StopEvent, Workflow, step

FOUND = NodeWithScore(node=TextNode(text="The ferry leaves at nine."), score=0.5)


class Search(Workflow):
    @step
    async def search(self, context: Context, event: StartEvent) -> StopEvent:
        await context.store.set("found", [FOUND])
        return StopEvent()


async def restore():
    workflow = Search()
    context = Context(workflow)
    await workflow.run(ctx=context)
    await Context.from_dict(workflow, context.to_dict()).store.get("found")


errors = []
for read in (lambda: NodeWithScore.from_dict(FOUND.to_dict()), lambda: asyncio.run(restore())):
    try:
        read()
    except (TypeError, ValueError) as error:
        assert "abstract class BaseNode" in str(error)
        errors.append(type(error).__name__)
assert TextNode.from_dict(FOUND.node.to_dict()) == FOUND.node
print("NodeWithScore: {}; context of a workflow: {}; TextNode is read".format(*errors))
raise SystemExit(errors != ["TypeError", "ValueError"])
PYTHON
