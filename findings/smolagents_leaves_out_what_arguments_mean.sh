#!/usr/bin/env bash
# smolagents 1.26.0: Tool.from_langchain takes over the names and types of a LangChain tool's arguments, and leaves out
# their descriptions. The model reads "day: " without a description, so it knows neither the format of the day nor the
# currency of the price. In the LangChain tool they are empty from then on, too.
# Exits 0 while this holds; output: "LangChain 'As DD.MM.YYYY.', 'In pounds.'; smolagents '', ''; LangChain then '',
# ''".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  smolagents==1.26.0 langchain-core==1.7.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_core.tools import tool
from smolagents import Tool


@tool(parse_docstring=True)
def ferry(day: str, price: float) -> str:
    """Find the ferries of a day.

    Args:
        day: As DD.MM.YYYY.
        price: In pounds.
    """
    return f"None on {day} below {price}."


def described(arguments):
    return ", ".join(repr(argument["description"]) for argument in arguments.values())


before = described(ferry.args)
taken = Tool.from_langchain(ferry)
seen = f"LangChain {before}; smolagents {described(taken.inputs)}; LangChain then {described(ferry.args)}"
print(seen)
assert "DD.MM" not in taken.to_code_prompt()
raise SystemExit(seen != "LangChain 'As DD.MM.YYYY.', 'In pounds.'; smolagents '', ''; LangChain then '', ''")
PYTHON
