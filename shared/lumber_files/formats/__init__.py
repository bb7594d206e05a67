"""Reads one kind of file each: `html` pages, `office` documents and books, `mail`, `notebooks`.

`page_tree` parses pages. `word`, `open_document`, `sheets` and `charts` read documents and
workbooks, and `binary_office` reads those of Office before 2007. `package` has functions for all
packages of Office, `sheet_tables` finds the tables of a sheet, `number_formats` and `list_numbers`
format numbers, and `symbol_fonts` maps letters to symbols. `markdown_cleanup` cleans up the
Markdown that anydoc writes.
"""
