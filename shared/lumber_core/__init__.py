"""Splitting text at topic shifts: the core of every integration."""

from collections.abc import Mapping
from importlib.metadata import version
from types import MappingProxyType

from lumber_core.bert import BertChunker, TextEmbedder, TokenScores
from lumber_core.chunk_view import ChunkView
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.greedy import GreedyChunker, GreedySegmentation
from lumber_core.errors import (
    BadReplyError,
    ChunkSizeError,
    HubError,
    JudgementError,
    LumberError,
    MissingExtraError,
    ModelSettingsError,
    ModelUnavailableError,
    StoreError,
    TilingError,
    TokenizerDataError,
    UnreadableFileError,
    WeightsError,
)
from lumber_core.llms import CallPolicy, Completion, Model
from lumber_core.lumber import (
    AnswerStore,
    Estimate,
    Group,
    Judge,
    LexicalJudge,
    LumberChunker,
    ModelJudge,
    Prices,
    PromptTemplate,
    Range,
)
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.segmentation import Segmentation, Usage, Verdict
from lumber_core.spans import Span, check_tiling
from lumber_core.tokens import TokenCounter, token_counter

__version__ = version("lumber-splitters")

SPLITTERS: Mapping[str, type[Chunker]] = MappingProxyType(
    {"bert": BertChunker, "greedy": GreedyChunker, "lumber": LumberChunker}
)
"""The splitters by their names on the command line."""

__all__ = [
    "SPLITTERS",
    "AnswerStore",
    "BadReplyError",
    "BertChunker",
    "BertJudge",
    "CallPolicy",
    "ChunkSizeError",
    "ChunkView",
    "Chunker",
    "Completion",
    "Estimate",
    "GreedyChunker",
    "GreedySegmentation",
    "Group",
    "HubError",
    "Judge",
    "JudgementError",
    "LexicalJudge",
    "LumberChunker",
    "LumberError",
    "MissingExtraError",
    "Model",
    "ModelJudge",
    "ModelSettingsError",
    "ModelUnavailableError",
    "Prices",
    "PromptTemplate",
    "Range",
    "Segmentation",
    "Span",
    "StoreError",
    "TextEmbedder",
    "TilingError",
    "TokenCounter",
    "TokenScores",
    "TokenizerDataError",
    "UnreadableFileError",
    "Usage",
    "Verdict",
    "WeightsError",
    "__version__",
    "check_tiling",
    "token_counter",
]
