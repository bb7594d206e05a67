"""Where results are kept: in SQLite files, in PostgreSQL, or in stores that machines share.

`urls` tells from a path which database it means, `sqlite` and `postgres` open it, `cache` keeps
expensive results in a file, and `shared_cache` keeps them in a store of LangChain or LlamaIndex.
"""
