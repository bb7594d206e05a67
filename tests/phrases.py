"""Lists of phrases for tests, several in a line."""


def phrases(block: str) -> list[str]:
    """Return the phrases of a block of lines, in which bars divide them."""
    return [one.strip() for line in block.strip().splitlines() for one in line.split(" | ")]
