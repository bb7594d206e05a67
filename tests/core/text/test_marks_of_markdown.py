from typing import Any

import pytest

from lumber_core import Source

CONVERTED = "# Pumps\n\nText.\n\n## Heron\n\nIt has a seal.\n\n## Stork\n\nIt has none.\n"
TABLE = "## Sheet1\n| Part | Pounds |\n| --- | --- |\n| Seal | 4 |\n"
LINKS = "# Mill\n\nSee [the list](https://a.org/b) and **never** swim.\n"
PROSE = [
    "The mill stands at the river.\n\nChapter 1\n\nOtters hunt fish at dawn.\n",
    "# of employees\n1,200\n# of mills\n14\n",
    "#1 is the first. #2 is the second.\n\nSee [1] and [2].\n\n* * *\n\n- 3 -\n",
    "#!/bin/sh\n# Build it all\nmake\n\n# Then test it\nmake test\n",
    "import os\n\n# Constants\n\nX = 1\n\n# Functions\n\ndef f(): ...\n",
    "Name    Pounds\n-----   ------\nSeal    4\n\nTotal   4\n",
    "# The port `serial` of the pump.\n# See [the list](https://a.org).\n\n#port=0\n\n"
    "#\n# - seconds\n#\n\n# Left\n# on purpose\n",
]
STRIPPED = (
    "Tide clock\n\nIt shows the height of the tide.\n\nInstall\n\nYou need Python.\n\n"
    "# create an environment\npython -m venv v\n\nWinding\n\nTurn the key twelve times.\n"
)


@pytest.mark.parametrize("text", [CONVERTED, TABLE, LINKS])
@pytest.mark.parametrize(
    "metadata",
    [
        {"source": "pumps.docx"},
        {"file_path": "b/pumps.PDF", "file_type": "application/pdf"},
        {"url": "https://a.org/pumps"},
        {"source": "https://a.org/pumps.html"},
    ],
)
def test_text_from_converters_is_recognised_as_markdown(
    text: str, metadata: dict[str, Any]
) -> None:
    assert Source(text, metadata=metadata).kind == "markdown"


@pytest.mark.parametrize("text", PROSE)
@pytest.mark.parametrize("name", ["a.pdf", "https://a.org/b", "a.docx", "md", "chapters/c"])
def test_prose_and_comments_are_not_recognised_as_markdown(text: str, name: str) -> None:
    assert Source(text, metadata={"source": name}).kind == "text"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("**Never** swim, and use `rope`.", "markdown"),
        *(("(**Never**) swim.", "markdown"), ("Never swim: 2**3**4 and x***y**.", "text")),
        *(("`Never` swim.", "markdown"), ("` Never ` swim.", "text")),
    ],
)
def test_emphasis_and_code_are_distinguished_from_operators(words: str, kind: str) -> None:
    text = f"# Mill\n\n{words}\n\n- A list.\n"
    assert Source(text, metadata={"source": "mill.pdf"}).kind == kind


@pytest.mark.parametrize("name", ["pumps.txt", "https://a.org/pumps.txt", "", "pumps.csv"])
def test_only_names_of_formats_that_are_converted_suggest_markdown(name: str) -> None:
    assert Source(CONVERTED, metadata={"source": name}).kind != "markdown"


@pytest.mark.parametrize(
    "text",
    [
        STRIPPED,
        STRIPPED.replace("\npython -m venv v", ""),
        STRIPPED.replace("Install", "Install it on a machine").replace("# create", "# 1. create"),
        STRIPPED + "\n# leave it\ndeactivate\n",
    ],
)
def test_comments_are_not_headings_if_a_loader_removed_the_marks(text: str) -> None:
    assert Source(text, metadata={"source": "docs/readme.md"}).kind == "text"


@pytest.mark.parametrize(
    "text",
    [
        CONVERTED,
        "# Pump\nThe pump needs a seal.\n\n# Rack\nIt holds violins.\n",
        "A page without a title.\n\n# Boats\n\nBen rows.\n\n# Nets\n\nNets dry.\n",
        "Notes\n\n# Boats\n\nBen rows.\n\n# Nets\n\nNets dry.\n",
        "Notes\n\nInstall\n\n```sh\n# create it\nmake\n```\n\nOr\n\n# Boats\nBen rows.\n",
        "Notes\n\nMore\n\n- a\n- b\n\n# Boats\nBen rows.\n",
        "Otters hunt.\n",
    ],
)
def test_texts_named_as_markdown_are_markdown(text: str) -> None:
    assert Source(text, metadata={"source": "docs/readme.md"}).kind == "markdown"


def test_elements_of_unstructured_have_no_marks() -> None:
    metadata = {"source": "a.md", "category": "UncategorizedText", "element_id": "1f"}
    assert Source("# create an environment\npython -m venv v", metadata=metadata).kind == "text"
