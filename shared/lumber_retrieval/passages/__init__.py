"""Makes passages from the chunks that a search returned.

`ranking` fuses the rankings by vectors and by words, ranks chunks by how much of the question they
contain, and takes the best sentences of the best chunks. It also applies the minimum similarity.
`joining` joins sentences that lie close together, and `passage_metadata` adds the headings, pages
and lines of each passage. `reranking` does the same with the hits of any other search engine.
"""
