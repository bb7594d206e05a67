import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from tests.cli.running import SAMPLE, run_apart
from tests.making_files import pdf

TEXT = SAMPLE.read_bytes().decode()[:5000].replace("clock", "🕰️ <b>clock</b> &amp; \r\n", 3)
HANDBOOK = "# Boats\n\nOars and sails.\n\n## Care\n\nDry the sails. " + "Wax the oars. " * 40


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8", newline="")
    return path


def view_chunks(*arguments: object) -> list[dict[str, Any]]:
    """Return the chunks on the page, in order."""
    assert run_apart("view", *arguments) == (0, "view.html\n", "")
    page = html.fromstring(Path("view.html").read_bytes())
    return [
        {
            "text": "".join(chunk.find_class("body")[0].itertext()),
            "repeated": "".join(part.text for part in chunk.find_class("repeated")),
            "facts": [fact.text for fact in chunk.find_class("meta")[0]],
            "titles": [fact.text for fact in chunk.find_class("titles")],
        }
        for chunk in page.find_class("chunk")
    ]


@pytest.mark.parametrize("options", [[], ["--method", "greedy", "--chunk-overlap", "80"]])
def test_a_view_shows_the_chunks_of_split(text: Path, options: list[str]) -> None:
    outcome = run_apart("split", "text.txt", *options, code=0)
    rows = [json.loads(line) for line in outcome.out.splitlines()]
    viewed = view_chunks("text.txt", *options)
    assert [chunk["text"] for chunk in viewed] == [row["text"] for row in rows]
    for index, (chunk, row) in enumerate(zip(viewed, rows, strict=True)):
        assert chunk["facts"][:3] == [
            f"#{index}",
            f"{row['tokens']:,} tokens",
            f"characters {row['start']:,} to {row['end']:,}",
        ]
    overlaps = [before["end"] - row["start"] for before, row in pairwise(rows)]
    assert [len(chunk["repeated"]) for chunk in viewed] == [0, *overlaps]
    assert any(overlaps) == ("--chunk-overlap" in options)


def test_a_view_names_documents_headings_and_pages(text: Path) -> None:
    Path("b.md").write_text(HANDBOOK, encoding="utf-8")
    Path("c.pdf").write_bytes(pdf([["The first page."], ["The second."]]))
    viewed = view_chunks("b.md", "c.pdf", text, "--chunk-size", 60)
    assert ["Boats > Care"] in [chunk["titles"] for chunk in viewed]
    assert any("pages 1 to 2" in chunk["facts"] for chunk in viewed)
    page = Path("view.html").read_text(encoding="utf-8")
    assert "<title>Chunks of b.md and 2 more</title>" in page
    links = re.findall(r'<a href="#(\d)"><bdi>(.*?)</bdi>', page)
    assert [name for _, name in links] == ["b.md", "c.pdf", text.as_posix()]
    assert all(f'<section id="{number}"' in page for number, _ in links)


def test_a_view_states_why_lumber_starts_a_chunk(text: Path) -> None:
    first, *others = view_chunks("text.txt", "--method", "lumber", "--theta", 200)
    assert len(first["facts"]) == 3
    assert len(others) > 3
    for chunk in others:
        assert "t = " in chunk["facts"][3] or "the group is one unit" in chunk["facts"][3]
