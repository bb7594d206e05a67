"""How work is run: in `threads`, within `deadlines`, and across `forks` of the process."""
