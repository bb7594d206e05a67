"""The roles of lines in a plain text.

`columns` measures lines; `labels` finds bullets, numbers, times and speakers at their starts. From
these, `tables`, `rows`, `code`, `directives`, `headings`, `running_lines` and `wrapping` find the
lines of each role, and `line_starts` returns what begins at each line.
"""
