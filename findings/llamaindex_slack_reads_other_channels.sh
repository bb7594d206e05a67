#!/usr/bin/env bash
# llama-index-readers-slack 0.6.0: get_channel_ids(["sales"]) should select the channel of that name. Each name is a
# regular expression, too, and is compared with beginnings, so it takes "sales-jokes" as well. Of a workspace with more
# channels than Slack sends at a time (100), those of later pages are unknown to it: Slack's cursor is ignored.
# Exits 0 while this holds; output: "sales: ['sales', 'sales-jokes']; support, on the second page: []".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25 llama-index-readers-slack==0.6.0 slack-sdk==3.48.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs

import slack_sdk
from llama_index.readers.slack import SlackReader

PAGES = {"": ["sales", "sales-jokes"], "second": ["support"]}


class Slack(BaseHTTPRequestHandler):
    """Lists channels as Slack does: a page at a time, with the cursor of the next one."""

    def do_POST(self):
        asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"] or 0)).decode())
        cursor = asked.get("cursor", [""])[0]
        answer = {"ok": True}
        if self.path.endswith("conversations.list"):
            answer["channels"] = [{"id": name, "name": name} for name in PAGES[cursor]]
            answer["response_metadata"] = {"next_cursor": "" if cursor else "second"}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST

    def log_message(self, *line):
        pass


server = HTTPServer(("127.0.0.1", 0), Slack)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/api/"
slack_sdk.WebClient = partial(slack_sdk.WebClient, base_url=url)
reader = SlackReader(slack_token="xoxb-0")
sales, support = (sorted(reader.get_channel_ids([name])) for name in ("sales", "support"))
print(f"sales: {sales}; support, on the second page: {support}")
raise SystemExit(sales != ["sales", "sales-jokes"] or support != [])
PYTHON
