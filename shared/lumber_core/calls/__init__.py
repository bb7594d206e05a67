"""Runs work in `threads`, also across forks of the process, and within `deadlines`."""
