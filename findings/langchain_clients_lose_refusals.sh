#!/usr/bin/env bash
# langchain-litellm 0.11.2 and langchain-openrouter 0.2.9: ChatLiteLLM and ChatOpenRouter return a refusal of OpenAI's
# as an empty answer, with the finish reason "stop", so that it looks like a model that has nothing to add. litellm
# 1.110.2 itself has the refusal in message.refusal, and ChatOpenAI in additional_kwargs.
# Exits 0 while this holds; output: "ChatLiteLLM '' False, ChatOpenRouter '' False, ChatOpenAI '' True, litellm None
# True".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-litellm==0.11.2 litellm==1.110.2 langchain-openrouter==0.2.9 openrouter==0.10.8 langchain-openai==1.7.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it is fetched at the import
import litellm
from langchain_litellm import ChatLiteLLM
from langchain_openai import ChatOpenAI
from langchain_openrouter import ChatOpenRouter

WORDS = "I cannot help with that."
MESSAGE = {"role": "assistant", "content": None, "refusal": WORDS}
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "system_fingerprint": None,
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop", "logprobs": None}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(REPLY).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1"
of_litellm = {"model": "openai/m", "api_key": "k", "api_base": url}
models = [
    ChatLiteLLM(**of_litellm),
    ChatOpenRouter(model="m", api_key="k", base_url=url),
    ChatOpenAI(model="m", api_key="k", base_url=url),
]
seen = {}
for model in models:
    answer = model.invoke("Who?")
    seen[type(model).__name__] = answer.content, WORDS in str(answer)
message = (
    litellm.completion(messages=[{"role": "user", "content": "Who?"}], **of_litellm)
    .choices[0]
    .message
)
seen["litellm"] = message.content, message.refusal == WORDS
print(", ".join(f"{name} {content!r} {kept}" for name, (content, kept) in seen.items()))
raise SystemExit([kept for _, kept in seen.values()] != [False, False, True, True])
PYTHON
