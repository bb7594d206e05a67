"""Folders served to agents, by the Model Context Protocol.

In the order in which a call meets them:

1. The command checks its options and starts the server (`command`).
2. The server says what the tools are, takes calls, and returns results (`server`, `replies`).
3. The tools search, read, outline and grep (`tools`, `outline`, `grep`).
4. Each call looks which files the folders have now (`folders`); their texts are read again whenever
   they change (`texts`), and so is their index, while it is searched (`background_index`).
"""
