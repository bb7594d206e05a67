#!/usr/bin/env bash
# llama-index-vector-stores-elasticsearch 0.7.0 and llama-index-vector-stores-docarray 0.6.0 ignore that MetadataFilters
# are joined by OR. ElasticsearchStore asks for documents that are both of 2023 and of 2024, so that none is found;
# DocArray's stores take the last filter of a key, and the last alone. SimpleVectorStore finds both. There is no error
# or warning.
# Exits 0 while this holds; output: "SimpleVectorStore ['2023', '2024'], DocArray ['2024'], Elasticsearch is asked for
# must".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 \
  llama-index-vector-stores-elasticsearch==0.7.0 elasticsearch==8.19.3 \
  llama-index-vector-stores-docarray==0.6.0 docarray==0.41.0 pydantic==2.14.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import (
    FilterCondition,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
)
from llama_index.vector_stores.docarray import DocArrayInMemoryVectorStore
from llama_index.vector_stores.elasticsearch import ElasticsearchStore

YEARS = ("2022", "2023", "2024")
either = MetadataFilters(
    filters=[MetadataFilter(key="year", value=year) for year in YEARS[1:]],
    condition=FilterCondition.OR,
)
query = VectorStoreQuery([1.0, 0.0], similarity_top_k=3, filters=either)


def found_in(store):
    store.add([TextNode(text=y, id_=y, embedding=[1.0, 0.0], metadata={"year": y}) for y in YEARS])
    return sorted(store.query(query).ids)


class Server(BaseHTTPRequestHandler):
    """Answers as Elasticsearch does that has no documents, and keeps what is searched for."""

    searches: list[dict] = []

    def answer(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if "_search" in self.path:
            self.searches.append(json.loads(body))
        data = json.dumps({"version": {"number": "8.19.3"}, "hits": {"hits": []}}).encode()
        self.send_response(200)
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Type", "application/vnd.elasticsearch+json;compatible-with=8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else data)

    do_GET = do_HEAD = do_POST = do_PUT = answer

    def log_message(self, *line):
        pass


server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
asyncio.set_event_loop(asyncio.new_event_loop())
elastic = ElasticsearchStore("docs", es_url=f"http://127.0.0.1:{server.server_port}")
elastic.query(query)
(asked,) = Server.searches[-1]["knn"]["filter"]
simple, docarray = found_in(SimpleVectorStore()), found_in(DocArrayInMemoryVectorStore())
print(f"SimpleVectorStore {simple}, DocArray {docarray}, Elasticsearch is asked for {asked}")
as_and = [*asked["bool"]] == ["must"] and len(asked["bool"]["must"]) == 2
raise SystemExit(not (simple == ["2023", "2024"] and docarray == ["2024"] and as_and))
PYTHON
