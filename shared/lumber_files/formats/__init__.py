"""Reads one kind of file each: `html` pages, `office` documents and books, `mail`, `notebooks`.

`markdown_cleanup` tidies up the Markdown that a library makes of some of them.
"""
