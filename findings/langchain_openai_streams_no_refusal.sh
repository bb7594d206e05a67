#!/usr/bin/env bash
# langchain-openai 1.7.4: a refusal, which OpenAI sends in a field of its own, is in additional_kwargs["refusal"]
# of a whole answer, and nowhere in a stream: its text is empty and its finish reason "stop". So an answer
# that was refused looks like none, with streaming=True in invoke as well. The Responses API keeps it.
# Exits 0 while this holds; output: "whole: I can't help with that. stream: none (stop), streaming=True: none".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-openai==1.7.4 langchain-core==1.8.3 openai==2.54.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_openai import ChatOpenAI

REFUSAL = "I can't help with that."
DELTAS = [
    {"role": "assistant", "content": None, "refusal": ""},
    {"refusal": "I can't"},
    {"refusal": " help with that."},
    {},
]
KIND = {"id": "chatcmpl-1", "created": 0, "model": "m"}


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if asked.get("stream"):
            choices = [
                {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
                for delta in DELTAS
            ]
            chunks = [
                {**KIND, "object": "chat.completion.chunk", "choices": [each]} for each in choices
            ]
            lines = [*map(json.dumps, chunks), "[DONE]"]
            kind, data = "text/event-stream", "".join(f"data: {line}\n\n" for line in lines)
        else:
            message = {"role": "assistant", "content": None, "refusal": REFUSAL}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            reply = {**KIND, "object": "chat.completion", "choices": [choice]}
            kind, data = "application/json", json.dumps(reply)
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
settings = {"model": "m", "api_key": "k", "base_url": f"http://127.0.0.1:{server.server_port}/v1"}
llm = ChatOpenAI(**settings)
first, *rest = llm.stream("Is the tide low?")
streamed = sum(rest, first)
messages = [
    llm.invoke("Is the tide low?"),
    streamed,
    ChatOpenAI(**settings, streaming=True).invoke("Is the tide low?"),
]
texts = [
    message.additional_kwargs.get("refusal") or str(message.content) or "none"
    for message in messages
]
reason = streamed.response_metadata["finish_reason"]
print("whole: {} stream: {} ({}), streaming=True: {}".format(*texts[:2], reason, texts[2]))
raise SystemExit((texts, reason) != ([REFUSAL, "none", "none"], "stop"))
PYTHON
