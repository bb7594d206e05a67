"""Splitting text where its content turns: the core shared by every integration."""

from lumber_core.bert import BertChunker, TextEmbedder, TokenScores
from lumber_core.chunker import Chunker
from lumber_core.errors import (
    BoundError,
    LumberError,
    MissingExtraError,
    TilingError,
    TokenizerDataError,
    WeightsError,
)
from lumber_core.greedy import GreedyChunker, GreedySegmentation
from lumber_core.lumber import Group, Judge, LexicalJudge, LumberChunker, ModelJudge, PromptTemplate
from lumber_core.segmentation import Segmentation, Usage, Verdict
from lumber_core.spans import Span, check_tiling
from lumber_core.tokens import TokenCounter, token_counter

__all__ = [
    "BertChunker",
    "BoundError",
    "Chunker",
    "GreedyChunker",
    "GreedySegmentation",
    "Group",
    "Judge",
    "LexicalJudge",
    "LumberChunker",
    "LumberError",
    "MissingExtraError",
    "ModelJudge",
    "PromptTemplate",
    "Segmentation",
    "Span",
    "TextEmbedder",
    "TilingError",
    "TokenCounter",
    "TokenScores",
    "TokenizerDataError",
    "Usage",
    "Verdict",
    "WeightsError",
    "check_tiling",
    "token_counter",
]
