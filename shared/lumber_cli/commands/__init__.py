"""The commands, one file each, as `lumber-splitters --help` lists them.

`split` and `view` cut files, `ask` finds passages in them and `index` copies what it keeps;
`estimate`, `compare` and `questions` measure.
"""
