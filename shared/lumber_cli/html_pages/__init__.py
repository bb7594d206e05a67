"""The pages that commands write: `view_page` of chunks, and `answer_page` of passages and quotes.

Each is a `page` that needs no other file and no network. `markdown_styles` finds the styles
of Markdown in a text, so that the page can show the text as its author meant it.
"""
