"""Runs the command line as `python -m lumber_cli`."""

from lumber_cli import main

main()
