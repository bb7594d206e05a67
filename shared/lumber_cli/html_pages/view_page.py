"""The page of `view`: texts with their chunks in colour, as HTML that needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lumber_cli.html_pages.page import html_page
from lumber_core.chunking.delivery import Chunk
from lumber_core.support.wording import range_with_noun, with_noun
from lumber_core.text.markdown import HEADING_SEPARATOR
from lumber_core.text.unicode import printable

# Characters that a browser would change or drop.
_ESCAPES = {"\r": "&#13;", "\0": "\ufffd"}


def chunk_page(texts: Sequence[tuple[str, Sequence[Chunk]]]) -> str:
    """Return the page of some texts, each with its name and its chunks."""
    first = texts[0][0]
    several = len(texts) > 1
    title = f"Chunks of {first}{f' and {len(texts) - 1} more' if several else ''}"
    links = [
        f'<li><a href="#{number}"><bdi>{_text(printable(name))}</bdi></a></li>'
        for number, (name, _) in enumerate(texts, 1)
    ]
    contents = f"<nav><ul>{''.join(links)}</ul></nav>" if several else ""
    sections = [_section(number, *text) for number, text in enumerate(texts, 1)]
    return html_page("view", title, f"<main>{contents}{''.join(sections)}</main>")


def _section(number: int, name: str, chunks: Sequence[Chunk]) -> str:
    summary = "no chunks: the text is empty"
    if chunks:
        sizes = [chunk.tokens for chunk in chunks]
        mean = round(sum(sizes) / len(sizes))
        summary = (
            f"{with_noun(len(chunks), 'chunk')}, {mean:,} tokens on average "
            f"({min(sizes):,} to {max(sizes):,})"
        )
    ends = [0, *(chunk.span.end for chunk in chunks)]
    articles = "".join(_chunk(chunk, end) for chunk, end in zip(chunks, ends, strict=False))
    title = f"<h1><bdi>{_text(printable(name))}</bdi></h1>"
    return f'<section id="{number}">{title}<p class="sum">{summary}</p>{articles}</section>'


def _chunk(chunk: Chunk, before: int) -> str:
    """Return a chunk; its text up to the previous chunk's end, `before`, is marked as repeated."""
    start, end = chunk.span
    facts = [with_noun(chunk.tokens, "token"), f"characters {start:,} to {end:,}"]
    if chunk.pages is not None:
        facts.append(range_with_noun("page", *chunk.pages))
    if chunk.verdict is not None:
        facts.append(chunk.verdict.reason or chunk.verdict.outcome.replace("_", " "))
    meta = "".join(f"<span>{_text(fact)}</span>" for fact in facts)
    titles = HEADING_SEPARATOR.join(chunk.headings)
    repeated = max(0, min(before, end) - start)
    new_text = chunk.text[repeated:]
    visible = new_text.rstrip()
    parts = {"repeated": chunk.text[:repeated], "": visible, "tail": new_text[len(visible) :]}
    body = "".join(
        f'<span class="{kind}">{_text(text)}</span>' for kind, text in parts.items() if text
    )
    return (
        f'<article class="chunk {"odd" if chunk.index % 2 else "even"}">'
        f'<p class="meta"><b>#{chunk.index}</b>{meta}</p><div>'
        f'{f"""<p class="titles">{_text(titles)}</p>""" if titles else ""}'
        f'<div class="body">{body}</div></div></article>'
    )


def _text(text: str) -> str:
    """Return a text as HTML that shows it."""
    escaped = escape(text)
    for character, entity in _ESCAPES.items():
        escaped = escaped.replace(character, entity)
    return escaped
