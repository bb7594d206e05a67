"""Folders served to agents, by the Model Context Protocol.

In the order in which a call passes through them:

1. The command checks its options and starts the server (`command`).
2. The server lists the tools, takes calls, and returns results (`server`, `replies`).
3. The tools search, read, outline and grep (`tools`, `file_outline`, `grep`).
4. Each call lists the files that the folders have now (`folders`). Their texts are read again when
   they change (`texts`), and the index is updated while it is searched (`background_index`).
"""
