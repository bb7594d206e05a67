"""`lumber-splitters view`: a page that shows texts with their chunks."""

from lumber_cli.view.command import view_command

__all__ = ["view_command"]
