"""What all splitters share, and the splitters that need no model: `layout` and `greedy`.

`chunker` has the base class of all splitters, and enforces size limits; `size_settings` checks
them. `cutting` chooses where to cut a text, or a chunk that is too long; `tiling` finds the best
cuts, and `oversized_words` cuts words that fit in no chunk. `size_limits` counts and merges
chunks, which leave `metadata_room`, and `delivery` slices the delivered chunks, with `overlap`.
"""
