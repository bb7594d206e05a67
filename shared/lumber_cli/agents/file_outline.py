"""The outline of a text: headings, definitions of code, or else topics, each with its lines."""

from __future__ import annotations

from typing import Any

from mcp.types import CallToolResult

from lumber_cli.agents.replies import join_lines, result
from lumber_cli.agents.texts import LinedText
from lumber_core import BertChunker, Source, Span
from lumber_core.support.wording import range_with_noun, with_noun
from lumber_core.text.outline import TextSection
from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_core.text.unicode import printable
from lumber_retrieval.words.sentences import sentences_of

_MAX_SECTIONS = 300  # of an outline; more sections help little, and fill the context of a model
_MIN_SECTIONS = 30  # a level is left out of a long outline only if this many sections remain
_MAX_SPLIT_CHARACTERS = 1_000_000  # of a text that is split into topics, which takes 5 s
_TOPIC_COUNT = 40  # topics of a long text, approximately
_MIN_TOPIC_TOKENS = 150  # smallest target size of topics; about 110 words
_CHARACTERS_PER_TOKEN = 4  # on average
_MAX_TITLE = 160  # characters of a section's title


Section = dict[str, Any]
"""A part of a file: its first and last line, its level (0 for a topic), and its title."""


def outline_of(name: str, text: LinedText) -> CallToolResult:
    """Return the headings of a text, the definitions of code, or topics if there are neither."""
    kind = "definitions" if text.file.kind == "code" else "headings"
    sections, note = headings_of(text)
    if not sections:
        kind, sections = "topics", topics_of(text)
        end = sections[-1]["last_line"] if sections else 0
        end_of_topics = text.span_of(1, end).end if sections else 0
        if text.file.text[end_of_topics:].strip():
            note = f"the topics after line {end} are left out"
    outline = []
    for section in sections:
        lines = range_with_noun("line", section["first_line"], section["last_line"])
        indent = "  " * max(section["level"], 1)
        outline.append(f"{indent}{lines}: {printable(section['title'])}")
    title = f"{printable(name)}, {with_noun(len(text), 'line')}, {kind}:"
    facts = {"file": name, "total_lines": len(text), "kind": kind}
    return result(join_lines(title, *outline, note), {**facts, "sections": sections, "note": note})


def headings_of(text: LinedText) -> tuple[list[Section], str]:
    """Return the headings, definitions or keys of a text, and a note of what is left out, or "".

    If there are too many, the deepest levels are left out, while enough others remain. Then those
    at the end are left out.
    """
    source = text.file
    if source.kind == "markdown":
        headings = MarkdownText(source).sections
    else:  # sections without a title are kept: they end the section above
        parsed = PlainText(source).sections
        levels = sorted({section.level for section in parsed})
        headings = [s._replace(level=1 + levels.index(s.level)) for s in parsed]
    notes = []
    while len(headings) > _MAX_SECTIONS:
        deepest = max(heading.level for heading in headings)
        fewer = [heading for heading in headings if heading.level < deepest]
        if len(fewer) < _MIN_SECTIONS:
            break
        headings = fewer
        notes = [f"headings below level {max(h.level for h in headings)} are left out"]
    sections = []
    later: list[TextSection] = []  # the headings that end sections, the nearest last
    for heading in reversed(headings):
        while later and later[-1].level > heading.level:
            later.pop()
        end = later[-1].start if later else len(source.text)
        later.append(heading)
        if heading.title:
            first, last = text.lines_of(Span(heading.start, end))
            sections.append(_section(first, last, heading.level, heading.title))
    sections.reverse()
    if len(sections) > _MAX_SECTIONS:
        notes.append(
            f"only the first {_MAX_SECTIONS} of {len(sections):,} headings are listed: those from "
            f"line {sections[_MAX_SECTIONS]['first_line']} on are left out"
        )
    return sections[:_MAX_SECTIONS], "; ".join(notes)


def topics_of(text: LinedText) -> list[Section]:
    """Return the topics of a text, each with its first sentence.

    A very long text is read only at its beginning.
    """
    content = text.file.text
    beginning = content[:_MAX_SPLIT_CHARACTERS]
    target = max(_MIN_TOPIC_TOKENS, len(beginning) // _CHARACTERS_PER_TOKEN // _TOPIC_COUNT)
    splitter = BertChunker(target_size=target)
    source = Source(beginning, name=text.file.name, metadata=text.file.metadata)
    sections = []
    for span in splitter.segment(source).spans:
        topic = span.of(content)
        if not topic.strip():
            continue
        sentences = sentences_of(topic, splitter.language)
        title = " ".join((sentences[0].text if sentences else topic).split())
        first, last = text.lines_of(span)
        sections.append(_section(first, last, 0, title))
    return sections


def _section(first: int, last: int, level: int, title: str) -> Section:
    return {"first_line": first, "last_line": last, "level": level, "title": title[:_MAX_TITLE]}
