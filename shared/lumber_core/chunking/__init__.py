"""What all splitters share, and the greedy splitter.

`base` holds the class of all splitters and `settings` what they all take. `cutting` chooses where
to cut a text or a chunk that is too long, `tiling` finds the best of its cuts, and `last_resort`
cuts words that fit in no chunk. `size_limits` counts and joins chunks, and `delivery` makes what is
delivered of them, with the overlap. `passages` joins the chunks that a search finds.
"""
