"""Lists of phrases for tests, several in a line."""


def phrases(block: str) -> list[str]:
    """Return the phrases of lines in which bars divide phrases."""
    return [phrase.strip() for line in block.strip().splitlines() for phrase in line.split(" | ")]
