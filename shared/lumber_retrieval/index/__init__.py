"""Stores documents with their chunks, words and vectors, and finds chunks by words and vectors.

`indexed_documents` gives each document a name, a source, and metadata that JSON can store. `adding`
finds new and changed documents, splits them, and embeds their chunks with their `surroundings`.
`embedded_texts` recognises the model of the index, and stores the vector of each text, so that no
text is embedded twice. `store` keeps everything in one file or in PostgreSQL: documents and chunks
as `rows`, and their words and vectors in `segments`, as `postings` and `vectors` of 8 bits a
number. `snapshot` reads one state of the store, and `filters` decide which chunks may be found.
"""
