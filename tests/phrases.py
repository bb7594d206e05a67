"""Lists of phrases for tests, several in a line."""


def phrases(block: str) -> list[str]:
    """Return the phrases of lines in which bars divide phrases."""
    return [one.strip() for line in block.strip().splitlines() for one in line.split(" | ")]
