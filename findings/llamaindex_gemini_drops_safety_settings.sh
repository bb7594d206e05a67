#!/usr/bin/env bash
# llama-index-llms-google-genai 0.11.3 with google-genai 2.34.0: GoogleGenAI accepts safety_settings=..., as it accepts
# any keyword, and does not send them. They only have an effect in generation_config=....
# Exits 0 while this holds; output: "safety_settings: not sent, generation_config: sent".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-llms-google-genai==0.11.3 google-genai==2.34.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.genai import types
from llama_index.core.llms import ChatMessage
from llama_index.llms.google_genai import GoogleGenAI

requests = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        content = {"role": "model", "parts": [{"text": "Yes."}]}
        data = json.dumps({"candidates": [{"content": content, "finishReason": "STOP"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
options = types.HttpOptions(base_url=f"http://127.0.0.1:{server.server_port}")
safety = [types.SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="BLOCK_NONE")]
ways = {
    "safety_settings": {"safety_settings": safety},
    "generation_config": {"generation_config": types.GenerateContentConfig(safety_settings=safety)},
}
seen = {}
for name, setting in ways.items():
    llm = GoogleGenAI(
        model="m", api_key="k", max_tokens=9, context_window=999, http_options=options, **setting
    )
    llm.chat([ChatMessage(content="Is the tide low?")])
    seen[name] = "sent" if "BLOCK_NONE" in json.dumps(requests[-1]) else "not sent"
print(", ".join(f"{name}: {what}" for name, what in seen.items()))
raise SystemExit([*seen.values()] != ["not sent", "sent"])
PYTHON
