#!/usr/bin/env bash
# langchain-community 0.4.2: GithubFileLoader leaves out files of more than 1 MB, for which GitHub sends an address
# instead of the content ("encoding": "none"), as it leaves out empty files. Of a large repository it reads what fits
# into GitHub's list of files, and does not look at "truncated": true.
# Exits 0 while this holds; output: "read ['README.md']; not: docs/manual.md, and what the list left out".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_community.document_loaders import GithubFileLoader

SIZES = {"README.md": 12, "docs/manual.md": 1_500_000}


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        if "/git/trees/" in path:
            tree = [
                {"path": name, "mode": "100644", "type": "blob", "sha": str(size), "size": size}
                for name, size in SIZES.items()
            ]
            reply = {"sha": "0", "tree": tree, "truncated": True}
        else:
            name = path.partition("/contents/")[2]
            is_small = SIZES[name] <= 1_000_000
            reply = {
                "type": "file",
                "path": name,
                "size": SIZES[name],
                "encoding": "base64" if is_small else "none",
                "content": base64.b64encode(b"x" * SIZES[name]).decode() if is_small else "",
                "download_url": f"http://127.0.0.1/{name}",
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
loader = GithubFileLoader(
    repo="ada/ferry",
    access_token="k",
    github_api_url=f"http://127.0.0.1:{server.server_port}",
    file_filter=lambda path: path.endswith(".md"),
)
read = [document.metadata["path"] for document in loader.load()]
missing = ", ".join(name for name in SIZES if name not in read)
print(f"read {read}; not: {missing}, and what the list left out")
raise SystemExit(read != ["README.md"])
PYTHON
