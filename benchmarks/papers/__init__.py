"""Experiments of papers, one command each; README.md has their figures beside the papers'."""
