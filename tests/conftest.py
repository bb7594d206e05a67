"""Fixtures of several test folders: the data beside the project, and scripted judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# Fixtures of several test folders: small BERT models, the numbers of examples, a browser; and what
# is seen of tests that hang.
pytest_plugins = ["tests.tiny_bert", "tests.profiles", "tests.browsing", "tests.time_limits"]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of texts that lies beside the project; tests that need it skip without it."""
    if not DATA.is_dir():
        pytest.skip("the data folder ../shared/data is not beside the project")
    return DATA


@pytest.fixture(scope="session")
def emma(data: Path) -> list[str]:
    """The 2,287 paragraphs of Emma as GutenQA cuts it."""
    lines = (data / "gutenqa_emma" / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


@pytest.fixture(scope="session")
def emma_ends(data: Path) -> list[int]:
    """Paragraph numbers where the published chunks of Emma end."""
    path = data / "gutenqa_emma" / "published_chunk_ends.json"
    ends: list[int] = json.loads(path.read_text(encoding="utf-8"))["ends"]
    return ends


def read_book(path: Path) -> str:
    """Read a book with its line endings; two of them are not UTF-8."""
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
