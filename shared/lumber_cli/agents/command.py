"""`lumber-splitters mcp`: serve folders to agents, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lumber_cli.file_index import index_path
from lumber_cli.options import EmbeddingsOption, FileOptions, with_options, wrong_options
from lumber_core.support.extras import require


@with_options(FileOptions)
def mcp_command(
    file_options: FileOptions,
    folders: Annotated[
        list[str],
        typer.Argument(metavar="FOLDER", help="Folders of documents.", show_default=False),
    ],
    http: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            metavar="PORT",
            help="Serve http://127.0.0.1:PORT/mcp, for clients that cannot start a program. "
            "Default: stdin and stdout.",
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(
            help="File or URL of the index, as in ask --index. Default: a file in your cache "
            "folder, which all servers of the same folders share."
        ),
    ] = None,
    embeddings: EmbeddingsOption = "bundled",
    structured: Annotated[
        bool,
        typer.Option(
            "--structured",
            help="Also return results as data, for programs; models need only the text.",
        ),
    ] = False,
) -> None:
    """Serve folders to agents, which search, read and cite them.

    An MCP server for Claude, Cursor, Open WebUI and others. Tools: search (passages by meaning and
    words), read (lines), outline (headings or topics), grep (matching lines), status (files and
    index). Works offline, without a key. Reads nothing outside the folders, and writes nothing
    into them.

    Indexes the files in the background. Each call notices new, changed and deleted files.

    Ends when stdin ends. Exits with 0, 1 after an error, 2 for a wrong option or a folder that
    does not exist, 130 after Ctrl-C.
    """
    with wrong_options():
        for folder in folders:
            if not Path(folder).exists():
                raise ValueError(f"{folder} does not exist: expected a folder there")
            if not Path(folder).is_dir():
                raise ValueError(f"{folder} is a file: expected a folder")
        index_file = index_path(index)
    require("mcp", package="mcp", extra="mcp")
    # Deferred: `-h` works without the SDK.
    from lumber_cli.agents.server import serve
    from lumber_cli.agents.tools import FolderTools
    from lumber_retrieval.embedders import embedder

    with wrong_options():
        model = None if embeddings == "bundled" else embedder(embeddings)
        tools = FolderTools(folders, index_file, file_options, model)
        serve(tools, http, structured=structured)
