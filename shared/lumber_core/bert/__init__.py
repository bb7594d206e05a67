"""BertChunker: a token classifier marks where chunks start.

`windows` says which stretches of tokens to score and what their scores add up to; `scanning` runs
them through a model; `onnx_scorer` and `torch_scorer` are the models; `chunker` and `judge` turn
scores into chunks. `recipes`, `synthesis`, `examples` and `training` make new weights, `export`
turns them into what `packaged` and `loading` find again.
"""

from lumber_core.bert.chunker import BertChunker, TokenScores
from lumber_core.bert.embedder import TextEmbedder

__all__ = ["BertChunker", "TextEmbedder", "TokenScores"]
