#!/usr/bin/env bash
# langchain-classic 1.0.8: SQLRecordManager, which LangChain's index() needs to remember chunks from run to run, cannot be
# imported with the SQLAlchemy 2.1.9 that pip installs with it: from 2.1 on, that installs no greenlet. With it, it can.
# Exits 0 while this holds; output: "The SQLAlchemy asyncio module requires that the Python 'greenlet' library is
# installed.", then "SQLRecordManager".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-classic==1.0.8 SQLAlchemy==2.1.9
cd "$folder"
cat > see.py <<'PYTHON'
try:
    from langchain_classic.indexes import SQLRecordManager
except ImportError as error:
    print(str(error).partition("  ")[0])
else:
    print(SQLRecordManager.__name__)
PYTHON
without=$("$folder/venv/bin/python" -W ignore see.py)
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check greenlet==3.5.6
with=$("$folder/venv/bin/python" -W ignore see.py)
printf '%s\n' "$without" "$with"
[[ "$without" == *"'greenlet' library is installed."* ]] && [ "$with" = SQLRecordManager ]
