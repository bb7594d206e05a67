#!/usr/bin/env bash
# ragas 0.4.3 cannot be imported with the langchain-community 0.4.2 that pip installs with it, because it imports
# langchain_community.chat_models.vertexai, which is gone from there. With one below 0.4 it can.
# Exits 0 while this holds; output: "No module named 'langchain_community.chat_models.vertexai'", then "ragas 0.4.3".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ragas==0.4.3 langchain-community==0.4.2
cd "$folder"
cat > see.py <<'PYTHON'
try:
    import ragas
except ModuleNotFoundError as error:
    print(error)
else:
    print("ragas", ragas.__version__)
PYTHON
new=$("$folder/venv/bin/python" -W ignore see.py)
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.3.31
old=$("$folder/venv/bin/python" -W ignore see.py)
printf '%s\n' "$new" "$old"
[ "$new" = "No module named 'langchain_community.chat_models.vertexai'" ] && [ "$old" = "ragas 0.4.3" ]
