"""Measuring splitters: `corpora` loads texts with known boundaries, `metrics` compares."""
