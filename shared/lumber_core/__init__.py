"""Splitting texts at places that fit their meaning and layout: the core of every integration."""

from importlib.metadata import version

from lumber_core.bert import BertChunker, TextEmbedder
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.delivery import Chunk, Delivery
from lumber_core.chunking.greedy import GreedyChunker
from lumber_core.chunking.layout import LayoutChunker
from lumber_core.errors import (
    BadReplyError,
    ChunkSizeError,
    JudgementError,
    LumberError,
    MissingExtraError,
    ModelSettingsError,
    ModelUnavailableError,
    StoreError,
    TokenizerDataError,
    WeightsError,
)
from lumber_core.llms import CallPolicy, Completion, Model
from lumber_core.lumber import (
    AnswerStore,
    BertJudge,
    Estimate,
    Group,
    Judge,
    LumberChunker,
    ModelJudge,
    Prices,
    PromptTemplate,
)
from lumber_core.segmentation import Segmentation, Usage, Verdict
from lumber_core.spans import Span
from lumber_core.text.source import Source
from lumber_core.tokens import token_counter

__all__ = [
    "AnswerStore",
    "BadReplyError",
    "BertChunker",
    "BertJudge",
    "CallPolicy",
    "Chunk",
    "ChunkSizeError",
    "Chunker",
    "Completion",
    "Delivery",
    "Estimate",
    "GreedyChunker",
    "Group",
    "Judge",
    "JudgementError",
    "LayoutChunker",
    "LumberChunker",
    "LumberError",
    "MissingExtraError",
    "Model",
    "ModelJudge",
    "ModelSettingsError",
    "ModelUnavailableError",
    "Prices",
    "PromptTemplate",
    "Segmentation",
    "Source",
    "Span",
    "StoreError",
    "TextEmbedder",
    "TokenizerDataError",
    "Usage",
    "Verdict",
    "WeightsError",
    "__version__",
    "token_counter",
]

__version__ = version("lumber-splitters")
