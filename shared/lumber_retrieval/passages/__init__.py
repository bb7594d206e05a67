"""Makes passages of the chunks that a search returned.

`ranking` ranks chunks by how much of the question they contain, divides the best into `sentences`,
and takes the best of these. `joining` joins sentences that lie close together, and
`passage_metadata` adds the headings, pages and lines of each passage. `reranking` does the same
with the hits of any other search engine.
"""
