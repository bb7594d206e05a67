"""Reads PDFs as Markdown.

`page_reader` gets pages and drawn lines from PDFium, and `layers` leaves out what nobody sees.
`page_glyphs` knows where each letter stands, `page_text` puts right what PDFium returns, and
`page_words` divides it into words, in the order of `right_to_left` where they are read so.
`text_lines` puts the words into lines, `running_heads` takes repeated heads off the pages, and
`reading_order` puts the lines of each in order. `ruled_tables` finds the cells between drawn lines,
`open_tables` those without upright ones, `column_tables` rows of numbers below heads of columns,
`heading_levels` headings, `paragraphs` where paragraphs end, and `markdown_writer` writes the
Markdown. `text_repair` repairs ligatures and divided words.
"""
