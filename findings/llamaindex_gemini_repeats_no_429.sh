#!/usr/bin/env bash
# llama-index-llms-google-genai 0.11.3 with google-genai 2.34.0: GoogleGenAI(max_retries=3) should repeat a
# request after the statuses 429 and 408, but compares these numbers with the name of the status
# ("RESOURCE_EXHAUSTED"). So it repeats none after a 429, while it sends three requests for a 503.
# Exits 0 while this holds; output: "429: 1 request, 503: 3 requests".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-llms-google-genai==0.11.3 google-genai==2.34.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.genai import types
from llama_index.core.llms import ChatMessage
from llama_index.llms.google_genai import GoogleGenAI

logging.disable(logging.WARNING)
NAMES = {429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


class Server(BaseHTTPRequestHandler):
    status = 429
    requests = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        Server.requests += 1
        status = Server.status
        error = {"code": status, "message": "busy", "status": NAMES[status]}
        data = json.dumps({"error": error}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
options = types.HttpOptions(base_url=f"http://127.0.0.1:{server.server_port}")
llm = GoogleGenAI(
    model="m", api_key="k", max_retries=3, max_tokens=9, context_window=999, http_options=options
)
seen = {}
for Server.status in NAMES:
    Server.requests = 0
    try:
        llm.chat([ChatMessage(content="Is the tide low?")])
    except Exception as error:
        assert type(error).__module__ == "google.genai.errors", error
    seen[Server.status] = Server.requests
print(", ".join(f"{status}: {count} request{'s' * (count > 1)}" for status, count in seen.items()))
raise SystemExit(seen != {429: 1, 503: 3})
PYTHON
