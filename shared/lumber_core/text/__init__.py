"""Reading a text: characters, lines, units, and the places where it may be cut.

A `source` is a text with its format and metadata; `pages` joins those of a file. `unicode` finds
graphemes, words and line breaks, `lines` what the lines of a plain text are, `markdown` the blocks
of a document, `captions` the cues of subtitles and `structured` the elements of code and data.
`titles` and `context` hold what a document says about a chunk outside of it. `units` divides a text
into what a splitter may not cut; `places` and `markdown_places` list where cuts are possible, and
how good each `place` is. `parsed` holds what is known of one text, so that it is read once.
"""

from lumber_core.text.source import Source
from lumber_core.text.units import paragraphs, sentences, sentences_and_lines

__all__ = ["Source", "paragraphs", "sentences", "sentences_and_lines"]
