"""Reading a text: characters, lines, units, and the places where it may be cut.

A `source` is a text with its format and metadata. `origin` reads from the metadata where the text
comes from, and `pages` joins the pages of a file. `unicode` finds graphemes, words and line breaks,
`lines` the roles of lines in plain text, `markdown` blocks, `captions` the cues of subtitles and
`structured` the elements of code and data. `titles` names the document of a chunk, and `outline`
has its context: title, headings, and the header of its table. `units` divides a text into pieces
that stay whole if they fit; `sentence_starts` finds sentences, and `full_stops` those full stops
that end none. `places` lists where cuts are possible; a `place` has a kind and a level. `parsed`
caches the results for one text.
"""

from lumber_core.text.captions import read_cues, spoken_text
from lumber_core.text.source import Source
from lumber_core.text.units import paragraphs, sentences, sentences_and_lines

__all__ = ["Source", "paragraphs", "read_cues", "sentences", "sentences_and_lines", "spoken_text"]
