#!/usr/bin/env bash
# litellm 1.108.7: the cache (litellm.cache = Cache()) leaves the server out of its key. Two servers with a model of the same
# name, such as a test and a production deployment, or two vLLMs, share answers: the second is not asked.
# Exits 0 while this holds; output: "one: I am one. two: I am one. 1 request".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  litellm[proxy]==1.108.7
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # asks no server for prices

import litellm
from litellm.caching.caching import Cache

requests = []


def serve(name):
    class Server(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            requests.append(name)
            message = {"role": "assistant", "content": f"I am {name}."}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
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
    return f"http://127.0.0.1:{server.server_port}/v1"


litellm.cache = Cache()
asked = [{"role": "user", "content": "Which server are you?"}]
answers = {}
for name in ("one", "two"):
    reply = litellm.completion("openai/m", asked, api_base=serve(name), api_key="none", caching=True)
    answers[name] = reply.choices[0].message.content
told = " ".join(f"{name}: {answer}" for name, answer in answers.items())
print(f"{told} {len(requests)} request{'s' * (len(requests) > 1)}")
raise SystemExit((answers["two"], len(requests)) != ("I am one.", 1))
PYTHON
