"""Reads one kind of file each: `html` pages, `office` documents and books, `mail`, `notebooks`.

`word`, `open_document` and `sheets` know documents and workbooks, `package` what packages of
Office share, `number_formats` how a sheet shows numbers, and `symbol_fonts` what its letters are.
`markdown_cleanup` tidies up the Markdown that a library makes of some of them.
"""
