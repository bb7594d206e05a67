#!/usr/bin/env bash
# llama-index-storage-docstore-postgres 0.6.0: PostgresDocumentStore raises TypeError at from_uri and from_params with the
# llama-index-storage-kvstore-postgres 0.4.3 that it installs, which lacks an argument. It allows none above 0.5.
# Exits 0 while this holds; output: "from_uri() got an unexpected keyword argument 'create_engine_kwargs'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-storage-docstore-postgres==0.6.0 llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.storage.docstore.postgres import PostgresDocumentStore

WHERE = {"host": "localhost", "port": "5432", "database": "docs", "user": "ann", "password": "secret"}
errors = []
for opened in (
    lambda: PostgresDocumentStore.from_uri("postgresql://ann:secret@localhost:5432/docs"),
    lambda: PostgresDocumentStore.from_params(**WHERE),
):
    try:
        opened()
    except TypeError as error:
        errors.append(str(error).partition(".")[2])
print(*errors, sep="; ")
raise SystemExit(len(errors) != 2 or any("create_engine_kwargs" not in error for error in errors))
PYTHON
