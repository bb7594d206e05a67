"""What the lines of a plain text are.

`columns` measures lines, `labels` finds bullets, numbers, times and speakers at their starts. From
these, `tables`, `rows`, `code`, `directives`, `headings`, `running_lines` and lines broken by
`wrapping` are told apart, and `line_starts` says of each line what begins there.
"""
