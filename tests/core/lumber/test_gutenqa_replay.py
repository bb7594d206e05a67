"""The published rules, checked against the published result."""

from bisect import bisect_left
from itertools import accumulate

from lumber_core import Group, LumberChunker


def test_published_answers_give_the_published_chunks(emma: list[str], emma_ends: list[int]) -> None:
    """GutenQA's Emma was cut into 476 chunks; a judge that knows their ends gives them back."""

    def judge(group: Group) -> int | None:
        end = emma_ends[bisect_left(emma_ends, group.start)]
        return end if end <= group.stop else None

    text = "\n".join(emma)
    segmentation = LumberChunker.as_published(judge).segment(text)
    starts = [0, *accumulate(len(paragraph) + 1 for paragraph in emma)]
    published = [
        "\n".join(emma[first:last]) for first, last in zip([0, *emma_ends], emma_ends, strict=False)
    ]
    assert [starts.index(span.start) for span in segmentation.spans] == [0, *emma_ends[:-1]]
    assert [chunk.rstrip("\n") for chunk in segmentation.chunks(text)] == published
    assert len(segmentation.spans) == 476
    assert segmentation.failures == ()
