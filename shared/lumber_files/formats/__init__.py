"""Reads one kind of file each: `html` pages, `office` documents and books, `mail`, `notebooks`.

`page_tree` parses pages. `word`, `open_document`, `sheets` and `charts` know documents and
workbooks, `binary_office` those of Office before 2007, `package` what packages of Office share,
`sheet_tables` the tables of a sheet, `number_formats` and `list_numbers` how numbers are shown, and
`symbol_fonts` what letters are.
`markdown_cleanup` tidies up the Markdown that a library makes of some of them.
"""
