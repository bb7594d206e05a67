"""Stores documents with their chunks, words and vectors, and finds chunks by either.

A document gets a name, a source, a version, and metadata that are data for JSON
(`indexed_documents`). Its chunks are embedded with their `surroundings`, by the `embedding_model`
that the index was made with. `embedded_texts` keeps the vector of each text, so that none is
embedded twice. `store` keeps all in one file or in PostgreSQL: what is searched is in `segments`,
with `vectors` of 8 bits and `postings` of words. `snapshot` reads one state of it, and `filters`
decide which chunks count.
"""
