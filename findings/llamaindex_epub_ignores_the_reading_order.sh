#!/usr/bin/env bash
# llama-index-readers-file 0.7.0 with EbookLib 0.20: EpubReader joins the chapters in the order of the
# manifest, which means nothing in EPUB. The spine, which states the order to read in, is not used.
# Exits 0 while this holds; output: "spine: first, second, third; text: third, first, second".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-file==0.7.0 llama-index-core==0.14.25 EbookLib==0.20 html2text==2024.2.26
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from ebooklib import epub
from llama_index.readers.file import EpubReader

book = epub.EpubBook()
book.set_identifier("gulls")
book.set_title("Gulls")
book.set_language("en")
chapters = {}
for name in ("third", "first", "second"):
    chapters[name] = epub.EpubHtml(title=name, file_name=f"{name}.xhtml")
    chapters[name].content = f"<p>{name}</p>"
    book.add_item(chapters[name])
book.add_item(epub.EpubNcx())
book.add_item(epub.EpubNav())
book.spine = [chapters[name] for name in ("first", "second", "third")]
epub.write_epub("gulls.epub", book)

read = epub.read_epub("gulls.epub")
spine = [read.get_item_with_id(one).get_name().split(".")[0] for one, _ in read.spine]
words = EpubReader().load_data("gulls.epub")[0].text.split()
text = [word for word in words if word in chapters]
print(f"spine: {', '.join(spine)}; text: {', '.join(text)}")
raise SystemExit((spine, text) != (["first", "second", "third"], ["third", "first", "second"]))
PYTHON
