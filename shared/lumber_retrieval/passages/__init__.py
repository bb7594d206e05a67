"""Makes passages of the chunks that a search found.

`ranking` ranks chunks by how much of the question they contain, divides the best into `sentences`,
and takes the best of these; `joining` joins those that lie close together, and `passage_metadata`
states where each passage begins and ends. `reranking` does the same with the hits of any other
search engine.
"""
