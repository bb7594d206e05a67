"""BertChunker: a token classifier marks the tokens that start a chunk.

`chunker` is the splitter and `embedder` the sentence encoder. `scores` computes the score of every
token, from `windows` over the tokens of `tokenizer`. `model_folder` and `loading` find, check and
load the weights; `onnx` and `pytorch` run them.
"""

from typing import TYPE_CHECKING

from lumber_core.exports import load_on_first_use

if TYPE_CHECKING:
    from lumber_core.bert.chunker import BertChunker
    from lumber_core.bert.embedder import TextEmbedder
    from lumber_core.bert.scores import TokenScores
else:
    __getattr__, __dir__ = load_on_first_use(
        __name__,
        {
            "lumber_core.bert.chunker": ["BertChunker"],
            "lumber_core.bert.embedder": ["TextEmbedder"],
            "lumber_core.bert.scores": ["TokenScores"],
        },
    )

__all__ = [
    "BertChunker",
    "TextEmbedder",
    "TokenScores",
]
