"""Texts and bytes for fuzzing: pieces that break splitters, among arbitrary characters."""

from hypothesis import strategies as st

from tests.core.core_support import PIECES

MARKDOWN = [
    *("# ", "## Title\n", "Title\n===\n", "Title\n---\n", "---\n", "+++\n", "***\n"),
    "key: value\n",
    *("- item\n", "* item\n", "1. item\n", "   - [ ] nested\n", "> quote\n", "> > more\n", "\t"),
    *("```\n", "~~~python\n", "    indented\n", "| a | b |\n", "|---|:-:|\n", "| 1 | \\| |\n"),
    *("<div>\n", "</div>\n", "<!-- ", " -->\n", "<script>", "[a]: /b 'c'\n", "[^1]: note\n", "\\"),
    *("prose that goes on", "**bold**", "`code`", "\n", "\n\n", "\r\n", "\r", "  \n", "&amp;"),
]
LINES = [
    *("[5] ", "3. ", "(a) ", "\u2022 ", "- ", "Q: ", "A: ", "ANNA: ", "[10:32] ", "2024-05-01 "),
    *("a,b,c\n", "1;2;3\n", "x\ty\tz\n", '{"a": [1, 2]}, ', "def f(x):\n", "    return x\n"),
    "};\n",
    *("CHAPTER I\n", "Mr. Smith said e.g. No. 5. ", "word " * 12, "x" * 70, "http://a.b/c?d=e#f "),
    *("\u6e21\u3057\u8239\u306f\u591c\u660e\u3051\u306b\u3002", "\u0e01\u0e33" * 9, "\u064b" * 5),
]

HTML = [
    *("<h1>", "</h1>", "<h2 a='b'>", "</h2>", "<table>", "<tr><td>a", "</table>", "<!--", "-->"),
    *("<div>", "</div>", "text", "\n", "\n\n", "\r\n", "- ", "> ", "# head", "```"),
]

texts = st.lists(
    st.sampled_from([*PIECES, *LINES, *MARKDOWN]) | st.text(max_size=8), max_size=40
).map("".join)
"""Texts of every kind."""

markdown_texts = st.lists(st.sampled_from([*MARKDOWN, *PIECES]), max_size=40).map("".join)
"""Texts that look like Markdown."""
html_texts = st.lists(st.sampled_from(HTML), max_size=20).map("".join)
"""Texts that look like HTML in Markdown."""
