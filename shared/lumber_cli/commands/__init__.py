"""The commands, one file each, as `lumber-splitters --help` lists them.

`split` and `view` split files, `ask` finds passages in them, and `index` copies, lists and clears
indexes. `estimate` predicts costs, `compare` measures splitters, and `questions` generates the
questions for that.
"""
