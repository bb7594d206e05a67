#!/usr/bin/env bash
# langchain-mcp-adapters 0.3.1, which asks for "mcp>=1.24.0", cannot be imported with the mcp 2.3.0 that is installed with
# it. With mcp 1.30.0 it can.
# Exits 0 while this holds; output: "ImportError: cannot import name 'RequestContext' from 'mcp.shared.context'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-mcp-adapters==0.3.1 mcp==2.3.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
try:
    import langchain_mcp_adapters.client  # noqa: F401
except ImportError as error:
    print(f"ImportError: {str(error).partition(' (')[0]}")
else:
    raise SystemExit(1)
PYTHON
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mcp==1.30.0
"$folder/venv/bin/python" -W ignore -c "import langchain_mcp_adapters.client"
