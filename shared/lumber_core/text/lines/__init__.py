"""The roles of lines in a plain text.

`columns` measures lines, and finds bullets, numbers, times and speakers at their starts. From
these, `tables`, `code`, `directives`, `headings` and `wrapping` find the lines of each role, and
`line_starts` returns what begins at each line.
"""
