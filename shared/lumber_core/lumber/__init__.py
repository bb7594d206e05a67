"""LumberChunker: a judge reads groups of units and names where the content turns.

`groups` says which units are shown together and what an answer does; `walk` goes from group to
group; `schedule` chooses among documents and `drive` asks; `prompt` and `answers` are the two ends
of a model's judgement; `store` keeps verdicts, `fallback` says what failures lead to, and
`estimate` what it will cost.
"""

from lumber_core.lumber.cache import AnswerStore
from lumber_core.lumber.chunker import LumberChunker
from lumber_core.lumber.estimate import Estimate, Prices, Range
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge, ModelJudge
from lumber_core.lumber.lexical import LexicalJudge
from lumber_core.lumber.prompt import PromptTemplate

__all__ = [
    "AnswerStore",
    "Estimate",
    "Group",
    "Judge",
    "LexicalJudge",
    "LumberChunker",
    "ModelJudge",
    "Prices",
    "PromptTemplate",
    "Range",
]
