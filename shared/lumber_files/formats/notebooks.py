"""Reads a Jupyter notebook (.ipynb) as Markdown: its texts and code, without outputs."""

from __future__ import annotations

import json
import re

_BACKTICKS = re.compile(r"`{3,}")


def read_notebook(content: bytes, _max_unpacked: int) -> str:
    """Return the Markdown of a notebook."""
    notebook = json.loads(content)
    try:
        sheets = notebook.get("worksheets", [notebook])  # early versions have several
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        metadata = notebook.get("metadata", {})
        about = metadata.get("language_info") or metadata.get("kernelspec", {})
        language = about.get("language") or about.get("name", "")
        blocks = []
        for cell in cells:
            text = "".join(cell.get("source", cell.get("input", ""))).strip("\n").rstrip()
            if cell["cell_type"] == "code" and text:
                fence = "`" * (1 + max(map(len, _BACKTICKS.findall(text)), default=2))
                text = f"{fence}{language}\n{text}\n{fence}"
            blocks.append(text)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("it is not a notebook's JSON") from error
    return "\n\n".join(filter(None, blocks))
