"""The roles of lines in a plain text.

`columns` measures lines, and finds bullets, numbers, times and speakers at their starts. From
these, `tables`, `code` and `wrapping` find the lines of each role. `line_starts` finds headings,
and returns what begins at each line.
"""
