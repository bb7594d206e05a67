"""Makes passages of the chunks that a search found.

`ranking` ranks chunks by how much of the question they cover, divides them into `sentences`, and
takes the best; `joining` joins those that lie close together. `reranking` does the same with the
hits of any other search engine.
"""
