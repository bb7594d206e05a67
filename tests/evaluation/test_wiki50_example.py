"""The example that runs the greedy article's experiment, on an invented folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluation.writing import write

EXAMPLE = Path(__file__).parents[2] / "examples" / "wiki50_greedy_error.py"

ARTICLE = """========,1,preface.
The harbour of Elm Quay opened in spring.
Its first ships carried salt and timber.
========,2,Music.
A choir sings there on Sundays.
Its songs are old and slow.
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLE), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_table_the_worst_articles_and_a_plot(tmp_path: Path) -> None:
    pytest.importorskip("nltk")
    pytest.importorskip("llama_index.core")  # ships the tokenizer's vocabulary
    write(tmp_path / "wiki" / "1", ARTICLE)
    write(tmp_path / "wiki" / "2", ARTICLE.replace("Elm", "Oak"))
    plot = tmp_path / "errors.svg"
    ended = run(str(tmp_path / "wiki"), "--sizes", "8", "500", "--plot", str(plot))
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("2 articles, 4 sections, ")
    rows = {line[:26].strip(): line[26:].split() for line in lines[3 : lines.index("", 3)]}
    assert {"greedy 8", "greedy 500", "fixed 8", "fixed 500", "bert"} <= rows.keys()
    assert any(name.endswith("(the mean)") for name in rows)
    # One chunk for each article: both starts are said to be 0, so no boundary is found.
    assert (rows["greedy 500"][2], rows["greedy 500"][-1]) == ("0.000", "2")
    assert rows["greedy 500"][0] == rows["greedy 500"][1]
    assert "Largest errors of" in ended.stdout
    assert "<svg" in plot.read_text(encoding="utf-8")


def test_a_missing_folder_says_what_was_expected(tmp_path: Path) -> None:
    ended = run(str(tmp_path / "nowhere"))
    assert ended.returncode == 1
    assert "expected the files of Wiki-50 or Wiki-727K" in ended.stderr
    assert "Traceback" not in ended.stderr
