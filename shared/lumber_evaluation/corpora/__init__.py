"""Loaders for the corpora that splitters are measured on, one module per family.

Files come from a path the user names; only `load_gutenqa_hub` downloads. Errors name what is
missing or malformed, with file and line.
"""

from lumber_evaluation.corpora.folder import load_folder
from lumber_evaluation.corpora.gutenqa import load_gutenqa, load_gutenqa_tables
from lumber_evaluation.corpora.hub import load_gutenqa_hub
from lumber_evaluation.corpora.published import (
    load_choi,
    load_chroma,
    load_covidqa,
    load_multi_corpus,
    load_passages,
    load_qmsum,
    load_wiki_sections,
)
from lumber_evaluation.corpora.questions import load_questions
from lumber_evaluation.corpora.wiki import (
    WikiArticle,
    WikiFields,
    iter_wiki,
    load_wiki50,
    wiki_table,
)
from lumber_evaluation.corpora.wiki_dump import iter_wiki_dump

__all__ = [
    "WikiArticle",
    "WikiFields",
    "iter_wiki",
    "iter_wiki_dump",
    "load_choi",
    "load_chroma",
    "load_covidqa",
    "load_folder",
    "load_gutenqa",
    "load_gutenqa_hub",
    "load_gutenqa_tables",
    "load_multi_corpus",
    "load_passages",
    "load_qmsum",
    "load_questions",
    "load_wiki50",
    "load_wiki_sections",
    "wiki_table",
]
