"""Plain text without markup of its own: what its lines are, told from how they look."""
