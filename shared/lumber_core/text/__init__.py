"""Reading a text: characters, lines, units, and the places where it may be cut.

A `source` is a text with its format and metadata, of which `origin` reads where it is from; `pages`
joins those of a file. `unicode` finds graphemes, words and line breaks, `lines` the roles of lines
in a plain text, `markdown` the blocks of a document with its `html_headings`, `captions` the cues
of subtitles and `structured` the elements of code and data. `titles` and `context` describe the
document that a chunk comes from. `units` divides a text into pieces that a splitter may not cut,
and `abbreviations` end no sentence; `places` and `markdown_places` list where cuts are possible,
and how good each `place` is. `parsed` caches what was read of one text.
"""

from lumber_core.text.captions import read_cues, spoken_text
from lumber_core.text.source import Source
from lumber_core.text.units import paragraphs, sentences, sentences_and_lines

__all__ = ["Source", "paragraphs", "read_cues", "sentences", "sentences_and_lines", "spoken_text"]
