#!/usr/bin/env bash
# langchain-community 0.4.2: RecursiveUrlLoader follows links in the order of a set. A page that it meets first at its
# greatest depth is not followed again from nearer: another run of the program, on the same site, leaves out other pages.
# Exits 0 while this holds; output: "['/ /a /b', '/ /a /b /c']" in sixteen runs; /c is two links from the start.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 beautifulsoup4==4.15.0
cd "$folder"
cat > crawl.py <<'PYTHON'
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_community.document_loaders import RecursiveUrlLoader

PAGES = {"/": ["/a", "/b"], "/a": ["/b"], "/b": ["/c"], "/c": []}


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        page = "".join(f'<a href="{link}">{link}</a>' for link in PAGES[self.path]) or "The end."
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *args):
        pass


with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start = f"http://127.0.0.1:{server.server_port}/"
    loader = RecursiveUrlLoader(start, max_depth=3, extractor=lambda html: html)
    print(*sorted(document.metadata["source"].replace(start, "/") for document in loader.load()))
    server.shutdown()
PYTHON
for seed in $(seq 16); do PYTHONHASHSEED=$seed "$folder/venv/bin/python" -W ignore crawl.py; done > found
"$folder/venv/bin/python" - <<'PYTHON'
found = sorted({line.strip() for line in open("found")})
print(found)
raise SystemExit(found != ["/ /a /b", "/ /a /b /c"])
PYTHON
