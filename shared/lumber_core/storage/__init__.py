"""Where results are kept: in SQLite files, in PostgreSQL, or in stores that machines share.

`urls` opens the database that a path names: a file (`sqlite`) or a collection in PostgreSQL
(`postgres`). `database` is what both share. `cache` keeps expensive results in a file, and
`shared_cache` keeps them in a store of LangChain or LlamaIndex.
"""
