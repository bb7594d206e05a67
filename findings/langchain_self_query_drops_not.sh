#!/usr/bin/env bash
# langchain-community 0.4.2: SelfQueryRetriever's translators for DeepLake and MyScale, which allow "not", write the
# filter without it. So "no drafts" finds only drafts. They join the parts of an operation by its name, and "not" has
# one part. Those for Milvus, Elasticsearch, OpenSearch and Tencent write it.
# Exits 0 while this holds; output: "DeepLake: (metadata['status'] == 'draft'); MyScale: metadata.status = 'draft'; Milvus: not(( status == "draft"
# ))".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON' | tail -1
from langchain_community.query_constructors.deeplake import DeepLakeTranslator
from langchain_community.query_constructors.milvus import MilvusTranslator
from langchain_community.query_constructors.myscale import MyScaleTranslator
from langchain_core.structured_query import Comparator, Comparison, Operation, Operator, StructuredQuery

is_draft = Comparison(comparator=Comparator.EQ, attribute="status", value="draft")
no_drafts = Operation(operator=Operator.NOT, arguments=[is_draft])
query = StructuredQuery(query="ferries", filter=no_drafts, limit=None)
filters = {
    "DeepLake": DeepLakeTranslator().visit_structured_query(query)[1]["tql"].split("WHERE ")[1],
    "MyScale": MyScaleTranslator().visit_structured_query(query)[1]["where_str"],
    "Milvus": MilvusTranslator().visit_structured_query(query)[1]["expr"],
}
print("; ".join(f"{name}: {text}" for name, text in filters.items()))
without = [name for name, text in filters.items() if "not" not in text.lower()]
raise SystemExit(without != ["DeepLake", "MyScale"])
PYTHON
