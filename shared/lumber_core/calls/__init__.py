"""Runs work in `threads`, within `deadlines`, and across `forks` of the process."""
