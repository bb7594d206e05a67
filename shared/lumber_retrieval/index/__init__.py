"""Stores documents with their chunks, words and vectors, and finds chunks by either.

`indexed_documents` gives each document a name, a source, a version, and metadata that JSON can
store. Its chunks are embedded with their `surroundings`. `embedded_texts` recognises the embedding
model of the index, and stores the vector of each text, so that none is embedded twice. `store`
writes all to one file or to PostgreSQL. Searches read its `segments`, with `vectors` of 8 bits a
number and `postings` of words. `snapshot` reads one state of the store, and `filters` decide which
chunks may be found.
"""
