"""Reads PDFs as Markdown.

`page_reader` takes words and drawn lines from PDFium. `text_lines` puts the words into lines,
`ruled_tables` finds the cells between drawn lines, `heading_levels` tells headings from text, and
`markdown_writer` writes all of it. `text_repair` mends what PDFs do to text.
"""
