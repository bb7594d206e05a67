"""The roles of lines in a plain text.

`columns` measures lines, and finds bullets, numbers, times and speakers at their starts. From
these, `tables`, `code` and `wrapping` find the lines of each role. `tables` also decides whether
the first rows of CSV and HTML are a header. `line_starts` finds headings, and returns what begins
at each line.
"""
