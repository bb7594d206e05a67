"""What all splitters share, and the greedy splitter.

`base` holds the class of all splitters and `settings` what they all take. `size_limits` keeps a
hard limit in tokens, `overlap` repeats the end of the chunk before, `tiling` chooses all cuts of a
text at once, and `cutting` cuts with it what is too long.
"""
