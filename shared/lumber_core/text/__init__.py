"""Reading a text: characters, lines, units, and the places where it may be cut.

`unicode` finds graphemes, words and line breaks, `plain` what the lines of a plain text are, and
`markdown` the blocks of a document. `units` divides a text into what a splitter may not cut;
`places` and `markdown_places` list where cuts are possible, and how good each place is.
"""
