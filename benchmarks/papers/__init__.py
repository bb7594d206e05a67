"""Experiments of papers, one command each; docs/evaluation.md has the papers' figures as well."""
