"""Reads PDFs as Markdown.

`page_reader` gets pages and drawn lines from PDFium, `layers` leaves out hidden layers, and
`page_tags` reads the headings and cells that a tagged file states. `page_glyphs` has the position
of each letter, `page_text` corrects the text of PDFium, and `page_words` divides it into words,
with `right_to_left` for Arabic and Hebrew. `text_lines` puts the words into lines, `running_heads`
removes running heads from the pages, and `reading_order` sorts the lines of each page.
`tagged_tables` finds tables by tags, `ruled_tables` cells between drawn lines, `open_tables` cells
without upright lines, and `column_tables` rows of numbers below column headers. `heading_levels`
finds headings, `paragraphs` the ends of paragraphs, and `markdown_writer` writes the Markdown.
`text_repair` repairs ligatures and divided words.
"""
