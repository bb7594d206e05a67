"""`python -m lumber_cli`: the command without its script."""

from lumber_cli import main

main()
