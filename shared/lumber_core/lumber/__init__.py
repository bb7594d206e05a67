"""LumberChunker: a judge reads groups of units and names where the content turns.

`groups` says which units are shown together and what an answer does; `walk` goes from group to
group; `drive` asks the judge; `prompt` and `answers` are the two ends of a model's judgement.
"""

from lumber_core.lumber.chunker import LumberChunker
from lumber_core.lumber.groups import Group
from lumber_core.lumber.judges import Judge, ModelJudge
from lumber_core.lumber.lexical import LexicalJudge
from lumber_core.lumber.prompt import PromptTemplate

__all__ = ["Group", "Judge", "LexicalJudge", "LumberChunker", "ModelJudge", "PromptTemplate"]
