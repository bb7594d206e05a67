#!/usr/bin/env bash
# langchain-ollama 1.1.0 with langchain-core 1.8.3: LangChain's cache (set_llm_cache) keeps the answers of all
# ChatOllama models under one key, "chat-ollama". So another model, temperature, context or server gets the
# first one's answer, and a comparison of two models is one of a model with itself.
# ChatPerplexity 1.4.2 does the same; the classes for OpenAI, Anthropic and Mistral do not.
# Exits 0 while this holds; output: "small: I am small. large: I am small. 1 request".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-ollama==1.1.0 langchain-core==1.8.3 ollama==0.6.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.caches import InMemoryCache
from langchain_core.globals import set_llm_cache
from langchain_ollama import ChatOllama


class Server(BaseHTTPRequestHandler):
    requests = 0

    def do_POST(self):
        model = json.loads(self.rfile.read(int(self.headers["content-length"])))["model"]
        Server.requests += 1
        message = {"role": "assistant", "content": f"I am {model}."}
        reply = {"model": model, "message": message, "done": True, "done_reason": "stop"}
        data = json.dumps({**reply, "created_at": "2026-11-27T19:00:00Z"}).encode() + b"\n"
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
set_llm_cache(InMemoryCache())
answers = {}
for model, temperature in (("small", 0.0), ("large", 0.7)):
    url = f"http://127.0.0.1:{server.server_port}"
    llm = ChatOllama(model=model, temperature=temperature, base_url=url)
    answers[model] = llm.invoke("Which model are you?").content
told = " ".join(f"{model}: {answer}" for model, answer in answers.items())
print(f"{told} {Server.requests} request{'s' * (Server.requests > 1)}")
raise SystemExit((answers["large"], Server.requests) != ("I am small.", 1))
PYTHON
