"""Stores results in SQLite files, in PostgreSQL, or in stores that machines share.

`urls` opens the database at a path: a file (`sqlite`) or a collection in PostgreSQL (`postgres`).
`database` is the base of both. `cache` keeps expensive results in a file, and `shared_cache` keeps
them in a store of LangChain or LlamaIndex.
"""
