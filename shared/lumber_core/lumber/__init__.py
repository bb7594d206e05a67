"""LumberChunker: a judge reads groups of units and names the unit where new content starts.

`lumber_chunker` is the splitter. `grouping` forms groups, `walk` goes from group to group, and
`runner` asks the judge. `judges` and `bert_judge` decide. `prompt` writes a model's prompt,
`answer_parser` reads the answer with `answer_words`, and `answer_store` keeps verdicts. `fallback`
handles failures, `cost_estimate` predicts the cost, and `position_warning` warns of answers that
look like guesses.

With `method="window"` a judge names all starts of a long window of units; see `unit_windows`.
"""

from lumber_core.lumber.answer_store import AnswerStore
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.lumber.cost_estimate import Estimate, Prices, Range
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.judges import Judge, ModelJudge
from lumber_core.lumber.lumber_chunker import LumberChunker
from lumber_core.lumber.prompt import PromptTemplate

__all__ = [
    "AnswerStore",
    "BertJudge",
    "Estimate",
    "Group",
    "Judge",
    "LumberChunker",
    "ModelJudge",
    "Prices",
    "PromptTemplate",
    "Range",
]
