#!/usr/bin/env bash
# langchain-milvus 0.3.3 with pymilvus 2.6.17, which pip installs with it: the client's connection is
# not known to the part of pymilvus that the store adds with, so the first addition raises an error.
# Exits 0 while this holds; output: "pymilvus 2.6.17: ConnectionNotExistException; 2.6.7: 1 added".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
install() {
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$@"
}
add() {
  "$folder/venv/bin/python" -W ignore - "$1" 2>"$folder/log" <<'PYTHON'
import sys

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_milvus import Milvus

embedding = DeterministicFakeEmbedding(size=8)
try:
    store = Milvus(embedding, connection_args={"uri": sys.argv[1]}, auto_id=True)
    print(len(store.add_texts(["Gulls sleep."])), "added")
except Exception as error:
    print(type(error).__name__)
PYTHON
}
cd "$folder"
install langchain-milvus==0.3.3 milvus-lite==3.2.2 pymilvus==2.6.17
new=$(add ./new.db)
install pymilvus==2.6.7
old=$(add ./old.db)
echo "pymilvus 2.6.17: $new; 2.6.7: $old"
[ "$new; $old" = "ConnectionNotExistException; 1 added" ]
