#!/usr/bin/env bash
# llama-index-llms-anthropic 0.12.3 requires anthropic>=0.75 and gets 2.14.0, with which its every call raises
# TypeError before a request is sent: it calls a type that is a union there.
# Exits 0 while this holds; output: "TypeError: Cannot instantiate typing.Union, after 0 requests".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-llms-anthropic==0.12.3 anthropic==2.14.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.llms import ChatMessage
from llama_index.llms.anthropic import Anthropic

requests = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        requests.append(self.rfile.read(int(self.headers["content-length"])))
        reply = {
            **{"id": "msg_1", "type": "message", "role": "assistant", "model": "m"},
            **{"content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn"},
            **{"stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 9}},
        }
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
llm = Anthropic(
    model="claude-3-5-haiku-latest",
    api_key="k",
    base_url=f"http://127.0.0.1:{server.server_port}",
)
question = [
    ChatMessage(role="system", content="Be brief."),
    ChatMessage(role="user", content="Is the tide low?"),
]
try:
    print(llm.chat(question).message.content)
    raise SystemExit("it answers")
except TypeError as error:
    print(f"TypeError: {str(error)[:32]}, after {len(requests)} requests")
PYTHON
