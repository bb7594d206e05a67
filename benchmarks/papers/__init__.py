"""Experiments of papers, one command each; docs/evaluation.md has their figures beside the papers'."""
